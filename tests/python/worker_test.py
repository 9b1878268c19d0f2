"""Tests labreport-model-worker on the CPU, mostly with src/python/labreport_transformer.py as its model.

worker_test.py WORKER

Most launches are forks of this process, which has loaded torch, because loading torch takes longer than a launch.
"""

import functools
import importlib
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).parent
PYTHON_SOURCES = HERE.parents[1] / "src" / "python"
REFERENCE = {"implementation": "", "model": f"{PYTHON_SOURCES / 'labreport_transformer.py'}:Transformer",
             "arguments": json.dumps({"layers": "$num_layers", "heads": "$num_heads", "vocab": "$vocab_size",
                                      "context": "$context_length"}),
             "loss": "torch.nn.functional:cross_entropy", "optimizer": "torch.optim:AdamW"}
# The network of Launches.launch() has an embedding, an output layer, two blocks and a final norm, all in FP32.
PARAMETER_BYTES = 4 * (2 * 30 * 16 + 2 * (4 * 16 * 16 + 3 * 16 * 24 + 2 * 16) + 16)


# Variables such as PYTHONUNBUFFERED are removed, because the worker must also work without them.
for name in [name for name in os.environ if name.startswith("PYTHON")]:
    del os.environ[name]


def odd_model(name):
    return REFERENCE | {"model": f"{HERE / 'odd_models.py'}:{name}", "arguments": ""}


def run_worker(*arguments, **options):
    """Runs the worker as the front end starts it."""
    return subprocess.run([WORKER, *arguments], capture_output=True, text=True, **options)


