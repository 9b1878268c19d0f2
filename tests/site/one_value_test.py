"""Tests that a quantity has one value on all pages over the shipped runs, and that each number says what it is.

python3 one_value_test.py LABREPORT; see CMakeLists.txt.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from keyed_numbers import KeyedNumbers, different_values
from project import ROOT  # noqa: F401: it finds shipped.py
from shipped import WHOLE_RUNS, need_run, shipped_project

OVER_SEVERAL_RUNS = ("index.html", "nvidia-*/index.html", "topic/*/index.html")
OF_NAMED_RUNS = ("diff/*/index.html",)


class OneValue(unittest.TestCase):
    program = ""

    @classmethod
    def setUpClass(cls):
        for place in WHOLE_RUNS:
            need_run(place)
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        project = pathlib.Path(scratch.name)
        # Without a chart tool the pages lack pictures, which the status reports.
        subprocess.run([cls.program, "render", "--format", "html"], cwd=shipped_project(project), env={"PATH": ""},
                       check=False, capture_output=True)
        site = project / "site/public"
        cls.pages = {path.relative_to(site).as_posix(): KeyedNumbers(path.read_text(encoding="utf-8"))
                     for pattern in OVER_SEVERAL_RUNS + OF_NAMED_RUNS for path in sorted(site.glob(pattern))}
        cls.over_several_runs = {name: page for name, page in cls.pages.items() if not name.startswith("diff/")}

    def test_there_are_pages_of_each_kind(self):
        kinds = {name.split("/")[0] for name in self.pages}
        self.assertLessEqual({"index.html", "nvidia-h200", "nvidia-h100-80gb-hbm3", "topic", "diff"}, kinds)
        for name, page in self.pages.items():
            self.assertTrue(page.keyed, name)

    def test_no_key_has_two_values(self):
        self.assertEqual(different_values((name, page.keyed) for name, page in self.pages.items()), {})

    def test_every_number_of_several_runs_has_a_key(self):
        self.assertEqual({name: page.without_key for name, page in self.over_several_runs.items() if page.without_key},
                         {})

    def test_every_number_in_a_comparisons_sentences_has_a_key(self):
        comparisons = {name: page for name, page in self.pages.items() if name.startswith("diff/")}
        self.assertEqual({name: page.items for name, page in comparisons.items() if page.items}, {})

    def test_pages_share_keys(self):
        index, topic = ({key for key, _ in self.pages[name].keyed}
                        for name in ("index.html", "topic/training-step/index.html"))
        self.assertTrue(index & topic)


class TheReader(unittest.TestCase):
    """Tests that the reader finds numbers with and without a key."""

    def test_cells_and_sentences(self):
        page = KeyedNumbers('<table><tr><td>1,133</td><td>2025</td><td>small</td>'
                            '<td class="number" data-sort="305.08" data-key="a"><a href="x">305.1</a></td></tr></table>'
                            '<p>It takes <data value="3.5" data-key="b">3.5 ms</data> of 4 ms.</p>'
                            '<p>Of <b>2 kinds</b></p><ul><li>Of 5 ms</li></ul>')
        self.assertEqual(page.keyed, [("a", 305.08), ("b", 3.5)])
        self.assertEqual(page.without_key, ["1,133", "It takes  of 4 ms.", "Of 5 ms"])
        self.assertEqual(page.items, ["Of 5 ms"])

    def test_different_values_are_found(self):
        self.assertEqual(different_values([("one", [("a", 1), ("b", 2)]), ("two", [("a", 1), ("b", 3)])]),
                         {"b": {2: "one", 3: "two"}})


if __name__ == "__main__":
    OneValue.program = sys.argv.pop(1)
    unittest.main()
