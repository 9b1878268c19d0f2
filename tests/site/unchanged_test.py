"""What has not changed costs next to nothing: it is neither read nor drawn nor written.

python3 unchanged_test.py LABREPORT FAKES; see CMakeLists.txt.
"""
import ctypes
import os
import sys
import time
import unittest

from project import SETTLED, ProjectTest


class Opened:
    """Tells whether a file was opened since it was last asked, as the kernel saw it."""

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.watch = libc.inotify_init1(os.O_NONBLOCK)
        in_open = 0x20
        if libc.inotify_add_watch(self.watch, os.fsencode(path), in_open) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.watch)

    def __call__(self):
        try:
            return bool(os.read(self.watch, 4096))
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
        with Opened(self.run_folder / "run.json") as opened:
            self.project.render()
            self.assertFalse(opened())
            self.project.render("--answers", "none")
            self.assertTrue(opened())

    def test_a_render_of_one_format_in_between_forgets_nothing(self):
        self.project.render("--format", "md")
        with Opened(self.run_folder / "run.json") as opened:
            self.project.render()
            self.assertFalse(opened())

    def test_the_same_pictures_are_drawn_for_no_second_run(self):
        starts = self.project.starts()
        self.project.copies(self.run_folder, 1)
        self.project.render()
        self.assertEqual(self.project.starts(), starts)


class ManyRuns(ProjectTest):
    """One changed run among many; `make bench` times the same with a hundred."""

    def test_one_changed_run_is_read_and_the_others_are_not(self):
        self.project.have_chart_tool()
        first = self.project.measure()
        self.project.copies(first, 9)
        self.project.render()
        (first / "run.json").touch()
        time.sleep(SETTLED)
        with Opened(first / "run.json") as changed, \
             Opened(self.project.folder / "site/runs/copies/007/run.json") as other:
            self.project.render()
            self.assertTrue(changed())
            self.assertFalse(other())
        index = self.project.public()["index.html"].decode()
        self.assertEqual(index.count('<tr id="run-'), 10)


if __name__ == "__main__":
    ProjectTest.fakes = sys.argv.pop(2)
    ProjectTest.program = sys.argv.pop(1)
    unittest.main()
