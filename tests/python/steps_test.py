"""Tests training steps of a user's: what a maker gets, the phases of a step, and messages about steps that cannot be measured.

steps_test.py FOLDER    FOLDER has labreport_step.py
"""

import gc
import io
import json
import re
import sys
import tempfile
import unittest
import unittest.mock
from contextlib import redirect_stdout
from pathlib import Path

import torch

sys.path.insert(0, sys.argv.pop(1))
import labreport_step  # noqa: E402
from labreport_honesty import remarks_on_steps  # noqa: E402
from labreport_settings import Settings  # noqa: E402
from labreport_source import Mismatch, NotOffered  # noqa: E402

HERE = Path(__file__).parent
VALUES = dict(vocab_size=30, context_length=8, d_model=16, num_layers=2, num_heads=2, d_ff=24, rope_theta=10_000.0)
CELL = dict(device_kind="cpu", vocab=30, context=8, d_model=16, layers=2, heads=2, d_ff=24, batch=4, precision="fp32")


class Engine:
    """Takes the place of the engine and records the ends of phases, and ranges with the phase around them."""

    def __init__(self):
        self.begun, self.phases, self.ranges, self.open, self.is_observed = [], [], [], [], False

    def observed(self):
        return self.is_observed

    def begin_phase(self, name):
        self.open = [name]
        self.begun.append(name)

    def end_phase(self, name):
        self.phases.append(name)

    def open_range(self, name):
        self.open.append(name)
        self.ranges.append("/".join(self.open))

    def close_range(self):
        self.open.pop()


def source(maker, file=HERE / "own_steps.py", **arguments):
    return labreport_step.StepSource(dict(model=f"{file}:{maker}", arguments=json.dumps(arguments), loss="", optimizer=""))


def make(maker, precision="fp32", **arguments):
    return labreport_step.UserStep(source(maker, **arguments), VALUES, CELL | {"precision": precision}, "cpu", Engine())


def batch():
    return torch.randint(30, (2, 4, 8))


def phases_of_step(step, number=1):
    """Returns the phases of the last of some steps, without "other"."""
    for _ in range(number):
        step.phases.engine.phases.clear()
        step.step(*batch())
    return [phase for phase in step.phases.engine.phases if phase != "other"]


