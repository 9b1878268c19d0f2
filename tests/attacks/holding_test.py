"""Tests the lock of a run's folder, and that workers are children of the front end's main thread.

python3 holding_test.py LABREPORT FAKES
"""

import os
import pathlib
import signal
import sys
import time
import unittest

from attacked import (DEMO, TWO_GPUS, FrontEnd, KeptRun, ProjectTest, marked_processes, children, fake_two_gpus,
                      becomes_true)


class Holding(ProjectTest):
    def setUp(self):
        super().setUp()
        self.root = str(self.project.folder / "runs")

    def start(self, *words, **environment):
        """Starts a front end; returns it once it has kept a launch and has a worker running."""
        front_end = FrontEnd(self.project, *words, "--out", self.root,
                             **{"FAKE_WORKER": "slow", **environment})
        self.addCleanup(front_end.end)
        self.addCleanup(front_end.kill, signal.SIGKILL)
        self.assertTrue(becomes_true(lambda: any(pathlib.Path(self.root).rglob("cells/*.json"))))
        self.assertTrue(becomes_true(front_end.workers))
        return front_end

    def test_a_second_front_end_is_refused_and_the_first_unharmed(self):
        first = self.start(*DEMO)
        folder = KeptRun(self.root).folder
        for where in (self.root, str(folder)):
            refused = self.project.call(*DEMO, "--resume", "--out", where, status=2)
            headline, *messages = refused.stderr.splitlines()
            self.assertIn("CPU demonstration", headline)
            self.assertEqual(messages, [f"labreport: another labreport is using {folder}; "
                                    "wait for it, or name another folder"])
            self.assertEqual(refused.stdout, "")
        self.assertTrue(first.running())
        kept = len(KeptRun(self.root).launches)
        self.assertTrue(becomes_true(lambda: len(KeptRun(self.root).launches) > kept), "it goes on")

    def test_a_dead_front_end_holds_no_lock(self):
        first = self.start(*DEMO)
        first.kill(signal.SIGKILL)
        first.process.wait()
        self.assertTrue(becomes_true(lambda: not marked_processes(first.mark)))
        self.project.call(*DEMO, "--resume", "--out", self.root)

    def test_workers_are_children_of_the_thread_that_lives_longest(self):
        """A worker gets the parent-death signal when the thread that forked it ends. NVML starts other threads."""
        gpus = {**fake_two_gpus(self.project, self.fakes), "FAKE_NVML": "threads"}
        front_end = self.start(*TWO_GPUS, **gpus)
        threads = [int(thread) for thread in os.listdir(f"/proc/{front_end.pid}/task")]
        self.assertGreater(len(threads), 1)
        parents = set()
        for _ in range(50):
            parents |= {thread for thread in threads
                        if set(children(front_end.pid, thread)) & set(marked_processes(front_end.mark))}
            time.sleep(0.005)
        self.assertEqual(parents, {front_end.pid})


if __name__ == "__main__":
    Holding.fakes = sys.argv.pop(2)
    Holding.program = sys.argv.pop(1)
    unittest.main()
