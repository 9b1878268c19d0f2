"""Helps to test a failing disk."""

import itertools
import json
import os
import random
import sys
import tempfile
import unittest

from disk import DiskProject, error_text, tree

RUN = ("run", "--preset", "demo", "--only", "benchmarking_script.b", "--sizes", "demo-1",
       "--modes", "forward,train_step", "--launches", "2")
RESUME = (*RUN, "--resume")
REFUSALS = ("ENOSPC", "EROFS", "once EIO", "EDQUOT", "once ENOSPC", "EIO")
FAULTS = ("ENOSPC", "kill", "EROFS", "short", "once EIO", "EDQUOT")


def launches(run):
    """Returns the launches of each cell, without times and sessions."""
    return {cell["id"]: [{key: value for key, value in launch.items()
                          if key not in ("session", "wall_ns")} for launch in cell["launches"]]
            for cell in run["cells"]}


class DiskTest(unittest.TestCase):
    program = fakes = ""
    rounds, seed = 12, 1

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.project = DiskProject(os.path.join(os.path.realpath(scratch.name), "project"),
                                   self.program, self.fakes)
        self.random = random.Random(self.seed)

    def chosen_faults(self, call_count, faults):
        """Returns pairs of the call that goes wrong, out of `call_count` calls, and its fault."""
        calls = range(1, call_count + 1)
        if not self.rounds:
            return list(itertools.product(calls, faults))
        chosen = sorted(self.random.sample(calls, min(call_count, self.rounds)))
        return list(zip(chosen, itertools.cycle(faults)))

    def runs(self):
        return [json.loads(file.read_text(encoding="utf-8"))
                for file in self.project.folder.glob("site/runs/*/*/*/run.json")]

    def launches_on_disk(self):
        """Counts the launches on the disk."""
        files = self.project.folder.glob("site/runs/*/*/*/cells/*.json")
        unmerged = {file.name for file in files}
        merged = {f"{cell}.{i}.json" for run in self.runs()
                  for cell, cell_launches in launches(run).items() for i in range(len(cell_launches))}
        return len(unmerged | merged)

    def assert_no_half_file(self):
        for path, data in tree(self.project.folder / "site").items():
            if path.endswith(".json"):
                json.loads(data)

    def assert_one_line(self, outcome, words):
        """Expects status 2 and one line, with the path of the failed call or of the folder around it."""
        self.assertEqual((outcome.status, len(outcome.complaints())), (2, 1), outcome.messages)
        line = outcome.complaints()[0]
        self.assertIn(words, line)
        failed_call = outcome.calls[len(outcome.calls_before)]
        self.assertRegex(line, r"^labreport: cannot (write|remove|(write to|make) the folder|read or write|"
                               r"move or copy \S+ to) \S+: ")
        path = os.path.relpath(self.project.folder / line.split(": ")[1].split(" ")[-1],
                               self.project.folder)
        self.assertTrue(failed_call.path.startswith(path) or path.startswith(failed_call.path) or
                        os.path.dirname(path) == os.path.dirname(failed_call.path), (failed_call, line))
        self.assertEqual(outcome.messages.splitlines()[-1], line)

    def count_calls(self, *words):
        """Runs the command without a fault; returns how many calls it makes."""
        outcome = self.project.call_with_fault(words)
        self.assertEqual(outcome.status, 0, outcome.messages)
        return len(outcome.calls)

    def assert_fault_told(self, outcome, fault):
        """Expects that the program died, or failed with one line, or was not affected."""
        if fault == "kill":
            self.assertEqual(outcome.status, -9)
        elif outcome.went_wrong:
            self.assert_one_line(outcome, error_text(fault.removeprefix("once ")))
        else:
            self.assertEqual((outcome.status, outcome.complaints()), (0, []))

    def resume_ends_as(self, expected):
        """Resumes the run on the disk, or begins one if there is none; expects these launches."""
        runs = self.runs()
        is_complete = runs and not list(self.project.folder.glob("site/runs/*/*/*/cells"))
        if not is_complete:
            self.project.call(*(RESUME if runs else RUN))
        self.assertEqual([launches(run) for run in self.runs()], [expected])


def main():
    """Runs <test>.py LABREPORT FAKES [ROUNDS [SEED]]. Each test lets ROUNDS calls go wrong, chosen by SEED, or all
    calls if ROUNDS is 0."""
    program, fakes, *numbers = sys.argv[1:5]
    DiskTest.program, DiskTest.fakes = program, fakes
    DiskTest.rounds, DiskTest.seed = [*map(int, numbers), *(12, 1)[len(numbers):]]
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
