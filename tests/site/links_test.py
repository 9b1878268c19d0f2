"""Tests that every link of a rendered site leads somewhere, also below a path, and that no request leaves the site.

python3 links_test.py LABREPORT FAKES SAMPLE_SITE; see CMakeLists.txt.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import links
from project import ProjectTest


class RenderedSites(ProjectTest):
    sample_site = ""
    maxDiff = None

    def test_the_sample(self):
        self.project.have_chart_tool()
        site = self.project.folder / "sample"
        subprocess.run([self.sample_site, site, self.project.folder], check=True)
        self.assertEqual(list(links.problems(site)), [])
        self.assertEqual(links.orphans(site), [])

    def test_runs_of_several_kinds(self):
        self.project.have_chart_tool()
        self.project.copies(self.project.measure(), 8)
        self.project.render()
        self.assertEqual(list(links.problems(self.project.folder / "site/public")), [])
        self.assertEqual(links.orphans(self.project.folder / "site/public"), [])

    def test_without_charts_and_answers(self):
        self.project.measure("--sizes", "demo-1")
        self.project.render("--answers", "none", PATH="")
        self.assertEqual(list(links.problems(self.project.folder / "site/public")), [])

    def test_the_real_chart_tool(self):
        self.project.have_real_chart_tool()
        self.project.measure("--sizes", "demo-1")
        self.assertEqual(self.project.render(), "")
        self.assertEqual(list(links.problems(self.project.folder / "site/public")), [])


class TheChecker(unittest.TestCase):
    """Tests that the checker finds each kind of problem."""

    def problems(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"index_html": "", **files}.items():
                path = pathlib.Path(folder, name.replace("__", "/").replace("_", "."))
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(links.problems(folder))

    def test_orphans_and_pages_without_a_head_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            head = '<nav class="site"></nav>'
            for name, text in (("index", head + '<a href="a.html#x">a</a><a href="b.html?q">b</a>'), ("a", head),
                               ("b", ""), ("c", head)):
                pathlib.Path(folder, f"{name}.html").write_text(text, encoding="utf-8")
            self.assertEqual(links.orphans(folder), ["b.html", "c.html"])

    def test_correct_links_pass(self):
        self.assertEqual(self.problems(
            a__page_html='<p id="x"><a href="../index.html">i</a> <a href="#x">x</a>'
                         '<a href="../">up</a><a href="https://a.example/">a</a>'
                         '<img src="data:,"><img src="p%20q.svg">'
                         '<link rel="canonical" href="https://a.example/">',
            **{"a__p q_svg": "<svg></svg>"},
            a__report_md="# One, two\n[x](#one-two) `[no](link)` ![p](<p%20q.svg>)"), [])

    def test_wrong_links_are_found(self):
        for text, wrong in (
                ('<a href="b.html">', "b.html: is not there"),
                ('<a href="#b">', "#b: there is no such place"),
                ('<a href="/index.html">', "/index.html: leaves a site that lies below a path"),
                ('<a href="../index.html">', "../index.html: leaves a site"),
                ('<a href="http://a.example/">', "http://a.example/: is no https link"),
                ('<a href="javascript:alert(1)">', "is no https link"),
                ('<img src="https://a.example/">', "leaves the site"),
                ('<script src="//a.example/x.js">', "leaves the site"),
                ('<link rel="icon" href="https://a.example/x.svg">', "leaves the site"),
                ('<style>p { background: url(https://a.example/x) }</style>', "leaves the site"),
                ('<p style="background: url(x.png)">', "x.png: is not there"),
                ('<p id="a"><p id="a">', "two things are called a")):
            found = self.problems(index_html=text)
            self.assertEqual(len(found), 1, text)
            self.assertIn(wrong, found[0])

    def test_wrong_links_outside_of_pages_are_found(self):
        self.assertIn("leaves the site", self.problems(a_css='@import "https://a.example/x";')[0])
        self.assertIn("is not there", self.problems(report_md="![x](charts/x.svg)")[0])
        self.assertEqual(self.problems(a_svg='<svg><a xlink:href="https://a.example/#x"/></svg>'),
                         ["a.svg: https://a.example/#x: a picture leads nowhere"])
        self.assertIn("no such place", self.problems(report_md="# One\n[x](#two)")[0])


if __name__ == "__main__":
    RenderedSites.sample_site = sys.argv.pop(3)
    ProjectTest.fakes = sys.argv.pop(2)
    ProjectTest.program = sys.argv.pop(1)
    unittest.main()
