"""Tests steps around parts of the user's on two ranks over Gloo: what their check finds before timing, and what is recorded.

parts_test.py WORKER
"""

import functools
import gc
import itertools
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.fsdp  # noqa: F401: loaded once, for all forks
import torch.distributed.optim  # noqa: F401
from rank_launches import OWN_STEP, RankTest, fork, wait_for

HERE = Path(__file__).parent
WORKER = sys.argv.pop(1)
PYTHON = Path(WORKER).parent / "python"
sys.path.insert(0, str(PYTHON))
import labreport_part_check  # noqa: E402
import labreport_parts  # noqa: E402
from labreport_ranks import join, stores  # noqa: E402
from labreport_source import Mismatch, load  # noqa: E402

BROKEN = HERE / "broken_parts.py"
ADAPTERS = {edition: HERE / f"course_{edition}" / "tests" / "adapters.py" for edition in (2025, 2026)}
VALUES = dict(vocab_size=30, context_length=8, d_model=16, num_layers=2, num_heads=2, d_ff=24, rope_theta=10_000.0)
CELL = dict(device_kind="cpu", vocab=30, context=8, d_model=16, layers=2, heads=2, d_ff=24, batch=2, ranks=2, collectives="gloo")
COLLECTIVE_FAILED = 4  # the exit status by which the orchestrator looks for another rank at fault
SLOW = 20  # seconds that a collective is waited for, where none hangs


class NoPhases:
    """Takes the place of the engine."""

    def observed(self):
        return False

    def begin_phase(self, name):
        pass

    def end_phase(self, name):
        pass


def spec(part, place):
    return OWN_STEP | dict(part=part, model=str(place))


def check(kind, place, dtype=None):
    """Returns the error that the check of the part tells; nothing if the part passes it."""
    device = torch.device("cpu")
    try:
        source = labreport_parts.PartSource(spec(kind, place))
        labreport_part_check.check_part(source.part, functools.partial(source.make_network, device=device), device, dtype)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def make_step(source, **cell):
    return source.make_step(dict(VALUES), CELL | {"precision": "fp32"} | cell, "cpu", NoPhases())


