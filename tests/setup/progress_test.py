"""Tests the progress that set-up and the build show during long steps."""

import os
import subprocess
import unittest

from sandbox import Sandbox

NINJA = """#!/bin/sh
echo "ninja: Entering directory 'build'"
echo "[1/3] Building a"
sleep 2
echo "[2/3] Building b"
echo "b.cpp:1: error: no such thing"
exit 3
"""


class Progress(Sandbox):
    def test_an_installation_tells_its_seconds_and_its_logs_last_line(self):
        status, words = self.install("render", FAKE_PIP="Collecting cmake", FAKE_PIP_SECONDS="3",
                                     LABREPORT_TICK="1")
        self.assertEqual(status, 0)
        self.assertIn("setup: 1 s: Collecting cmake", words)

    def test_a_quick_installation_says_nothing_more(self):
        self.assertEqual(len(self.install("render")[1]), 1)

    def build(self, cmake, ninja):
        self.install("render")
        os.makedirs(self.root + "/build-render", exist_ok=True)
        self.program(self.root + "/.venv/bin/cmake", cmake)
        self.program(self.root + "/.venv/bin/ninja", ninja)
        return subprocess.run(["setup/build", "render"], cwd=self.root, capture_output=True, text=True,
                              env={**self.environment, "LABREPORT_TICK": "1"}, check=False)

    def test_configuring_tells_its_seconds(self):
        result = self.build("#!/bin/sh\necho -- Looking for g++\nsleep 2\n", "#!/bin/sh\n")
        self.assertIn("setup: 1 s: -- Looking for g++", result.stderr)

    def test_a_build_tells_its_seconds_before_its_first_step_ends(self):
        result = self.build("#!/bin/sh\n", "#!/bin/sh\nsleep 2\necho '[1/3] Building a'\n")
        self.assertRegex(result.stderr, "setup: building build-render: [0-9]+ s\n")

    def test_a_failed_configuration_tells_its_reason(self):
        for words in ("CMake Error at CMakeLists.txt:7 (message):\n  missing libraries: libfmt-dev\n", "cmake: not for this machine"):
            result = self.build(f"#!/bin/sh\necho '{words}'\nexit 1\n", "#!/bin/sh\n")
            self.assertEqual(result.returncode, 1)
            for line in words.splitlines():
                self.assertIn(line, result.stderr)
            self.assertIn("setup: configuring build-render failed for the reason above", result.stderr)

    def test_a_build_tells_how_far_it_is_and_passes_on_errors_and_status(self):
        result = self.build("#!/bin/sh\nexit 0\n", NINJA)
        self.assertEqual(result.returncode, 3)
        self.assertIn("setup: building build-render: 1 of 3 steps, ", result.stderr)
        self.assertIn("b.cpp:1: error: no such thing", result.stderr)
        self.assertNotIn("Entering", result.stderr)
        self.assertNotIn("[2/3]", result.stderr)


if __name__ == "__main__":
    unittest.main()
