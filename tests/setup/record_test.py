"""Tests `setup/record` with a stand-in for the program, which takes a second for each run, and for nvidia-smi.

record_test.py LABREPORT
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LABREPORT = sys.argv.pop(1)
PROJECT = pathlib.Path(__file__).resolve().parents[2]

STAND_IN = '''#!/usr/bin/env python3
import json, os, pathlib, sys, time
words = sys.argv[2:] if sys.argv[1] == "run" else []
if sys.argv[1] == "check":
    sys.exit()
if "--dry-run" in words:
    print("NVIDIA H200 · full preset · 3 cells, about 1 min 1 s; needs 1 GiB", file=sys.stderr)
    sys.exit()
out = pathlib.Path(words[words.index("--out") + 1])
if "--resume" in words:
    folder, request = out, json.loads((out / "run.json").read_text())["sessions"][0]["request"]
else:
    request = {flag[2:]: value for flag, value in zip(words[::2], words[1::2]) if flag != "--out"}
    folder = out / "nvidia-h200" / request["edition"] / f"{len(list(out.glob('*/*/*'))):04}"
    folder.mkdir(parents=True)
session = {"revision": os.environ["REVISION"], "dirty": False, "request": request}
cells = [{"launches": [{"wall_ns": 6e10}]}]
(folder / "cells").mkdir(exist_ok=True)
(folder / "run.json").write_text(json.dumps({"devices": [{"name": "NVIDIA H200"}], "sessions": [session], "cells": cells}))
try:
    time.sleep(float(os.environ.get("SECONDS_A_RUN", 0)))
except KeyboardInterrupt:
    sys.exit(130)
(folder / "cells").rmdir()
sys.exit(int(os.environ.get("STATUS", 0)))
'''


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.add_program("labreport", STAND_IN)
        self.add_gpus(1)
        self.revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=PROJECT, capture_output=True, text=True).stdout.strip()

    def add_program(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def add_gpus(self, count):
        self.add_program("nvidia-smi", "#!/bin/sh\n" + "echo NVIDIA H200\n" * count)

    def record(self, *words, status=0, **variables):
        environment = os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}", "REVISION": self.revision} | variables
        process = subprocess.run([PROJECT / "setup/record", self.folder / "labreport", "--out", self.folder / "runs", *words],
                                 capture_output=True, text=True, env=environment)
        self.assertEqual(process.returncode, status, process.stderr)
        return process.stdout + process.stderr

    def recorded(self):
        return [json.loads(file.read_text()) for file in sorted(self.folder.glob("runs/*/*/*/run.json"))]

    def test_records_what_this_machine_can_measure_once(self):
        shown = self.record("--runs", "ladder,scaling")
        self.assertRegex(shown, r"ladder +1 GPU +about 61 s  recorded\nscaling +2 GPUs +about 61 s  missing")
        self.assertEqual([run["sessions"][0]["request"]["problems"] for run in self.recorded()], ["ladder"])
        self.assertTrue(list(self.folder.glob("runs/*/*/*/reference")), "it ships with the project")
        self.record("--runs", "ladder")
        self.assertEqual(len(self.recorded()), 1, "it is there already")
        self.add_gpus(2)
        self.record("--runs", "ladder,scaling")
        self.assertEqual(len(self.recorded()), 2)

    def test_a_run_of_another_revision_is_measured_anew(self):
        self.record("--runs", "ladder", REVISION="0123456789")
        self.assertFalse(list(self.folder.glob("runs/*/*/*/reference")), "the tree was another")
        self.assertIn("of revision 01234567", self.record("--runs", "ladder", "--minutes", "0"))
        self.record("--runs", "ladder")
        self.assertEqual(len(self.recorded()), 2)

    def test_a_run_with_failures_does_not_ship(self):
        self.assertIn("recorded", self.record("--runs", "ladder", STATUS="1"))
        self.assertFalse(list(self.folder.glob("runs/*/*/*/reference")))

    def test_a_run_goes_on_in_the_next_call(self):
        self.assertIn("interrupted", self.record("--runs", "ladder", "--minutes", "0.52", SECONDS_A_RUN="60"))
        self.assertIn("recorded", self.record("--runs", "ladder"))
        self.assertEqual(len(self.recorded()), 1)

    def test_no_time_shows_what_is_missing_alone(self):
        self.assertIn("missing", self.record("--runs", "ladder", "--minutes", "0"))
        self.assertEqual(self.recorded(), [])

    def test_an_unknown_run_is_named_beside_those_of_the_series(self):
        self.assertIn("RUNS has ladders; site/series.json has profiling-2025,", self.record("--runs", "ladders", status=1))

    def test_a_machine_without_a_gpu_is_told_so(self):
        self.add_program("nvidia-smi", "#!/bin/sh\nexit 9\n")
        self.assertIn("shows no NVIDIA GPU", self.record(status=1))


class Series(unittest.TestCase):
    def test_holds_every_shipped_kind_of_run_once(self):
        entries = json.loads((PROJECT / "site/series.json").read_text())
        requests = [json.dumps(entry["request"]) for entry in entries]
        self.assertEqual(len(set(requests)), len(entries))
        self.assertEqual(len({entry["name"] for entry in entries}), len(entries))

    def test_can_be_planned(self):
        for entry in json.loads((PROJECT / "site/series.json").read_text()):
            if "model" in entry["request"]:
                continue  # It needs a package of its own.
            words = [word for flag, value in entry["request"].items() for word in (f"--{flag}", value)]
            process = subprocess.run([LABREPORT, "run", *words, "--dry-run", "--gpu", "NVIDIA H200"], capture_output=True, text=True)
            self.assertRegex(process.stderr, r"cells?, about \d+ (s|min)", entry["name"])


if __name__ == "__main__":
    unittest.main()
