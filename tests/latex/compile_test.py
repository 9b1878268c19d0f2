"""Compiles the report and its fragments with pdflatex, as their readers do, text that means harm too.

python3 compile_test.py LATEX_SAMPLES_PROGRAM: the program writes the sources; see CMakeLists.txt.
Exit status 77: there is no pdflatex here, nothing was tested.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
# A careful reader's call: no shell, no files of others, no questions.
PDFLATEX = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape"]
PARANOID = {"openin_any": "p", "openout_any": "p"}

WRAPPER = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb,array,booktabs,calc,longtable,graphicx,hyperref}
\graphicspath{{run/}}
\begin{document}
\section{My own words}
\input{run/parts/%s}
\end{document}
"""
# Points, about 1 mm: nobody sees this in a margin.
WIDEST_OVERFULL = 3.0


class Compiled:
    """A PDF's text and the log of its making."""

    def __init__(self, folder, name):
        for _ in range(2):  # the second for contents and references
            made = subprocess.run([*PDFLATEX, f"{name}.tex"], cwd=folder, check=False,
                                  capture_output=True, timeout=120, stdin=subprocess.DEVNULL,
                                  env={**os.environ, **PARANOID, "max_print_line": "10000"})
            self.status = made.returncode
        self.log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        self.pages = int((re.findall(r"Output written on .*\((\d+) pages?", self.log) or [0])[0])

    def overfull(self):
        return [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", self.log)]

    def complaints(self):
        return re.findall(r"^(?:!.*|LaTeX Warning: .*(?:undefined|multiply).*)$", self.log, re.M)


class Latex(unittest.TestCase):
    program = ""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.out = pathlib.Path(scratch.name)
        subprocess.run([cls.program, cls.out, ROOT], check=True)

    def compiled(self, folder, name):
        made = Compiled(folder, name)
        self.assertEqual(made.status, 0, made.log[-3000:])
        return made

    def assert_well_set(self, made, pages):
        self.assertEqual(made.complaints(), [])
        self.assertLessEqual(max(made.overfull(), default=0), WIDEST_OVERFULL)
        self.assertIn(made.pages, pages)

    def test_the_report(self):
        self.assert_well_set(self.compiled(self.out / "sample", "report"), range(4, 11))

    def test_each_part_in_a_document_of_ones_own(self):
        parts = sorted((self.out / "sample/parts").glob("*.tex"))
        self.assertEqual(len(parts), 2)
        for part in parts:
            with self.subTest(part.name):
                folder = self.out / part.stem
                folder.mkdir()
                (folder / "run").symlink_to(self.out / "sample")
                (folder / "own.tex").write_text(WRAPPER % part.name, encoding="utf-8")
                self.assert_well_set(self.compiled(folder, "own"), range(1, 5))

    def test_harm_is_text(self):
        made = self.compiled(self.out / "hostile", "report")
        self.assertLess(made.pages, 120)
        self.assertLessEqual(max(made.overfull(), default=0), 60)
        self.assertNotIn("/etc/passwd", "".join(re.findall(r"\((/[^\s()]*)", made.log)))
        self.assertFalse((self.out / "hostile/here").exists())
        for part in (self.out / "hostile/parts").glob("*.tex"):
            (self.out / "hostile/own.tex").write_text(
                WRAPPER.replace("run/", "") % part.name, encoding="utf-8")
            self.compiled(self.out / "hostile", "own")


if __name__ == "__main__":
    if shutil.which("pdflatex") is None:
        print("SKIPPED: no pdflatex here; setup/install test installs one where it may")
        sys.exit(SKIPPED)
    Latex.program = sys.argv.pop(1)
    unittest.main()
