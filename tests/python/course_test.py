"""Tests what is found in checkouts of the course's assignment, and how their parts are loaded.

course_test.py FOLDER    FOLDER has labreport_worker.py and its engine
"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
import unittest
from pathlib import Path

import torch

sys.path.insert(0, sys.argv.pop(1))
import labreport_engine  # noqa: E402
import labreport_worker as worker  # noqa: E402
from labreport_source import Mismatch  # noqa: E402

worker.engine = labreport_engine
HERE = Path(__file__).resolve().parent
WORKER = Path(worker.__file__)
MODEL_FILES = [("value", "model.py:BasicsTransformerLM"), ("loss", "nn_utils.py:cross_entropy"), ("optimizer", "optimizer.py:AdamW")]
UNWRITTEN = {"flag": "--attention", "reason": "get_flashattention_autograd_function_triton raises NotImplementedError"}


def in_fresh_process(function):
    """Returns what the function returns as JSON, since a process imports only one checkout."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writer, json.dumps(function()).encode())
        except Mismatch as error:
            os.write(writer, json.dumps(str(error)).encode())
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


def discovered(folder):
    return in_fresh_process(lambda: worker.discover(folder))


def copied(edition, test):
    """Returns a copy of a fixture's checkout, beside the other one, which a test may change."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    for year in [2025, 2026]:
        shutil.copytree(HERE / f"course_{year}", Path(folder.name, f"course_{year}"))
    return Path(folder.name).resolve() / f"course_{edition}"


def change(file, old, new):
    text = file.read_text()
    assert old in text, old
    file.write_text(text.replace(old, new))


def model_in(folder):
    return {"flag": "--model"} | {key: f"{folder}/cs336_basics/{name}" for key, name in MODEL_FILES}


class Discovery(unittest.TestCase):
    def test_finds_the_parts_of_both_editions(self):
        attention, sharded = ("--attention", "get_flashattention_autograd_function_pytorch"), ("--sharded-optimizer", "get_sharded_optimizer")
        basics = HERE / "course_2026" / "cs336-basics"
        for edition, others in [("2026", [("--ddp", "get_ddp"), sharded, ("--fsdp", "get_fsdp")]),
                                ("2025", [("--ddp", "get_ddp_individual_parameters"), ("--ddp", "get_ddp_bucketed"), sharded])]:
            adapters = HERE / f"course_{edition}" / "tests" / "adapters.py"
            parts = [{"flag": flag, "value": f"{adapters}:{name}"} for flag, name in [attention, *others]]
            self.assertEqual(discovered(HERE / f"course_{edition}"),
                             {"edition": edition, "parts": [model_in(basics), *parts], "missing": [UNWRITTEN]})

    def test_the_worker_prints_one_object_and_writes_nothing(self):
        checkout = copied("2026", self)
        change(checkout / "tests" / "adapters.py", "import torch\n", "import torch\nprint('a line of the user')\n")
        before = sorted(checkout.rglob("*"))
        printed = subprocess.run([sys.executable, "-W", "ignore", WORKER, "--course", checkout], capture_output=True, text=True)
        self.assertEqual(json.loads(printed.stdout)["edition"], "2026", printed.stderr)
        self.assertIn("a line of the user", printed.stderr)
        self.assertEqual(sorted(checkout.rglob("*")), before)

    def test_a_checkout_that_is_none_is_one_line(self):
        checkout = copied("2026", self)
        (checkout / "tests" / "adapters.py").write_text("def run_train_bpe():\n    pass\n")
        self.assertRegex(discovered(checkout), "is no checkout of CS336's second assignment: tests/adapters.py has neither get_ddp, nor")
        self.assertRegex(discovered(checkout.parent), "is no checkout of CS336's second assignment: it has no tests/adapters.py$")
        printed = subprocess.run([sys.executable, "-W", "ignore", WORKER, "--course", checkout.parent], capture_output=True, text=True)
        self.assertEqual((printed.returncode, printed.stdout, printed.stderr.count("\n")), (2, "", 1), printed.stderr)

    def test_tells_why_a_part_is_missing(self):
        checkout = copied("2026", self)
        adapters = checkout / "tests" / "adapters.py"
        change(adapters, "    pass  # backward waits for the gradients", "    raise NotImplementedError('later')")
        change(adapters, "def get_sharded_optimizer", "def get_sharded_optimizer_of_mine")
        change(adapters, "def get_fsdp", "from cs336_systems.parallel import shard as get_fsdp\ndef get_my_fsdp")
        (checkout / "cs336-basics" / "cs336_basics" / "optimizer.py").unlink()
        found = discovered(checkout)
        reasons = {missing["flag"]: missing["reason"] for missing in found["missing"]}
        self.assertEqual(reasons["--ddp"], "ddp_on_after_backward raises NotImplementedError")
        self.assertEqual(reasons["--sharded-optimizer"], f"{adapters} has no get_sharded_optimizer")
        self.assertEqual([part["flag"] for part in found["parts"]], ["--model", "--attention", "--fsdp"])
        self.assertEqual(found["parts"][0].keys(), {"flag", "value", "loss"})

    def test_finds_a_network_of_another_name(self):
        checkout = copied("2026", self)
        basics = checkout / "cs336-basics" / "cs336_basics"
        change(basics / "model.py", "class BasicsTransformerLM(", "class LanguageModel(")
        change(basics / "model.py", "d_model, num_layers, num_heads", "n_embd, n_layer, num_heads")
        (basics / "optimizer.py").rename(basics / "training.py")
        (basics / "broken.py").write_text("def\n")
        (basics / "nn_utils.py").write_text((basics / "nn_utils.py").read_text() + "\nclass Sampler:\n    def __init__(self, vocab_size):\n        pass\n")
        found = [part for part in discovered(checkout)["parts"] if part["flag"] == "--model"]
        self.assertEqual(found, [{"flag": "--model", "value": f"{basics}/model.py:LanguageModel", "loss": f"{basics}/nn_utils.py:cross_entropy",
                                  "optimizer": f"{basics}/training.py:AdamW"}])
        (basics / "wide.py").write_text("class Wide:\n    def __init__(self, vocab_size, d_model, num_layers):\n        pass\n")
        reasons = {missing["flag"]: missing["reason"] for missing in discovered(checkout)["missing"]}
        self.assertEqual(reasons["--model"], f"{basics}/model.py has no BasicsTransformerLM, but 2 networks (LanguageModel, Wide); name your "
                                             "model by MODEL")

    def test_a_network_may_import_what_lies_in_the_checkout_around_its_package(self):
        checkout = copied("2026", self)
        basics = checkout / "cs336-basics" / "cs336_basics"
        change(basics / "model.py", "import torch\n", "import torch\nimport cs336_systems\n")
        found = discovered(checkout)
        self.assertIn(model_in(checkout / "cs336-basics"), found["parts"], found["missing"])

    def test_tells_the_package_that_a_checkout_needs(self):
        checkout = copied("2025", self)
        change(checkout / "tests" / "adapters.py", "import torch\n", "import torch\nimport einops_of_nobody\n")
        change(checkout.parent / "course_2026/cs336-basics/cs336_basics/model.py", "import torch\n", "import torch\nimport einx_of_nobody\n")
        found = discovered(checkout)
        self.assertEqual(found["parts"], [])
        of_model, of_adapters = (missing["reason"] for missing in found["missing"] if "of_nobody" in missing["reason"])
        self.assertRegex(of_model, r"^/.*/model.py needs einx_of_nobody, .* `.* install einx_of_nobody torch==")
        self.assertRegex(of_adapters, r"^/.*/adapters.py needs einops_of_nobody, .* `.* install einops_of_nobody torch==\S+` installs beside")

    def test_knows_the_edition_of_a_checkout_without_parallelism(self):
        for version, edition in [("26.1.1", "2026"), ("1.0.5", "2025")]:
            checkout = copied("2025", self)
            change(checkout / "pyproject.toml", "1.0.5", version)
            (checkout / "tests" / "adapters.py").write_text("def get_sharded_optimizer(params, optimizer_cls):\n    ...\n")
            self.assertEqual(discovered(checkout)["edition"], edition)


def load(name, edition=2026, **more):
    spec = dict(model=f"{HERE / f'course_{edition}' / 'tests' / 'adapters.py'}:{name}", arguments="", loss="", optimizer="", **more)
    return worker.read_source(spec)


class Attention(unittest.TestCase):
    """Tests attentions that the course's adapters return."""

    def passed(self, text, dtype=torch.float32):
        """Returns the largest difference of a causal attention, or the message that refuses it."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "attention_adapters.py")
            file.write_text("import torch\nfrom torch.nn.functional import scaled_dot_product_attention as sdpa\n" + text)

            def attend():
                source = worker.read_source(dict(model=f"{file}:get", arguments="", loss="", optimizer="", attention=True))
                q, k, v = torch.randn(3, 2, 5, 4, dtype=dtype)
                attention = worker.attention_factory(source)(source.implementation, "cpu")
                attention.test(q)
                output = attention.forward(q, k, v, None)
                return (output - torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)).abs().max().item()

            return in_fresh_process(attend)

    FUNCTION = """