class Checks(unittest.TestCase):
    """Runs parts on two forks of this process, without the engine."""

    def on_ranks(self, function, seconds=SLOW):
        """Returns the texts that the function returns, or the errors that it raises, by rank."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.outputs = [Path(folder.name, f"{rank}.output") for rank in range(2)]
        answers = [Path(folder.name, f"{rank}.answer") for rank in range(2)]

        def run(rank):
            join(CELL, dist.FileStore(f"{folder.name}/meeting", 2), rank, 2, seconds)
            try:
                answer = function(rank)
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
            answers[rank].write_text(answer or "")

        children = {fork(functools.partial(run, rank), self.outputs[rank]): rank for rank in range(2)}
        wait_for(children)
        return [answer.read_text() if answer.exists() else None for answer in answers]

    def checked(self, parts, seconds=SLOW):
        """Returns a line for each part and rank, which is empty if the part passes its check."""
        def check_all(_):
            return "\n".join(itertools.starmap(check, parts))

        return [answer and answer.split("\n") for answer in self.on_ranks(check_all, seconds)]

    def assert_both_tell(self, *parts):
        """Each part is a kind, a name in broken_parts.py, and the message that both ranks have to tell."""
        first, second = self.checked([(kind, f"{BROKEN}:{name}") for kind, name, _ in parts])
        self.assertEqual(first, second)
        self.assertEqual(len(first), len(parts))
        for line, (_, name, message) in zip(first, parts):
            self.assertRegex(line, f"^Mismatch: {message}", name)

    def test_parts_that_train_pass(self):
        fsdp = f"{ADAPTERS[2026]}:get_fsdp"
        parts = [("ddp", f"{ADAPTERS[2026]}:get_ddp"), ("fsdp", fsdp), ("fsdp", fsdp, torch.bfloat16), ("fsdp", fsdp, torch.float16),
                 ("sharded_optimizer", f"{ADAPTERS[2026]}:get_sharded_optimizer"), ("ddp", f"{BROKEN}:Container"),
                 ("sharded_optimizer", f"{BROKEN}:ShardedOptimizer"), ("ddp", f"{BROKEN}:get_printing"),
                 ("ddp", f"{BROKEN}:PlainContainer"), ("sharded_optimizer", f"{BROKEN}:get_sharded_own_gradients")]
        for answers in self.checked(parts):
            self.assertEqual(answers, len(parts) * [""])
        self.assertIn("a line of the user's", self.outputs[0].read_text())

    def test_containers_of_2025_pass(self):
        names = ["get_ddp_bucketed", "get_ddp_individual_parameters"]
        for answers in self.checked([("ddp", f"{ADAPTERS[2025]}:{name}") for name in names]):
            self.assertEqual(answers, ["", ""])

    def test_tells_what_a_part_does_wrong(self):
        after = r"after step 1 of 5, on rank 0, {} of 6 weights differs? from training in one process by up to {} \(.*\); allowed " \
                "are 1e-5"
        all_differ, one_differs = after.format(5, r"\S+"), after.format(1, r"\S+")
        of_optimizer = r"after step 1 of 10, on rank 0, \d of 6 weights differs? from those of the whole optimizer by up to .*; allowed " \
                       "are 1e-5"
        faults = [
            ("ddp", "no_broadcast", r"before the first step, on rank 1, 6 of 6 weights differ from rank 0's by up to .*: are they broadcast\?$"),
            ("ddp", "sums", all_differ + ": gradients are summed over the ranks, but not divided by their number$"),
            ("ddp", "averaged_twice", all_differ + ": gradients are divided by the number of ranks twice$"),
            ("ddp", "no_averages", all_differ + ": each rank applies its own gradients alone$"),
            ("ddp", "frozen", all_differ + ": these weights do not change$"),
            ("ddp", "one_wrong", one_differs + "$"),
            ("ddp", "not_a_number", after.format(1, "inf") + "$"),
            ("sharded_optimizer", "sharded_no_broadcast", of_optimizer + ": these do not change; are the weights broadcast by"),
            ("sharded_optimizer", "sharded_own_arguments", of_optimizer + "$"),
            ("sharded_optimizer", "sharded_raising", r"step 1 of 10 .* failed at broken_parts.py:\d+: ValueError: no update")]
        self.assert_both_tell(*((kind, f"get_{name}", f"get_{name}: {message}") for kind, name, message in faults))

    def test_tells_what_is_not_written_or_of_another_type(self):
        self.assert_both_tell(
            ("ddp", "get_unwritten", r"get_unwritten\(Toy\) raises NotImplementedError at broken_parts.py:\d+: it is not written yet"),
            ("ddp", "get_half_written", "get_half_written: step 1 of 5 at a tiny size raises NotImplementedError at "),
            ("ddp", "get_none", r"get_none\(Toy\) returned None; expected a torch.nn.Module"),
            ("fsdp", "get_none", r"get_none\(\w+\) returned None; expected a torch.nn.Module"),
            ("sharded_optimizer", "get_none", r"get_none\(parameters, AdamW\) returned None; expected a torch.optim.Optimizer"),
            ("ddp", "get_exiting", "get_exiting: step 2 of 5 .* failed at .*: SystemExit: enough"),
            ("ddp", "get_leaving", "get_leaving: step 2 of 5 at a tiny size ended the process group, .* leave out destroy_proc"))

    def test_tells_the_users_line_and_not_a_packages(self):
        self.assert_both_tell(("ddp", "get_failing_in_a_package", r"get_failing_in_a_package\(Toy\) failed at broken_parts.py:\d+: ValueError: deep$"))

    def checkout_with(self, old, new):
        """Returns the adapters of a copy of the course's checkout, whose network has one change."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        shutil.copytree(HERE / "course_2026", Path(folder.name, "course_2026"))
        model = Path(folder.name, "course_2026", "cs336-basics", "cs336_basics", "model.py")
        text = model.read_text()
        self.assertIn(old, text)
        model.write_text(text.replace(old, new))
        return Path(folder.name, "course_2026", "tests", "adapters.py")

    def test_fsdp_trains_a_network_of_another_name_that_returns_more_than_logits(self):
        adapters = self.checkout_with("class BasicsTransformerLM(", "class LanguageModel(")
        model = adapters.parent.parent / "cs336-basics" / "cs336_basics" / "model.py"
        model.write_text(model.read_text().replace("return self.lm_head(self.ln_final(x))", "return self.lm_head(self.ln_final(x)), [x.sum()]"))

        def train(rank):
            error = check("fsdp", f"{adapters}:get_fsdp", torch.bfloat16)
            step = make_step(labreport_parts.PartSource(spec("fsdp", f"{adapters}:get_fsdp")))
            return error or f"{type(step.training.network).__name__} {step.step(*torch.randint(30, (2, 2, 8))).item() > 0}"

        self.assertEqual(self.on_ranks(train), 2 * ["FSDPLanguageModel True"])

    def test_tells_fsdp_that_shards_nothing_of_a_network_that_is_not_its_own(self):
        self.assert_both_tell(("fsdp", "Container", "Container shards no weight of labreport's network; it may know only the layers of "
                                                    "cs336_basics, whose network was not found: there is no package cs336_basics$"))

    def test_tells_a_network_that_fails_by_itself(self):
        adapters = self.checkout_with("x = self.token_embeddings(ids)", "raise RuntimeError('0 active drivers ([]).')\n        x = self.token_embeddings(ids)")
        for line in self.on_ranks(lambda _: check("fsdp", f"{adapters}:get_fsdp")):
            self.assertRegex(line, r"^Mismatch: BasicsTransformerLM by itself at a tiny size failed at model.py:\d+: RuntimeError: Triton finds no GPU")

    def test_clears_gradients_that_a_sharded_optimizer_leaves_and_says_so(self):
        def notes(rank):
            lines = []
            for name in ["get_sharded_own_gradients", "ShardedOptimizer"]:
                step = make_step(labreport_parts.PartSource(spec("sharded_optimizer", f"{BROKEN}:{name}")))
                ids = torch.randint(30, (2, 8))
                kept = []
                for _ in range(2):
                    step.step(ids, ids.roll(-1))
                    kept.append(max(tensor.grad.abs().max().item() for _, tensor in step.whole_parameters()))
                lines.append(f"{kept[1] < 1.5 * kept[0]} {step.notes()}")
            return "\n".join(lines)

        for answer in self.on_ranks(notes):
            left, whole = answer.split("\n")
            self.assertRegex(left, "^True .*get_sharded_own_gradients: zero_grad.. leaves the gradients of parameters that other ranks update")
            self.assertEqual(whole, "True []")

    def test_a_rank_that_fails_ends_the_other(self):
        first, second = self.checked([("ddp", f"{BROKEN}:get_raising")])
        self.assertRegex(second[0], "Mismatch: get_raising: step 2 of 5 .*: ValueError: no gradients today")
        self.assertRegex(first[0], "CollectiveFailed: get_raising: step 2 of 5 .*: a collective failed")

    def test_a_rank_that_hangs_ends_the_other(self):
        first, second = self.checked([("ddp", f"{BROKEN}:get_hanging")], seconds=2)
        self.assertEqual(second, None)
        self.assertRegex(first[0], r"^CollectiveFailed: get_hanging: step 2 of 5 .* a collective failed at broken_parts.py:\d+: it timed out")
        self.assertRegex(self.outputs[1].read_text(), r"broken_parts.py\", line \d+ in finish_gradient_synchronization")

    def test_a_rank_that_is_waited_for_by_the_store_is_no_fault_of_the_other(self):
        first, second = self.checked([("ddp", f"{BROKEN}:get_never_made")], seconds=2)
        self.assertEqual(first, ["CollectiveFailed: get_never_made: another rank did not follow in the check before timing: "
                                 "it timed out waiting for another rank"])
        self.assertEqual(second, None)
        self.assertRegex(self.outputs[1].read_text(), r"broken_parts.py\", line \d+ in __init__")

    def test_the_check_leaves_nothing_behind(self):
        def traces():
            gc.collect()
            found = [value for value in gc.get_objects() if issubclass(type(value), (torch.nn.Module, torch.optim.Optimizer, torch.Tensor))]
            return len(found), torch.get_rng_state().sum().item(), torch.is_grad_enabled(), torch.backends.cuda.matmul.allow_tf32

        def compare(rank):
            source = labreport_parts.PartSource(spec("ddp", f"{BROKEN}:Container"))
            torch.backends.cuda.matmul.allow_tf32 = True
            before = traces()
            labreport_part_check.check_part(source.part, None, torch.device("cpu"))
            return "" if before == traces() else f"{before} became {traces()}"

        self.assertEqual(self.on_ranks(compare), ["", ""])

    def test_steps_train_the_networks_that_they_are_to_train(self):
        def train(rank):
            kinds = []
            for part, name, precision in [("ddp", "get_ddp", "bf16"), ("sharded_optimizer", "get_sharded_optimizer", "fp32"),
                                          ("fsdp", "get_fsdp", "bf16")]:
                step = make_step(labreport_parts.PartSource(spec(part, f"{ADAPTERS[2026]}:{name}")), precision=precision)
                ids = torch.randint(30, (2, 8))
                first, *_, last = [step.step(ids, ids.roll(-1)).item() for _ in range(4)]
                model = step.training.model
                kinds.append(f"{type(getattr(model, 'module', model)).__name__.removeprefix('FSDP')} {last < first} "
                             f"{len(step.replicated_parameters())} of {len(step.parameters())}")
            return "; ".join(kinds)

        expected = "Transformer True 21 of 21; Transformer True 21 of 21; BasicsTransformerLM True 0 of 16"
        self.assertEqual(self.on_ranks(train), [expected, expected])

    def test_tells_the_bytes_that_a_rank_holds(self):
        def hold(rank):
            lines = []
            for part, place in [("ddp", f"{BROKEN}:Container"), ("sharded_optimizer", f"{BROKEN}:ShardedOptimizer"),
                                ("sharded_optimizer", f"{ADAPTERS[2026]}:get_sharded_optimizer"), ("fsdp", f"{ADAPTERS[2026]}:get_fsdp")]:
                step = make_step(labreport_parts.PartSource(spec(part, place)))
                whole = 4 * sum(step.training.whole_sizes.values())
                made = step.held_bytes()
                step.step(*torch.randint(30, (2, 2, 8)))
                lines.append(" ".join(f"{held / whole:.1f}" for held in made + step.held_bytes()))
            return "; ".join(lines)

        ddp = "1.0 0.0 0.0 1.0 1.0 2.0"
        answers = [answer.split("; ") for answer in self.on_ranks(hold)]
        for rank in range(2):
            self.assertEqual(answers[rank][0], ddp)
            self.assertRegex(answers[rank][1], r"^1.0 0.0 0.0 1.0 1.0 (0\.[5-9]|1\.[0-5])$")
            self.assertRegex(answers[rank][2], r"^1.0 0.0 0.0 1.0 1.0 (0\.[5-9]|1\.[0-5])$")
            self.assertRegex(answers[rank][3], r"^0.5 0.0 0.0 0.5 0.5 1.0$")

    def test_passes_the_size_of_buckets(self):
        def size(rank):
            source = labreport_parts.PartSource(spec("ddp", f"{ADAPTERS[2025]}:get_ddp_bucketed"))
            steps = [make_step(source), make_step(source, bucket_bytes=500_000)]
            return str([step.training.model.bucket_bytes_cap / 2**20 for step in steps])

        self.assertEqual(self.on_ranks(size), 2 * ["[25.0, 0.5]"])


