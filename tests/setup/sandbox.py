"""Runs a copy of setup/ in its own folder, on a machine that is made of fakes."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# setup/install uses these real programs; every other one is a fake or missing.
REAL = ["awk", "bash", "cat", "chmod", "cmp", "cp", "dirname", "du", "env", "find", "flock", "grep", "head",
        "cut", "ln", "mkdir", "mv", "printf", "rm", "sed", "sh", "sha256sum", "sleep", "sort", "tail", "touch", "tr",
        "xargs"]

LIBRARIES = ["include/nlohmann/json.hpp", "include/fmt/format.h",
             "include/boost/uuid/name_generator_sha1.hpp", "include/gloo/rendezvous/store.h",
             "include/python3.11/Python.h",
             "include/CLI/CLI.hpp", "include/kainjow/mustache.hpp", "lib/any/libcmark-gfm.a",
             "lib/any/libcmark-gfm-extensions.a", "lib/any/libgtest.a", "lib/any/libgmock.a",
             "lib/any/libsodium.a", "lib/any/libsqlite3.a",
             "share/texmf/tex/latex/lm/lmodern.sty", "sbin/slurmctld", "sbin/munged",
             "lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-any.a"]

# This program stands in for the system's Python and the one in .venv. Only setup/choose-torch runs for real.
PYTHON = """#!/bin/sh
case "$*" in
  "-") [ -n "$FAKE_TORCH" ] && [ "${0##*/}" = python3 ] && printf '%s\\n' "$FAKE_TORCH" "$0" && exit; exit 1 ;;
  *choose-torch) exec REAL_PYTHON "$@" ;;
  "-m ensurepip") echo "$0 $*" >> calls; exit ${FAKE_NO_VENV:-0} ;;
  *"import ensurepip"*) exit ${FAKE_NO_VENV:-0} ;;
  *sysconfig*) echo "$LABREPORT_SYSTEM_PREFIXES/include/python3.11" ;;
  "-m venv"*) mkdir -p .venv/bin && cat "$0" > .venv/bin/python && chmod +x .venv/bin/python ;;
  "-m pip --version") [ ! -e .venv/without-pip ]; exit ;;
  "-m pip install"*) echo "pip $*" >> calls; echo "$FAKE_PIP"; sleep ${FAKE_PIP_SECONDS:-0}
                      exit ${FAKE_PIP_STATUS:-0} ;;
esac
""".replace("REAL_PYTHON", sys.executable)


class Sandbox(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name) + "/project"
        self.bin = os.path.realpath(folder.name) + "/bin"
        self.system = os.path.realpath(folder.name) + "/usr"
        shutil.copytree(os.path.join(ROOT, "setup"), self.root + "/setup")
        os.mkdir(self.bin)
        for name in REAL:
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        self.fake("id", "echo ${FAKE_ID:-0}")
        self.fake("df", "echo header; echo x x x ${FAKE_FREE_KIB:-99999999} x x")
        self.fake("g++", "echo ${FAKE_GPP:-12}")
        self.fake("chromium", "exit 0")
        self.fake("pdflatex", "exit 0")
        self.fake("clang++-19", "exit 0")
        self.program(self.bin + "/python3", PYTHON)
        for library in LIBRARIES:
            self.file(f"{self.system}/{library}")
        self.environment = {"PATH": self.bin, "LABREPORT_SYSTEM_PREFIXES": self.system, "LABREPORT_NVML": ""}

    def file(self, path, text=""):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def program(self, path, text):
        self.file(path, text)
        os.chmod(path, 0o755)

    def torch(self, folder, version="2.11"):
        """Writes the files of a LibTorch that setup/find-torch reads."""
        major, minor = version.split(".")
        self.file(folder + "/lib/libtorch_cpu.so")
        self.file(folder + "/include/ATen/core/Tensor.h")
        self.file(folder + "/include/torch/csrc/api/include/torch/version.h",
                  f"#define TORCH_VERSION_MAJOR {major}\n#define TORCH_VERSION_MINOR {minor}\n")

    def environment_with(self, folder, version=None):
        """Makes a folder with a Python and, if a version is given, its torch; returns the Python's path."""
        torch, python = folder + "/lib/site-packages/torch", folder + "/bin/python3"
        if version:
            self.torch(torch, version)
        says = f"printf '%s\\n' {torch} {python}; exit" if version else "exit 1"
        self.program(python, PYTHON.replace('case "$*" in', f'[ "$*" = - ] && {{ {says}; }}\ncase "$*" in', 1))
        shutil.copy(python, folder + "/bin/python")
        return python

    def fake(self, name, words):
        self.program(os.path.join(self.bin, name), f"#!/bin/sh\n{words}\n")

    def fake_apt(self, install="", policy="echo '  Candidate: 1'"):
        """Makes an apt that records its calls. `install` is the command that it runs to install packages."""
        self.fake("apt-cache", policy)
        self.fake("apt-get", f'echo "apt-get $*" >> {self.root}/calls\n'
                             f'case "$*" in *install*) {install or ":"} ;; esac')

    def remove_files(self, *paths):
        for path in paths:
            os.remove(f"{self.system}/{path}")

    def remove_programs(self, *names):
        for name in names:
            os.remove(os.path.join(self.bin, name))

    def install(self, mode, **environment):
        result = subprocess.run([self.root + "/setup/install", mode], capture_output=True,
                                text=True, timeout=60, env={**self.environment, **environment})
        self.assertEqual(result.stdout, "")
        return result.returncode, result.stderr.splitlines()

    def calls(self):
        path = self.root + "/calls"
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