class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, is_causal):
        ctx.save_for_backward(q, k, v)
        return sdpa(q, k, v, is_causal=is_causal)

    @staticmethod
    def backward(ctx, upstream):
        inputs = [tensor.detach().requires_grad_() for tensor in ctx.saved_tensors]
        with torch.enable_grad():
            output = sdpa(*inputs)
        return *torch.autograd.grad(output, inputs, upstream), None


def get():
    return Function
"""

    def test_calls_an_adapter_for_its_class(self):
        self.assertEqual(self.passed(self.FUNCTION), 0)
        self.assertEqual(self.passed(self.FUNCTION, torch.bfloat16), 0)

    def test_tells_an_attention_that_is_wrong_without_a_mask(self):
        self.assertRegex(self.passed(self.FUNCTION.replace("return sdpa(q, k, v,", "return sdpa(q, k, 2 * v,")),
                         "^Function.apply without a mask, as the course tests it: the output differs from PyTorch's by up to .*; allowed is 0.01$")
        self.assertRegex(self.passed(self.FUNCTION.replace("sdpa(*inputs)", "3 * sdpa(*inputs)")), "^Function.apply without .*: the gradient of Q")

    def test_tells_that_triton_needs_a_gpu(self):
        text = self.FUNCTION.replace("ctx.save_for_backward", "raise RuntimeError('0 active drivers ([]). There should only be one.')\n        ctx.save")
        self.assertRegex(self.passed(text), "^Function.apply.* failed: RuntimeError: Triton finds no GPU, which its kernels need$")

    def test_a_backward_that_is_not_written_leaves_forward(self):
        self.assertEqual(self.passed(self.FUNCTION.replace("inputs = [tensor", "raise NotImplementedError\n        inputs = [tensor")), 0)

    def test_tells_an_adapter_that_is_not_written_or_returns_something_else(self):
        self.assertEqual(self.passed("def get():\n    raise NotImplementedError"), "get raises NotImplementedError: it is not written yet")
        self.assertRegex(self.passed("def get():\n    return torch.nn.Identity"),
                         r"^get\(\) returned <class .*Identity'>; expected a class of torch.autograd.Function$")
        self.assertRegex(self.passed("def get():\n    return open('')"), r"^get\(\) failed: FileNotFoundError")

    def test_a_function_of_any_arguments_is_no_adapter(self):
        self.assertEqual(self.passed("def get(*inputs):\n    return sdpa(*inputs[:3], is_causal=inputs[3])"), 0)


class Paths(unittest.TestCase):
    def test_a_package_that_uv_gets_by_a_path_is_found(self):
        def where():
            load("get_ddp_bucketed", 2025, step={}, part="ddp")
            from cs336_basics import __version__

            return [__version__, sys.modules["cs336_systems"].__version__]

        self.assertEqual(in_fresh_process(where), ["26.0.0", "1.0.5"])

    def test_the_courses_model_trains(self):
        def loss():
            folder = HERE / "course_2026" / "cs336-basics" / "cs336_basics"
            spec = {"model" if key == "value" else key: f"{folder / name}" for key, name in MODEL_FILES}
            source = worker.read_source(spec | {"arguments": ""})
            with contextlib.redirect_stdout(io.StringIO()):
                network = worker.Network(source, dict(vocab_size=30, context_length=8, d_model=16, num_layers=2, num_heads=2, d_ff=24,
                                                      rope_theta=1e4), "cpu")
            ids = torch.randint(30, (2, 8))
            optimizer, losses = network.make_optimizer(), []
            for _ in range(3):
                losses.append(network.loss(network.forward(ids), ids))
                losses[-1].backward()
                optimizer.step()
            return losses[-1].item() < losses[0].item()

        self.assertTrue(in_fresh_process(loss))


if __name__ == "__main__":
    unittest.main()
