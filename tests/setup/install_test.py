"""Tests what setup/install installs, and the messages with which it refuses."""

import os
import subprocess
import unittest

from sandbox import Sandbox

OFFLINE = "Failed to establish a new connection: Temporary failure in name resolution"


class Installs(Sandbox):
    def test_wheels_once(self):
        self.assertEqual(self.install("render"), (0, [
            "setup: installing into .venv (about 450 MB on disk): "
            "CMake, Ninja, chart, PDF and formula tools"]))
        self.assertEqual(len(self.calls()), 1)
        self.assertIn("--require-hashes", self.calls()[0])
        self.assertIn("setup/requirements-render.txt", self.calls()[0])
        self.assertEqual(self.install("render"), (0, []))
        self.assertEqual(len(self.calls()), 1)

    def test_only_looks_when_all_is_there(self):
        self.install("test")
        calls = self.calls()
        self.remove_programs("python3", "awk", "df", "mkdir")
        self.assertEqual(self.install("test"), (0, []))
        self.assertEqual(self.calls(), calls)

    def test_no_torch_for_the_front_end(self):
        self.install("render")
        self.install("lint")
        self.assertFalse([call for call in self.calls() if "cu1" in call])

    def test_again_after_an_interruption(self):
        status, _ = self.install("render", FAKE_PIP_STATUS="130")
        self.assertEqual(status, 1)
        self.assertEqual(self.install("render")[0], 0)
        self.assertEqual(len(self.calls()), 2)

    def test_again_when_the_lock_changed(self):
        self.install("render")
        with open(self.root + "/setup/requirements-render.txt", "a", encoding="utf-8") as lock:
            lock.write("# newer\n")
        self.install("render")
        self.assertEqual(len(self.calls()), 2)

    def test_the_systems_packages_as_root(self):
        self.remove_files("include/fmt/format.h", "lib/any/libcmark-gfm.a")
        self.fake_apt(f"mkdir -p {self.system}/include/fmt; : > {self.system}/include/fmt/format.h;"
                      f" : > {self.system}/lib/any/libcmark-gfm.a")
        status, words = self.install("render")
        self.assertEqual((status, words[0]), (0, (
            "setup: installing with apt-get (about 2 MB): libfmt-dev libcmark-gfm-dev")))
        self.assertIn("libfmt-dev libcmark-gfm-dev", self.calls()[0])

    def test_the_systems_packages_without_root(self):
        self.remove_files("include/CLI/CLI.hpp")
        self.fake("apt-cache", "echo '  Candidate: 1'")
        self.fake("apt-get", 'case "$*" in *simulate*) echo Inst libcli11-dev "(2)" ;; '
                             "*download*) : > libcli11-dev_2.deb ;; esac")
        self.fake("dpkg", "mkdir -p $3/usr/include/CLI && : > $3/usr/include/CLI/CLI.hpp")
        status, words = self.install("render", FAKE_ID="1000")
        self.assertEqual((status, words[0]), (0, (
            "setup: unpacking into .deps, without root (about 1 MB): libcli11-dev")))
        self.assertTrue(os.path.exists(self.root + "/.deps/usr/include/CLI/CLI.hpp"))

    def test_does_without_gloo_and_asks_for_it_once(self):
        self.remove_files("include/gloo/rendezvous/store.h")
        self.fake_apt("exit 100")
        status, words = self.install("report")
        self.assertEqual(status, 0, words)
        self.assertIn("setup: no libgloo-dev: processes on the CPU will not be joined by Gloo, "
                      "and their rows will say so", words)
        asked = len(self.calls())
        self.assertEqual(self.install("report"), (0, []))
        self.assertEqual(len(self.calls()), asked)

    def test_the_headers_of_python_as_root(self):
        self.remove_files("include/python3.11/Python.h")
        self.fake_apt(f": > {self.system}/include/python3.11/Python.h")
        status, words = self.install("report")
        self.assertEqual((status, words[0]), (0, "setup: installing with apt-get (about 30 MB): python3-dev"))

    def test_the_headers_of_python_without_root(self):
        self.remove_files("include/python3.11/Python.h")
        self.fake("apt-cache", "echo '  Candidate: 1'")
        self.fake("apt-get", 'case "$*" in *simulate*) echo Inst libpython3.11-dev "(3)" ;; '
                             "*download*) : > libpython3.11-dev_3.deb ;; esac")
        self.fake("dpkg", "mkdir -p $3/usr/include/python3.11 && : > $3/usr/include/python3.11/Python.h")
        status, words = self.install("report", FAKE_ID="1000")
        self.assertEqual((status, words[0]), (0, (
            "setup: unpacking into .deps, without root (about 30 MB): python3-dev")))
        self.assertEqual(self.install("report", FAKE_ID="1000"), (0, []))

    def test_does_without_the_headers_of_python_and_asks_for_them_once(self):
        self.remove_files("include/python3.11/Python.h")
        self.fake_apt("exit 100")
        status, words = self.install("report")
        self.assertEqual(status, 0, words)
        self.assertIn("setup: no python3-dev: models and attentions in Python, and compiled steps, will not be measured",
                      words)
        self.assertEqual(self.install("report"), (0, []))

    def test_no_headers_of_python_for_the_front_end(self):
        self.remove_files("include/python3.11/Python.h")
        self.fake_apt()
        self.assertEqual(self.install("render")[0], 0)
        self.assertFalse([call for call in self.calls() if "python3-dev" in call])

    def test_tex_live_for_the_tests_as_root(self):
        self.remove_programs("pdflatex")
        self.fake_apt(f"printf '#!/bin/sh\\n' > {self.bin}/pdflatex; chmod +x {self.bin}/pdflatex")
        status, words = self.install("test")
        self.assertEqual(status, 0, words)
        self.assertIn("setup: installing with apt-get (about 190 MB): texlive-latex-recommended",
                      words)

    def test_without_root_the_tests_do_without_tex_live(self):
        self.remove_programs("pdflatex")
        self.fake_apt()
        status, words = self.install("test", FAKE_ID="1000")
        self.assertEqual(status, 0, words)
        self.assertIn("will be skipped", words[-1])
        self.assertFalse([call for call in self.calls() if "texlive" in call])

    def test_clang_for_the_fuzz_targets_as_root_alone(self):
        self.remove_programs("clang++-19")
        self.fake_apt(f"printf '#!/bin/sh\\n' > {self.bin}/clang++-19; "
                      f"chmod +x {self.bin}/clang++-19")
        status, words = self.install("attack", FAKE_ID="1000")
        self.assertIn("tests/fuzz runs its kept inputs alone", words[-1])
        status, words = self.install("attack")
        self.assertIn("setup: installing with apt-get (about 250 MB): clang-19|clang-18|clang", words)

    def test_slurm_for_the_attacks_as_root_alone(self):
        self.remove_files("sbin/slurmctld")
        self.fake_apt(f": > {self.system}/sbin/slurmctld")
        status, words = self.install("attack", FAKE_ID="1000")
        self.assertEqual(status, 0, words)
        self.assertIn("the test of job arrays will be skipped", words[-1])
        status, words = self.install("attack")
        self.assertEqual(status, 0, words)
        self.assertIn("setup: installing with apt-get (about 35 MB): slurm-wlm", words)

    def test_no_tex_live_for_a_report(self):
        self.remove_programs("pdflatex")
        self.remove_programs("clang++-19")
        self.assertEqual(self.install("render")[0], 0)


