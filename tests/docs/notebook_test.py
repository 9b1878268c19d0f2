"""Tests docs/labreport.ipynb: it is a valid notebook without outputs, its commands exist, and it runs.

python3 notebook_test.py LABREPORT [TORCH_PYTHON]: with TORCH_PYTHON, all cells are run on the CPU in a clone.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import notebook

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import ROOT, need_clone  # noqa: E402: a neighbor's, found by the line above

PATH = ROOT / "docs/labreport.ipynb"
PROGRAM = sys.argv[1]
TORCH_PYTHON = sys.argv[2] if len(sys.argv) > 2 else None


class Notebook(unittest.TestCase):
    def setUp(self):
        self.notebook = json.loads(PATH.read_text(encoding="utf-8"))
        self.cells = notebook.code_cells(PATH)

    def test_has_the_shape_of_nbformat_4_5(self):
        self.assertEqual((self.notebook["nbformat"], self.notebook["nbformat_minor"]), (4, 5))
        self.assertEqual(set(self.notebook), {"cells", "metadata", "nbformat", "nbformat_minor"})
        for cell in self.notebook["cells"]:
            code_keys = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
            self.assertEqual(set(cell), {"cell_type", "id", "metadata", "source"} | code_keys)
            self.assertRegex(cell["id"], r"^[\w-]{1,64}$")
            for line in cell["source"]:
                self.assertIsInstance(line, str)
        ids = [cell["id"] for cell in self.notebook["cells"]]
        self.assertEqual(len(ids), len(set(ids)))

    def test_holds_three_code_cells_and_no_outputs(self):
        cells = [cell for cell in self.notebook["cells"] if cell["cell_type"] == "code"]
        self.assertEqual([(cell["outputs"], cell["execution_count"]) for cell in cells], [([], None)] * 3)

    def test_every_cell_is_python_once_its_shell_lines_are_calls(self):
        for cell in self.cells:
            compile(notebook.python_of(cell), "cell", "exec")

    def test_makefile_and_program_accept_its_commands(self):
        lines = [line for cell in self.cells for line in notebook.shell_lines(cell)]
        makes = [re.sub(r"{PRESET}", "demo", line.replace("{MORE}", "")) for line in lines if line.startswith("make ")]
        renders = [line for line in lines if "bin/labreport" in line]
        self.assertEqual((len(makes), len(renders)), (1, 1))
        environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
        make = makes[0].replace("-C labreport", f"-n -C {shlex.quote(str(ROOT))}")
        subprocess.run(shlex.split(make), env=environment, check=True, capture_output=True)
        help_text = subprocess.run([PROGRAM, "render", "--help"], check=True, capture_output=True, text=True).stdout
        for flag in re.findall(r"--[\w-]+", renders[0]):
            self.assertIn(flag, help_text)

    def run_on_the_cpu(self):
        need_clone()
        with tempfile.TemporaryDirectory() as folder:
            self.assert_runs(pathlib.Path(folder))

    def assert_runs(self, folder):
        for name, value in (("REPO", ROOT), ("PRESET", "demo"), ("MORE", "SIZES=demo-1")):
            self.cells[0] = re.sub(rf'^{name} = ".*?"', f'{name} = "{value}"', self.cells[0], flags=re.M)
        (folder / "bin").mkdir()
        python = folder / "bin/python"  # A link would not do, because Python finds its environment by its path.
        python.write_text(f'#!/bin/sh\nexec "{TORCH_PYTHON}" "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder)}
        os.chdir(folder)
        displayed = notebook.run(self.cells, folder, environment)
        os.chdir(ROOT)
        self.assertEqual(len(displayed), 1)
        self.assertIn("CPU demonstration", displayed[0])
        self.assertIn("&lt;!DOCTYPE html&gt;", displayed[0])
        self.assertGreater((folder / "labreport-report.zip").stat().st_size, 100_000)


if TORCH_PYTHON:
    Notebook.test_runs_on_the_cpu = Notebook.run_on_the_cpu

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
