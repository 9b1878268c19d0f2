"""Tests how labreport-model-worker loads and calls its user's code, and its messages about code that it cannot measure.

models_test.py FOLDER    FOLDER has labreport_worker.py and its engine
"""

import importlib.metadata
import itertools
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

import torch

sys.path.insert(0, sys.argv.pop(1))
import labreport_engine  # noqa: E402
import labreport_flops  # noqa: E402
import labreport_source  # noqa: E402
import labreport_worker as worker  # noqa: E402

worker.engine = labreport_engine
HERE = Path(__file__).parent
COURSE_PARAMETERS = dict(vocab_size=30, context_length=8, d_model=16, num_layers=2, num_heads=2, d_ff=24, rope_theta=10_000.0)
CROSS_ENTROPY, ADAMW = "torch.nn.functional:cross_entropy", "torch.optim:AdamW"
ODD_MODELS = f"{HERE / 'odd_models.py'}:"


def source(model, arguments="", loss=CROSS_ENTROPY, optimizer=ADAMW):
    return worker.Source(dict(model=model, arguments=arguments, loss=loss, optimizer=optimizer))


def network(*words, **named):
    return worker.Network(source(*words, **named), COURSE_PARAMETERS, "cpu")


def step(network):
    """Runs forward, loss, backward and optimizer as the engine does. Returns the loss and the optimizer's state."""
    ids, targets = torch.randint(COURSE_PARAMETERS["vocab_size"], (2, 2, COURSE_PARAMETERS["context_length"]))
    loss = network.loss(network.forward(ids), targets)
    loss.backward()
    optimizer = network.make_optimizer()
    optimizer.step()
    return loss, dict(optimizer.state())


class RangeRecorder:
    """Takes the place of the engine and records the paths of ranges."""

    def __init__(self):
        self.open, self.paths = [], []

    def observed(self):
        return True

    def open_range(self, name):
        self.open.append(name)
        self.paths.append("/".join(self.open))

    def close_range(self):
        self.open.pop()


sys.path.insert(0, str(HERE))


