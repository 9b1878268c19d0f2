"""setup/install --carry: what a machine without network needs to build the worker."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

from sandbox import ROOT, Sandbox

LIBRARIES = ("boost", "fmt", "nlohmann")


class CarriesWhatIsIncluded(unittest.TestCase):
    """With the real compiler and the real sources."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="carry-")
        self.addCleanup(shutil.rmtree, self.folder)
        # Its paths are relative to the project.
        into = os.path.relpath(self.folder, ROOT)
        subprocess.run(["bash", "-uc", ". setup/lib/common.sh; . setup/lib/carry.sh; carry_headers " + into],
                       cwd=ROOT, check=True)

    def included(self):
        found = set()
        for above in ("src", "experiments"):
            for folder, _, names in os.walk(os.path.join(ROOT, above)):
                for name in names:
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                        found.update(re.findall(r"#include <(?:boost|fmt|nlohmann)/[^>]+>", file.read()))
        return "\n".join(sorted(found)) + "\n"

    def test_nothing_is_read_from_elsewhere(self):
        read = subprocess.run(["g++", "-std=c++20", "-M", "-x", "c++", "-isystem", self.folder, "-"],
                              input=self.included(), capture_output=True, text=True, check=True).stdout
        headers = [os.path.normpath(word) for word in read.split()
                   if re.search(rf"/({'|'.join(LIBRARIES)})/", word)]
        self.assertGreater(len(headers), 100)
        self.assertEqual([name for name in headers if not name.startswith(self.folder)], [])

    def test_it_is_small(self):
        size = sum(os.path.getsize(os.path.join(folder, name))
                   for folder, _, names in os.walk(self.folder) for name in names)
        self.assertLess(size, 16 << 20)


class ServesWhereThereIsNoNetwork(Sandbox):
    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(ROOT, "src/base"), self.root + "/src/base")
        os.mkdir(self.root + "/experiments")
        for name in ("config/gcc.hpp", "predef/gnu.hpp", "uuid/uuid_io.hpp"):
            self.file(f"{self.system}/include/boost/{name}")
        self.fake("g++", f'case "$*" in *-M*) cat > /dev/null; '
                         f'echo "x.o: {self.system}/include/boost/uuid/name_generator_sha1.hpp \\\\"; '
                         f'echo " {self.system}/include/boost/uuid/uuid_io.hpp" ;; *) echo 12 ;; esac')
        self.make_builders()
        self.program(self.root + "/build-render/bin/labreport", "#!/bin/sh\nexit 0\n")

    def make_builders(self):
        """A .venv as the locked wheels leave it."""
        self.install("render")
        package = self.root + "/.venv/lib/cmake"
        self.program(f"{package}/data/bin/cmake", "#!/bin/sh\necho cmake version 4.4.4\n")
        self.file(f"{package}/data/share/cmake-4.4/Modules/CMake.cmake")
        self.file(f"{package}/data/share/cmake-4.4/Help/long.rst")
        self.program(self.root + "/.venv/bin/ninja", "#!/bin/sh\necho 1.13\n")
        self.program(self.root + "/.venv/bin/cmake", "#!/bin/sh\nexit 0\n")
        with open(self.root + "/.venv/bin/python", encoding="utf-8") as file:
            python = file.read()
        self.program(self.root + "/.venv/bin/python",
                     python.replace('case "$*" in', f'case "$*" in\n  *__path__*) echo {package} ;;', 1))

    def leave_for_a_machine_without_network(self):
        shutil.rmtree(self.root + "/.venv")
        shutil.rmtree(self.root + "/build-render")
        shutil.rmtree(self.system)
        self.fake("apt-cache", "exit 1")
        self.fake("apt-get", f"echo \"apt-get $*\" >> {self.root}/calls; echo 'Could not resolve host'; exit 100")
        torch = self.root + "/../torch"
        self.torch(torch)
        self.environment.update(FAKE_TORCH=torch, FAKE_NO_VENV="1")

    def test_the_worker_can_be_built_there(self):
        status, words = self.install("--carry")
        self.assertEqual(status, 0, words)
        self.assertRegex(words[-1], r"^setup: \.deps/carried holds \d+ MiB; copy it with the sources$")
        self.leave_for_a_machine_without_network()
        status, words = self.install("report")
        self.assertEqual(status, 0, words)
        self.assertIn("front end that was carried here", words[0])
        self.assertIn("the report will lack SVG and PDF", words[-1])
        self.assertTrue(os.access(self.root + "/build/bin/labreport", os.X_OK))
        builder = subprocess.run(["bash", "-uc", ". setup/lib/builders.sh; builder cmake; builder ninja"],
                                 cwd=self.root, env=self.environment, capture_output=True, text=True, check=True)
        self.assertEqual([os.path.relpath(line, self.root) for line in builder.stdout.split()],
                         [".deps/carried/bin/cmake", ".deps/carried/bin/ninja"])

    def test_a_newer_front_end_replaces_the_one_carried_before(self):
        self.install("--carry")
        self.leave_for_a_machine_without_network()
        self.program(self.root + "/build/bin/labreport", "#!/bin/sh\nexit 1\n")
        self.assertEqual(self.install("report")[0], 0)

    def test_it_says_what_is_not_carried(self):
        shutil.rmtree(self.root + "/build-render")
        status, words = self.install("--carry")
        self.assertEqual(status, 0, words)
        self.assertIn("the front end is not carried: none is built", words[0])

    def test_pages_about_programs_are_left(self):
        self.install("--carry")
        self.assertEqual(os.listdir(self.root + "/.deps/carried/share/cmake-4.4"), ["Modules"])


if __name__ == "__main__":
    unittest.main()
