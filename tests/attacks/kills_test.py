"""Tests kills at random moments: no process runs on, no finished launch is lost, and the run can be resumed.

python3 kills_test.py LABREPORT FAKES [--kills 60] [--seed 1] [--worker PROGRAM]
With --worker, a real worker measures, and the numbers are not compared.
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

from attacked import (DEMO, TWO_GPUS, FrontEnd, KeptRun, ProjectTest, marked_processes, comparable, fake_two_gpus,
                      becomes_true)

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
TARGETS = ("front end", "front end twice", "worker", "both")
REAL_RUN = ("run", "--preset", "quick", "--sizes", "small")


@dataclasses.dataclass
class RunKind:
    """A command to attack, and its result without an attack."""
    words: tuple
    parallel_workers: int
    environment: dict
    seconds: float = 0
    result: dict = None
    launch_count: int = 0


class Attack:
    """One run, which is killed several times and then completed."""

    def __init__(self, test, kind, root):
        self.test, self.kind, self.root = test, kind, root
        self.log = pathlib.Path(f"{root}.log")
        self.log.touch()

    def begun_launches(self):
        return [line.split()[1].rsplit(".", 1)[0] for line in self.log.read_text().splitlines()
                if line.startswith("begin ")]

    def resume_flags(self, kept):
        if kept.is_incomplete():
            return "--resume", "--out", self.root
        if kept.folder:  # The run is complete and has failures.
            return "--resume", "--out", str(kept.folder)
        return "--out", self.root

    def start(self, kept):
        return FrontEnd(self.test.project, *self.kind.words, *self.resume_flags(kept),
                        **self.kind.environment, FAKE_WORKER_LOG=str(self.log))

    def disturb(self, random_source):
        """Starts and kills the run. Returns whether a process was still there to be killed."""
        before, begun_before = KeptRun(self.root), self.begun_launches()
        missing_share = 1 - sum(before.results().values()) / self.kind.launch_count
        target, signal_number = random_source.choice(TARGETS), random_source.choice(SIGNALS)
        moment = random_source.uniform(0, 1.05) * self.kind.seconds * max(missing_share, 0.1)
        pause = random_source.uniform(0, 0.01)
        front_end = self.start(before)
        time.sleep(moment)
        was_killed = front_end.running() and bool(
            front_end.kill(signal_number, target != "worker", target in ("worker", "both")))
        if target == "front end twice":
            time.sleep(pause)
            was_killed = bool(front_end.kill(signal_number)) or was_killed
        status, words = front_end.end()
        story = f"{target} {signal_number.name} after {moment:.3f} s, {self.root}: {status}\n{words}"
        self.check_end(front_end, status, words, signal_number if was_killed else None, target, story)
        self.check_kept(before, begun_before, story)
        return was_killed

    def check_end(self, front_end, status, words, signal_number, target, story):
        test = self.test
        test.assertTrue(becomes_true(lambda: not marked_processes(front_end.mark)), "something runs on: " + story)
        possible_statuses = {0, 1}
        if signal_number and target != "worker":
            possible_statuses |= {-signal_number} if signal_number == signal.SIGKILL else {-signal_number, 130}
        test.assertIn(status, possible_statuses, story)
        kept = KeptRun(self.root)
        if status == 130:
            last_lines = words.splitlines()[-2:]
            ending = f"are kept in {kept.folder}" if (
                kept.folder) else "nothing is measured yet"
            test.assertTrue(any(line.startswith("interrupted: ") and line.endswith(ending)
                                for line in last_lines), story)

    def check_kept(self, before, begun_before, story):
        test, kept = self.test, KeptRun(self.root)
        for cell, results in before.results().items():
            test.assertGreaterEqual(kept.results()[cell], results, cell + " is lost: " + story)
        begun = self.begun_launches()[len(begun_before):]
        for cell in set(begun):
            test.assertLessEqual(begun.count(cell), test.most_launches(self.kind, cell) - before.results()[cell],
                                 cell + " is measured again: " + story)
        added = len(kept.launches) - sum(before.results().values())
        test.assertLessEqual(len(begun) - added, self.kind.parallel_workers, "more than in flight: " + story)
        if kept.folder:
            test.project.call("check", str(kept.folder))

    def complete(self):
        """Resumes the run until it is complete, and compares it with an undisturbed one."""
        for _ in range(3):
            kept = KeptRun(self.root)
            if kept.folder and not kept.is_incomplete() and (
                    set(kept.launches.values()) <= {"ok", "oom", "skipped"}):
                break
            status, words = self.start(kept).end()
            self.test.assertEqual(status, 0, words)
        kept = KeptRun(self.root)
        self.test.assertEqual([path.name for path in kept.folder.iterdir() if path.suffix != ".part"
                               and path.name != "artifacts"], ["run.json"])
        self.test.assertEqual(comparable(kept.run, self.test.real), self.kind.result, self.root)


class Kills(ProjectTest):
    maxDiff = 2000
    worker = ""
    kills, seed, real = 60, 1, False

    def kinds(self):
        if self.real:
            return [RunKind(REAL_RUN, 1, {"LABREPORT_WORKER": self.worker, "LABREPORT_NVML":
                                   "libnvidia-ml.so.1"})]
        fake = {"FAKE_WORKER": "logs", "FAKE_WORKER_NAP": "0.004"}
        return [RunKind(DEMO, 1, fake), RunKind(TWO_GPUS, 2, {**fake, **fake_two_gpus(self.project, self.fakes)})]

    def most_launches(self, kind, cell):
        return next(len(known["launches"]) for known in kind.result["cells"] if known["id"] == cell)

    def measure_undisturbed(self, kind, root):
        start = time.monotonic()
        attack = Attack(self, kind, root)
        status, words = attack.start(KeptRun(root)).end()
        kind.seconds = time.monotonic() - start
        self.assertEqual(status, 0, words)
        kept = KeptRun(root)
        kind.result, kind.launch_count = comparable(kept.run, self.real), len(kept.launches)

    def test_a_killed_run_ends_like_an_undisturbed_one(self):
        random_source = random.Random(self.seed)
        kinds = self.kinds()
        for number, kind in enumerate(kinds):
            self.measure_undisturbed(kind, str(self.project.folder / f"whole-{number}"))
            self.assertGreater(kind.launch_count, 10 * kind.parallel_workers)
        killed = runs = 0
        while killed < self.kills:
            attack = Attack(self, kinds[runs % len(kinds)], str(self.project.folder / f"run-{runs}"))
            for _ in range(random_source.randint(1, 4)):
                killed += attack.disturb(random_source)
            attack.complete()
            shutil.rmtree(attack.root)
            runs += 1
        print(f"{killed} kills of {runs} runs", file=sys.stderr)


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
