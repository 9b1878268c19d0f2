"""Tests which of the two locked torches setup/choose-torch chooses for a driver and GPUs.

python3 choice_test.py [NVML]: NVML, built from tests/fakes/nvml.cpp, also tests how a driver is read.
"""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import unittest

from sandbox import ROOT, Sandbox

NVML = sys.argv.pop() if len(sys.argv) > 1 else ""


def load():
    loader = importlib.machinery.SourceFileLoader("choose_torch", os.path.join(ROOT, "setup/choose-torch"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("choose_torch", loader))
    loader.exec_module(module)
    return module


CHOICE = load()
# The newest CUDA that each driver supports.
DRIVERS = {"470.256.02": (11, 4), "525.147.05": (12, 0), "550.54.14": (12, 4), "570.86.10": (12, 8),
           "580.65.06": (13, 0)}


def machine(driver, *chips, processor="x86_64"):
    version = next(version for version in DRIVERS if version.startswith(driver))
    gpus = [CHOICE.Gpu(index, f"GPU-{index}", f"Chip {chip}", chip) for index, chip in enumerate(chips)]
    return CHOICE.Machine(processor, version, DRIVERS[version], gpus)


class Chooses(unittest.TestCase):
    def choose(self, here, **arguments):
        torch, why, unserved = CHOICE.choose(here, **arguments)
        return torch.name, why, unserved

    def assert_refused(self, words, here, **arguments):
        with self.assertRaises(CHOICE.Refusal) as caught:
            CHOICE.choose(here, **arguments)
        self.assertEqual(str(caught.exception), words)

    def test_by_driver_and_chip(self):
        expected = {"525": {70: "cu128", 75: "cu128", 90: "cu128"},
                    "550": {70: "cu128", 75: "cu128", 90: "cu128"},
                    "570": {70: "cu128", 75: "cu128", 90: "cu128", 100: "cu128"},
                    "580": {70: "cu128", 75: "cu130", 86: "cu130", 89: "cu130", 90: "cu130", 100: "cu130", 103: "cu130"}}
        for driver, chips in expected.items():
            for chip, name in chips.items():
                self.assertEqual(self.choose(machine(driver, chip))[::2], (name, []), (driver, chip))

    def test_it_says_why(self):
        self.assertEqual(self.choose(machine("580", 90))[1], "because the driver 580.65.06 serves CUDA 13.0")
        self.assertEqual(self.choose(machine("550", 90))[1], "because the driver 550.54.14 serves CUDA 12.4 at most")
        self.assertEqual(self.choose(machine("580", 70))[1],
                         "because torch 2.11.0 for CUDA 13.0 holds no code for Chip 70 (compute capability 7.0)")

    def test_a_driver_too_old_for_both(self):
        self.assert_refused("the NVIDIA driver 470.256.02 serves CUDA 11.4 at most, and torch 2.10.0 for CUDA 12.8 needs "
                            "driver 525 or newer; update the driver, or measure on the CPU: TORCH_CUDA=cu130 PRESET=demo",
                            machine("470", 90))

    def test_a_chip_too_old_for_both(self):
        self.assert_refused("no torch that set-up installs holds code for Chip 60 (compute capability 6.0); activate an "
                            "environment whose torch does (PyTorch's builds for CUDA 12.6 go back to compute capability "
                            "5.0), or use another GPU, or measure on the CPU: TORCH_CUDA=cu130 PRESET=demo",
                            machine("580", 60))

    def test_unlike_gpus_get_the_torch_that_serves_all(self):
        self.assertEqual(self.choose(machine("580", 90, 70))[::2], ("cu128", []))
        self.assertEqual(self.choose(machine("580", 90, 75))[::2], ("cu130", []))
        self.assertEqual(self.choose(machine("570", 100, 70))[::2], ("cu128", []))

    def test_a_gpu_that_no_torch_serves_is_left_out(self):
        self.assertEqual(self.choose(machine("580", 90, 35))[::2], ("cu130", [
            "Chip 35 (compute capability 3.5) is not served by torch 2.11.0 for CUDA 13.0, which serves the others; leave "
            "GPU 1 out with GPUS"]))

    def test_without_a_gpu_the_newest_or_what_is_installed(self):
        for here in (None, machine("550"), machine("470")):
            self.assertEqual(self.choose(here), ("cu130", "because no NVIDIA GPU is here", []))
            self.assertEqual(self.choose(here, installed="cu128"), (
                "cu128", "because no NVIDIA GPU is here and it is installed", []))

    def test_what_is_installed_stays_while_it_serves(self):
        self.assertEqual(self.choose(machine("580", 90), installed="cu128"), (
            "cu128", "because it is installed and serves this machine", []))
        self.assertEqual(self.choose(machine("550", 90), installed="cu130")[0], "cu128")
        self.assertEqual(self.choose(machine("580", 70), installed="cu130")[0], "cu128")

    def test_the_users_wish(self):
        for here in (None, machine("470", 35), machine("580", 90)):
            self.assertEqual(self.choose(here, requested="cu128", installed="cu130"), (
                "cu128", "because TORCH_CUDA asks for it", []))
        self.assert_refused("TORCH_CUDA=12.8 is none of cu130, cu128; correct or unset it", None, requested="12.8")

    def test_another_processor_has_cuda_13_alone(self):
        self.assertEqual(self.choose(machine("580", 90, processor="aarch64"))[0], "cu130")
        self.assert_refused("the NVIDIA driver 550.54.14 serves CUDA 12.4 at most, and torch 2.11.0 for CUDA 13.0 needs "
                            "driver 580 or newer; update the driver, or measure on the CPU: TORCH_CUDA=cu130 PRESET=demo",
                            machine("550", 90, processor="aarch64"))

    def test_a_bundle_has_what_it_brings(self):
        cu130, cu128 = CHOICE.TORCHES
        self.assertEqual(self.choose(machine("580", 90), torches=[cu128])[:2], (
            "cu128", "because the driver 580.65.06 serves CUDA 13.0"))
        self.assert_refused("the NVIDIA driver 550.54.14 serves CUDA 12.4 at most, and torch 2.11.0 for CUDA 13.0 needs "
                            "driver 580 or newer; update the driver, pack a bundle WITH_TORCH=cu128, or measure on the "
                            "CPU: TORCH_CUDA=cu130 PRESET=demo", machine("550", 90), torches=[cu130])

    def test_hidden_gpus_do_not_count(self):
        gpus = machine("580", 90, 70).gpus
        for words, seen in (("0", [0]), ("1,0", [1, 0]), ("GPU-1", [1]), ("", []), ("0,7,1", [0]), ("-1", [])):
            self.assertEqual([gpu.index for gpu in CHOICE.visible_gpus(gpus, words)], seen, words)


class Agrees(unittest.TestCase):
    def test_the_chips_of_the_worker_that_is_built_with_a_locked_torch(self):
        built = pathlib.Path(ROOT, "build/bin/labreport-worker.json")
        worker = json.loads(built.read_text(encoding="utf-8")) if built.exists() else {}
        for torch in CHOICE.TORCHES:
            if (torch.version, CHOICE.dotted(torch.cuda)) == (worker.get("torch"), worker.get("cuda")):
                chips = [f"sm_{chip}" for chip in torch.chips[os.uname().machine]]
                self.assertEqual(chips, worker["architectures"])

    def test_drivers_with_what_the_front_end_says(self):
        source = pathlib.Path(ROOT, "src/orchestrate/worker_info.cpp").read_text(encoding="utf-8")
        for cuda, driver in CHOICE.OLDEST_DRIVERS.items():
            self.assertIn(f'{{{cuda}, "{driver}"}}', source)


class Reads(Sandbox):
    def read(self, **environment):
        result = subprocess.run([sys.executable, self.root + "/setup/choose-torch"], capture_output=True, text=True,
                                env={"LABREPORT_NVML": NVML, **environment}, timeout=60, check=False)
        return result.returncode, result.stdout, result.stderr.splitlines()

    @unittest.skipUnless(NVML, "no fake of the driver's library was given")
    def test_a_drivers_library(self):
        status, chosen, unserved = self.read(FAKE_NVML_DRIVER="550.54.14", FAKE_NVML_CUDA="12040")
        self.assertEqual((status, chosen), (0, "cu128: torch 2.10.0 for CUDA 12.8, because the driver 550.54.14 serves "
                                               "CUDA 12.4 at most\n"))
        self.assertIn("Fake K80 (compute capability 3.0) is not served", unserved[0])
        self.assertEqual(self.read(CUDA_VISIBLE_DEVICES="0")[2], [])
        self.assertEqual(self.read(FAKE_NVML_DRIVER="470.1", FAKE_NVML_CUDA="11040")[:2], (2, ""))
        for hidden in ({"FAKE_NVML": "broken"}, {"FAKE_NVML": "none"}, {"CUDA_VISIBLE_DEVICES": ""}):
            self.assertIn("because no NVIDIA GPU is here", self.read(**hidden)[1])

    def test_no_library(self):
        for library in ("", "/nowhere/libnvidia-ml.so.1", os.path.join(ROOT, "README.md")):
            self.assertIn("because no NVIDIA GPU is here", self.read(LABREPORT_NVML=library)[1])

    def test_what_is_installed_and_what_a_bundle_brings(self):
        self.file(self.root + "/.venv/.installed-cu128")
        self.assertTrue(self.read(LABREPORT_NVML="")[1].startswith("cu128: "))
        self.file(self.root + "/.deps/bundle/wheels/torch-2.11.0-cp311-cp311-any.whl")
        self.assertTrue(self.read(LABREPORT_NVML="")[1].startswith("cu130: "))


class Installs(Sandbox):
    """Tests that setup/install installs the chosen torch."""

    def test_the_choice(self):
        status, words = self.install("report", TORCH_CUDA="cu128")
        self.assertEqual((status, words), (0, ["setup: installing into .venv (about 8192 MB on disk): torch for CUDA 12.8, "
                                               "CMake, Ninja, chart, PDF and formula tools"]))
        self.assertIn("setup/requirements-cu128.txt", self.calls()[-1])
        self.assertEqual(self.install("report"), (0, []), "it stays")

    def test_an_unknown_torch_is_refused(self):
        self.assertEqual(self.install("report", TORCH_CUDA="12.8"),
                         (2, ["TORCH_CUDA=12.8 is none of cu130, cu128; correct or unset it"]))
        self.assertEqual(self.calls(), [])

    def test_another_one_gets_a_new_venv(self):
        self.install("report")
        self.file(self.root + "/.venv/lib/nvidia/cu13")
        status, words = self.install("report", TORCH_CUDA="cu128")
        self.assertEqual((status, words[0]), (0, "setup: cu128 takes the place of cu130 in .venv"))
        self.assertEqual(os.path.exists(self.root + "/.venv/lib/nvidia/cu13"), False)
        self.assertEqual(os.path.exists(self.root + "/.deps/venv-before"), False)

    def test_without_a_network_the_old_one_comes_back(self):
        self.install("report")
        offline = {"FAKE_PIP": "Temporary failure in name resolution", "FAKE_PIP_STATUS": "1"}
        status, words = self.install("report", TORCH_CUDA="cu128", **offline)
        self.assertEqual(status, 1)
        self.assertIn("no network", words[-1])
        self.assertEqual(self.install("report"), (0, []))


if __name__ == "__main__":
    unittest.main()
