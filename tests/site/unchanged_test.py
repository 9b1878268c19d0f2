"""Tests that a render neither reads nor draws nor writes what has not changed.

python3 unchanged_test.py LABREPORT FAKES; see CMakeLists.txt.
"""
import ctypes
import os
import sys
import time
import unittest

from project import SETTLED, ProjectTest


class OpenWatch:
    """Watches a file by inotify. A call returns whether the file was opened since the call before."""

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.inotify = libc.inotify_init1(os.O_NONBLOCK)
        in_open = 0x20  # IN_OPEN of <sys/inotify.h>
        if libc.inotify_add_watch(self.inotify, os.fsencode(path), in_open) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.inotify)

    def __call__(self):
        try:
            return bool(os.read(self.inotify, 4096))
        except BlockingIOError:
            return False


class Unchanged(ProjectTest):
    def setUp(self):
        super().setUp()
        self.project.have_chart_tool()
        self.run_folder = self.project.measure("--sizes", "demo-1")
        self.project.render()

    def test_nothing_is_drawn_or_written_again(self):
        public = self.project.folder / "site/public"
        times = {path: path.stat().st_mtime_ns for path in public.rglob("*")}
        starts = self.project.starts()
        self.project.render()
        self.assertEqual({path: path.stat().st_mtime_ns for path in public.rglob("*")}, times)
        self.assertEqual(self.project.starts(), starts)

    def test_a_run_is_not_even_opened(self):
        with OpenWatch(self.run_folder / "run.json") as opened:
            self.project.render()
            self.assertFalse(opened())
            self.project.render("--answers", "none")
            self.assertTrue(opened())

    def test_a_render_of_one_format_in_between_forgets_nothing(self):
        self.project.render("--format", "md")
        with OpenWatch(self.run_folder / "run.json") as opened:
            self.project.render()
            self.assertFalse(opened())

    def test_the_same_pictures_are_drawn_for_no_second_run(self):
        starts = self.project.starts()
        self.project.copies(self.run_folder, 1)
        self.project.render()
        self.assertEqual(self.project.starts(), starts)


class ManyRuns(ProjectTest):
    """Tests one changed run among many; `make bench` times the same with a hundred runs."""

    def test_one_changed_run_is_read_and_the_others_are_not(self):
        self.project.have_chart_tool()
        first = self.project.measure()
        self.project.copies(first, 9)
        self.project.render()
        (first / "run.json").touch()
        time.sleep(SETTLED)
        with OpenWatch(first / "run.json") as changed_opened, \
             OpenWatch(self.project.folder / "site/runs/copies/007/run.json") as other_opened:
            self.project.render()
            self.assertTrue(changed_opened())
            self.assertFalse(other_opened())
        index = self.project.public()["index.html"].decode()
        self.assertEqual(index.count('<tr id="run-'), 10)


if __name__ == "__main__":
    ProjectTest.fakes = sys.argv.pop(2)
    ProjectTest.program = sys.argv.pop(1)
    unittest.main()
