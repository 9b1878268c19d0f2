"""Tests the revision that cmake/BuildInfo.cmake records: from LABREPORT_REVISION, a bundle or git."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import need_git  # noqa: E402: a neighbor's, found by the line above

CMAKE = sys.argv.pop()
ROOT = pathlib.Path(__file__).parents[2]


class Revision(unittest.TestCase):
    def build_info(self, revision, source=None):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "build_info.cpp")
            result = subprocess.run([CMAKE, "-D", f"source={source or folder}", "-D", "version=1.2.3", "-D",
                                     f"output={output}", "-P", ROOT / "cmake/BuildInfo.cmake"],
                                    env={**os.environ, "LABREPORT_REVISION": revision}, check=False,
                                    capture_output=True, text=True)
            return output.read_text() if output.exists() else result.stderr

    def test_a_commit_is_taken(self):
        self.assertIn(f'{{"1.2.3", "{40 * "a"}", false}}', self.build_info(40 * "a"))
        self.assertIn(f'{{"1.2.3", "{40 * "a"}", true}}', self.build_info(40 * "a" + "-dirty"))

    def test_without_one_it_is_unknown(self):
        self.assertIn('{"1.2.3", "unknown", false}', self.build_info(""))

    def test_a_bundle_says_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, ".deps/bundle/revision")
            file.parent.mkdir(parents=True)
            file.write_text(40 * "b" + "-dirty\n")
            self.assertIn(f'{{"1.2.3", "{40 * "b"}", true}}', self.build_info("", folder))
            self.assertIn(f'{{"1.2.3", "{40 * "a"}", false}}', self.build_info(40 * "a", folder))

    def test_only_changes_of_the_program_count(self):
        need_git()
        with tempfile.TemporaryDirectory() as folder:
            def git(*words):
                subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True,
                               capture_output=True)

            def write(name):
                file = pathlib.Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("1")

            git("init")
            write("src/main.cpp")
            git("add", ".")
            git("commit", "-m", "Begin")
            for name in ("notes/timing.b.md", "my_model.py", "site/runs/gpu/run.json"):
                write(name)
            self.assertIn(", false}", self.build_info("", folder))
            write("src/new.cpp")
            self.assertIn(", true}", self.build_info("", folder))

    def test_what_no_run_may_hold_is_refused(self):
        for wrong in ("2e20a28", 40 * "g", "main"):
            self.assertIn(f"LABREPORT_REVISION={wrong}: give the commit's 40", " ".join(self.build_info(wrong).split()))


if __name__ == "__main__":
    unittest.main()