class Loads(unittest.TestCase):
    def test_passes_the_courses_parameters_to_a_class(self):
        loss, state = step(network(f"{HERE / 'my_transformer.py'}:TransformerLM"))
        self.assertEqual(loss.shape, ())
        self.assertIn("layers.1.attn.qkv.weight.exp_avg", state)

    def test_loads_classes_and_factories_with_arguments(self):
        for model, arguments, width in [("odd_models:Bigram", "", 4), ("odd_models:factory", "", 16),
                                        ("odd_models:Bigram", '{"width": 12}', 12),
                                        ("odd_models:Bigram", '{"width": "$d_ff"}', 24)]:
            self.assertEqual(network(model, arguments).module.table.embedding_dim, width)

    def test_trains_einsum_layers_and_pytorchs_layers(self):
        for words in [[f"{HERE / 'einsum_transformer.py'}:TransformerLM"],
                      [ODD_MODELS + "Encoder", '{"nhead": "$num_heads", "layers": "$num_layers"}']]:
            loss, state = step(network(*words))
            self.assertTrue(torch.isfinite(loss))
            self.assertTrue(all(name.endswith(("exp_avg", "exp_avg_sq", "step")) for name in state))

    def test_einsum_example_is_causal(self):
        model = network(f"{HERE / 'einsum_transformer.py'}:TransformerLM")
        ids = torch.randint(30, (1, 8))
        changed = ids.clone()
        changed[0, -1] = (ids[0, -1] + 1) % 30
        before, after = model.forward(ids), model.forward(changed)
        torch.testing.assert_close(before[:, :-1], after[:, :-1])
        self.assertFalse(torch.allclose(before[:, -1], after[:, -1]))

    def test_accepts_wrapped_logits_and_the_users_loss_and_optimizer(self):
        loss, _ = step(network(ODD_MODELS + "Wrapped", loss=ODD_MODELS + "halved", optimizer="torch.optim:SGD"))
        self.assertLess(loss, 4)

    def test_finds_logits_in_tuples_and_dicts_and_padded_ones(self):
        torch.manual_seed(0)
        for name in ["Tupled", "InDict", "Padded"]:
            self.assertGreater(step(network(ODD_MODELS + name))[0], 2, name)

    def test_trains_a_model_that_returns_its_own_loss(self):
        for name in ["LossItself", "LossAttribute", "LossOnly"]:
            model = network(ODD_MODELS + name, loss="model")
            self.assertTrue(step(model)[0].requires_grad, name)
            ids = torch.randint(30, (2, 8))
            loss = model.forward(ids)
            torch.testing.assert_close(loss, model.forward(ids))
        self.assertEqual(model.call_arguments(ids)[0][1].tolist(), ids.roll(-1, 1).tolist(), "the ids that follow")

    def test_passes_device_and_dtype(self):
        self.assertEqual(network(ODD_MODELS + "Placed").module.extra.dtype, torch.float32)

    def test_a_module_reads_no_command_line(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(sys, "argv", ["worker", "--describe", "{}"]):
            Path(folder, "script_a.py").write_text("import argparse\nparser = argparse.ArgumentParser()\n"
                                                   "parser.add_argument('--steps', default=3)\nargs = parser.parse_args()\n"
                                                   "from odd_models import Bigram\n")
            self.assertEqual(labreport_source.load("MODEL", f"{folder}/script_a.py:Bigram")[0].__name__, "Bigram")
            Path(folder, "script_b.py").write_text("import sys\nsys.exit('give --data')\n")
            with self.assertRaisesRegex(worker.Mismatch, "SystemExit: give --data; put what only a script does under if __name__"):
                labreport_source.load("MODEL", f"{folder}/script_b.py:Bigram")

    def test_implementation_depends_on_class_sources_and_arguments(self):
        def implementation_of_copy(added=""):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "copied.py")
                file.write_text((HERE / "my_transformer.py").read_text() + added)
                return source(f"{file}:TransformerLM", *words, **named).implementation

        words, named = [], {}
        first = implementation_of_copy()
        self.assertRegex(first, "^TransformerLM-[0-9a-f]{8}$")
        self.assertEqual(implementation_of_copy(), first, "wherever it lies")
        self.assertNotEqual(implementation_of_copy("# another line"), first)
        words = ['{"d_ff": 8}']
        self.assertNotEqual(implementation_of_copy(), first)
        with tempfile.TemporaryDirectory() as folder:
            loss = Path(folder, "loss.py")
            words, named, implementations = [], {"loss": f"{loss}:loss"}, {first}
            for weight in [1, 2]:
                loss.write_text(f"def loss(logits, targets):\n    return {weight} * logits.sum()\n")
                labreport_source.import_file.cache_clear()
                implementations.add(implementation_of_copy())
            self.assertEqual(len(implementations), 3, "a loss that lies elsewhere counts, too")

    def test_implementation_depends_on_every_loaded_source_that_is_not_installed(self):
        def digest(factory, elsewhere="from odd_models import Bigram\n", late="width = 4\n", version=None):
            """Returns the hash that a fresh process makes of a factory, whose class lies in another folder."""
            with tempfile.TemporaryDirectory() as folder:
                for name, text in [("here/factory.py", factory), ("there/elsewhere.py", elsewhere), ("there/late.py", late),
                                   ("site-packages/blocks.py", ""), ("site-packages/blocks-1.dist-info/METADATA",
                                    f"Metadata-Version: 2.1\nName: blocks\nVersion: {version}\nRequires-Dist: torch>=2\n")]:
                    Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                    Path(folder, name).write_text(text)
                path = os.pathsep.join([str(HERE), f"{folder}/there", f"{folder}/site-packages", str(Path(worker.__file__).parent)])
                code = (f"import labreport_worker as worker\nprint(worker.Source(dict(model={f'{folder}/here/factory.py:make'!r}, "
                        f"arguments='', loss={CROSS_ENTROPY!r}, optimizer={ADAMW!r})).implementation)")
                return subprocess.run([sys.executable, "-W", "ignore", "-B", "-c", code], env=os.environ | {"PYTHONPATH": path},
                                      capture_output=True, text=True, check=True).stdout

        early, late = ("from elsewhere import Bigram as make\n",
                       "def make(vocab_size):\n    from elsewhere import Bigram\n    from late import width\n    import blocks\n")
        first = digest(early)
        self.assertRegex(first, "^make-[0-9a-f]{8}$")
        self.assertEqual(digest(early, late="width = 5\n", version="2"), first, "neither is loaded")
        self.assertNotEqual(digest(early, elsewhere="from odd_models import Bigram  # new\n"), first)
        first = digest(late, version="1")
        self.assertNotEqual(digest(late, version="2"), first, "an installed package that may define modules")
        self.assertNotEqual(digest(late, late="width = 5\n", version="1"), first, "imported inside of the factory")

    def test_implementation_says_whether_the_model_is_compiled(self):
        words = dict(model=ODD_MODELS + "Bigram", arguments="", loss=CROSS_ENTROPY, optimizer=ADAMW)
        eager, compiled = worker.Source(words), worker.Source(words | {"compile": True})
        self.assertEqual(compiled.implementation, eager.implementation.replace("Bigram-", "Bigram-compiled-"))
        self.assertEqual(worker.Source(words | {"compile": False}).implementation, eager.implementation)


