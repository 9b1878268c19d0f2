"""Who holds a run, and who holds its workers.

python3 holding_test.py LABREPORT FAKES
"""

import os
import pathlib
import signal
import sys
import time
import unittest

from attacked import (DEMO, TWO, FrontEnd, Kept, ProjectTest, alive, children, have_two_gpus,
                      soon)


class Holding(ProjectTest):
    def setUp(self):
        super().setUp()
        self.root = str(self.project.folder / "runs")

    def start(self, *words, **environment):
        """A front end that has kept a launch and has a worker in flight."""
        front_end = FrontEnd(self.project, *words, "--out", self.root,
                             **{"FAKE_WORKER": "slow", **environment})
        self.addCleanup(front_end.end)
        self.addCleanup(front_end.kill, signal.SIGKILL)
        self.assertTrue(soon(lambda: any(pathlib.Path(self.root).rglob("cells/*.json"))))
        self.assertTrue(soon(front_end.workers))
        return front_end

    def test_a_second_front_end_is_refused_and_the_first_unharmed(self):
        first = self.start(*DEMO)
        folder = Kept(self.root).folder
        for where in (self.root, str(folder)):
            refused = self.project.call(*DEMO, "--resume", "--out", where, status=2)
            headline, *said = refused.stderr.splitlines()
            self.assertIn("CPU demonstration", headline)
            self.assertEqual(said, [f"labreport: another labreport is measuring into {folder}; "
                                    "wait for it, or name another folder"])
            self.assertEqual(refused.stdout, "")
        self.assertTrue(first.running())
        kept = len(Kept(self.root).launches)
        self.assertTrue(soon(lambda: len(Kept(self.root).launches) > kept), "it goes on")

    def test_a_dead_front_end_holds_no_lock(self):
        first = self.start(*DEMO)
        first.kill(signal.SIGKILL)
        first.process.wait()
        self.assertTrue(soon(lambda: not alive(first.mark)))
        self.project.call(*DEMO, "--resume", "--out", self.root)

    def test_workers_are_children_of_the_thread_that_lives_longest(self):
        """The parent-death signal comes when the thread that forked ends. A driver's library brings
        threads along."""
        gpus = {**have_two_gpus(self.project, self.fakes), "FAKE_NVML": "threads"}
        front_end = self.start(*TWO, **gpus)
        threads = [int(thread) for thread in os.listdir(f"/proc/{front_end.pid}/task")]
        self.assertGreater(len(threads), 1)
        parents = set()
        for _ in range(50):
            parents |= {thread for thread in threads
                        if set(children(front_end.pid, thread)) & set(alive(front_end.mark))}
            time.sleep(0.005)
        self.assertEqual(parents, {front_end.pid})


if __name__ == "__main__":
    Holding.fakes = sys.argv.pop(2)
    Holding.program = sys.argv.pop(1)
    unittest.main()
