"""Tests the files that setup/bundle packs, and how setup/ uses them on a machine without network and root.

python3 bundle_test.py LABREPORT: LABREPORT is the built front end. The headers are real, and the wheels are fakes.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from sandbox import PYTHON, ROOT, Sandbox

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import need_git  # noqa: E402: a neighbor's, found by the line above

FRONT_END = sys.argv.pop() if len(sys.argv) > 1 else "build/bin/labreport"
LIBRARIES = ("boost", "fmt", "nlohmann", "CLI", "kainjow", "sodium", "sqlite3")
NEEDED = ("setup", "src", "experiments", "Makefile", "cmake", "CMakeLists.txt", "CMakePresets.json")

# This fake pip downloads empty files as wheels.
FETCHING = """#!/bin/sh
case "$*" in
  *"pip download"*) echo "$*" >> fetched; while [ "$1" != -d ]; do shift; done
                    for name in pip-26-py3-none-any cmake-4-py3-none-any; do : > "$2/$name.whl"; done ;;
esac
"""
# This is the fake Python of a machine with a bundle. Its pip also records the variables that a bundle sets.
BUNDLE_PYTHON = PYTHON.replace('echo "pip $*"', 'echo "pip $* index=$PIP_NO_INDEX wheels=$PIP_FIND_LINKS path=$PYTHONPATH"')


def make_bundle(folder, *flags):
    """Makes a clone with the real sources, packs it without network, and returns the clone."""
    need_git()
    clone = pathlib.Path(folder, "clone")
    for name in NEEDED:
        source = pathlib.Path(ROOT, name)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, clone / name)
    (clone / "gone.txt").write_text("tracked", encoding="utf-8")
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=clone, check=True)
    (clone / "gone.txt").unlink()
    (clone / "own.txt").write_text("not tracked", encoding="utf-8")
    (clone / ".venv/bin").mkdir(parents=True)
    (clone / ".venv/bin/python").write_text(FETCHING, encoding="utf-8")
    (clone / ".venv/bin/python").chmod(0o755)
    if (pathlib.Path(ROOT) / ".deps/usr").exists():
        (clone / ".deps").mkdir()
        (clone / ".deps/usr").symlink_to(pathlib.Path(ROOT) / ".deps/usr")
    result = subprocess.run(["setup/bundle", FRONT_END, *flags], cwd=clone, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr + (clone / ".deps/install.log").read_text(encoding="utf-8")
    return clone


class Packs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.clone = make_bundle(folder.name, "--with-torch", "cu128", "--out", "../b.tar.gz")
        subprocess.run(["tar", "xzf", folder.name + "/b.tar.gz", "-C", folder.name], check=True)
        cls.tree = pathlib.Path(folder.name, "labreport")

    def test_nothing_is_included_from_elsewhere(self):
        include = f"#include <(?:(?:{'|'.join(LIBRARIES)})[/.]|cmark-gfm)[^>]+>"
        found = {line for above in ("src", "experiments") for file in (self.tree / above).rglob("*.[ch]*")
                 for line in re.findall(include, file.read_text(encoding="utf-8", errors="replace"))}
        headers = self.tree / ".deps/usr/include"
        read = subprocess.run(["g++", "-std=c++20", "-M", "-x", "c++", "-isystem", headers, "-"], text=True, check=True,
                              input="\n".join(sorted(found)) + "\n", capture_output=True).stdout
        used = [word for word in read.split() if re.search(rf"/({'|'.join(LIBRARIES)}|cmark-gfm[^/]*)[/.]", word)]
        self.assertGreater(len(used), 200)
        self.assertEqual([name for name in used if not name.startswith(str(headers))], [])

    def test_it_is_small(self):
        size = sum(file.stat().st_size for file in (self.tree / ".deps/usr").rglob("*") if file.is_file())
        self.assertLess(size, 32 << 20)

    def test_the_tracked_files_that_are_there(self):
        self.assertTrue((self.tree / "setup/install").exists())
        self.assertEqual([name for name in ("gone.txt", "own.txt", ".git", ".venv") if (self.tree / name).exists()], [])

    def test_locked_wheels_and_torch_where_asked_for(self):
        fetched = (self.clone / "fetched").read_text(encoding="utf-8")
        self.assertIn("--require-hashes", fetched)
        self.assertIn("-r setup/requirements-pip.txt -r setup/requirements-cu128.txt", fetched)

    def test_no_other_torch(self):
        result = subprocess.run(["setup/bundle", FRONT_END, "--with-torch", "cu126"], cwd=self.clone,
                                capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (2, (
            "setup: WITH_TORCH=cu126 is none of none, cu130 and cu128; correct it\n")))

    def test_without_wheels(self):
        clone = make_bundle(self.enterContext(tempfile.TemporaryDirectory()), "--with-torch", "none")
        names = subprocess.run(["tar", "tzf", clone / "labreport-bundle.tar.gz"], capture_output=True, text=True,
                               check=True).stdout
        self.assertIn(".deps/bundle/labreport", names)
        self.assertNotIn(".whl", names)

    def test_only_in_a_clone(self):
        result = subprocess.run(["setup/bundle", FRONT_END], cwd=self.tree, capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (2, (
            "setup: a bundle is made of the tracked files, and this is no clone; call make bundle in a clone\n")))

    def test_a_place_that_cannot_be_written(self):
        result = subprocess.run(["setup/bundle", FRONT_END, "--out", "none/b.tar.gz"], cwd=self.clone,
                                capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr),
                         (2, "setup: cannot write none/b.tar.gz; give another OUT\n"))


class Serves(Sandbox):
    """Tests set-up with a bundle on a machine that has no library, no CMake, no pip and no network."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.archive = make_bundle(folder.name) / "labreport-bundle.tar.gz"

    def setUp(self):
        super().setUp()
        above = os.path.dirname(self.root)
        # Set-up looks at one of Boost's many headers.
        subprocess.run(["tar", "xzf", self.archive, "-C", above, "--exclude=*/include/boost/[!u]*"], check=True)
        shutil.rmtree(self.root)
        shutil.rmtree(self.system)
        self.root = above + "/labreport"
        self.front_end("#!/bin/sh\nexit 0\n")
        self.program(self.bin + "/python3", BUNDLE_PYTHON)
        self.fake("apt-get", f"echo apt-get >> {self.root}/calls; exit 100")
        self.torch(above + "/torch")
        self.environment.update(FAKE_ID="1000", FAKE_NO_VENV="1")
        self.with_torch = {"FAKE_TORCH": above + "/torch"}
        os.symlink(shutil.which("make"), self.bin + "/make")

    def front_end(self, text):
        self.program(self.root + "/.deps/bundle/labreport", text)

    def test_wheels_come_from_it_pip_first(self):
        status, words = self.install("report", **self.with_torch)
        self.assertEqual((status, len(words)), (0, 1), words)
        pip, render = self.calls()
        self.assertIn("-r setup/requirements-pip.txt index=1 wheels=.deps/bundle/wheels "
                      "path=.deps/bundle/wheels/pip-26-py3-none-any.whl", pip)
        self.assertIn("-r setup/requirements-render.txt index=1 wheels=.deps/bundle/wheels", render)
        self.assertEqual(self.install("report", **self.with_torch), (0, []))

    def test_a_site_needs_no_compiler(self):
        self.remove_programs("g++")
        result = subprocess.run(["make", "--no-print-directory", "site"], cwd=self.root, env=self.environment,
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(os.access(self.root + "/build-render/bin/labreport", os.X_OK))

    def configured_with(self, mode, target):
        for name, does in (("cmake", 'echo "$*" > configured'), ("ninja", "exit 0")):
            self.program(f"{self.root}/.venv/bin/{name}", f"#!/bin/sh\n{does}\n")
        subprocess.run(["setup/build", mode, target], cwd=self.root, env=self.environment, check=True)
        return pathlib.Path(self.root, "configured").read_text(encoding="utf-8")

    def test_the_worker_is_built_beside_its_front_end(self):
        self.assertIn("LABREPORT_FRONTEND=OFF", self.configured_with("default", "programs"))
        self.assertTrue(os.access(self.root + "/build/bin/labreport", os.X_OK))

    def test_a_front_end_that_does_not_start_is_built(self):
        self.front_end("#!/bin/sh\nexit 1\n")
        self.assertEqual(self.install("render")[0], 0)
        self.assertIn("LABREPORT_FRONTEND=ON", self.configured_with("render", "labreport"))
        self.remove_programs("g++")
        self.assertEqual(self.install("render")[0], 2)

    def assert_refused(self, result, words):
        self.assertEqual(result, (2, ["setup: " + words]))
        self.assertEqual(self.calls(), [])

    def test_no_compiler(self):
        self.remove_programs("g++")
        self.assert_refused(self.install("report", **self.with_torch), (
            "no C++ compiler; put g++ 12 or newer on PATH (on many clusters: module load gcc)"))

    def test_no_torch(self):
        remedy = ("and none in the bundle for this Python; activate an environment that has one, set TORCH_PYTHON or "
                  "LIBTORCH, or call make bundle WITH_TORCH=cu130")
        self.assert_refused(self.install("report"), "no torch, " + remedy)
        self.file(self.root + "/.deps/bundle/wheels/torch-2-cp39-cp39-any.whl")
        self.assert_refused(self.install("report"), "no torch, " + remedy)

    def test_its_own_torch(self):
        python = BUNDLE_PYTHON.replace('case "$*" in', 'case "$*" in\n  *cp%d*) echo cp311 ;;', 1)
        self.program(self.bin + "/python3", python)
        self.file(self.root + "/.deps/bundle/wheels/torch-2.10.0-cp311-cp311-any.whl")
        self.assertEqual(self.install("report")[0], 0)
        self.assertIn("requirements-cu128.txt", self.calls()[-1])

    def test_without_wheels_the_machine_needs_its_own_builders(self):
        for wheel in pathlib.Path(self.root, ".deps/bundle/wheels").iterdir():
            wheel.unlink()
        self.front_end("#!/bin/sh\nexit 1\n")
        self.assert_refused(self.install("report", **self.with_torch), (
            "no CMake 3.24 and Ninja, and no wheels in this bundle; install both, or pack the bundle without "
            "WITH_TORCH=none"))
        self.program(self.bin + "/cmake", "#!/bin/sh\necho cmake version 4.0.0\n")
        self.program(self.bin + "/ninja", "#!/bin/sh\n")
        self.assertEqual(self.install("report", **self.with_torch), (0, []))
        self.assertEqual(self.calls(), [])

    def test_other_verbs(self):
        for verb in ("test", "attack", "lint"):
            self.assert_refused(self.install(verb), (
                f"a bundle holds what make report and make site need; call make {verb} in a clone"))


if __name__ == "__main__":
    unittest.main()