class Packages(unittest.TestCase):
    """Tests models that lie in a package, in a checkout that is not installed."""

    BIGRAM = "from odd_models import Bigram\n"
    numbers = itertools.count()

    def write(self, **files):
        """Writes the files of a new package, whose name no earlier test has imported, and returns its folder."""
        checkout = tempfile.TemporaryDirectory()
        self.addCleanup(checkout.cleanup)
        self.addCleanup(sys.path.__setitem__, slice(None), sys.path.copy())
        folder = Path(checkout.name).resolve() / f"package_{next(self.numbers)}"
        folder.mkdir()
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text.replace("PACKAGE", folder.name))
        return folder

    def load(self, folder, name="model:Model"):
        file, _, model = name.rpartition(":")
        return labreport_source.load("MODEL", f"{folder / file}.py:{model}")[0]

    def test_imports_a_file_of_a_package_under_its_name(self):
        for line in ["from .parts import Bigram as Model", "from PACKAGE.parts import Bigram as Model"]:
            folder = self.write(__init__="", parts=self.BIGRAM, model=line)
            self.assertEqual(self.load(folder).__name__, "Bigram")
            self.assertIn(f"{folder.name}.model", sys.modules)

    def test_imports_relatively_in_a_folder_without_an_init_file(self):
        folder = self.write(parts=self.BIGRAM, model="from .parts import Bigram as Model")
        self.assertEqual(self.load(folder).__name__, "Bigram")

    def test_a_package_finds_its_metadata(self):
        asks = "from importlib.metadata import metadata, version\nVERSIONS = [version(name) for name in NAMES]\n"
        folder = self.write(__init__=asks.replace("NAMES", "['PACKAGE']"), model="from . import VERSIONS\n" + self.BIGRAM)
        self.load(folder, "model:Bigram")
        self.assertEqual(sys.modules[folder.name].VERSIONS, ["0"])
        folder = self.write(__init__=asks.replace("NAMES", "['PACKAGE', 'Course_Project', 'course-project']"), model=self.BIGRAM)
        (folder.parent / "pyproject.toml").write_text('[project]\nname = "course-project"\nversion = "1.2.3"\n')
        self.load(folder, "model:Bigram")
        self.assertEqual(sys.modules[folder.name].VERSIONS, ["1.2.3"] * 3)

    def test_a_module_on_the_path_finds_its_packages_metadata(self):
        folder = self.write(__init__="from importlib.metadata import version\nversion('PACKAGE')\n", model=self.BIGRAM)
        sys.path.insert(0, str(folder.parent))
        self.assertEqual(labreport_source.load("MODEL", f"{folder.name}.model:Bigram")[0].__name__, "Bigram")

    def test_packages_that_are_not_there_have_no_metadata(self):
        for name in ["flash_attention_of_nobody", "json"]:
            with self.assertRaises(importlib.metadata.PackageNotFoundError):
                importlib.metadata.version(name)

    def test_names_all_missing_packages_and_how_to_install_them(self):
        folder = self.write(__init__="from .parts import *", parts="import einsums\ntry:\n    import cupy\nexcept ImportError:\n"
                            "    pass", model="from .more import Bigram", more="import os\nimport cv2\nfrom odd_models import Bigram")
        torch_version = importlib.metadata.version("torch")
        missing = unittest.mock.patch.object(labreport_source, "has_package", lambda name: name not in ["einsums", "cv2"])
        with self.assertRaisesRegex(worker.Mismatch, r"needs cv2, einsums, which \S+ lacks; `\S+ -m pip install opencv-python "
                                                     rf"einsums torch=={re.escape(torch_version)}` installs"), missing:
            self.load(folder)

    def test_finds_a_package_in_a_folder_above(self):
        folder = self.write(parts=self.BIGRAM)
        (folder / "__init__.py").touch()
        (folder / "models" / "gpt").mkdir(parents=True)
        (folder / "models" / "gpt" / "model.py").write_text(f"from {folder.name}.parts import Bigram as Model\n")
        self.assertEqual(self.load(folder, "models/gpt/model:Model").__name__, "Bigram")

    def test_finds_packages_that_the_checkout_gives_to_uv_by_their_paths(self):
        for source, place in [('{ path = "lib", editable = true }', "lib"), ('[{ path = "./lib", marker = "python_version>\'3\'" }]', "lib/src")]:
            folder = self.write(model="from PACKAGE_of_uv import Bigram as Model")
            (folder / "pyproject.toml").write_text(f"[tool.uv.sources]\nlib = {source}\nother = {{ git = 'https://nobody' }}\n")
            (folder / place).mkdir(parents=True)
            (folder / place / f"{folder.name}_of_uv.py").write_text(self.BIGRAM)
            self.assertEqual(self.load(folder).__name__, "Bigram")

    def test_finds_no_package_outside_of_the_checkout(self):
        folder = self.write(model="import above_checkout\n")
        (folder.parent / "above_checkout.py").touch()
        (folder / "pyproject.toml").touch()
        with self.assertRaisesRegex(worker.Mismatch, "needs above_checkout, which .*; set PYTHONPATH="):
            self.load(folder)

    def test_names_a_file_that_is_spelled_in_another_case(self):
        folder = self.write(__init__="", Rope="", model="import PACKAGE.RoPE\n")
        with self.assertRaisesRegex(worker.Mismatch, rf"{folder}/Rope.py is spelled differently, .*: rename it"):
            self.load(folder)

    def test_tells_how_to_build_a_missing_part(self):
        folder = self.write(__init__="from . import extension", model=self.BIGRAM)
        (folder.parent / "pyproject.toml").touch()
        with self.assertRaisesRegex(worker.Mismatch, rf"no file of {folder} is extension: if it has to be built, "
                                                     rf"`\S+ -m pip install --no-deps -e {folder.parent}` builds it$"):
            self.load(folder)

    def test_makes_the_only_config_of_a_module(self):
        folder = self.write(model=self.BIGRAM + "class TinyConfig:\n"
                            "    def __init__(self, vocab_size, dim, n_layer, scale=1.5):\n        self.width, self.scale = dim, scale\n"
                            "class Model(Bigram):\n    def __init__(self, cfg):\n"
                            "        super().__init__(30, cfg.width)\n        assert cfg.scale == 1.5\n")
        self.assertEqual(network(f"{folder}/model.py:Model").module.table.embedding_dim, 16)

    def test_names_the_folder_of_a_missing_package_that_lies_nearby(self):
        folder = self.write(__init__="", model="import nearby_package")
        (folder.parent / "nearby" / "nearby_package").mkdir(parents=True)
        (folder.parent / "nearby" / "nearby_package" / "__init__.py").write_text("")
        with self.assertRaisesRegex(worker.Mismatch, rf"needs nearby_package, which lies in {folder.parent}/nearby; set PYTHONPATH="):
            self.load(folder)


