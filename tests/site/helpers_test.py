"""Tests that a render executes only the project's own code.

python3 helpers_test.py LABREPORT FAKES; see CMakeLists.txt.
"""
import os
import shutil
import sys
import unittest

from project import ProjectTest, tree
from stub_python import StubPython

MODULE_THAT_LEAVES_A_MARK = "import pathlib\npathlib.Path({mark!r}).touch()\n"


class Helpers(ProjectTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.project.measure("--sizes", "demo-1")
        self.python = StubPython(self.project.folder)
        self.mark = self.project.folder / "mark"

    def plant_modules(self, folder):
        folder.mkdir(parents=True)
        for module in ("json", "vl_convert", "typst", "tempfile", "sitecustomize"):
            (folder / f"{module}.py").write_text(MODULE_THAT_LEAVES_A_MARK.format(mark=str(self.mark)),
                                                 encoding="utf-8")

    def plant_program(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch '{self.mark}'\nexit 1\n", encoding="utf-8")
        path.chmod(0o755)

    def render_in(self, folder, program=None, status=0, **environment):
        """Renders with `folder` as the current folder and without a cache."""
        self.project.folder, project_folder = folder, self.project.folder
        self.project.program, project_program = program or self.project.program, self.project.program
        try:
            return self.project.call("render", str(self.run_folder), "--out", str(project_folder / "out"),
                                     "--format", "html", status=status, LABREPORT_CACHE="",
                                     **environment)
        finally:
            self.project.folder, self.project.program = project_folder, project_program

    def drawn_charts(self):
        return [name for name in tree(self.project.folder / "out") if name.endswith(".svg")]

    def test_modules_in_the_current_folder_are_not_executed(self):
        foreign = self.project.folder / "sent"
        self.plant_modules(foreign)
        self.render_in(foreign, PYTHONPATH=str(foreign), PYTHONUSERBASE=str(foreign), TMPDIR=".")
        self.assertFalse(self.mark.exists())
        self.assertTrue(self.drawn_charts())

    def test_helpers_see_a_cleared_environment_and_a_folder_of_their_own(self):
        self.render_in(self.project.folder, SECRET="of the user")
        seen = self.python.recorded_environment()
        self.assertLessEqual(set(seen["environment"]), {"PATH", "LANG", "HOME", "TMPDIR", "LC_CTYPE"})
        self.assertIn("labreport-", seen["folder"])
        self.assertFalse(os.path.exists(seen["folder"]))
        self.assertNotIn("", seen["path"])

    def test_what_others_may_write_is_not_executed(self):
        parts = ["", "bin", "lib", self.python.packages, self.python.packages / "vl_convert.py",
                 "pyvenv.cfg"]
        for part in parts:
            with self.subTest(part=str(part)):
                path = self.python.venv / part
                mode = path.stat().st_mode
                path.chmod(0o777)
                messages = self.render_in(self.project.folder, status=1).stderr
                path.chmod(mode)
                self.assertIn("can be written by others, and nothing there is executed", messages)
                self.assertFalse(self.python.has("seen.json"))

    @unittest.skipIf(os.geteuid(), "only root can give files away")
    def test_what_belongs_to_others_is_not_executed(self):
        for path in (self.python.venv / "bin/python", self.python.venv):
            os.chown(path, 4321, 4321, follow_symlinks=False)
            messages = self.render_in(self.project.folder, status=1).stderr
            self.assertIn(f"{path} belongs to another user (4321)", messages)
            self.assertFalse(self.python.has("seen.json"))
            os.chown(path, 0, 0, follow_symlinks=False)

    def test_a_program_outside_of_a_project_executes_nothing_of_the_current_folder(self):
        copied = self.project.folder / "carried/labreport"
        copied.parent.mkdir()
        shutil.copy(self.project.program, copied)
        foreign = self.project.folder / "sent"
        self.plant_program(foreign / ".venv/bin/python")
        self.plant_program(foreign / "python3")
        (foreign / "CMakePresets.json").touch()
        self.render_in(foreign, program=copied, PATH=".::/usr/bin:/bin")
        self.assertFalse(self.mark.exists())

    def test_an_unreadable_environment_is_reported(self):
        shutil.rmtree(self.python.venv)
        self.python.venv.symlink_to(self.python.venv)
        messages = self.render_in(self.project.folder, status=1).stderr
        self.assertIn(f"cannot look at {self.python.venv}", messages)
        self.assertNotIn("filesystem error", messages)

    def test_without_a_home_no_script_comes_from_the_temporary_folder(self):
        planted = self.project.folder / "tmp/labreport-cache"
        planted.mkdir(parents=True)
        version = f"planted-{os.getpid()}"
        module = self.python.packages / "vl_convert.py"
        module.write_text(module.read_text(encoding="utf-8").replace('"1.0"', repr(version)),
                          encoding="utf-8")
        (planted / f"charts-{version}.js").write_text("// of another user", encoding="utf-8")
        del self.project.environment["HOME"]
        self.render_in(self.project.folder, TMPDIR=str(planted.parent))
        cached = os.path.expanduser(f"~/.cache/labreport/charts-{version}.js")
        if os.path.exists(cached):
            os.unlink(cached)
        charts = tree(self.project.folder / "out")["assets/charts.js"]
        self.assertIn(b"the bundle", charts)
        self.assertNotIn(b"of another user", charts)


if __name__ == "__main__":
    ProjectTest.fakes = sys.argv.pop(2)
    ProjectTest.program = sys.argv.pop(1)
    unittest.main()
