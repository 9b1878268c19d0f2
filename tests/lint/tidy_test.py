"""Tests that tidy.py fails where clang-tidy complains, and checks again only what changed.

tidy_test.py <clang-tidy>
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

TIDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tidy.py")
CLANG_TIDY = sys.argv.pop()

class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        self.build = os.path.join(self.root, "build")
        self.write(".clang-tidy", "Checks: '-*,modernize-use-nullptr'\nWarningsAsErrors: '*'\n")
        self.write("src/base/a.h", "int* next();\n")
        self.write("src/base/a.cpp", '#include "a.h"\nint* next() { return nullptr; }\n')
        self.write("src/base/b.cpp", "int other() { return 1; }\n")
        self.write("build/compile_commands.json", json.dumps([
            {"directory": self.build, "file": f"{self.root}/src/base/{name}.cpp",
             "command": f"g++ -std=c++20 -c ../src/base/{name}.cpp -o {name}.o",
             "output": f"{name}.o"} for name in "ab"]))

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def run_tidy(self):
        """Returns the exit status, the last line and the whole output."""
        result = subprocess.run([sys.executable, "-B", TIDY, CLANG_TIDY, self.build, self.root],
                                capture_output=True, text=True)
        return result.returncode, result.stdout.splitlines()[-1], result.stdout

    def test_looks_once_at_what_does_not_change(self):
        self.assertEqual(self.run_tidy()[:2], (
            0, "clang-tidy: 2 sources, 2 looked at, 0 with complaints"))
        self.assertEqual(self.run_tidy()[:2], (
            0, "clang-tidy: 2 sources, 0 looked at, 0 with complaints"))

    def test_looks_again_where_a_header_changed(self):
        self.run_tidy()
        self.write("src/base/a.h", "// the next one\nint* next();\n")
        self.assertIn("1 looked at, 0 with", self.run_tidy()[1])

    def test_looks_at_all_when_the_checks_change(self):
        self.run_tidy()
        self.write(".clang-tidy", "Checks: '-*,bugprone-*'\nWarningsAsErrors: '*'\n")
        self.assertIn("2 looked at", self.run_tidy()[1])

    def test_a_complaint_fails_until_it_is_gone(self):
        self.write("src/base/a.cpp", '#include "a.h"\nint* next() { return 0; }\n')
        for _ in range(2):
            status, _, output = self.run_tidy()
            self.assertEqual(status, 1)
            self.assertIn("src/base/a.cpp", output)
            self.assertIn("modernize-use-nullptr", output)


if __name__ == "__main__":
    unittest.main()