class Shipped(unittest.TestCase):
    """Tests labreport's own network as a module: its variants compute the same in other ways."""

    @staticmethod
    def make(implementation):
        torch.manual_seed(0)
        return worker.Network(worker.ShippedSource(implementation), COURSE_PARAMETERS, "cpu")

    def test_reads_variant_words_of_shipped_implementations_only(self):
        self.assertEqual(worker.ShippedSource.variant_words("pytorch-compiled-loss-sdpa-fused"), {"compiled", "loss", "sdpa", "fused"})
        for other in ["", "pytorch-0a1b2c3d", "pytorch-compiled-0a1b2c3d", "TransformerLM-compiled-0a1b2c3d"]:
            self.assertEqual(worker.ShippedSource.variant_words(other), set(), other)

    def test_sdpa_gives_the_same_loss_and_gradients(self):
        ids, targets = torch.randint(COURSE_PARAMETERS["vocab_size"], (2, 2, COURSE_PARAMETERS["context_length"]))
        results = []
        for implementation in ["pytorch-eager", "pytorch-sdpa"]:
            model = self.make(implementation)
            loss = model.loss(model.forward(ids), targets)
            loss.backward()
            results.append({"loss": loss.detach()} | {name: parameter.grad for name, parameter in model.parameters()})
        torch.testing.assert_close(results[1], results[0])

    def test_fused_adamw_takes_the_same_steps(self):
        results = []
        for implementation in ["pytorch-eager", "pytorch-fused"]:
            model = self.make(implementation)
            optimizer = model.make_optimizer()
            for _ in range(3):
                for _, parameter in model.parameters():
                    parameter.grad = torch.randn_like(parameter)
                optimizer.step()
            results.append({name: parameter.detach() for name, parameter in model.parameters()})
            self.assertTrue(optimizer.optimizer.defaults.get("fused", False) is (implementation == "pytorch-fused"))
        torch.testing.assert_close(results[1], results[0])

    def test_needs_no_model_in_the_request(self):
        make_network = worker.network_factory(worker.load_source(None), {})
        self.assertIs(make_network("pytorch-eager", COURSE_PARAMETERS, "cpu").source.loss, self.make("pytorch-eager").source.loss)
        with self.assertRaisesRegex(worker.Mismatch, "names no model"):
            make_network("pytorch-0a1b2c3d", COURSE_PARAMETERS, "cpu")

    def test_is_not_offered_without_a_compiler(self):
        with unittest.mock.patch.dict(os.environ, PATH="", CXX="", CC=""):
            with self.assertRaisesRegex(worker.NotOffered, "^torch.compile needs a C.. compiler"):
                self.make("pytorch-compiled")
            self.make("pytorch-eager")

    def test_is_not_offered_on_a_gpu_without_triton(self):
        with unittest.mock.patch.dict(sys.modules, triton=None):
            with self.assertRaisesRegex(worker.NotOffered, "needs Triton for a GPU"):
                worker.check_offered(torch.device("cuda"))
            worker.check_offered(torch.device("cpu"))