class Loading(unittest.TestCase):
    def test_is_called_by_the_users_name_and_a_hash_of_all_files(self):
        source = labreport_parts.PartSource(spec("fsdp", f"{ADAPTERS[2026]}:get_fsdp"))
        self.assertRegex(source.implementation, "^get_fsdp-[0-9a-f]{8}$")
        self.assertLessEqual({"adapters.py", "model.py", "parallel.py"}, {file.name for file in source.files})

    def test_phases_are_seen_although_another_function_of_the_file_is_compiled(self):
        source = labreport_parts.PartSource(spec("ddp", f"{BROKEN}:Container"))
        self.assertTrue(source.imports_compiled)
        self.assertFalse(source.may_compile_modules)
        self.assertTrue(labreport_parts.StepSource.may_compile_modules)

    def test_is_refused_in_one_process_and_where_it_is_missing(self):
        source = labreport_parts.PartSource(spec("ddp", f"{ADAPTERS[2026]}:get_ddp"))
        with self.assertRaisesRegex(Mismatch, "get_ddp trains on several ranks, and this is one process; --ranks 2"):
            source.make_step(VALUES, {name: value for name, value in CELL.items() if name != "ranks"}, "cpu", None)
        with self.assertRaisesRegex(Mismatch, "DDP: .*adapters.py has no get_ddp_of_nobody"):
            labreport_parts.PartSource(spec("ddp", f"{ADAPTERS[2026]}:get_ddp_of_nobody"))

    def test_a_missing_package_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "einsum_adapters.py")
            file.write_text("import einops_of_nobody\n")
            with self.assertRaisesRegex(Mismatch, "DDP .* needs einops_of_nobody, which .* lacks; `.*install einops_of_nobody torch=="):
                load("DDP", f"{file}:get_ddp")


