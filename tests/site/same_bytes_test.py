"""Tests that the same runs make a site of the same bytes in any environment.

python3 same_bytes_test.py LABREPORT FAKES; see CMakeLists.txt.
"""
import os
import sys
import tempfile
import unittest

from project import ProjectTest, tree
from shipped import copy_run, measured_runs, need_run

SURROUNDINGS = {
    "as it is": {},
    "once more, from the cache": {},
    "without a cache": {"LABREPORT_CACHE": ""},
    "another cache": {"LABREPORT_CACHE": "another cache"},
    "another zone, language and home": {"LABREPORT_CACHE": "", "TZ": "Asia/Kathmandu",
                                        "LANG": "tr_TR.UTF-8", "LC_ALL": "de_DE.UTF-8",
                                        "HOME": "elsewhere", "COLUMNS": "40"},
}


class SameBytes(ProjectTest):
    def render_all(self, surroundings):
        sites = {}
        for number, (name, environment) in enumerate(surroundings.items()):
            # The path has another length in each render.
            with tempfile.TemporaryDirectory(prefix="x" * number) as out:
                site = os.path.join(out, "site")
                self.assertEqual(self.project.render("--out", site, **environment), "")
                sites[name] = tree(site)
        return sites

    def assert_same(self, surroundings):
        sites = self.render_all(surroundings)
        first, *others = sites
        for other in others:
            self.assertEqual(list(sites[first]), list(sites[other]), other)
            different = [file for file in sites[first] if sites[first][file] != sites[other][file]]
            self.assertEqual(different, [], other)
        self.assertGreater(len(sites[first]), 10)

    def test_a_demonstration_in_all_surroundings(self):
        self.project.have_real_chart_tool()
        self.project.measure()
        self.assert_same(SURROUNDINGS)

    def test_a_recorded_run(self):
        """The run has every kind of figure. Each figure is drawn with and without the cache."""
        self.project.have_real_chart_tool()
        need_run("nvidia-h200/2026")
        copy_run(measured_runs("nvidia-h200/2026")[-1], self.project.folder / "site/runs/recorded")
        names = ("as it is", "another zone, language and home")
        self.assert_same({name: SURROUNDINGS[name] for name in names})


if __name__ == "__main__":
    ProjectTest.fakes = sys.argv.pop(2)
    ProjectTest.program = sys.argv.pop(1)
    unittest.main()
