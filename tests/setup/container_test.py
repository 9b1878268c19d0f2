"""Tests that hadolint finds no fault in the Containerfile, and that its steps name programs and targets that exist.

hadolint must be in the folder of the Python that runs this test.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from sandbox import ROOT

TEXT = pathlib.Path(ROOT, "Containerfile").read_text(encoding="utf-8")
DOCUMENT = pathlib.Path(ROOT, "docs/containers.md").read_text(encoding="utf-8")
LINTER = pathlib.Path(sys.executable).parent / "hadolint"
# The image has this package besides those of the README: for downloads.
MORE_PACKAGES = {"ca-certificates"}


def lint(path):
    return subprocess.run([LINTER, "--no-color", path], check=False, capture_output=True, text=True).stdout


def instructions(name):
    """Returns the operands of each instruction with this name, with continued lines joined."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"^#.*\n", "", TEXT, flags=re.M))
    return re.findall(rf"^{name} (.*)$", joined, re.M)


class Container(unittest.TestCase):
    def test_has_no_fault_that_a_linter_finds(self):
        self.assertEqual(lint(pathlib.Path(ROOT, "Containerfile")), "")

    def test_the_linter_finds_faults(self):
        with tempfile.TemporaryDirectory() as folder:
            for old, new in (("USER 1000", "USER root"), ("WORKDIR /", "WORKDIR "), ("apt-get install -y", "apt-get install")):
                self.assertIn(old, TEXT)
                broken = pathlib.Path(folder, "Containerfile")
                broken.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
                self.assertNotEqual(lint(broken), "", new)

    def test_installs_what_readme_asks_for_and_leaves_the_rest_to_set_up(self):
        readme = pathlib.Path(ROOT, "README.md").read_text(encoding="utf-8")
        asked = re.search(r"work on a fresh [\w\s,.]*? with (.*?)\.", readme, re.S).group(1)
        installed = re.search(r"apt-get install -y --no-install-recommends ([\w\s.+-]*?) &&", instructions("RUN")[0])
        self.assertEqual(set(installed.group(1).split()), set(re.findall(r"`([^`]+)`", asked)) | MORE_PACKAGES)

    def test_its_steps_are_programs_of_the_project(self):
        steps = [step.split()[0] for run in instructions("RUN") for step in run.split("&&")]
        own = [step for step in steps if "/" in step]
        self.assertEqual(own, ["setup/install", "setup/build"])
        for step in own:
            self.assertTrue(os.access(pathlib.Path(ROOT, step), os.X_OK), step)

    def test_its_start_is_a_target_of_make(self):
        words = json.loads(instructions("ENTRYPOINT")[0])
        environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
        subprocess.run([*words, "-C", ROOT, "-n", "PRESET=quick"], env=environment, check=True, capture_output=True)

    def test_the_documented_commands_fit_it(self):
        lines = "\n".join(re.findall(r"^```text\n(.*?)^```", DOCUMENT, re.M | re.S)).splitlines()
        out = next(word for word in json.loads(instructions("ENTRYPOINT")[0]) if word.startswith("OUT="))
        runs = [line for line in lines if " run " in line]
        self.assertEqual(len(runs), 2)
        for line in runs:
            self.assertIn(f'-v "$PWD/report:{out.removeprefix("OUT=")}', line)
        built_with = {argument.partition("=")[0] for argument in instructions("ARG")}
        self.assertEqual(set(re.findall(r"--build-arg (\w+)=", "\n".join(lines))), built_with)

    def test_leaves_out_only_what_git_ignores(self):
        """Otherwise the revision would count as dirty."""
        left_out = pathlib.Path(ROOT, ".dockerignore").read_text(encoding="utf-8").splitlines()
        ignored = set(pathlib.Path(ROOT, ".gitignore").read_text(encoding="utf-8").splitlines())
        for pattern in left_out:
            if not pattern.startswith("#"):
                plain = pattern.removeprefix("**/")
                self.assertTrue({f"/{plain}", f"/{plain}/", f"{plain}/"} & ignored, pattern)


if __name__ == "__main__":
    unittest.main()