class UsesWhatIsThere(Sandbox):
    def setUp(self):
        super().setUp()
        torch = self.root + "/../torch"
        self.torch(torch)
        self.environment["FAKE_TORCH"] = torch
        self.fake("cmake", "echo cmake version 3.28.1")
        self.fake("ninja", "exit 0")

    def test_the_users_torch(self):
        self.assertEqual(self.install("report")[0], 0)
        self.assertEqual(len(self.calls()), 1)
        self.assertIn("requirements-render.txt", self.calls()[0])

    def test_the_users_torch_without_a_network(self):
        offline = {"FAKE_PIP": OFFLINE, "FAKE_PIP_STATUS": "1"}
        status, words = self.install("report", **offline)
        self.assertEqual(status, 0)
        self.assertIn("no network", words[1])
        self.assertIn("the report will lack SVG and PDF", words[2])
        self.assertEqual(self.install("report", **offline), (0, []))

    def test_configures_with_the_users_python(self):
        """This holds also if CMake and Ninja are those of .venv, whose Python has no torch."""
        self.assertEqual(self.install("report")[0], 0)
        for tool, does in (("cmake", "setup/find-torch > found"), ("ninja", "exit 0"),
                           ("python3", "exit 1")):
            self.program(f"{self.root}/.venv/bin/{tool}", f"#!/bin/sh\n{does}\n")
        os.remove(self.bin + "/cmake")
        os.remove(self.bin + "/ninja")
        subprocess.run(["setup/build", "default"], cwd=self.root, env=self.environment, check=True)
        with open(self.root + "/found", encoding="utf-8") as file:
            self.assertEqual(file.read().strip(), self.environment["FAKE_TORCH"])

    def test_a_wrong_libtorch_is_refused(self):
        status, words = self.install("report", LIBTORCH="elsewhere")
        self.assertEqual(status, 2)
        self.assertIn("LIBTORCH=elsewhere holds no LibTorch", words[0])