class Steps(unittest.TestCase):
    def setUp(self):
        gc.collect()  # modules of earlier tests are no part of this one's step

    def test_makes_and_describes_steps(self):
        for maker, takes_size, takes_context, precision in [
                ("plain", True, True, "fp32"), ("Accumulating", True, False, "fp32"), ("without_batch", False, False, "fp32"),
                ("in_bf16", True, False, "bf16"), ("two_optimizers", True, False, "fp32"), ("compiled", True, False, "fp32")]:
            self.assertEqual(labreport_step.describe_step(source(maker), CELL, Engine()),
                             {"takes_size": takes_size, "takes_context": takes_context, "compiles": maker == "compiled",
                              "precision": precision} | ({"returns_no_loss": True} if maker == "without_batch" else {}), maker)
        self.assertEqual(labreport_step.describe_step(source("scaled"), CELL, Engine()),
                         {"takes_size": True, "takes_context": False, "compiles": False})

    def test_makes_the_step_of_the_documents(self):
        """docs/step.md begins with it; its imports and network are those of own_steps.py."""
        page = (HERE.parent.parent / "docs/step.md").read_text(encoding="utf-8")
        example = re.search(r"^```python\n(.*?)^```", page, re.M | re.S).group(1)
        network = "from own_steps import Network, cross_entropy, torch\nMyTransformer = lambda width, layers, _: Network(64, width, layers)\n"
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(sys, "path", [str(HERE), *sys.path]):
            file = Path(folder) / "train.py"
            file.write_text(network + example, encoding="utf-8")
            step = labreport_step.UserStep(source("make_step", file), VALUES, CELL, "cpu", Engine())
        self.assertEqual(phases_of_step(step), ["forward", "loss", "backward", "optimizer"])

    def test_knows_the_precision_of_a_step_that_replays_what_its_maker_captured(self):
        self.assertEqual(labreport_step.describe_step(source("replaying"), CELL, Engine())["precision"], "bf16")

    def test_counts_no_flops_of_a_step_that_dispatches_no_matrix_product(self):
        with self.assertRaises(NotOffered):
            make("replaying").count_step(*batch(), "train_step")

    def test_sees_the_phases_of_a_plain_loop(self):
        step = make("plain")
        self.assertEqual(phases_of_step(step), ["forward", "loss", "backward", "optimizer"])
        self.assertEqual(step.count_occurrences(*batch()), 
                         [("forward", 1), ("loss", 1), ("backward", 1), ("optimizer", 1), ("batch", 1)])
        self.assertEqual(step.notes(), [])

    def test_sees_each_occurrence_of_a_phase(self):
        part = ["forward", "loss", "backward"]
        self.assertEqual(phases_of_step(make("Accumulating"), 2), 4 * part + ["optimizer"])
        self.assertEqual(phases_of_step(make("Accumulating", parts=2)), 2 * part + ["optimizer"])
        self.assertEqual(phases_of_step(make("two_optimizers")), part + ["optimizer", "optimizer"])
        self.assertEqual(phases_of_step(make("without_batch")), part + ["optimizer"])

    def test_sees_phases_inside_an_optimizers_closure(self):
        evaluation = ["optimizer", "forward", "loss", "backward"]
        self.assertEqual(phases_of_step(make("with_closure")), evaluation + ["optimizer"])
        step = make("with_closure", evaluations=3)
        self.assertEqual(phases_of_step(step, 2), 3 * evaluation + ["optimizer"])
        self.assertEqual(dict(step.phases.counts), {"optimizer": 1, "forward": 3, "loss": 3, "backward": 3})

    def test_opens_each_phase_under_the_name_that_it_has_at_its_end(self):
        for maker in ["plain", "Accumulating", "two_optimizers", "with_closure"]:
            step = make(maker)
            phases_of_step(step, 2)
            self.assertEqual(step.phases.engine.begun[-len(step.phases.engine.phases):], step.phases.engine.phases, maker)

    def test_all_time_belongs_to_a_phase_that_ends_once(self):
        step = make("Accumulating")
        phases_of_step(step, 2)
        all_phases = step.phases.engine.phases
        self.assertEqual(all_phases[:3], ["other", "forward", "other"])
        self.assertEqual(all_phases[-1], "other")

    def test_names_ranges_of_modules_by_phase(self):
        step = make("plain")
        step.phases.engine.is_observed = True
        phases_of_step(step, 2)
        self.assertEqual(set(step.phases.engine.ranges), {f"forward/{name}" for name in ["embedding", "layers.0", "layers.1", "head"]})

    def test_runs_in_the_precisions_that_its_maker_takes(self):
        for precision in ["fp32", "bf16"]:
            step = make("scaled", precision)
            self.assertEqual(phases_of_step(step), ["forward", "loss", "backward", "optimizer"], precision)
            self.assertIn("precision", step.used)

    def test_skips_an_update_that_overflows(self):
        try:
            torch.zeros(2, 2).half() @ torch.zeros(2, 2).half()
        except RuntimeError:
            self.skipTest("this CPU multiplies no FP16 matrices")
        step = make("scaled", "fp16")
        with unittest.mock.patch.object(torch.amp.GradScaler, "_maybe_opt_step", return_value=None):
            self.assertEqual(phases_of_step(step), ["forward", "loss", "backward"])

    def test_knows_no_phases_of_compiled_code(self):
        step = make("compiled")
        with torch.compiler.set_stance("force_eager"):
            self.assertEqual(phases_of_step(step), [])
        self.assertEqual(step.count_occurrences(*batch()), [("batch", 1)])
        self.assertEqual(make("without_batch").count_occurrences(*batch())[-1], ("batch", 0))
        self.assertEqual(step.notes(), ["the phases of the step are unknown, because hooks would change compiled code"])
        self.assertEqual(step.parameters()[0][0], "embedding.weight")

    def test_finds_parameters_and_states(self):
        step = make("Accumulating")
        step.step(*batch())
        self.assertEqual([name for name, _ in step.parameters()][:2], ["embedding.weight", "layers.0.weight"])
        self.assertIn("head.bias.exp_avg", dict(step.state()))
        step = make("two_optimizers")
        phases_of_step(step)
        self.assertEqual({name.rpartition(".")[2] for name, _ in step.state()}, {"step", "exp_avg", "exp_avg_sq"})

    def test_returns_the_loss_if_the_step_does(self):
        self.assertEqual(make("plain").step(*batch()).shape, ())
        self.assertIsNone(make("two_optimizers").step(*batch()), "a Python number waited for the GPU")
        self.assertIsNone(make("without_batch").step(*batch()))

    def test_restores_what_it_watches(self):
        before = torch.autograd.backward, torch.autograd.grad, torch.compile
        step = make("plain")
        phases_of_step(step, 2)
        self.assertEqual((torch.autograd.backward, torch.autograd.grad, torch.compile), before)
        self.assertFalse(any(module._forward_hooks or module._forward_pre_hooks for module in step.modules[0].modules()))
        self.assertFalse(torch.nn.modules.module._global_forward_hooks)

    def test_hooks_only_the_outermost_modules_after_the_first_step(self):
        step = make("plain")
        step.step(*batch())
        self.assertEqual([type(module).__name__ for module in step.phases.outermost], ["Network"])

    def test_prints_wherever_stdout_goes(self):
        with redirect_stdout(io.StringIO()) as printed:
            make("printing").step(*batch())
        self.assertEqual(printed.getvalue(), "loud\n")


