"""Tests that after each change the site has the same bytes as a render from scratch.

python3 changed_test.py LABREPORT FAKES; see CMakeLists.txt.
"""
import os
import shutil
import sys
import tempfile
import time
import unittest

from project import SETTLED, ProjectTest, tree


class Changed(ProjectTest):
    def setUp(self):
        super().setUp()
        self.project.have_chart_tool()
        self.run_folder = self.project.measure("--sizes", "demo-1")
        self.project.copies(self.run_folder, 1)
        self.project.render()
        self.before = self.project.public()
        self.page = next((self.project.folder / "site/public").glob("*/*/*/index.html"))

    def from_scratch(self, *words, **environment):
        with tempfile.TemporaryDirectory() as scratch:
            out = os.path.join(scratch, "site")
            self.project.call("render", "--out", out, *words,
                              **{"LABREPORT_CACHE": os.path.join(scratch, "cache"), **environment})
            return tree(out)

    def assert_renewed(self, *words, changes=True, **environment):
        time.sleep(SETTLED)
        expected = self.from_scratch(*words, **environment)
        self.project.render(*words, **environment)
        after = self.project.public()
        self.assertEqual(sorted(after), sorted(expected))
        self.assertEqual([name for name in expected if after[name] != expected[name]], [])
        (self.assertNotEqual if changes else self.assertEqual)(after, self.before)

    def test_a_byte_of_a_run_of_the_same_size_and_time(self):
        file = self.run_folder / "run.json"
        before = file.stat()
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace('"preset": "demo"', '"preset": "full"'), encoding="utf-8")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(file.stat().st_size, before.st_size)
        self.assert_renewed()

    def test_a_change_right_after_a_render(self):
        file = self.run_folder / "run.json"
        for preset in ("full", "demo", "full"):
            text = file.read_text(encoding="utf-8")
            for old in ("full", "demo"):
                text = text.replace(f'"preset": "{old}"', f'"preset": "{preset}"')
            file.write_text(text, encoding="utf-8")
            self.project.render()
        self.assert_renewed()

    def test_a_run_that_becomes_a_reference(self):
        (self.run_folder / "reference").touch()
        self.assert_renewed()

    def test_a_launch_that_is_not_merged_yet(self):
        (self.run_folder / "cells").mkdir(exist_ok=True)
        (self.run_folder / "cells/damaged.0.json").write_text("{}", encoding="utf-8")
        time.sleep(SETTLED)
        messages = self.project.render(status=1)
        self.assertIn("left out: ", messages)

    def test_a_run_that_is_new_or_gone(self):
        self.project.copies(self.run_folder, 1, first=1)
        self.assert_renewed()
        shutil.rmtree(self.project.folder / "site/runs/copies/000")
        self.assert_renewed()

    def test_every_way_to_ask_for_answers(self):
        self.assert_renewed("--answers", "none")
        self.assert_renewed("--answers", "full", changes=False)

    def test_another_build_of_the_program(self):
        other = self.project.program.with_name("other")
        shutil.copy(self.project.program, other)
        os.replace(other, self.project.program)
        inode = self.page.stat().st_ino
        self.page.write_text("made by the program before", encoding="utf-8")
        self.assert_renewed(changes=False)
        self.assertNotEqual(self.page.stat().st_ino, inode)

    def test_another_version_of_the_chart_tool(self):
        self.project.have_chart_tool("2.0")
        self.assert_renewed()
        self.assertIn(b"2.0", self.project.public()["assets/charts.js"])

    def test_no_chart_tool_any_more_and_one_again(self):
        shutil.rmtree(self.project.folder / ".venv")
        time.sleep(SETTLED)
        self.assertIn("charts are left out", self.project.render())
        self.assertNotIn("assets/charts.js", self.project.public())
        self.assertNotIn("charts.js", self.page.read_text(encoding="utf-8"))
        self.project.have_chart_tool()
        self.assert_renewed(changes=False)

    def test_a_chart_tool_that_broke_where_the_cache_was_lost(self):
        """Pages from before request a bundle that cannot be made now."""
        python = self.project.folder / ".venv/bin/python"
        python.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        for cached in self.project.cache.iterdir():
            if b"// vl_convert" in cached.read_bytes()[:60]:
                cached.unlink()
        self.assertIn("charts are left out", self.project.render())
        self.assertNotIn("charts.js", self.page.read_text(encoding="utf-8"))

    def test_a_page_that_was_deleted(self):
        self.page.unlink()
        self.assert_renewed(changes=False)

    def test_a_page_that_was_edited_in_place_with_its_time_set_back(self):
        before = self.page.stat()
        with self.page.open("r+b") as file:
            file.write(b"<?")
        os.utime(self.page, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assert_renewed(changes=False)

    def test_a_page_that_was_replaced_by_a_link(self):
        elsewhere = self.project.folder / "elsewhere"
        os.replace(self.page, elsewhere)
        self.page.symlink_to(elsewhere)
        self.assert_renewed(changes=False)
        self.assertFalse(self.page.is_symlink())

    def test_a_whole_site_that_was_deleted(self):
        shutil.rmtree(self.project.folder / "site/public")
        self.assert_renewed(changes=False)

    def test_another_site_in_its_place(self):
        other = self.project.folder / "site/other"
        self.project.render("--out", str(other), "--answers", "none")
        public = self.project.folder / "site/public"
        shutil.rmtree(public)
        os.rename(other, public)
        self.assert_renewed(changes=False)

    def test_a_cache_that_was_damaged_or_deleted(self):
        for cached in self.project.cache.iterdir():
            cached.write_bytes(cached.read_bytes()[:40])
        (self.run_folder / "reference").touch()
        self.assert_renewed()
        shutil.rmtree(self.project.cache)
        self.assert_renewed()

    def test_without_a_cache(self):
        self.assert_renewed("--answers", "none", LABREPORT_CACHE="")

    def test_a_users_copy_replaces_the_reference(self):
        copy = self.project.folder / "site/runs/a-copy"
        shutil.copytree(self.run_folder, copy)
        (copy / "reference").touch()
        self.assert_renewed(changes=False)
        index = self.project.public()["index.html"].decode()
        self.assertEqual(index.count('<tr id="run-'), 2)
        self.assertNotIn("reference run", index)


if __name__ == "__main__":
    ProjectTest.fakes = sys.argv.pop(2)
    ProjectTest.program = sys.argv.pop(1)
    unittest.main()