class Refuses(Sandbox):
    def assert_one_line(self, result, problem, remedy, expected=1):
        status, words = result
        self.assertEqual(status, expected)
        self.assertIn(problem, words[-1])
        self.assertIn("; ", words[-1])
        self.assertIn(remedy, words[-1].split("; ", 1)[1])
        said = [line for line in words if "installing" not in line and "unpacking" not in line]
        self.assertLessEqual(len(said), 1, words)

    def test_an_unknown_mode(self):
        self.assertEqual(self.install("everything")[0], 2)

    def test_no_compiler_and_no_root(self):
        self.remove_programs("g++")
        self.fake_apt()
        self.assert_one_line(self.install("render", FAKE_ID="1000"),
                             "no C++ compiler", "g++ 12 or newer")

    def test_an_old_compiler(self):
        self.assert_one_line(self.install("render", FAKE_GPP="11"), "g++ 11 is too old", "12", 2)

    def test_no_venv_module_and_no_root(self):
        self.fake_apt()
        self.fake("python3", '[ "$1" = -c ] && case "$2" in *ensurepip*) exit 1 ;; esac')
        self.assert_one_line(self.install("render", FAKE_ID="1000"),
                             "python3 has no venv module", "python3-venv")

    def test_no_python(self):
        self.remove_programs("python3")
        self.fake_apt()
        self.assert_one_line(self.install("render", FAKE_ID="1000"), "venv", "python3-venv")

    def test_no_chromium_and_no_root(self):
        self.remove_programs("chromium")
        self.fake_apt()
        self.assert_one_line(self.install("test", FAKE_ID="1000"), "no Chromium", "chromium")

    def test_neither_apt_nor_the_libraries(self):
        self.remove_files("include/fmt/format.h")
        self.assert_one_line(self.install("render"), "libfmt-dev", "Debian")

    def test_no_network_for_the_systems_packages(self):
        self.remove_files("include/fmt/format.h")
        self.fake_apt("echo 'Could not resolve host' >&2; exit 100")
        self.assert_one_line(self.install("render"), "no network", "connect")

    def test_no_network_for_wheels(self):
        self.assert_one_line(self.install("report", FAKE_PIP=OFFLINE, FAKE_PIP_STATUS="1"),
                             "no network", "connect and call it again")

    def test_too_small_a_disk(self):
        self.assert_one_line(self.install("report", FAKE_FREE_KIB=str(1024 * 1024)),
                             "needs 6144 MiB of disk space", "free some")
        self.assertEqual(self.calls(), [])

    def test_a_disk_that_fills_up(self):
        words = "OSError: [Errno 28] No space left on device"
        self.assert_one_line(self.install("render", FAKE_PIP=words, FAKE_PIP_STATUS="1"),
                             "the disk is full", "free some")

    def test_a_wheel_with_another_hash(self):
        words = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
        self.assert_one_line(self.install("render", FAKE_PIP=words, FAKE_PIP_STATUS="1"),
                             "hash is not the locked one", "mirror")

    def test_anything_else_by_the_logs_last_error(self):
        words = "ERROR: No matching distribution found for typst\n[notice] A new release of pip is available\n"
        self.assert_one_line(self.install("render", FAKE_PIP=words, FAKE_PIP_STATUS="1"),
                             "failed: ERROR: No matching distribution found for typst", ".deps/install.log")

    def test_anything_else_by_the_logs_last_line(self):
        self.assert_one_line(self.install("render", FAKE_PIP="odd\n\n", FAKE_PIP_STATUS="1"),
                             "failed: odd", ".deps/install.log")

    def test_a_python_without_locked_wheels(self):
        self.program(self.bin + "/python3", '#!/bin/sh\ncase "$*" in *version_info*) exit 1 ;; *--version) echo Python 3.15.0 ;; esac\n')
        self.assert_one_line(self.install("render"), "Python 3.15.0 has no locked packages", "3.11 to 3.14")


if __name__ == "__main__":
    unittest.main()