class Launches(RankTest):
    program = PYTHON / "labreport_worker.py"

    def test_measures_a_container(self):
        source = spec("ddp", f"{ADAPTERS[2026]}:get_ddp")
        description = self.described(source)
        self.assertEqual(description["step"], {"takes_size": True, "takes_context": True, "compiles": False, "takes_bucket_size": False})
        body = self.measured(source)
        lanes = [row["phase"] for row in body["tables"]["lanes"] if row["lane"] == "communication"]
        self.assertEqual(set(lanes), {"all-reduce"})
        self.assertEqual(body["values"]["equality", "apart"], 0)
        self.assertEqual([body["values"]["occurrences", phase] for phase in ["forward", "backward", "optimizer"]], [1, 1, 1])

    def test_sees_the_phases_of_a_part_beside_compiled_code(self):
        body = self.measured(spec("ddp", f"{BROKEN}:Container"))
        self.assertEqual([body["values"]["occurrences", phase] for phase in ["forward", "backward", "optimizer"]], [1, 1, 1])

    def test_measures_fsdp(self):
        body = self.measured(spec("fsdp", f"{ADAPTERS[2026]}:get_fsdp"))
        self.assertIn("all-gather", [row["phase"] for row in body["tables"]["lanes"]])

    def test_a_rank_that_hangs_in_the_check_ends_the_launch_as_one_in_timing_does(self):
        results, statuses = self.launch(spec("ddp", f"{BROKEN}:get_never_made"), seconds=2)
        self.assertEqual(statuses, {0: COLLECTIVE_FAILED, 1: -15})
        self.assertEqual(results[0]["outcome"]["status"], "timeout")
        self.assertEqual(results[1], None)
        self.assertRegex((self.folder / "1.output").read_text(), r"broken_parts.py\", line \d+ in __init__")

    def test_a_failing_part_is_an_error_without_a_time(self):
        results, _ = self.launch(spec("ddp", f"{BROKEN}:get_sums"))
        for rank in range(2):
            self.assertEqual(results[rank]["outcome"]["status"], "error")
            self.assertRegex(results[rank]["outcome"]["message"], "^get_sums: after step 1 of 5, .*: gradients are summed")


if __name__ == "__main__":
    unittest.main()
