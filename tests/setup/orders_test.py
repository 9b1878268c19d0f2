"""Tests that setup/install asks apt for the same packages in every order of the verbs, on an empty machine."""

import os
import shutil
import unittest

from sandbox import Sandbox

WORKER = ["nlohmann-json3-dev", "libfmt-dev", "libboost-dev"]
FRONT_END = ["libcli11-dev", "libkainjow-mustache-dev", "libcmark-gfm-dev",
             "libcmark-gfm-extensions-dev", "libsqlite3-dev", "libsodium-dev"]
PROGRAMS = {"g++", "python3-venv", *WORKER, *FRONT_END}
LINT = PROGRAMS | {"libgtest-dev", "libgmock-dev", "chromium"}
RANKS = {"libgloo-dev"}
TEST = LINT | RANKS | {"texlive-latex-recommended", "lmodern"}
WANTED = {"render": PROGRAMS, "report": PROGRAMS | RANKS, "lint": LINT, "test": TEST,
          "attack": TEST | {"slurm-wlm", "munge", "clang-19", "libclang-rt-19-dev"}}

# The files that each package installs. They are removed from the sandbox's machine before a test.
BRINGS = {"g++": ["bin/g++"], "python3-venv": ["ensurepip"], "chromium": ["bin/chromium"],
          "texlive-latex-recommended": ["bin/pdflatex"], "clang-19": ["bin/clang++-19"],
          "slurm-wlm": ["usr/sbin/slurmctld"], "munge": ["usr/sbin/munged"],
          "nlohmann-json3-dev": ["usr/include/nlohmann/json.hpp"],
          "libfmt-dev": ["usr/include/fmt/format.h"],
          "libgloo-dev": ["usr/include/gloo/rendezvous/store.h"],
          "libboost-dev": ["usr/include/boost/uuid/name_generator_sha1.hpp"],
          "libcli11-dev": ["usr/include/CLI/CLI.hpp"],
          "libkainjow-mustache-dev": ["usr/include/kainjow/mustache.hpp"],
          "libcmark-gfm-dev": ["usr/lib/any/libcmark-gfm.a"],
          "libcmark-gfm-extensions-dev": ["usr/lib/any/libcmark-gfm-extensions.a"],
          "libsqlite3-dev": ["usr/lib/any/libsqlite3.a"],
          "libsodium-dev": ["usr/lib/any/libsodium.a"],
          "libgtest-dev": ["usr/lib/any/libgtest.a"], "libgmock-dev": ["usr/lib/any/libgmock.a"],
          "lmodern": ["usr/share/texmf/tex/latex/lm/lmodern.sty"],
          "libclang-rt-19-dev": [
              "usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-any.a"]}

# Copies the files of the installed packages from the shelf to their places.
APT = """#!/bin/sh
case "$*" in
  *install*) for word; do
    [ -d "$SHELF/$word" ] || continue
    echo "$word" >> "$SHELF/asked"
    cp -rp "$SHELF/$word/." "$SHELF/.."
  done ;;
esac
"""


class Orders(Sandbox):
    verbs = list(WANTED)

    def setUp(self):
        super().setUp()
        self.machine = os.path.dirname(self.root)
        self.shelf = self.machine + "/shelf"
        self.file(self.machine + "/ensurepip")
        for package, files in BRINGS.items():
            for name in files:
                os.makedirs(os.path.dirname(f"{self.shelf}/{package}/{name}"), exist_ok=True)
                os.rename(f"{self.machine}/{name}", f"{self.shelf}/{package}/{name}")
        self.fake("apt-cache", "echo '  Candidate: 1'")
        self.program(self.bin + "/apt-get", APT)
        self.environment["SHELF"] = self.shelf
        with open(self.bin + "/python3", encoding="utf-8") as file:
            python = file.read().replace("exit ${FAKE_NO_VENV:-0}", '[ -e "$SHELF/../ensurepip" ]; exit')
        self.program(self.bin + "/python3", python)

    def asked(self):
        with open(self.shelf + "/asked", encoding="utf-8") as file:
            return file.read().split()

    def call(self, verb):
        """Calls the verb as make does: set-up, then a build, which leaves a front end."""
        status, words = self.install(verb)
        self.assertEqual(status, 0, words)
        for name in {"render": ["build-render"], "report": ["build"], "test": ["build"],
                     "attack": ["build"]}.get(verb, []):
            self.program(f"{self.root}/{name}/bin/labreport", "#!/bin/sh\nexit 0\n")

    def ask(self, done, verb):
        with self.subTest(order=[*done, verb]):
            self.call(verb)
            self.assertEqual(sorted(self.asked()),
                             sorted(set().union(*(WANTED[each] for each in [*done, verb]))))

    def go_on(self, done, verbs, most=2):
        """Tries all orders of at most `most` verbs, depth first. Each starts with a copy of the machine before it."""
        for verb in sorted(set(verbs) - set(done)) if len(done) < most else ():
            kept = f"{os.path.dirname(self.machine)}/{os.path.basename(self.machine)}-{len(done)}"
            shutil.copytree(self.machine, kept, symlinks=True)
            self.addCleanup(shutil.rmtree, kept, ignore_errors=True)
            self.ask(done, verb)
            self.go_on([*done, verb], verbs, most)
            shutil.rmtree(self.machine)
            os.rename(kept, self.machine)

    def test_each_asks_for_what_is_its_own_and_once_whichever_came_before(self):
        self.go_on([], self.verbs)

    def test_from_the_least_to_the_most(self):
        for number, verb in enumerate(self.verbs):
            self.ask(self.verbs[:number], verb)

    def test_from_the_most_to_the_least(self):
        for number, verb in enumerate(self.verbs[::-1]):
            self.ask(self.verbs[::-1][:number], verb)


if __name__ == "__main__":
    unittest.main()