class Attention(unittest.TestCase):
    """Tests which attentions a user may name, and how they are called."""

    @staticmethod
    def make(name):
        source = worker.read_source(dict(model=ODD_MODELS + name, arguments="", loss="", optimizer="", attention=True))
        return worker.attention_factory(source)(source.implementation, "cpu")

    def test_accepts_functions_autograd_functions_and_modules(self):
        q, k, v = torch.randn(3, 2, 5, 4)
        expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        for name in ["attend", "Attend", "AttendModule"]:
            torch.testing.assert_close(self.make(name).forward(q, k, v, None), expected)

    def test_reports_wrong_signatures_and_outputs_in_one_line(self):
        q, k, v = torch.randn(3, 2, 5, 4)
        with self.assertRaisesRegex(worker.Mismatch, r"^attend_narrowly\(.*\) returned float32\[2, 5, 1\] on cpu; .* like Q$"):
            self.make("attend_narrowly").forward(q, k, v, None)
        with self.assertRaisesRegex(worker.Mismatch, "^attend_not_at_all.* failed: TypeError"):
            self.make("attend_not_at_all").forward(q, k, v, None)
        with self.assertRaisesRegex(worker.Mismatch, "^ATTENTION: .*has no Missing"):
            self.make("Missing")

    def test_refuses_an_attention_that_changed_after_planning(self):
        source = worker.read_source(dict(model=ODD_MODELS + "attend", arguments="", loss="", optimizer="", attention=True))
        with self.assertRaisesRegex(worker.Mismatch, "attend changed after the run began: it was attend-00000000"):
            worker.attention_factory(source)("attend-00000000", "cpu")


class Ranges(unittest.TestCase):
    def paths(self, *words):
        model = network(*words)
        worker.engine = RangeRecorder()
        try:
            model.forward(torch.zeros(1, 8, dtype=torch.long))
            self.assertEqual(worker.engine.open, [])
            return worker.engine.paths
        finally:
            worker.engine = labreport_engine

    def test_names_modules_by_their_paths(self):
        paths = self.paths(f"{HERE / 'my_transformer.py'}:TransformerLM")
        for path in ["tokens", "layers.0", "layers.1/attn", "layers.1/attn/qkv", "head"]:
            self.assertEqual(paths.count(path), 1, paths)

    def test_names_layers_below_a_container(self):
        paths = self.paths(ODD_MODELS + "Encoder", '{"nhead": 2, "layers": 2}')
        self.assertIn("encoder/layers.1/self_attn", paths)

    def test_names_a_shared_module_by_the_path_of_each_call(self):
        paths = self.paths(ODD_MODELS + "Shared")
        self.assertIn("layers.0/0", paths)
        self.assertIn("layers.1/0", paths)

    def test_traces_the_output_of_each_module(self):
        model = network(ODD_MODELS + "Encoder", '{"nhead": 2, "layers": 1}')
        outputs = {}
        with torch.autocast("cpu", torch.bfloat16):
            logits = model.traced_forward(torch.zeros(1, 8, dtype=torch.long), outputs.__setitem__)
        self.assertEqual(logits.dtype, torch.bfloat16)
        self.assertEqual(outputs["table"].dtype, torch.float32)
        self.assertEqual(outputs["encoder.layers.0.linear1"].dtype, torch.bfloat16)
        self.assertEqual(outputs["encoder.layers.0.self_attn"].shape, (1, 8, 16), "of several outputs the first")

    def test_closes_ranges_if_forward_fails(self):
        model = network(ODD_MODELS + "Failing")
        worker.engine = recorder = RangeRecorder()
        try:
            with self.assertRaises(worker.Mismatch):
                model.forward(torch.zeros(1, 8, dtype=torch.long))
        finally:
            worker.engine = labreport_engine
        self.assertEqual(recorder.open, [])
        model.forward  # and no hook is left
        self.assertFalse(torch.nn.modules.module._global_forward_pre_hooks)


