"""Tests that the torch and the Python of an activated environment are used unchanged, whoever made it."""

import os
import subprocess
import unittest

from sandbox import Sandbox


class Activated(Sandbox):
    def setUp(self):
        super().setUp()
        self.own = os.path.dirname(self.root) + "/own"

    def first_on_path(self, folder):
        return {"PATH": f"{folder}/bin:{self.bin}"}

    def find(self, *arguments, **environment):
        result = subprocess.run([self.root + "/setup/find-torch", *arguments], capture_output=True, text=True,
                                env={**self.environment, **environment}, timeout=60, check=False)
        return result.returncode, result.stdout.strip(), result.stderr.splitlines()

    def assert_chosen(self, python, where, **environment):
        """Expects that the torch is found with its Python, and that only tools are installed beside it."""
        torch = os.path.dirname(os.path.dirname(python)) + "/lib/site-packages/torch"
        self.assertEqual(self.find(**environment), (0, torch, []))
        self.assertEqual(self.find("--python", **environment)[1], python)
        self.assertEqual(self.find("--words", **environment)[1], f"torch 2.9 of {where}")
        self.assertEqual(self.install("report", **environment)[0], 0)
        self.assertEqual(self.install("report", **environment), (0, []), "and all is there")
        self.assertEqual([call for call in self.calls() if "requirements-cu" in call], [])

    def test_of_venv_or_uv(self):
        python = self.environment_with(self.own, "2.9")
        self.assert_chosen(python, f"the activated environment {self.own}",
                           VIRTUAL_ENV=self.own, **self.first_on_path(self.own))

    def test_of_conda(self):
        python = self.environment_with(self.own, "2.9")
        self.assert_chosen(python, f"the activated environment {self.own}",
                           CONDA_PREFIX=self.own, **self.first_on_path(self.own))

    def test_named_and_not_first_on_path(self):
        self.environment_with(self.own, "2.9")
        for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
            self.assertEqual(self.find("--words", **{variable: self.own}),
                             (0, f"torch 2.9 of the activated environment {self.own}", []))

    def test_a_venv_over_condas_base(self):
        self.environment_with(self.own, "2.9")
        base = os.path.dirname(self.own) + "/base"
        self.environment_with(base, "2.8")
        found = self.find(VIRTUAL_ENV=self.own, CONDA_PREFIX=base, PATH=f"{self.own}/bin:{base}/bin:{self.bin}")
        self.assertEqual(found, (0, self.own + "/lib/site-packages/torch", []))

    def test_a_shim_of_pyenv(self):
        version = os.path.dirname(self.own) + "/versions/3.12"
        python = self.environment_with(version, "2.9")
        self.program(self.own + "/bin/python3", f'#!/bin/sh\nexec {python} "$@"\n')
        self.assert_chosen(python, f"python3, which is {python}", **self.first_on_path(self.own))

    def test_the_systems(self):
        self.torch(self.system + "/torch", "2.9")
        self.assertEqual(self.find("--words", FAKE_TORCH=self.system + "/torch")[1],
                         f"torch 2.9 of python3, which is {self.bin}/python3")

    def uv_in_the_project(self):
        python = self.environment_with(self.root + "/.venv", "2.9")
        self.file(self.root + "/.venv/pyvenv.cfg", "home = elsewhere\nuv = 0.9.1\n")
        self.file(self.root + "/.venv/without-pip")
        return python, {"VIRTUAL_ENV": self.root + "/.venv", **self.first_on_path(self.root + "/.venv")}

    def test_of_uv_in_the_projects_own_folder(self):
        python, activated = self.uv_in_the_project()
        self.assert_chosen(python, self.root + "/.venv", **activated)
        self.assertTrue(self.calls()[0].endswith("-m ensurepip"))
        self.assertIn("requirements-render.txt", self.calls()[1])

    def test_uvs_environment_without_pip_is_not_replaced(self):
        python, activated = self.uv_in_the_project()
        self.assertEqual(self.install("report", FAKE_NO_VENV="1", **activated), (2, [
            "setup: installing into .venv (about 450 MB on disk): CMake, Ninja, chart, PDF and formula tools",
            "setup: .venv is uv's and has no pip; install pip into it (uv pip install pip) or move it elsewhere"]))
        self.assertTrue(os.path.exists(python))

    def test_TORCH_PYTHON_wins(self):
        other = os.path.dirname(self.own) + "/other"
        self.environment_with(other, "2.8")
        python = self.environment_with(self.own, "2.9")
        self.assert_chosen(python, f"TORCH_PYTHON={python}", TORCH_PYTHON=python, VIRTUAL_ENV=other, CONDA_PREFIX=other,
                           **self.first_on_path(other))

    def test_TORCH_PYTHON_without_torch_is_refused(self):
        python = self.environment_with(self.own)
        for named in (python, "/nowhere/python3"):
            self.assertEqual(self.install("report", TORCH_PYTHON=named),
                             (2, [f"TORCH_PYTHON={named} is no Python that has torch; correct or unset it"]))

    def test_without_torch_the_locked_one_comes(self):
        self.environment_with(self.own)
        activated = {"VIRTUAL_ENV": self.own, **self.first_on_path(self.own)}
        self.assertEqual(self.find(**activated), (1, "", []))
        self.assertEqual(self.install("report", **activated)[0], 0)
        self.assertIn("setup/requirements-cu130.txt", self.calls()[-1])

    def test_too_old_a_torch_is_told_once(self):
        self.environment_with(self.own, "2.7")
        status, words = self.install("report", VIRTUAL_ENV=self.own, **self.first_on_path(self.own))
        self.assertEqual((status, words[0]), (0, (
            f"torch 2.7 of the activated environment {self.own} is not used: labreport is built with torch 2.8 to 2.15; "
            "install one of those or set LIBTORCH or TORCH_PYTHON")))
        self.assertEqual([line for line in words[1:] if "2.7" in line], [])

    def test_a_torch_without_its_headers_is_told(self):
        self.environment_with(self.own, "2.9")
        os.remove(self.own + "/lib/site-packages/torch/include/ATen/core/Tensor.h")
        status, _, words = self.find(VIRTUAL_ENV=self.own, **self.first_on_path(self.own))
        self.assertEqual((status, len(words)), (1, 1))
        self.assertIn(f"the torch of the activated environment {self.own} is not used: it lacks", words[0])
        self.assertIn("; install PyTorch's own wheel there (pip install torch) or set", words[0])


