"""Kills at random moments: nothing runs on, nothing finished is lost, and the run can be gone on with.

python3 kills_test.py LABREPORT FAKES [--kills 60] [--seed 1] [--worker PROGRAM]
With --worker a real one measures: only what was measured is compared, not its numbers.
"""

import argparse
import dataclasses
import pathlib
import random
import shutil
import signal
import sys
import time
import unittest

from attacked import (DEMO, TWO, FrontEnd, Kept, ProjectTest, alive, essence, have_two_gpus,
                      soon)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
TARGETS = ("front end", "front end twice", "worker", "both")
REAL = ("run", "--preset", "quick", "--sizes", "small")


@dataclasses.dataclass
class Kind:
    """A run to disturb, and how it ends when it is not."""
    words: tuple
    slots: int
    environment: dict
    seconds: float = 0
    whole: dict = None
    launches: int = 0


class Attack:
    """One run, killed now and then until it is left alone."""

    def __init__(self, test, kind, root):
        self.test, self.kind, self.root = test, kind, root
        self.log = pathlib.Path(f"{root}.log")
        self.log.touch()

    def begun(self):
        return [line.split()[1].rsplit(".", 1)[0] for line in self.log.read_text().splitlines()
                if line.startswith("begin ")]

    def how_to_go_on(self, kept):
        if kept.can_go_on():
            return "--resume", "--out", self.root
        if kept.folder:  # complete, with failures
            return "--resume", "--out", str(kept.folder)
        return "--out", self.root

    def start(self, kept):
        return FrontEnd(self.test.project, *self.kind.words, *self.how_to_go_on(kept),
                        **self.kind.environment, FAKE_WORKER_LOG=str(self.log))

    def disturb(self, chance):
        """Whether the front end was still there to be killed."""
        before, begun_before = Kept(self.root), self.begun()
        left = 1 - sum(before.results().values()) / self.kind.launches
        target, number = chance.choice(TARGETS), chance.choice(SIGNALS)
        moment = chance.uniform(0, 1.05) * self.kind.seconds * max(left, 0.1)
        pause = chance.uniform(0, 0.01)
        front_end = self.start(before)
        time.sleep(moment)
        struck = front_end.running() and bool(
            front_end.kill(number, target != "worker", target in ("worker", "both")))
        if target == "front end twice":
            time.sleep(pause)
            struck = bool(front_end.kill(number)) or struck
        status, words = front_end.end()
        story = f"{target} {number.name} after {moment:.3f} s, {self.root}: {status}\n{words}"
        self.check_end(front_end, status, words, number if struck else None, target, story)
        self.check_kept(before, begun_before, story)
        return struck

    def check_end(self, front_end, status, words, number, target, story):
        test = self.test
        test.assertTrue(soon(lambda: not alive(front_end.mark)), "something runs on: " + story)
        possible = {0, 1}
        if number and target != "worker":
            possible |= {-number} if number == signal.SIGKILL else {-number, 130}
        test.assertIn(status, possible, story)
        kept = Kept(self.root)
        if status == 130:
            said = words.splitlines()[-2:]
            told = f"are kept in {kept.folder}" if (
                kept.folder) else "nothing is measured yet"
            test.assertTrue(any(line.startswith("interrupted: ") and line.endswith(told)
                                for line in said), story)

    def check_kept(self, before, begun_before, story):
        test, kept = self.test, Kept(self.root)
        for cell, results in before.results().items():
            test.assertGreaterEqual(kept.results()[cell], results, cell + " is lost: " + story)
        begun = self.begun()[len(begun_before):]
        for cell in set(begun):
            test.assertLessEqual(begun.count(cell), test.most(self.kind, cell) - before.results()[cell],
                                 cell + " is measured again: " + story)
        added = len(kept.launches) - sum(before.results().values())
        test.assertLessEqual(len(begun) - added, self.kind.slots, "more than in flight: " + story)
        if kept.folder:
            test.project.call("check", str(kept.folder))

    def leave_alone(self):
        """Goes on until the run is whole."""
        for _ in range(3):
            kept = Kept(self.root)
            if kept.folder and not kept.can_go_on() and (
                    set(kept.launches.values()) <= {"ok", "oom", "skipped"}):
                break
            status, words = self.start(kept).end()
            self.test.assertEqual(status, 0, words)
        kept = Kept(self.root)
        self.test.assertEqual([path.name for path in kept.folder.iterdir() if path.suffix != ".part"
                               and path.name != "artifacts"], ["run.json"])
        self.test.assertEqual(essence(kept.run, self.test.real), self.kind.whole, self.root)


class Kills(ProjectTest):
    maxDiff = 2000
    worker = ""
    kills, seed, real = 60, 1, False

    def kinds(self):
        if self.real:
            return [Kind(REAL, 1, {"LABREPORT_WORKER": self.worker, "LABREPORT_NVML":
                                   "libnvidia-ml.so.1"})]
        fake = {"FAKE_WORKER": "logs", "FAKE_WORKER_NAP": "0.004"}
        return [Kind(DEMO, 1, fake), Kind(TWO, 2, {**fake, **have_two_gpus(self.project, self.fakes)})]

    def most(self, kind, cell):
        return next(len(known["launches"]) for known in kind.whole["cells"] if known["id"] == cell)

    def measure_undisturbed(self, kind, root):
        began = time.monotonic()
        attack = Attack(self, kind, root)
        status, words = attack.start(Kept(root)).end()
        kind.seconds = time.monotonic() - began
        self.assertEqual(status, 0, words)
        kept = Kept(root)
        kind.whole, kind.launches = essence(kept.run, self.real), len(kept.launches)

    def test_whatever_is_killed_the_run_ends_as_if_nothing_had_been(self):
        chance = random.Random(self.seed)
        kinds = self.kinds()
        for number, kind in enumerate(kinds):
            self.measure_undisturbed(kind, str(self.project.folder / f"whole-{number}"))
            self.assertGreater(kind.launches, 10 * kind.slots)
        killed = chains = 0
        while killed < self.kills:
            attack = Attack(self, kinds[chains % len(kinds)], str(self.project.folder / f"run-{chains}"))
            for _ in range(chance.randint(1, 4)):
                killed += attack.disturb(chance)
            attack.leave_alone()
            shutil.rmtree(attack.root)
            chains += 1
        print(f"{killed} kills of {chains} runs", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("fakes")
    parser.add_argument("--kills", type=int, default=Kills.kills)
    parser.add_argument("--seed", type=int, default=Kills.seed)
    parser.add_argument("--worker", default="")
    given, rest = parser.parse_known_args()
    Kills.program = given.program
    Kills.fakes = given.fakes
    Kills.kills, Kills.seed = given.kills, given.seed
    Kills.worker, Kills.real = given.worker, bool(given.worker)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