def run_in_fork(*arguments):
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.dup2(stdout.fileno(), 1)
            os.dup2(stderr.fileno(), 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
            program = Path(WORKER).parent / "python" / "labreport_worker.py"
            sys.argv[:] = [str(program), *map(str, arguments)]
            sys.path[0] = str(program.parent)
            try:
                runpy.run_path(str(program), run_name="__main__")
            finally:
                os._exit(99)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for file in (stdout, stderr):
            file.seek(0)
        return subprocess.CompletedProcess(arguments, status, stdout.read(), stderr.read())


def implementation_or_error(model_source, run=run_in_fork, **options):
    completed = run("--describe", json.dumps({"model": model_source, "params": {}}), **options)
    return json.loads(completed.stdout)["implementation"] if completed.returncode == 0 else completed.stderr


@functools.cache
def described(model_source_json):
    return implementation_or_error(json.loads(model_source_json))


def import_for_test(name):
    """Imports a module of this folder or of the worker. Launches do not see it, whose model's hash would include it."""
    before = set(sys.modules)
    with unittest.mock.patch.object(sys, "path", [*sys.path, str(PYTHON_SOURCES)]):
        module = importlib.import_module(name)
    for loaded in set(sys.modules) - before:
        if Path(getattr(sys.modules[loaded], "__file__", None) or "").parent in [HERE, PYTHON_SOURCES]:
            del sys.modules[loaded]
    return module


class Launches(unittest.TestCase):
    model_source = REFERENCE

    @classmethod
    def setUpClass(cls):
        cls.implementation = implementation_or_error(cls.model_source)

    def launch(self, kind, model_source=None, has_network=True, run=run_in_fork, artifacts={}, **params):
        source = self.model_source if model_source is None else model_source
        shape = dict(d_model=16, d_ff=24, layers=2, heads=2, vocab=30, context=8, batch=2, warmup=1, steps=2)
        common = dict(device_kind="cpu", precision="bf16", implementation=self.implementation)
        params = common | (dict(mode="train_step") | shape if has_network else dict(warmup=1, steps=2)) | params
        params = {name: value for name, value in params.items() if value is not None}
        model_field = {"model": dict(compile=False, attention=False) | source | dict(implementation=self.implementation)} if source else {}
        with tempfile.TemporaryDirectory() as folder:
            request, result = Path(folder, "request.json"), Path(folder, "result.json")
            request.write_text(json.dumps(dict(kind=kind, params=params, launch=0, seed=0, **model_field) | artifacts))
            completed = run("--request", request, "--result", result)
            self.assertEqual(completed.returncode, 0, completed.stderr)
            report = json.loads(result.read_text())
        self.assertIn(f".{self.implementation}.", report["id"])
        self.assertRegex(report["software"]["python"], r"^3\.\d+\.\d+")
        body = report["result"]
        body["values"] = {(m["tag"], m["name"]): m.get("value", m.get("samples")) for m in body["metrics"]}
        body["tables"] = {table["name"]: table["rows"] for table in body["tables"]}
        return body


class Worker(Launches):
    def test_describes_a_model_in_the_current_folder(self):
        relative_source = self.model_source | {"model": "labreport_transformer.py:Transformer"}
        self.assertEqual(implementation_or_error(relative_source, run_worker, cwd=PYTHON_SOURCES), self.implementation)

    def test_times_each_step_and_phase(self):
        body = self.launch("timing", run=run_worker)
        self.assertEqual(body["outcome"]["status"], "ok", body["outcome"])
        values = body["values"]
        self.assertEqual(len(values["step", "total"]), 3)
        for phase in ["forward", "loss", "backward", "optimizer"]:
            self.assertTrue(all(sample > 0 for sample in values["synced", phase]), phase)
        self.assertEqual(values["memory", "parameters"], PARAMETER_BYTES)
        self.assertLess(values["start-up", "libraries"], values["start-up", "first_kernel"])
        self.assertNotIn(("start-up", "compile"), values)

    def test_attributes_operators_to_phases_and_modules(self):
        rows = self.launch("kernels")["tables"]["kernels"]
        found = {(phase, module, op) for phase, module, _operation, op, *_ in rows}
        for phase, module, op in [("forward", "layers/attn/q_proj", "aten::mm"), ("backward", "layers/ffn/w2", "aten::mm"),
                                  ("forward", "token_embeddings", "aten::index"), ("backward", "lm_head", "aten::mm")]:
            self.assertIn((phase, module, op), found)
        self.assertTrue(any(phase == "optimizer" for phase, *_ in found))
        gemms = sum(row[6] for row in rows if row[4] == "gemm" and row[0] == "forward")
        # Each of two layers has 4 projections, 2 products of attention and 3 of the FFN. The last GEMM is the output layer.
        self.assertEqual(gemms, 2 * (4 + 2 + 3) + 1)

    def test_reports_memory_by_category(self):
        values = self.launch("memory", precision="fp32")["values"]
        self.assertEqual(values["resident", "parameters"], PARAMETER_BYTES)
        self.assertEqual(values["category", "unknown"], 0)
        self.assertEqual(values["history", "lost"], 0)
        self.assertGreaterEqual(values["resident", "optimizer"], 2 * PARAMETER_BYTES)

    def test_reports_a_failing_model_with_its_traceback(self):
        self.implementation = implementation_or_error(source := odd_model("Failing"))
        body = self.launch("timing", source)
        self.assertEqual(body["outcome"]["status"], "error")
        self.assertTrue(body["outcome"]["message"].startswith("Failing.forward(int64[2, 8] on cpu) failed: RuntimeError"),
                        body["outcome"])
        self.assertIn("return super().forward(ids) @ ids", body["warnings"][0])

    def test_reports_a_failing_backward_with_its_traceback(self):
        self.implementation = implementation_or_error(source := odd_model("Undifferentiable"))
        body = self.launch("timing", source)
        self.assertEqual(body["outcome"], {"status": "error", "message": "backward failed: ArithmeticError: no gradient today"})
        self.assertIn('raise ArithmeticError("no gradient today")', body["warnings"][0])

    def test_skips_fp32_and_marks_other_rows_of_a_model_in_bf16(self):
        self.implementation = implementation_or_error(source := odd_model("InBf16"))
        outcome = self.launch("timing", source, precision="fp32")["outcome"]
        self.assertEqual(outcome["status"], "skipped", outcome)
        self.assertTrue(outcome["reason"].startswith("3 of 3 parameters are bfloat16, so InBf16 makes no step in FP32"), outcome)
        body = self.launch("timing", source)
        self.assertEqual(body["outcome"]["status"], "ok", body["outcome"])
        self.assertEqual(body["warnings"], ["3 of 3 parameters are bfloat16"])

    # The cell's precision sets TF32 after the import, and a network is made within `with torch.device(…)`.
    WITHOUT_EFFECT = {("import", "TF32 in matrix products"), ("import", "TF32 in cuDNN"), ("__init__", "the default device")}

    def launch_changing(self, setting, place, kind="timing", name="Changing", **params):
        source = odd_model(name) | {"model": f"{HERE / 'changing_models.py'}:{name}", "attention": kind == "attention"}
        self.implementation = described(json.dumps(source))
        with unittest.mock.patch.dict(os.environ, CHANGE=setting, CHANGE_AT=place):
            return self.launch(kind, source, has_network=kind != "attention", **params)

    def test_refuses_a_model_that_changes_a_setting(self):
        places = {"import": "importing ", "__init__": "making Changing", "forward": "(Changing.forward|a step of Changing)"}
        for setting in import_for_test("changing_models").CHANGES:
            for place, words in places.items():
                if (place, setting) in self.WITHOUT_EFFECT:
                    continue
                body = self.launch_changing(setting, place)
                self.assertEqual((body["outcome"]["status"], body["metrics"]), ("error", []), (setting, place))
                self.assertRegex(body["outcome"]["message"], rf"^{words}.* changes {re.escape(setting)}: labreport set \S+, found \S+;")

    def test_measures_a_model_whose_change_of_a_setting_has_no_effect(self):
        for place, setting in self.WITHOUT_EFFECT:
            outcome = self.launch_changing(setting, place, precision="fp32")["outcome"]
            self.assertEqual(outcome["status"], "ok", outcome)

    def test_refuses_an_attention_that_changes_a_setting(self):
        body = self.launch_changing("cudnn.benchmark", "forward", "attention", "attend", precision="fp32", batch=1,
                                    method="do_bench", backend="custom", head_dim=16, heads=2, lengths=[32])
        self.assertEqual(body["outcome"], {"status": "error", "message": "a step of attend changes cudnn.benchmark: labreport "
                                           "set False, found True; leave it unchanged"})
        self.assertEqual(body["tables"], {})

    def test_compares_every_setting(self):
        """Fails if a setting is added that no test changes."""
        changes, settings = import_for_test("changing_models").CHANGES, import_for_test("labreport_settings")
        untested = {"the number of threads between operators", "the BLAS library", "torch.get_float32_matmul_precision()"}
        self.assertEqual({name for name in changes if not name.startswith("the variable ")} | untested,
                         {*settings.SETTINGS, *settings.SET_BY_PRECISION})

    def test_counts_a_step_in_a_launch_of_its_own(self):
        body = self.launch("dtypes", warmup=None, steps=None)
        values = body["values"]
        tokens, weights = 16, 2 * (4 * 16 * 16 + 3 * 16 * 24) + 30 * 16
        forward = 2 * tokens * weights + 2 * 4 * tokens * 8 * 16  # eager attention multiplies all pairs
        self.assertEqual((values["flops", "forward"], values["flops", "backward"]), (forward, 2 * forward))
        self.assertEqual(values["flops", "parameters"], PARAMETER_BYTES // 4)
        self.assertNotIn(("hidden", "flops"), values)
        dtypes = {(group, dtype) for precision, group, _, dtype in body["tables"]["dtypes"] if precision == "bf16"}
        self.assertEqual(dtypes, {("parameter", "float32"), ("buffer", "float32"), ("product", "bfloat16")})

    def test_counts_elements_of_parameters_in_bf16_and_names_what_hides_flops(self):
        for file, name, elements, hidden in [("odd_models", "InBf16", 2 * 30 * 4 + 30, None),
                                             ("counted_models", "InCustomOperator", 2 * 30 * 16 + 3 * 16 * 16, "counted_models::project")]:
            source = odd_model(name) | {"model": f"{HERE / file}.py:{name}"}
            self.implementation = implementation_or_error(source)
            values = self.launch("dtypes", source, warmup=None, steps=None)["values"]
            self.assertEqual((values["flops", "parameters"], values.get(("hidden", "flops"))), (elements, hidden))

    def test_traces_dtypes_of_modules(self):
        rows = self.launch("dtypes", precision=None)["tables"]["dtypes"]
        for row in [["fp16", "parameter", "layers.attn.q_proj.weight", "float32"],
                    ["fp16", "output", "layers.attn.q_proj", "float16"], ["bf16", "output", "logits", "bfloat16"],
                    ["bf16", "output", "layers.ln1", "float32"], ["bf16", "loss", "loss", "float32"],
                    ["bf16", "gradient", "layers.ffn.w1.weight", "float32"]]:
            self.assertEqual(rows.count(row), 1, f"{row}: layers that are alike are one row")

    def test_marks_a_model_whose_steps_do_less(self):
        source = odd_model("Bigram") | {"model": f"{HERE / 'lazy_models.py'}:UngradedTable"}
        self.implementation = implementation_or_error(source)
        body = self.launch("dtypes", source, precision=None, mode=None, warmup=None, steps=None)
        self.assertEqual(body["outcome"]["status"], "ok", body["outcome"])
        self.assertEqual(body["warnings"], ["UngradedTable's steps do less than training steps: 1 of 3 parameters gets no gradient"])
        self.assertEqual(self.launch("timing", source)["warnings"], [])

    def launch_attention(self, name, **params):
        source = dict(implementation="", model=f"{HERE / 'odd_models.py'}:{name}", arguments="", loss="", optimizer="", attention=True)
        self.implementation = implementation_or_error(source)
        common = dict(precision="fp32", batch=1, method="do_bench", backend="custom", head_dim=16, heads=2, lengths=[32, 64])
        return self.launch("attention", source, has_network=False, **common | params)

    def test_compares_the_users_attention_with_fp64_and_times_it(self):
        body = self.launch_attention("Attend")
        self.assertEqual([row[:2] for row in body["tables"]["attention"]], [[32, "ok"], [64, "ok"]], body["tables"])
        values = body["values"]
        self.assertEqual(values["attention_error", "tolerance"], 0.01)
        for gradient in ["output", "grad_q", "grad_k", "grad_v"]:
            self.assertLess(values["attention_error", gradient], 1e-4)

    def test_tells_the_first_pass_of_each_length_apart(self):
        body = self.launch_attention("SlowAtFirst")
        compiled = [(name, value) for (tag, name), value in body["values"].items() if tag == "compile"]
        self.assertEqual([name for name, _ in compiled], ["64", "32"], "the comparison with FP64 comes first")
        for _, value in compiled:
            self.assertTrue(400_000_000 <= value < 5_000_000_000, value)
        for row in body["tables"]["attention"]:
            self.assertLess(max(row[9], row[15], row[21]), 200_000_000, "no timed pass compiles")

    def forward_count(self, row):
        """Returns how many forward passes the row times, and checks that it times no other pass."""
        self.assertEqual(set(row[10:22]), {None}, "backward and both")
        return row[4]

    def test_times_only_the_forward_of_attention_with_a_wrong_gradient(self):
        rows = self.launch_attention("WrongGradient")["tables"]["attention"]
        self.assertEqual({row[1] for row in rows}, {"inaccurate"})
        self.assertIn("the gradient of k differs from FP64 by 1 of the largest value", rows[0][3])
        self.assertTrue(all(self.forward_count(row) for row in rows))

    def test_times_only_the_forward_of_attention_without_a_backward(self):
        for name, reason in [("ForwardOnly", "backward failed: NotImplementedError: the course asks for the forward first"),
                             ("NoGradientOfV", "backward gives v no gradient"),
                             ("attend_detached", "there is no backward: the output requires no gradient"),
                             ("UncompiledBackward", "backward failed: CompilationError at `acc += tl.dot(p, v)`: "
                                                    "Both operands must be same dtype. Got bf16 and fp32")]:
            body = self.launch_attention(name)
            self.assertEqual(body["outcome"]["status"], "ok", body)
            rows = body["tables"]["attention"]
            self.assertEqual({(row[1], row[3]) for row in rows}, {("failed", reason)})
            self.assertTrue(all(self.forward_count(row) for row in rows), name)
            self.assertEqual(body["warnings"], ["timed forward only: " + reason])
            self.assertIsNone(body["values"]["attention_error", "grad_q"])

    def test_names_a_wrong_output_before_the_gradients(self):
        for name, reason in [("attend_to_all", "it ignores its fourth argument, is_causal: its output is that of attention "
                                               "without a mask"),
                             ("attend_in_reverse", "its output differs from FP64 by ")]:
            rows = self.launch_attention(name)["tables"]["attention"]
            self.assertEqual({row[1] for row in rows}, {"inaccurate"})
            self.assertTrue(rows[0][3].startswith(reason), rows[0])
            self.assertFalse(any(self.forward_count(row) for row in rows))

    def test_compares_attention_again_after_timing(self):
        differs = "on later inputs its output differs from FP64 by "
        for name, outcome, reason in [("FromCache", "inaccurate", differs), ("OnceRight", "inaccurate", differs),
                                      ("OnceDifferentiable", "failed", "backward failed: ArithmeticError: no second gradient")]:
            for row in self.launch_attention(name)["tables"]["attention"]:
                self.assertEqual(row[1], outcome, name)
                self.assertTrue(row[3].startswith(reason), row)
                self.assertFalse(self.forward_count(row), name)

    def test_compares_the_first_and_the_last_queries_of_each_length(self):
        for name, reason in [("attend_to_no_last_tile", "its output differs from FP64 by "),
                             ("attend_to_all_if_long", "it ignores its fourth argument, is_causal")]:
            short, long = self.launch_attention(name, lengths=[32, 1024])["tables"]["attention"]
            self.assertEqual(short[1], "ok", short)
            self.assertEqual(long[1], "inaccurate", name)
            self.assertTrue(long[3].startswith(f"on later inputs {reason}"), long)
            self.assertFalse(self.forward_count(long))

    def test_measures_the_precision_in_which_attention_runs(self):
        self.assertEqual(self.launch_attention("attend_in_fp32")["tables"]["attention"][0][1], "ok")
        outcome = self.launch_attention("attend_in_fp32", precision="bf16")["outcome"]
        self.assertRegex(outcome["message"], "failed: AssertionError: made for FP32$")

    def test_reports_a_failing_attention_with_its_traceback(self):
        body = self.launch_attention("attend_not_at_all")
        self.assertEqual(body["outcome"]["status"], "error", body)
        self.assertTrue(body["outcome"]["message"].startswith("attend_not_at_all(float32["), body["outcome"])
        self.assertIn("takes 3 positional arguments", body["warnings"][0])

    def test_refuses_a_model_that_changed_after_planning(self):
        self.implementation = "Transformer-00000000"
        self.assertIn("Transformer changed after the run began: it was Transformer-00000000", self.launch("timing")["outcome"]["message"])

    def test_keeps_the_files_that_the_hash_covers(self):
        with tempfile.TemporaryDirectory() as folder:
            sources, place = Path(folder, "sources"), Path(folder, "project")
            texts = {"nets/__init__.py": "", "nets/mine.py": "from .parts import Bigram\n",
                     "nets/parts.py": (HERE / "odd_models.py").read_text(encoding="utf-8"),
                     "losses/mine.py": "from torch.nn.functional import cross_entropy\n"}
            for path, text in {**texts, "nets/.env": "KEY=secret", "nets/never_imported.py": ""}.items():
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                (place / path).write_text(text, encoding="utf-8")
            source = REFERENCE | {"model": f"{place}/nets/mine.py:Bigram", "loss": f"{place}/losses/mine.py:cross_entropy",
                                  "arguments": ""}
            self.implementation = implementation_or_error(source)
            self.launch("timing", source, artifacts={"artifacts": f"{folder}/cell.0"})
            kept = {str(file.relative_to(sources / self.implementation)): file.read_text(encoding="utf-8")
                    for file in sources.rglob("*") if file.is_file()}
            origins = dict(line.split("\t") for line in kept.pop(".origins").splitlines())
            texts["mine.py"] = texts.pop("losses/mine.py")
            self.assertEqual(kept, texts)
            self.assertEqual(origins, {path: os.path.relpath(place / ("losses/mine.py" if path == "mine.py" else path))
                                       for path in texts})

            (place / "nets/mine.py").write_text(texts["nets/mine.py"] + "#" * (9 << 20), encoding="utf-8")
            self.implementation = implementation_or_error(source)
            self.launch("timing", source, artifacts={"artifacts": f"{folder}/cell.0"})
            self.assertEqual(len(list(sources.iterdir())), 1)

    def test_keeps_a_models_output_out_of_the_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "loud.py").write_text("import os\nprint(1)\nos.system('echo 2')\nfrom odd_models import Bigram\n")
            completed = run_worker("--describe", json.dumps({"model": self.model_source | {"model": "loud:Bigram", "arguments": ""}}),
                            cwd=folder, env=os.environ | {"PYTHONPATH": str(HERE)})
        self.assertRegex(json.loads(completed.stdout)["implementation"], "^Bigram-")
        self.assertLessEqual({"1", "2"}, set(completed.stderr.splitlines()))

    def test_reports_a_model_that_cannot_be_loaded(self):
        lines = implementation_or_error(REFERENCE | {"model": "nowhere:Model"}).splitlines()
        self.assertIn("MODEL nowhere cannot be imported by Python", lines[-1])
        self.assertIn("ModuleNotFoundError: No module named 'nowhere'", lines[-2])


# With these variables, compilation tries no vector instructions and starts no pool of processes.
CHEAP_COMPILATION = dict(TORCHINDUCTOR_VEC_ISA_OK="0", TORCHINDUCTOR_COMPILE_THREADS="1")


class Compiled(Launches):
    model_source = odd_model("Bigram") | {"compile": True}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cache.cleanup)
        cls.enterClassContext(unittest.mock.patch.dict(os.environ, CHEAP_COMPILATION, TORCHINDUCTOR_CACHE_DIR=cache.name))

    def test_times_compilation_apart_from_steps(self):
        body = self.launch("timing")
        self.assertEqual(body["outcome"]["status"], "ok", body["outcome"])
        values = body["values"]
        self.assertGreater(values["start-up", "compile"], max(values["step", "total"]))
        self.assertGreater(values["start-up", "first_kernel"],
                           values["start-up", "libraries"] + values["start-up", "compile"], "it comes before")

    def test_no_garbage_collection_walks_the_compilers_objects_in_a_later_step(self):
        source = self.model_source | {"loss": f"{HERE / 'odd_models.py'}:loss_of_frozen_objects"}
        self.implementation = implementation_or_error(source)
        self.assertEqual(self.launch("timing", source)["outcome"]["status"], "ok")

    def test_fused_kernels_have_a_phase_and_no_module(self):
        body = self.launch("kernels")
        self.assertEqual(body["values"]["profile", "unattributed"], 0)
        names = dict(body["tables"]["kernel_names"])
        phases = {phase: {names[row[3]] for row in rows} for phase, rows in self.rows_by_phase(body).items()}
        self.assertEqual(set(phases), {"forward", "loss", "backward", "optimizer"})
        for phase in ["forward", "backward"]:
            self.assertTrue(any("cpp_fused_" in name for name in phases[phase]), phases)
            self.assertEqual({module for module, *_ in self.rows_by_phase(body)[phase]}, {""})
        self.assertIn("aten::mm", phases["backward"])

    @staticmethod
    def rows_by_phase(body):
        phases = {}
        for phase, module, operation, op, _class, kernel, *_ in body["tables"]["kernels"]:
            phases.setdefault(phase, []).append((module, operation, op, kernel))
        return phases

    def test_reports_memory_by_category(self):
        values = self.launch("memory")["values"]
        self.assertEqual(values["category", "unknown"], 0)
        self.assertGreater(values["peak", "backward"], values["resident", "parameters"])

    def test_names_graph_breaks_and_recompilations(self):
        self.assertEqual(self.launch("timing")["warnings"], [])
        self.implementation = implementation_or_error(source := odd_model("Breaking") | {"compile": True})
        breaks, anew = self.launch("timing", source)["warnings"]
        self.assertRegex(breaks, r"^1 graph break, the first at odd_models.py:\d+, `torch._dynamo.graph_break\(\)`: \w")
        self.assertRegex(anew, r"^[2-9] recompilations, the first of odd_models.py:\d+, because this no longer held: `self\.calls == \d`$")

    def test_reports_a_failing_compilation_with_its_traceback(self):
        self.implementation = implementation_or_error(source := odd_model("Uncompilable") | {"compile": True})
        body = self.launch("timing", source)
        self.assertEqual(body["outcome"]["status"], "error")
        self.assertTrue(body["outcome"]["message"].startswith(
            "torch.compile(Uncompilable).forward(int64[2, 8] on cpu) failed: "), body["outcome"])
        self.assertIn("return logits @ logits", body["warnings"][0])

    def test_refuses_to_compile_without_a_compiler(self):
        with unittest.mock.patch.dict(os.environ, PATH="", CXX="", CC=""):
            self.assertEqual(implementation_or_error(self.model_source).splitlines()[-1],
                             "torch.compile needs a C++ compiler, and there is none; install g++")


