"""Tests that setup/test ends with what was skipped and why, with what failed, and with ctest's status."""

import os
import pathlib
import shutil
import subprocess
import unittest

from sandbox import Sandbox

# This ctest leaves the log of a run with a C++ and a Python program.
CTEST = """#!/bin/sh
mkdir -p "$2/Testing/Temporary"
cat > "$2/Testing/Temporary/LastTest.log" <<'LOG'
1/3 Testing: cli
1/3 Test: cli
Output:
/a/b_test.cpp:21: Skipped
no run is left

[  SKIPPED ] 1 test.
2/3 Testing: docs.queries
..
skipped: this is no clone
..
skipped: this is no clone
OK (skipped=2)
3/3 Testing: base
[  PASSED  ] 7 tests.
TypeError: a message that a test expected
Test Passed.
LOG
cat "$FAILING" >> "$2/Testing/Temporary/LastTest.log"
exit ${FAKE_STATUS:-0}
"""


class Skipped(Sandbox):
    def setUp(self):
        super().setUp()
        self.program(self.root + "/.venv/bin/ctest", CTEST)
        os.symlink(shutil.which("mktemp"), self.bin + "/mktemp")

    def run_tests(self, **environment):
        result = subprocess.run([self.root + "/setup/test"], env={"FAILING": "/dev/null", **self.environment, **environment}, check=False,
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout

    def test_each_reason_is_named_once(self):
        self.assertEqual(self.run_tests(), (0, (
            "\nSkipped:\n  cli: no run is left\n  docs.queries: this is no clone\n")))

    def test_what_failed_comes_last(self):
        failing = self.root + "/failing"
        pathlib.Path(failing).write_text("""4/5 Testing: plan
/a/plan_test.cpp:7: Failure
Expected equality of these values:
  1

what the program said
Test Failed.
5/5 Testing: docs.readme
FAIL: test_commands (readme_test.Readme)
----
Traceback (most recent call last):
AssertionError: 2 != 0
Test Failed.
""")
        self.assertEqual(self.run_tests(FAKE_STATUS="8", FAILING=failing)[1].partition("\nFailed:\n")[2], (
            "  plan: /a/plan_test.cpp:7: Failure\n  plan: Expected equality of these values:\n  plan:   1\n"
            "  docs.readme: FAIL: test_commands (readme_test.Readme)\n  docs.readme: AssertionError: 2 != 0\n"))

    def test_the_status_is_that_of_ctest(self):
        self.assertEqual(self.run_tests(FAKE_STATUS="8")[0], 8)


if __name__ == "__main__":
    unittest.main()
