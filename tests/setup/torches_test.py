"""Tests that `make torches` prints a row for each version, even if it fails, and leaves only logs."""

import os
import shutil
import subprocess
import unittest

from sandbox import ROOT, Sandbox

CMAKE = """#!/bin/sh
while [ "$1" != -B ]; do shift; done
mkdir -p "$2/bin"
version=${2##*/}
[ "$version" = 2.9 ] && exit 1
echo "{\\"torch\\": \\"${version%@*}.1\\", \\"cuda\\": \\"13.0\\"}" > "$2/bin/labreport-worker.json"
echo "{\\"python\\": \\"3.13.0\\"}" > "$2/bin/labreport-model-worker.json"
"""
CTEST = """#!/bin/sh
case "$*" in
  *2.10*) echo "98% tests passed, 2 tests failed out of 120"; exit 8 ;;
  *) echo "100% tests passed out of 120" ;;
esac
"""


class Torches(Sandbox):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(ROOT, "tests/torches"), self.root + "/tests/torches")
        self.program(self.root + "/.venv/bin/cmake", CMAKE)
        self.program(self.root + "/.venv/bin/ctest", CTEST)
        self.program(self.root + "/.venv/bin/ninja", "#!/bin/sh\nexit 0\n")
        self.program(self.bin + "/python3", f"""#!/bin/sh
case "$*" in
  "-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  *"pip install"*) echo "${{*##* }}" >> {self.root}/calls; case "$*" in *2.12*) exit 1 ;; esac ;;
esac
""")

    def torches(self, *versions):
        result = subprocess.run([self.root + "/tests/torches/torches", *versions], env=self.environment,
                                capture_output=True, text=True, timeout=60)
        return result.returncode, result.stdout.splitlines()[2:]

    def test_each_of_the_range_by_default(self):
        status, rows = self.torches()
        self.assertEqual(status, 1)
        self.assertEqual([row.split(" | ")[0] for row in rows], [f"| 2.{minor}" for minor in range(8, 16)])
        locks = {10: "setup/requirements-cu128.txt", 11: "setup/requirements-cu130.txt"}
        self.assertEqual(self.calls(), [locks.get(minor, f"torch==2.{minor}.*") for minor in range(8, 16)])

    def test_what_became_of_each(self):
        self.assertEqual(self.torches("2.8", "2.15"), (0, [
            "| 2.8 | 2.8.1 | 3.13.0 | 13.0 | all 120 tests pass |",
            "| 2.15 | 2.15.1 | 3.13.0 | 13.0 | all 120 tests pass |"]))
        self.assertEqual(self.torches("2.9", "2.10", "2.12"), (1, [
            "| 2.9 |  |  |  | does not build |", "| 2.10 | 2.10.1 | 3.13.0 | 13.0 | 2 tests failed out of 120 |",
            "| 2.12 |  |  |  | could not be installed |"]))

    def test_a_version_with_another_python(self):
        shutil.copy(self.bin + "/python3", self.bin + "/python3.13")
        self.assertEqual(self.torches("2.11@python3.13"), (0, [
            "| 2.11@python3.13 | 2.11.1 | 3.13.0 | 13.0 | all 120 tests pass |"]))
        self.assertEqual(self.torches("2.11@python3.99"), (1, [
            "| 2.11@python3.99 |  |  |  | could not be installed |"]))

    def test_its_environments_are_gone_and_logs_stay(self):
        self.torches("2.8", "2.9", "2.10", "2.12")
        self.assertEqual(os.listdir(self.root + "/.deps/torches"), [])
        self.assertEqual(sorted(os.listdir(self.root + "/build-torches")),
                         ["2.10.log", "2.12.log", "2.8.log", "2.9.log"])


if __name__ == "__main__":
    unittest.main()