class Shipped(Launches):
    """Tests labreport's network as a module, eager and compiled. The request names no model."""

    model_source, eager, compiled = {}, "pytorch-eager", "pytorch-compiled"

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(unittest.mock.patch.dict(os.environ, CHEAP_COMPILATION))

    def profile(self, implementation):
        self.implementation = implementation
        body = self.launch("kernels", layers=1, precision="fp32")
        self.assertEqual(body["outcome"]["status"], "ok", body["outcome"])
        body["classes"] = {}
        for row in body["tables"]["kernels"]:
            if row[0] == "forward":  # loss and optimizer are not compiled, backward ends in eager accumulation
                body["classes"][row[4]] = body["classes"].get(row[4], 0) + row[6]
        return body

    def test_compiling_keeps_the_gemms_and_fuses_the_rest(self):
        eager, compiled = self.profile(self.eager), self.profile(self.compiled)
        self.assertEqual(compiled["classes"]["gemm"], eager["classes"]["gemm"])
        self.assertNotIn("fused", eager["classes"])
        self.assertNotIn("elementwise", compiled["classes"])
        self.assertLess(compiled["classes"]["fused"], eager["classes"]["elementwise"] / 3)
        self.assertNotIn(("start-up", "compile"), eager["values"])
        self.assertGreater(compiled["values"]["start-up", "compile"], max(compiled["values"]["step", "total"]))
        self.assertEqual(compiled["values"]["memory", "parameters"], eager["values"]["memory", "parameters"])

    def test_compiles_attention_for_each_length_outside_of_timed_passes(self):
        self.implementation = self.compiled
        body = self.launch("attention", has_network=False, precision="fp32", batch=1, method="synced", backend="eager",
                           head_dim=16, heads=1, lengths=[16])
        self.assertEqual(body["tables"]["attention"][0][:2], [16, "ok"], body["tables"])
        values = body["values"]
        self.assertGreater(values["compile", "16"], max(values["forward_passes", "16"]))
        self.assertEqual(len(values["backward_passes", "16"]), 2)
        self.assertLess(values["attention_error", "grad_q"], values["attention_error", "tolerance"])

    def test_skips_without_a_compiler_and_says_why(self):
        self.implementation = self.compiled
        with unittest.mock.patch.dict(os.environ, PATH="", CXX="", CC=""):
            self.assertEqual(self.launch("kernels")["outcome"], {
                "status": "skipped", "reason": "torch.compile needs a C++ compiler, and there is none; install g++"})


if __name__ == "__main__":
    import torch  # noqa: F401

    WORKER = sys.argv.pop()
    unittest.main(warnings="ignore")
