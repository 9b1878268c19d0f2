"""Compiles the report and its parts with pdflatex as a reader does; one report has hostile texts.

python3 compile_test.py LATEX_SAMPLES_PROGRAM: the program writes the sources; see CMakeLists.txt.
Exit status 77 means that there is no pdflatex and that no test ran.
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
# A careful reader forbids the shell, files elsewhere, and questions.
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
# In points, about 1 mm: nobody sees this in a margin.
WIDEST_OVERFULL = 3.0


class Compilation:
    """Compiles a source; `status` is the exit status and `log` what TeX wrote about it."""

    def __init__(self, folder, name):
        for _ in range(2):  # The second call fills in contents and references.
            process = subprocess.run([*PDFLATEX, f"{name}.tex"], cwd=folder, check=False,
                                     capture_output=True, timeout=120, stdin=subprocess.DEVNULL,
                                     env={**os.environ, **PARANOID, "max_print_line": "10000"})
            self.status = process.returncode
        self.log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        self.pages = int((re.findall(r"Output written on .*\((\d+) pages?", self.log) or [0])[0])

    def overfull_points(self):
        return [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", self.log)]

    def problems(self):
        return re.findall(r"^(?:!.*|LaTeX Warning: .*(?:undefined|multiply).*)$", self.log, re.M)


class Latex(unittest.TestCase):
    program = ""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.out = pathlib.Path(scratch.name)
        subprocess.run([cls.program, cls.out, ROOT], check=True)

    def compile(self, folder, name):
        compilation = Compilation(folder, name)
        self.assertEqual(compilation.status, 0, compilation.log[-3000:])
        return compilation

    def assert_well_set(self, compilation, pages):
        self.assertEqual(compilation.problems(), [])
        self.assertLessEqual(max(compilation.overfull_points(), default=0), WIDEST_OVERFULL)
        self.assertIn(compilation.pages, pages)

    def test_the_report(self):
        self.assert_well_set(self.compile(self.out / "sample", "report"), range(4, 11))

    def compile_elsewhere(self, engine, more):
        """Compiles the sample with another engine, with more text at its start, and returns the log."""
        text = (self.out / "sample/report.tex").read_text(encoding="utf-8")
        self.assertIn("≈", text)
        text = text.replace(r"\begin{document}", r"\begin{document}" + more, 1)
        (self.out / f"sample/{engine}.tex").write_text(text, encoding="utf-8")
        process = subprocess.run([engine, *PDFLATEX[1:], f"{engine}.tex"], cwd=self.out / "sample", check=False,
                                 capture_output=True, stdin=subprocess.DEVNULL)
        self.assertEqual(process.returncode, 0, process.stdout[-3000:])
        return (self.out / f"sample/{engine}.log").read_text(encoding="utf-8", errors="replace")

    def test_the_report_with_lualatex(self):
        if not subprocess.run(["kpsewhich", "luaotfload.sty"], check=False, capture_output=True).stdout:
            self.skipTest("no lualatex with its fonts here")
        self.assertNotIn("Missing character: There is no ≈", self.compile_elsewhere("lualatex", ""))

    def test_the_report_with_xelatex_loses_no_letter(self):
        if shutil.which("xelatex") is None:
            self.skipTest("no xelatex here")
        log = self.compile_elsewhere("xelatex", r"前向 ✅ 😀 ж \textbf{平均} \texttt{前 ∇} $\text{前} ≈ α$")
        self.assertNotIn("Missing character", log)

    def test_each_part_in_a_document_of_ones_own(self):
        parts = sorted((self.out / "sample/parts").glob("*.tex"))
        self.assertEqual(len(parts), 2)
        for part in parts:
            with self.subTest(part.name):
                folder = self.out / part.stem
                folder.mkdir()
                (folder / "run").symlink_to(self.out / "sample")
                (folder / "own.tex").write_text(WRAPPER % part.name, encoding="utf-8")
                self.assert_well_set(self.compile(folder, "own"), range(1, 5))

    def test_hostile_texts_stay_text(self):
        compilation = self.compile(self.out / "hostile", "report")
        self.assertLess(compilation.pages, 120)
        self.assertLessEqual(max(compilation.overfull_points(), default=0), 60)
        self.assertNotIn("/etc/passwd", "".join(re.findall(r"\((/[^\s()]*)", compilation.log)))
        self.assertFalse((self.out / "hostile/here").exists())
        for part in (self.out / "hostile/parts").glob("*.tex"):
            (self.out / "hostile/own.tex").write_text(
                WRAPPER.replace("run/", "") % part.name, encoding="utf-8")
            self.compile(self.out / "hostile", "own")


if __name__ == "__main__":
    if shutil.which("pdflatex") is None:
        print("skipped: no pdflatex here; setup/install test installs one where it may")
        sys.exit(SKIPPED)
    Latex.program = sys.argv.pop(1)
    unittest.main()
