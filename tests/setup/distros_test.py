"""Tests that `make distros` prints a row for each distribution, even if a command fails, and leaves only logs."""

import os
import shutil
import subprocess
import unittest

from sandbox import ROOT, Sandbox

MMDEBSTRAP = """#!/bin/sh
echo "mmdebstrap $*" >> calls
while [ "${1#-}" != "$1" ]; do shift; done
[ "$1" = noble ] && echo "E: Unable to fetch some archives" >&2 && exit 100
mkdir -p "$2/etc"
echo "PRETTY_NAME=\\"Copy of $1\\"" > "$2/etc/os-release"
"""
# This stands in for unshare, which would run the command in the copy.
UNSHARE = """#!/bin/sh
folder=$6 command=$7
case "$command" in
  "g++ "*) echo 14.2.0 ;;
  "python3 "*) echo Python 3.13.5 ;;
  *"make report") [ "${folder##*/}" != forky ] || { echo "setup: no network; connect"; exit 2; } ;;
  *"make test")
    [ "${folder##*/}" != trixie ] || { echo "98% tests passed, 2 tests failed out of 85"; exit 8; }
    echo "100% tests passed, 0 tests failed out of 85" ;;
esac
"""


class Distros(Sandbox):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(ROOT, "tests/distros"), self.root + "/tests/distros")
        self.program(self.bin + "/mmdebstrap", MMDEBSTRAP)
        self.program(self.bin + "/unshare", UNSHARE)
        self.fake("apt-get", "echo Debian mirror/of/debian; echo Debian-Security other")
        self.fake("git", f'echo "git $*" >> {self.root}/calls')

    def distros(self, *releases, **environment):
        result = subprocess.run([self.root + "/tests/distros/distros", *releases], env={**self.environment, **environment},
                                capture_output=True, text=True, timeout=60, check=False)
        return result.returncode, result.stdout.splitlines()[2:], result.stderr

    def test_what_both_commands_came_to(self):
        self.assertEqual(self.distros("bookworm")[:2], (0, [
            "| Copy of bookworm | 14.2.0 | Python 3.13.5 | passes, 0 min | 85 of 85 tests pass, 0 min |"]))

    def test_what_failed_and_why(self):
        status, rows, words = self.distros("trixie", "forky", "bookworm")
        self.assertEqual((status, rows[:2]), (1, [
            "| Copy of trixie | 14.2.0 | Python 3.13.5 | passes, 0 min | 83 of 85 tests pass, 0 min |",
            "| Copy of forky | 14.2.0 | Python 3.13.5 | fails: setup: no network; connect, 0 min "
            "| 85 of 85 tests pass, 0 min |"]))
        self.assertIn("distros: make test failed on trixie (log: build-distros/trixie.test.log)", words)
        self.assertIn("distros: make report failed on forky (log: build-distros/forky.report.log)", words)

    def test_an_archive_that_is_not_reached_is_left_out(self):
        status, rows, words = self.distros("noble", "bookworm")
        self.assertEqual((status, len(rows)), (0, 1))
        self.assertIn("distros: noble is left out: E: Unable to fetch some archives", words)
        self.assertEqual(self.distros("noble")[:2], (1, []))

    def test_mirrors_are_those_of_this_machine(self):
        self.distros("trixie", "noble")
        trixie, noble = [call for call in self.calls() if call.startswith("mmdebstrap")]
        self.assertTrue(trixie.endswith("/.deps/distros/trixie mirror/of/debian"), trixie)
        self.assertTrue(noble.endswith("/.deps/distros/noble"), noble)

    def test_its_copies_are_gone_and_logs_stay(self):
        self.distros("bookworm", "noble")
        self.assertEqual(os.listdir(self.root + "/.deps/distros"), [])
        self.assertEqual(sorted(os.listdir(self.root + "/build-distros")), [
            "apt.conf", "bookworm.log", "bookworm.report.log", "bookworm.test.log", "noble.log"])

    def test_it_needs_root_and_mmdebstrap(self):
        status, rows, words = self.distros("bookworm", FAKE_ID="1000")
        self.assertEqual((status, rows), (2, []))
        self.assertIn("call make distros as root", words)
        self.remove_programs("mmdebstrap")
        status, rows, words = self.distros("bookworm")
        self.assertEqual((status, rows), (2, []))
        self.assertIn("apt-get install mmdebstrap", words)


if __name__ == "__main__":
    unittest.main()