class Dtypes(unittest.TestCase):
    """Tests that a model whose parameters are not FP32 is not measured as FP32."""

    @staticmethod
    def make(name, precision):
        return worker.Network(source(ODD_MODELS + name), COURSE_PARAMETERS, "cpu", precision)

    def test_notes_dtypes_other_than_fp32(self):
        for name, notes in [("InBf16", ["3 of 3 parameters are bfloat16"]), ("Bigram", []),
                            ("HalfInBf16", ["1 of 3 parameters is bfloat16", "1 of 1 buffers is float16"])]:
            self.assertEqual(self.make(name, "bf16").dtype_notes, notes)

    def test_makes_no_fp32_step_of_parameters_in_bf16(self):
        for precision in ["fp32", "tf32"]:
            for name in ["InBf16", "HalfInBf16"]:
                with self.assertRaisesRegex(worker.NotOffered, rf"parameters (is|are) bfloat16, so {name} makes no step in {precision.upper()}"):
                    self.make(name, precision)
        self.make("Bigram", "fp32")


class Flops(unittest.TestCase):
    """Tests what a step of each model counts, against the formulas for its products."""

    TOKENS, WIDTH, VOCAB = 2 * COURSE_PARAMETERS["context_length"], COURSE_PARAMETERS["d_model"], COURSE_PARAMETERS["vocab_size"]
    PROJECTION, HEAD = 2 * TOKENS * WIDTH * 3 * WIDTH, 2 * TOKENS * WIDTH * VOCAB
    ATTENTION = 2 * TOKENS * COURSE_PARAMETERS["context_length"] * WIDTH  # half of the pairs, two products of 2 FLOPs

    @staticmethod
    def count(name, mode="train_step", precision="fp32", file="counted_models.py"):
        ids, targets = torch.randint(COURSE_PARAMETERS["vocab_size"], (2, 2, COURSE_PARAMETERS["context_length"]))
        network = worker.Network(source(f"{HERE / file}:{name}"), COURSE_PARAMETERS, "cpu", precision)
        counted = network.count_step(ids, targets, mode)
        return dict(counted["flops"]), counted["products"], counted["hidden"]

    def expect(self, name, projection, attention, backward_attention=2.5, recomputed=0.0, hidden=[]):
        forward = projection + attention + self.HEAD
        backward = 2 * projection + 2 * self.HEAD + backward_attention * attention + recomputed
        flops, _, hidden_names = self.count(name)
        self.assertEqual(flops, {"forward": forward, "loss": 0, "backward": backward, "optimizer": 0}, name)
        self.assertEqual(hidden_names, hidden, name)

    def test_counts_causal_fused_attention_as_half(self):
        self.expect("Attentive", self.PROJECTION, self.ATTENTION)
        self.expect("Unmasked", self.PROJECTION, 2 * self.ATTENTION)

    def test_counts_all_products_that_explicit_attention_computes(self):
        self.expect("Explicit", self.PROJECTION, 2 * self.ATTENTION, backward_attention=2)

    def test_counts_recomputation(self):
        self.expect("Checkpointed", self.PROJECTION, self.ATTENTION, recomputed=self.PROJECTION + self.ATTENTION)

    def test_counts_an_autograd_function_of_torchs_operators(self):
        self.expect("InFunction", self.PROJECTION, self.ATTENTION)

    def test_names_an_operator_that_hides_its_flops(self):
        flops, _, hidden = self.count("InCustomOperator")
        self.assertEqual(hidden, ["counted_models::project"])
        self.assertEqual(flops["forward"], self.ATTENTION + self.HEAD, "a lower bound")
        self.assertEqual(flops["backward"], 2 * self.PROJECTION + 2 * self.HEAD + 2.5 * self.ATTENTION)

    def test_names_a_triton_kernel_that_hides_its_flops(self):
        class JITFunction:
            def __init__(self, function):
                self.fn = function
                function.__name__ = "project_kernel"

            def run(self):
                return None

        run = JITFunction.run
        with unittest.mock.patch.dict(sys.modules, {"triton.runtime.jit": types.SimpleNamespace(JITFunction=JITFunction)}):
            self.assertEqual(self.count("InTriton")[2], ["the Triton kernel project_kernel"])
        self.assertIs(JITFunction.run, run)

    def test_names_an_extension_that_hides_its_flops(self):
        counter = labreport_flops.OperatorCounter()
        with tempfile.TemporaryDirectory() as folder:
            for name, content in [("linked", b"libc10.so"), ("unlinked", b"libm.so")]:
                Path(folder, f"{name}.so").write_bytes(content)
                with unittest.mock.patch.dict(sys.modules, {name: types.SimpleNamespace(__file__=f"{folder}/{name}.so")}):
                    counter.note_call(None, "c_call", types.SimpleNamespace(__module__=name, __name__="forward"))
        counter.note_call(None, "c_call", labreport_engine.observed)
        counter.note_call(None, "c_call", len)
        self.assertEqual([*counter.hidden], ["linked.forward"])

    def test_counts_the_phases_of_the_mode(self):
        for mode in ["inference", "forward"]:
            flops, *_ = self.count("Attentive", mode)
            self.assertEqual([phase for phase, count in flops.items() if count], ["forward"])

    def test_tells_the_dtypes_of_matrix_products(self):
        for precision, dtype in [("fp32", "float32"), ("bf16", "bfloat16")]:
            self.assertEqual({product[1] for product in self.count("Attentive", precision=precision)[1]}, {dtype})

    def test_does_not_compile_what_it_counts(self):
        words = dict(model=f"{HERE / 'counted_models.py'}:Attentive", arguments="", loss=CROSS_ENTROPY, optimizer=ADAMW)
        model = worker.Network(worker.Source(words | {"compile": True}), COURSE_PARAMETERS, "cpu", "fp32")
        ids = torch.zeros(2, COURSE_PARAMETERS["context_length"], dtype=torch.long)
        self.assertEqual(dict(model.count_step(ids, ids, "train_step")["flops"]), self.count("Attentive")[0])