class BuiltAnew(Sandbox):
    """Tests that setup/build configures from scratch if the shell has another torch or Python than before."""

    def setUp(self):
        super().setUp()
        self.own = os.path.dirname(self.root) + "/own"
        self.environment_with(self.own, "2.9")
        self.other = os.path.dirname(self.root) + "/other"
        self.environment_with(self.other, "2.8")
        self.fake("cmake", f'[ "$1" = --version ] && echo cmake version 4.0.0 && exit; echo "$*" >> {self.root}/calls\n'
                           'printf "%s\\n" "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" '
                           f'"CMAKE_MAKE_PROGRAM:FILEPATH={self.bin}/ninja" "LABREPORT_TORCH:PATH=$(setup/find-torch)" '
                           '> build/CMakeCache.txt; : > build/build.ninja')
        self.fake("ninja", "exit 0")

    def build(self, folder):
        """Builds; returns a bool for each time that CMake configured: true if it did so from scratch."""
        calls = len(self.calls())
        subprocess.run(["setup/build", "default"], cwd=self.root, check=True,
                       env={**self.environment, "PATH": f"{folder}/bin:{self.bin}"})
        return ["--fresh" in call for call in self.calls()[calls:]]

    def test_when_another_environment_is_activated(self):
        self.assertEqual(self.build(self.own), [False])
        self.assertEqual(self.build(self.own), [])
        self.assertEqual(self.build(self.other), [True])
        self.assertEqual(self.build(self.other), [])

    def test_when_its_torch_was_replaced_in_place(self):
        self.build(self.own)
        self.file(self.own + "/lib/site-packages/torch/version.py", "__version__ = '2.9.1+cu130'\n")
        self.assertEqual(self.build(self.own), [True])

    def test_when_another_python_sees_the_same_torch(self):
        self.build(self.own)
        torch = self.own + "/lib/site-packages/torch"
        python = self.environment_with(self.other, "2.8")
        self.program(python, f"#!/bin/sh\nprintf '%s\\n' {torch} {python}\n")
        self.assertEqual(self.build(self.other), [True])

    def test_not_if_no_torch_is_found(self):
        self.build(self.own)
        self.assertEqual(self.build(self.bin), [])


if __name__ == "__main__":
    unittest.main()
