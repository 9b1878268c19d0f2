"""Compiles sample reports with the real Typst: python3 typeset_test.py SAMPLE_TYPST

SAMPLE_TYPST writes the sources. A hostile text that Typst took for a command would not compile.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import typst

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Width and height of a page in points.
PAPERS = {"a4": (595, 842), "letter": (612, 792)}


class Reports(unittest.TestCase):
    program = ""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        subprocess.run([cls.program, cls.folder], check=True)

    def compile(self, name, **options):
        folder = self.folder / name
        return typst.compile_with_warnings(str(folder / "report.typ"), root=str(folder),
                                           ignore_system_fonts=True, **options)

    def test_every_report_becomes_a_pdf_on_every_paper(self):
        folders = [self.folder / f"{report}-{paper}" for paper in PAPERS
                   for report in ("sample", "demonstration", "hostile")]
        subprocess.run([sys.executable, ROOT / "site" / "typeset.py", *folders], check=True)
        for folder in folders:
            with self.subTest(folder.name):
                self.assertFalse((folder / "problem.txt").exists())
                self.assertEqual((folder / "report.pdf").read_bytes()[:5], b"%PDF-")

    def test_ordinary_reports_raise_no_warning(self):
        for name in ("sample-a4", "demonstration-letter"):
            _, warnings = self.compile(name)
            self.assertEqual([str(warning) for warning in warnings], [])

    def typeset(self, sources, **limits):
        """Returns the problem of each source, or None if it has a PDF."""
        with tempfile.TemporaryDirectory() as scratch:
            folders = [pathlib.Path(scratch, str(i)) for i in range(len(sources))]
            for folder, source in zip(folders, sources):
                folder.mkdir()
                (folder / "report.typ").write_text(source, encoding="utf-8")
            subprocess.run([sys.executable, ROOT / "site" / "typeset.py", *folders], check=True,
                           timeout=60, env={**os.environ, **limits})
            return [None if (folder / "report.pdf").exists()
                    else (folder / "problem.txt").read_text(encoding="utf-8")
                    for folder in folders]

    def test_a_report_that_never_ends_is_given_up_and_the_next_is_made(self):
        # Each range has a thousand numbers, so that no memory is allocated while time runs out.
        endless = "".join(f"#let {name} = range(1000)\n" for name in "abcde") + (
            "#for i in a { for j in b { for k in c { for l in d { for m in e { } } } } }")
        self.assertEqual(self.typeset([endless, "Next"], LABREPORT_TYPESET_SECONDS="2"),
                         ["Typst needs longer than 2 s for it; "
                          "LABREPORT_TYPESET_SECONDS raises this limit", None])

    def test_a_report_that_wants_all_memory_is_given_up_and_the_next_is_made(self):
        greedy = '#let a = "x" * 400000000\n#let b = a + a\n#b.len()'
        self.assertEqual(self.typeset([greedy, "Next"], LABREPORT_TYPESET_MIB="512"),
                         ["Typst needs more than 512 MiB for it; "
                          "LABREPORT_TYPESET_MIB raises this limit", None])

    def test_a_mistake_is_told_in_one_line(self):
        problem, = self.typeset(["#nothing"])
        self.assertEqual(len(problem.splitlines()), 1)
        self.assertIn("unknown variable", problem)

    def test_letters_without_a_font_are_named_with_the_package_to_install(self):
        sys.path.append(str(ROOT / "site"))
        import typeset as script  # pylint: disable=import-outside-toplevel
        self.assertEqual(script.missing_letters(typst, list("½≈☐☑前𓀀"), ignore_system_fonts=True),
                         ["前", "𓀀"])
        self.assertEqual([script.package_with(letter) for letter in "前、，あ한✅🙂⚠ऄ⌘"],
                         ["fonts-noto-cjk"] * 5 + ["fonts-noto-color-emoji"] * 3 + ["fonts-noto-core"] * 2)

        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "report.typ").write_text("Letters: é, 𓀀", encoding="utf-8")
            subprocess.run([sys.executable, ROOT / "site" / "typeset.py", folder], check=True)
            self.assertTrue((folder / "report.pdf").exists())
            if script.missing_letters(typst, ["𓀀"], ignore_system_fonts=False):
                missing = json.loads((folder / "missing.json").read_text(encoding="utf-8"))
                self.assertEqual(missing, {"fonts-noto-core": ["𓀀"]})

    def test_pages_have_the_size_asked_for(self):
        for paper, size in PAPERS.items():
            pages, _ = self.compile(f"sample-{paper}", format="png", ppi=72)
            png = pages[0] if isinstance(pages, list) else pages
            self.assertEqual(struct.unpack(">II", png[16:24]), size)  # The PNG's header has it.

    def pages_of_heading_and_figure(self, filled_cm):
        """Puts words beside a figure of 8 cm on a page of 27 cm that is filled to this height."""
        sample = self.folder / "sample-a4"
        template, _, _ = (sample / "report.typ").read_text(encoding="utf-8").partition("#title[")
        source = sample / "layout.typ"
        source.write_text(template + f"#block(height: {filled_cm}cm)\n" """
= Heading
#quote(block: true)[Question?]
#beside[Words.][#figure(rect(width: 7cm, height: 8cm), kind: image, caption: [A figure.])]
#context [#metadata((heading, figure).map(kind => query(kind).first().location().page())) <pages>]
""", encoding="utf-8")
        return json.loads(typst.query(str(source), "<pages>", field="value", one=True))

    def test_words_stay_on_a_page_that_their_figure_would_leave_a_third_empty(self):
        self.assertEqual(self.pages_of_heading_and_figure(filled_cm=10), [1, 1])
        self.assertEqual(self.pages_of_heading_and_figure(filled_cm=18), [1, 2])
        self.assertEqual(self.pages_of_heading_and_figure(filled_cm=23), [2, 2])

    def test_same_source_same_bytes_and_no_date(self):
        first, _ = self.compile("sample-a4")
        second, _ = self.compile("sample-a4")
        self.assertEqual(first, second)
        self.assertNotIn(b"/CreationDate", first)
        self.assertNotIn(b"CreateDate", first)

    def test_a_screen_reader_gets_titles_headings_and_alternative_texts(self):
        pdf, _ = self.compile("sample-a4", pdf_standards=["ua-1"])
        self.assertIn(b"/Outlines", pdf)


if __name__ == "__main__":
    Reports.program = sys.argv.pop(1)
    unittest.main()
