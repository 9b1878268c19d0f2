"""Tests the torch that setup/find-torch chooses, and its messages about those that it passes over."""

import os
import re
import subprocess
import unittest

import yaml

from sandbox import ROOT, Sandbox

RANGE = "labreport is built with torch 2.8 to 2.15"


class FindsATorch(Sandbox):
    def find(self, *arguments, **environment):
        result = subprocess.run([self.root + "/setup/find-torch", *arguments], capture_output=True, text=True,
                                env={**self.environment, **environment}, timeout=60)
        return result.returncode, result.stdout.strip(), result.stderr.splitlines()

    def test_each_version_in_the_range(self):
        for version in ("2.8", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15"):
            self.torch(self.root + "/torch", version)
            self.assertEqual(self.find(LIBTORCH=self.root + "/torch"), (0, self.root + "/torch", []))

    def test_others_are_refused_by_name_and_range(self):
        for version in ("1.13", "2.7", "2.16", "3.9"):
            self.torch(self.root + "/torch", version)
            for how in ({"LIBTORCH": self.root + "/torch"},
                        {"TORCH_PYTHON": self.bin + "/python3", "FAKE_TORCH": self.root + "/torch"}):
                status, found, words = self.find(**how)
                self.assertEqual((status, found, len(words)), (2, "", 1), words)
                self.assertIn(f"torch {version} of ", words[0])
                self.assertIn(RANGE, words[0])
                self.assertIn("; install one of those", words[0])

    def test_the_version_header_of_newer_torches_is_read(self):
        torch = self.root + "/torch"
        self.torch(torch)
        os.rename(torch + "/include/torch/csrc", torch + "/include/torch/old")
        self.file(torch + "/include/torch/headeronly/version.h",
                  "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 15\n")
        self.file(torch + "/include/torch/csrc/api/include/torch/version.h",
                  "#include <torch/headeronly/version.h>\n")
        self.assertEqual(self.find(LIBTORCH=torch)[0], 0)

    def test_a_torch_without_a_version_is_refused(self):
        self.torch(self.root + "/torch")
        os.remove(self.root + "/torch/include/torch/csrc/api/include/torch/version.h")
        status, _, words = self.find(LIBTORCH=self.root + "/torch")
        self.assertEqual(status, 2)
        self.assertIn("of an unknown version", words[0])

    def test_one_that_only_happens_to_be_there_is_passed_over(self):
        self.torch(self.root + "/torch", "2.7")
        status, found, words = self.find(FAKE_TORCH=self.root + "/torch")
        self.assertEqual((status, found), (1, ""))
        self.assertIn(f"torch 2.7 of python3, which is {self.bin}/python3, is not used: " + RANGE, words[0])

    def test_a_locked_torch_is_installed_instead(self):
        self.torch(self.root + "/torch", "2.16")
        status, words = self.install("report", FAKE_TORCH=self.root + "/torch")
        self.assertEqual(status, 0, words)
        self.assertIn("torch 2.16 of python3, which is", words[0])
        self.assertTrue([call for call in self.calls() if "requirements-cu130.txt" in call])

    def test_nothing_is_imported_from_the_current_folder(self):
        self.file(self.root + "/importlib/__init__.py", "raise SystemExit('planted')")
        os.remove(self.bin + "/python3")
        os.symlink("/usr/bin/python3", self.bin + "/python3")
        result = subprocess.run([self.root + "/setup/find-torch"], cwd=self.root, env=self.environment,
                                capture_output=True, text=True, timeout=60)
        self.assertNotIn("planted", result.stdout + result.stderr)


class OneRange(unittest.TestCase):
    """Tests that all files that name versions agree with setup/torch-versions."""

    def read(self, path):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()

    def setUp(self):
        self.oldest, self.newest = self.read("setup/torch-versions").splitlines()[-1].split()

    def test_the_workflow_tries_the_oldest_the_locked_and_the_newest(self):
        locked = [re.search(r"^torch==(\d+\.\d+)", self.read(f"setup/requirements-{name}.txt"), re.M)[1]
                  for name in ("cu128", "cu130")]
        matrix = yaml.safe_load(self.read(".github/workflows/ci.yml"))["jobs"]["worker"]["strategy"]["matrix"]
        self.assertEqual(matrix, {"torch": [self.oldest, *locked, self.newest]})

    def test_only_one_file_depends_on_the_version(self):
        found = []
        for folder, _, names in os.walk(os.path.join(ROOT, "src")):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                if re.search(r"torch/(headeronly/)?version\.h|TORCH_VERSION_M|requires \{", self.read(path)):
                    found.append(path)
        self.assertEqual([path for path in found if "/engine/" in path or "TORCH" in self.read(path)],
                         ["src/engine/torch_versions.h"])

    def test_the_readme_and_the_table_name_the_same(self):
        self.assertTrue(f"{self.oldest} to {self.newest}" in self.read("README.md"))
        rows = re.findall(r"^\| (\d+\.\d+)", self.read("docs/torch.md"), re.M)
        minors = range(int(self.oldest.split(".")[1]), int(self.newest.split(".")[1]) + 1)
        self.assertEqual(rows, [f"2.{minor}" for minor in minors])


if __name__ == "__main__":
    unittest.main()