class Checks(unittest.TestCase):
    def setUp(self):
        gc.collect()

    def remarks(self, maker):
        return remarks_on_steps(make(maker), batch_size=4, context=8)

    def test_says_nothing_of_steps_that_train(self):
        for maker in ["plain", "Accumulating", "scaled", "two_optimizers", "with_closure", "without_batch", "compiled"]:
            self.assertEqual(self.remarks(maker), [], maker)
            gc.collect()

    def test_tells_of_steps_that_do_less(self):
        self.assertEqual(self.remarks("training_nothing"), ["7 of 7 parameters get no gradient"])
        gc.collect()
        self.assertEqual(self.remarks("ignoring_the_batch"), ["its loss stays when the batch changes"])
        gc.collect()
        self.assertRegex(self.remarks("diverging")[0], r"^its loss is (NaN|infinite) in step [23]$")

    def test_counts_flops_by_phase(self):
        counted = make("plain").count_step(*batch(), "train_step")
        tokens, weights = 32, 2 * 16 * 16 + 16 * 30
        self.assertEqual(dict(counted["flops"]), {"forward": 2 * tokens * weights, "loss": 0, "backward": 4 * tokens * weights,
                                                  "optimizer": 0, "other": 0})
        self.assertEqual(dict(make("compiled").count_step(*batch(), "train_step")["flops"])["other"], 6 * tokens * weights)

    def test_names_the_settings_that_a_step_chooses(self):
        settings = Settings(lambda name: False)
        self.addCleanup(torch.use_deterministic_algorithms, False)
        make("setting_what_labreport_sets")
        self.assertEqual(settings.changes("make_step"), ["make_step sets deterministic algorithms to True"])


class Messages(unittest.TestCase):
    def setUp(self):
        gc.collect()

    def assert_fails(self, message, maker, **arguments):
        with self.assertRaisesRegex(Mismatch, message):
            labreport_step.describe_step(source(maker, **arguments), CELL, Engine())

    def test_names_the_phase_that_fails(self):
        call = r"^failing's step\(int64\[4, 8\] on cpu, int64\[4, 8\] on cpu\) failed"
        for phase, error in [("forward", "no logits today"), ("backward", "no gradient today"), ("optimizer", "no update today")]:
            self.assert_fails(f"{call} in {phase}: ValueError: {error}$", "failing", phase=phase)
        self.assert_fails(f"{call}: ValueError: no loss today$", "failing", phase="other")

    def test_tells_what_is_wrong_with_a_maker(self):
        self.assert_fails(r"^wanting\(device\) lacks the arguments teacher, beta; STEP_ARGS gives constants and \$vocab_size, .*"
                          r"\$batch_size, .*\$precision", "wanting")
        self.assert_fails(r"^returning_a_model\(device=.*\) returned \(Network.*expected a function step\(ids, targets\), or an "
                          "object with one$", "returning_a_model")
        self.assert_fails("^without_optimizer makes no torch.optim.Optimizer, so nothing trains", "without_optimizer")
        self.assert_fails("^elsewhere puts embedding.weight on meta; it gets device=cpu, and has to use it$", "elsewhere")
        self.assert_fails(r"^taking_three's step takes \(ids, targets, mask\); a step gets token ids and targets, or nothing: a "
                          r"maker that ends with `return lambda ids, targets: step\(ids, targets, mask=…\)` passes both on$", "taking_three")
        self.assert_fails(r"^Trainer's step takes \(batch\); .*`return lambda ids, targets: trainer.step\(\(ids, targets\)\)`", "Trainer")
        self.assert_fails(r"^returning_a_class\(device=.*\) returned the class Trainer; return an object of it, as Trainer\(…\)$",
                          "returning_a_class")

    def test_shows_the_factory_that_makes_a_config(self):
        self.assert_fails(r"`def make\(.*, d_ff, batch_size, device\): return configured\(config=TrainerConfig\(n_layer=num_layers, "
                          r"n_embd=d_model, vocab_size=vocab_size, dropout=…\), batch_size=batch_size, device=device\)`", "configured")

    def test_tells_a_step_from_its_maker(self):
        maker = "STEP names the function that makes the step.*`def make_step"
        self.assert_fails(rf"^a_step\(\) lacks ids; it takes a batch, as a step does, and {maker}", "a_step")
        self.assert_fails(rf"^a_step_of_a_model\(\) lacks model; it takes a batch, as a step does, and {maker}", "a_step_of_a_model")
        self.assert_fails(rf"^a_step_without_batch\(\) returned float32.*; {maker}", "a_step_without_batch")

    def test_tells_what_is_wrong_with_a_step(self):
        self.assert_fails(r"failed: SystemExit: enough$", "exiting")
        self.assert_fails(r"failed in forward: IndexError: .*; its maker takes no vocab_size, so --vocab has to say",
                          "small_vocabulary")


if __name__ == "__main__":
    unittest.main()
