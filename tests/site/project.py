"""Makes a temporary project folder around the real program, with fake runs and a fake chart tool. The chart tool is
quick, counts its starts, and its drawings depend on its version."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import ROOT  # noqa: E402: a neighbor's, found by the line above

SETTLED = 0.15  # Seconds after which the program notices any change of a file; see base/stamp.h.

# Replaces the Python in .venv. It serves "python -c PROGRAM REQUEST RESULT BUNDLES" to draw, "python -c PROGRAM REQUEST
# FOLDER" to print, "python -c PROGRAM latex REQUEST RESULT TEMPLATE FILTER" for pandoc and "python -c PROGRAM FOLDER…" for
# Typst. It zips as Python does. Only drawing counts as a start.
CHART_TOOL = """#!/usr/bin/python3
import json, pathlib, sys
sys.argv.remove("-I")
if "zipfile" in sys.argv[2]:
    code, sys.argv = sys.argv[2], sys.argv[1:2] + sys.argv[3:]
    exec(code)
    sys.exit()
prefix = pathlib.Path(sys.argv[0]).parents[1]
version = next((prefix / "lib/python3.11/site-packages").glob("vl_convert*")).name
if "svg_to_png" in sys.argv[2]:
    folder = pathlib.Path(sys.argv[4])
    for i, svg in enumerate(json.load(open(sys.argv[3]))["svgs"]):
        (folder / f"{i}.pdf").write_text(f"%PDF {version} {len(svg)}")
        (folder / f"{i}.png").write_text(f"PNG {version} {len(svg)}")
    sys.exit()
if "pypandoc" in sys.argv[2]:
    json.dump(["% LaTeX of " + version for _ in json.load(open(sys.argv[4]))], open(sys.argv[5], "w"))
    sys.exit()
if "typst" in sys.argv[2]:
    for folder in sys.argv[3:]:
        (pathlib.Path(folder) / "report.pdf").write_text("%PDF of " + version)
    sys.exit()
with open(prefix / "starts", "a") as starts:
    starts.write("start\\n")
specs = json.load(open(sys.argv[3]))["specs"]
bundle = pathlib.Path(sys.argv[5]) / "bundle.js"
bundle.parent.mkdir(parents=True, exist_ok=True)
bundle.write_text("// " + version)
svgs = [f'<svg width="720" height="300"><!-- {version} {len(spec)} --></svg>' for spec in specs]
json.dump({"svgs": svgs, "bundle": str(bundle)}, open(sys.argv[4], "w"))
"""


def tree(folder):
    """Returns the bytes of every file below a folder, by relative path."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


class Project:
    """A copy of the program at <folder>/build/bin/labreport, for which <folder> is the project."""

    def __init__(self, folder, program, fakes):
        self.folder = pathlib.Path(folder)
        self.cache = self.folder / "cache"
        self.program = self.folder / "build/bin/labreport"
        self.program.parent.mkdir(parents=True)
        shutil.copy(program, self.program)
        (self.folder / "CMakePresets.json").touch()
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LABREPORT_NVML": "",
                            "LABREPORT_CACHE": str(self.cache), "LABREPORT_WORKER": f"{fakes}/worker"}

    def have_chart_tool(self, version="1.0"):
        python = self.folder / ".venv/bin/python"
        packages = self.folder / ".venv/lib/python3.11/site-packages"
        shutil.rmtree(packages, ignore_errors=True)
        for package in ("vl_convert_python", "typst", "pypandoc_binary"):
            (packages / f"{package}-{version}.dist-info").mkdir(parents=True)
        python.parent.mkdir(exist_ok=True)
        python.write_text(CHART_TOOL, encoding="utf-8")
        python.chmod(0o755)

    def have_real_chart_tool(self):
        (self.folder / ".venv").symlink_to(ROOT / ".venv")

    def starts(self):
        starts = self.folder / ".venv/starts"
        return len(starts.read_text().splitlines()) if starts.exists() else 0

    def call(self, *words, status=0, **environment):
        result = subprocess.run([self.program, *words], cwd=self.folder, check=False,
                                capture_output=True, text=True, timeout=300,
                                env={**self.environment, **environment})
        if result.returncode != status:
            raise AssertionError(f"{words}: status {result.returncode}\n{result.stdout}{result.stderr}")
        return result

    def measure(self, *words):
        """Measures a demonstration with the fake worker; returns the run's folder."""
        words = ("run", "--preset", "demo", *words)
        folder = self.folder / self.call(*words).stdout.strip()
        time.sleep(SETTLED)
        return folder

    def copies(self, run, number, first=0):
        """Copies a run; each copy has begun on another day."""
        text = (run / "run.json").read_text(encoding="utf-8")
        started_at = json.loads(text)["sessions"][0]["started_at"]
        for i in range(first, first + number):
            copy = self.folder / f"site/runs/copies/{i:03}"
            copy.mkdir(parents=True)
            day = f"20{20 + i // 336:02}-{1 + i // 28 % 12:02}-{1 + i % 28:02}T01:02:03Z"
            (copy / "run.json").write_text(text.replace(started_at, day), encoding="utf-8")
        time.sleep(SETTLED)

    def render(self, *words, status=0, **environment):
        """Renders into site/public; returns the messages on stderr."""
        return self.call("render", *words, status=status, **environment).stderr

    def public(self):
        return tree(self.folder / "site/public")


class ProjectTest(unittest.TestCase):
    program = fakes = ""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.project = Project(os.path.realpath(scratch.name), self.program, self.fakes)
