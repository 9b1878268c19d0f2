"""What the tests of a failing disk have in common."""

import itertools
import json
import os
import random
import sys
import tempfile
import unittest

from disk import DiskProject, reason, tree

RUN = ("run", "--preset", "demo", "--only", "benchmarking_script.b", "--sizes", "demo-1",
       "--modes", "forward,train_step", "--launches", "2")
RESUME = (*RUN, "--resume")
REFUSALS = ("ENOSPC", "EROFS", "once EIO", "EDQUOT", "once ENOSPC", "EIO")
FAULTS = ("ENOSPC", "kill", "EROFS", "short", "once EIO", "EDQUOT")


def launches(run):
    """What a run holds of each cell, times and sessions aside."""
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
        self.chance = random.Random(self.seed)

    def some(self, number, faults):
        """Which of so many calls go wrong, one at a time, and how."""
        calls = range(1, number + 1)
        if not self.rounds:
            return list(itertools.product(calls, faults))
        chosen = sorted(self.chance.sample(calls, min(number, self.rounds)))
        return list(zip(chosen, itertools.cycle(faults)))

    def runs(self):
        return [json.loads(file.read_text(encoding="utf-8"))
                for file in self.project.folder.glob("site/runs/*/*/*/run.json")]

    def kept(self):
        """How many launches are on the disk."""
        files = self.project.folder.glob("site/runs/*/*/*/cells/*.json")
        apart = {file.name for file in files}
        merged = {f"{cell}.{i}.json" for run in self.runs()
                  for cell, all_of_it in launches(run).items() for i in range(len(all_of_it))}
        return len(apart | merged)

    def assert_no_half_file(self):
        for path, data in tree(self.project.folder / "site").items():
            if path.endswith(".json"):
                json.loads(data)

    def assert_one_line(self, outcome, words):
        """Status 2, and a line with the path of the call, or of the folder that it was for."""
        self.assertEqual((outcome.status, len(outcome.complaints())), (2, 1), outcome.messages)
        line = outcome.complaints()[0]
        self.assertIn(words, line)
        at = outcome.calls[len(outcome.done)]
        self.assertRegex(line, r"^labreport: cannot (write|remove|(write to|make) the folder) \S+: ")
        path = os.path.relpath(self.project.folder / line.split(": ")[1].split(" ")[-1],
                               self.project.folder)
        self.assertTrue(at.path.startswith(path) or path.startswith(at.path) or
                        os.path.dirname(path) == os.path.dirname(at.path), (at, line))
        self.assertEqual(outcome.messages.splitlines()[-1], line)

    def undisturbed(self, *words):
        """What the command leaves when nothing goes wrong, and how many calls that takes."""
        outcome = self.project.suffer(words)
        self.assertEqual(outcome.status, 0, outcome.messages)
        return len(outcome.calls)

    def assert_fault_told(self, outcome, fault):
        """Dead, refused with a line, or unimpressed."""
        if fault == "kill":
            self.assertEqual(outcome.status, -9)
        elif outcome.went_wrong:
            self.assert_one_line(outcome, reason(fault.removeprefix("once ")))
        else:
            self.assertEqual((outcome.status, outcome.complaints()), (0, []))

    def resume_ends_as(self, expected):
        """What is on the disk is gone on with; where nothing is, the run begins anew."""
        runs = self.runs()
        done = runs and not list(self.project.folder.glob("site/runs/*/*/*/cells"))
        if not done:
            self.project.call(*(RESUME if runs else RUN))
        self.assertEqual([launches(run) for run in self.runs()], [expected])


def main():
    """<test>.py LABREPORT FAKES [ROUNDS [SEED]]: of each walk over a verb's calls ROUNDS calls,
    chosen by SEED; 0: all of them."""
    program, fakes, *numbers = sys.argv[1:5]
    DiskTest.program, DiskTest.fakes = program, fakes
    DiskTest.rounds, DiskTest.seed = [*map(int, numbers), *(12, 1)[len(numbers):]]
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