class Messages(unittest.TestCase):
    """Tests messages of one line, which say which call failed and why."""

    def test_gives_the_cause_of_a_compilers_error(self):
        from odd_models import CompilationError

        outer = CompilationError()
        outer.__cause__ = CompilationError("AssertionError('K must be at least 16')")
        wrapped = "backend='inductor' raised:\n"
        cause = "CompilationError at `acc += tl.dot(p, v)`: AssertionError('K must be at least 16')"
        for error, words in [(ValueError("no\nmore"), "ValueError: no"), (ValueError(), "ValueError: "),
                             (outer.__cause__, cause), (outer, cause),
                             (RuntimeError(wrapped + "ImportError: no gcc\nSet VERBOSE=1"),
                              "RuntimeError: backend='inductor' raised: ImportError: no gcc"),
                             (RuntimeError(f"{wrapped}CompilationError: {outer.__cause__}"), "Runtime" + cause.removeprefix("Compilation"))]:
            self.assertEqual(worker.describe_error(error), words)

    def test_reports_a_missing_compiler(self):
        environment = dict(os.environ)
        try:
            os.environ.update(PATH="", CXX="", CC="")
            with self.assertRaisesRegex(worker.Mismatch, "^torch.compile needs a C.. compiler, and there is none; install g..$"):
                worker.check_compiler()
        finally:
            os.environ.update(environment)
        worker.check_compiler()

    def expect_error(self, expected, *words, **named):
        with self.assertRaises(worker.Mismatch) as raised:
            step(network(*words, **named))
        message = str(raised.exception)
        self.assertNotIn("\n", message)
        for part in [expected] if isinstance(expected, str) else expected:
            self.assertIn(part, message)

    def test_reports_models_that_cannot_be_loaded(self):
        self.expect_error("there is no file", "missing.py:Model")
        self.expect_error(["MODEL nowhere cannot be imported by Python 3", "No module named 'nowhere'"], "nowhere:Model")
        self.expect_error("has no Missing", ODD_MODELS + "Missing")
        self.expect_error("names no class", "my_transformer.py")
        self.expect_error("is a module, which cannot be called", ODD_MODELS + "nn")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "broken.py").write_text("import einsums\n")
            self.expect_error("needs einsums, which", f"{folder}/broken.py:Model")

    def test_reports_wrong_arguments(self):
        self.expect_error("Picky(vocab_size) lacks the arguments bias, scaling; MODEL_ARGS gives constants and "
                          "$vocab_size", ODD_MODELS + "Picky")
        self.expect_error("IndexError: index out of range in self; FixedVocabulary takes no vocab_size, so --vocab has to say",
                          ODD_MODELS + "FixedVocabulary")
        self.expect_error("FixedContext takes no context_length, so --contexts has to say", ODD_MODELS + "FixedContext")
        self.expect_error("MODEL_ARGS: width is $depth; there are $vocab_size", ODD_MODELS + "Bigram", '{"width": "$depth"}')
        self.expect_error("MODEL_ARGS is no JSON", ODD_MODELS + "Bigram", "{width: 3}")
        self.expect_error("MODEL_ARGS is [3]; give an object", ODD_MODELS + "Bigram", "[3]")
        self.expect_error("Bigram(vocab_size=30, depth=3) failed: TypeError", ODD_MODELS + "Bigram", '{"depth": 3}')

    def test_passes_parameters_under_the_names_that_models_have(self):
        for name in ["Renamed", "MakesItsConfig", "MayTakeAConfig"]:
            module = network(ODD_MODELS + name).module
            self.assertEqual([module.table.num_embeddings, module.table.embedding_dim, module.depth], [30, 16, 2], name)
        module = network(ODD_MODELS + "MakesItsConfig", '{"n_layer": 5, "bias": false}').module
        self.assertEqual([module.depth, module.bias], [5, False])
        self.expect_error("failed: AssertionError: `assert config.n_embd > 1` at ", ODD_MODELS + "MakesItsConfig", '{"n_embd": 1}')
        self.expect_error("; MODEL_ARGS sets other fields of MakesItsConfigConfig", ODD_MODELS + "MakesItsConfig", '{"n_embd": 1}')
        self.assertEqual(network(ODD_MODELS + "Renamed", '{"n_embd": 6}').module.table.embedding_dim, 6)

    def test_shows_the_factory_that_makes_a_config(self):
        make = "`def make(vocab_size, context_length, d_model, num_layers, num_heads, d_ff): return "
        for name, parameter in [("Configured", "config"), ("ConfiguredByName", "args")]:
            self.expect_error([f"{name}() lacks {parameter}; write a function",
                               f"{make}{name}({parameter}=ModelConfig(vocab=vocab_size, d_model=d_model))`"], ODD_MODELS + name)

    def test_points_to_the_loss_of_the_model(self):
        self.expect_error(["LossItself.forward(int64[2, 8] on cpu) returned (float32[2, 1, 30] on cpu, None); expected logits "
                           "[2, 8, 30]", "; LOSS=model passes it targets"], ODD_MODELS + "LossItself")
        self.expect_error("LossOnly.forward needs following, which it does not get", ODD_MODELS + "LossOnly")
        self.expect_error("returned float32[2, 8, 30] on cpu; expected a loss of one number", ODD_MODELS + "OptionalTargets",
                          loss="model")
        self.expect_error("Bigram.forward(int64[2, 8] on cpu, int64[2, 8] on cpu) failed: TypeError", ODD_MODELS + "Bigram",
                          loss="model")

    def test_reports_failing_calls(self):
        self.expect_error("no_module(vocab_size=30) made 30, no torch.nn.Module", ODD_MODELS + "no_module")
        self.expect_error("head.weight of Elsewhere is on meta after .to(cpu)", ODD_MODELS + "Elsewhere")
        self.expect_error(["Narrow.forward(int64[2, 8] on cpu) returned float32[2, 30] on cpu", "logits [2, 8, 30]"],
                          ODD_MODELS + "Narrow")
        self.expect_error("Failing.forward(int64[2, 8] on cpu) failed: RuntimeError", ODD_MODELS + "Failing")
        self.expect_error(["Asserting.forward(", "failed: AssertionError: `assert ids.numel() < 3` at ", "odd_models.py:"],
                          ODD_MODELS + "Asserting")
        self.expect_error("Leaving.forward(int64[2, 8] on cpu) failed: SystemExit: 0", ODD_MODELS + "Leaving")
        self.expect_error("Interrupted.forward(int64[2, 8] on cpu) failed: KeyboardInterrupt", ODD_MODELS + "Interrupted")
        self.expect_error(["cross_entropy(float32[16, 30] on cpu, int64[16] on cpu)", "a loss that requires no gradient"],
                          ODD_MODELS + "Frozen")
        self.expect_error("float32[16] on cpu; expected one number", ODD_MODELS + "Bigram", loss=ODD_MODELS + "each")
        self.expect_error("Unsteady.step() failed: ArithmeticError: no step today", ODD_MODELS + "Bigram",
                          optimizer=ODD_MODELS + "Unsteady")


if __name__ == "__main__":
    unittest.main()
