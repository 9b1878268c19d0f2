"""Tests `labreport slurm` on a Slurm of one node, with fake and real workers on the CPU, a time limit and a requeue.

python3 slurm_test.py LABREPORT FAKES [WORKER]: prints a reason and exits with 77 if no cluster can run here.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cluster

SKIPPED = 77
TIME_LIMIT = 240  # seconds in which Slurm has surely ended a job of one minute
PLAN = ("--sizes", "demo-1,demo-2", "--contexts", "16,32,64", "--only", "benchmarking_script.b",
        "--modes", "inference,forward", "--gpus-per-task", "0", "--cpus-per-task", "1")
LAUNCHES = 12  # without those of the device's limits, which every task measures


class Slurm(unittest.TestCase):
    program = fakes = worker = ""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(dir=os.getcwd())
        cls.addClassCleanup(scratch.cleanup)
        cls.cluster = cluster.Cluster(scratch.name)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=os.getcwd())
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.log = self.folder / "log"
        self.log.touch()

    def labreport(self, *words, status=0, **environment):
        result = subprocess.run(
            [self.program, *words], cwd=self.folder, check=False, capture_output=True, text=True,
            timeout=300,
            env={**self.cluster.environment, "LABREPORT_NVML": "", "LABREPORT_WORKER": f"{self.fakes}/worker",
                 "FAKE_WORKER": "logs", "FAKE_WORKER_LOG": str(self.log), "FAKE_WORKER_NAP": "0.05",
                 **environment})
        self.assertEqual(result.returncode, status, result.stderr + self.said())
        return result

    # Returns the numbers of the array and of the job that merges.
    def submit(self, *words, tasks=3, **environment):
        command = ("slurm", "--submit", "--partition", "test", "--out", "shards", "--array", str(tasks))
        return self.labreport(*command, *PLAN, *words, **environment).stdout.split()

    def said(self):
        return "".join(f"\n== {log.name}\n{log.read_text(encoding='utf-8')}"
                       for log in sorted(self.folder.glob("shards/slurm-*.log")))

    def wait_for_launches(self, ends):
        self.cluster.wait_for(lambda: sum(self.times("end").values()) >= ends)

    def times(self, what):
        """Counts how often each launch began or ended, without those of the device's limits."""
        words = [line.split() for line in self.log.read_text(encoding="utf-8").splitlines()]
        return collections.Counter(launch for when, launch in words
                                   if when == what and not launch.startswith("limits"))

    def wait_for_jobs(self, jobs, seconds=cluster.PATIENCE):
        for job in jobs:
            self.cluster.wait_for_end(job, seconds)

    def assert_whole(self, tasks=3):
        files = list(self.folder.glob("site/runs/*/*/*/run.json"))
        self.assertEqual(len(files), 1, self.said())
        run = json.loads(files[0].read_text(encoding="utf-8"))
        outcomes = [launch["outcome"]["status"] for cell in run["cells"] for launch in cell["launches"]]
        self.assertEqual(outcomes, ["ok"] * (LAUNCHES + tasks), self.said())
        self.assertEqual([path.name for path in files[0].parent.iterdir()], ["run.json"])
        return run

    def test_an_array_of_tasks_and_a_merge_make_one_run(self):
        jobs = self.submit()
        self.wait_for_jobs(jobs)
        run = self.assert_whole()
        self.assertEqual(set(self.times("end").values()), {1})
        self.assertEqual(len(run["sessions"]), 3)
        self.assertEqual(len(list(self.folder.glob(f"shards/slurm-{jobs[0]}_*.log"))), 3)

    def test_real_workers_measure_on_the_cpu(self):
        if not self.worker:
            self.skipTest("the worker is not built")
        self.wait_for_jobs(self.submit(LABREPORT_WORKER=self.worker), 300)
        self.assert_whole()
        self.assertEqual(self.times("end"), {})

    def test_after_a_time_limit_a_second_array_goes_on(self):
        self.wait_for_jobs(self.submit("--time", "00:01:00", "--timeout", "900", FAKE_WORKER_NAP="25"), TIME_LIMIT)
        self.assertIn("DUE TO TIME LIMIT", self.said())
        kept = set(self.times("end"))
        self.assertTrue(0 < len(kept) < LAUNCHES)
        self.assertIn("resume its shards, or join what is there with --partial", self.said())
        self.wait_for_jobs(self.submit("--timeout", "900"))
        self.assert_whole()
        again = {launch for launch, times in self.times("end").items() if times > 1}
        self.assertEqual(again & kept, set(), "measured before the limit, and once more")

    def test_a_requeued_task_goes_on(self):
        jobs = self.submit(tasks=1, FAKE_WORKER_NAP="1")
        self.wait_for_launches(2)
        self.cluster.call("scontrol", "requeue", f"{jobs[0]}_1")
        self.wait_for_jobs(jobs, 120)
        run = self.assert_whole(tasks=1)
        self.assertEqual(len(run["sessions"]), 2)

    def test_what_slurm_refuses_is_one_line(self):
        words = ("slurm", "--out", "shards", "--array", "2", *PLAN, "--submit")
        said = self.labreport(*words, "--partition", "nowhere", status=2).stderr.splitlines()[-1]
        self.assertRegex(said, "^labreport: Slurm refuses the job: .*[Ii]nvalid partition.*; .*$")
        said = self.labreport(*words, "--time", "soon", status=2).stderr.splitlines()[-1]
        self.assertRegex(said, "^labreport: Slurm refuses the job: .*time limit.*$")
        self.assertEqual(self.cluster.call("squeue", "-h"), "")


if __name__ == "__main__":
    if reason := cluster.missing():
        print("skipped:", reason)
        sys.exit(SKIPPED)
    Slurm.program, Slurm.fakes, Slurm.worker = (sys.argv[1:4] + [""])[:3]
    unittest.main(argv=sys.argv[:1])
