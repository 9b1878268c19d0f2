"""Tasks that share one plan and one folder: no launch is lost or measured twice, whoever dies and whatever
the clocks say.

python3 shards_test.py LABREPORT FAKES
"""

import collections
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from attacked import LIFE, Kept, ProjectTest, essence, have_two_gpus, soon

PLAN = ("--preset", "demo", "--sizes", "demo-1,demo-2", "--contexts", "16,32,64", "--only",
        "benchmarking_script.b", "--modes", "inference,forward")
LAUNCHES = 13
GPU_PLAN = ("--preset", "quick", "--sizes", "small", "--contexts", "64,128", "--only",
            "benchmarking_script.b", "--modes", "inference,forward")


class Tasks(ProjectTest):
    def setUp(self):
        super().setUp()
        self.folder = self.project.folder
        self.log = self.folder / "log"
        self.log.touch()
        self.tasks = []
        self.addCleanup(self.end_tasks)

    def end_tasks(self):
        for task in self.tasks:
            if task.poll() is None:
                task.kill()
            task.wait()
            task.stderr.close()

    def start(self, shard, plan=PLAN, nap=0.05, stale="60", **environment):
        task = subprocess.Popen(
            [self.project.program, "run", "--shard", shard, "--out", "shared", "--stale-after", stale, *plan],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
            env={**self.project.environment, "FAKE_WORKER": "logs", "FAKE_WORKER_LOG": str(self.log),
                 "FAKE_WORKER_NAP": str(nap), **environment})
        self.tasks.append(task)
        return task

    def end(self, task, status=0):
        said = task.communicate(timeout=LIFE)[1]
        self.assertEqual(task.returncode, status, said)
        return said

    def times(self, what):
        words = [line.split() for line in self.log.read_text(encoding="utf-8").splitlines()]
        return collections.Counter(launch for when, launch in words if when == what)

    def wait_for(self, ends):
        self.assertTrue(soon(lambda: sum(self.times("end").values()) >= ends))

    def assert_whole(self, measured=LAUNCHES):
        """The run is merged, and as one task alone would have measured it."""
        kept = Kept(self.folder / "shared")
        self.assertEqual(len(kept.launches), measured)
        self.assertEqual(set(kept.launches.values()), {"ok"})
        self.assertEqual(sorted(path.name for path in kept.folder.iterdir()), ["run.json"])
        self.project.call("run", *PLAN, "--out", "alone")
        self.assertEqual(essence(kept.run, measured=False),
                         essence(Kept(self.folder / "alone").run, measured=False))
        return kept


class Shards(Tasks):
    def test_tasks_whose_clocks_differ_share_a_plan(self):
        tasks = [self.start("1/3"), self.start("2/3", LD_PRELOAD=f"{self.fakes}/jumping_clock.so"),
                 self.start("3/3")]
        for task in tasks:
            self.end(task)
        kept = self.assert_whole()
        self.assertEqual(set(self.times("end").values()), {1})
        self.assertEqual(len(kept.run["sessions"]), 3)
        together = collections.defaultdict(set)
        for cell in kept.run["cells"]:
            place = cell["params"].get("size"), cell["params"].get("context")
            together[place].update(launch["session"] for launch in cell["launches"])
        self.assertEqual({len(sessions) for sessions in together.values()}, {1}, "a group, a device")
        self.assertIn("is measured and merged", self.end(self.start("2/3")))

    def test_what_a_killed_task_leaves_another_measures(self):
        killed = self.start("1/2", nap=0.3)
        self.wait_for(2)
        other = self.start("2/2", stale="2")
        killed.kill()
        self.end(killed, -signal.SIGKILL)
        self.end(other)
        self.assert_whole()
        again = sum(self.times("end").values()) - LAUNCHES
        self.assertIn(again, (0, 1), "at most the one in flight")

    def test_a_task_that_sleeps_through_everything_changes_nothing(self):
        sleeper = self.start("1/2", nap=0.3)
        self.wait_for(1)
        os.killpg(sleeper.pid, signal.SIGSTOP)
        self.end(self.start("2/2", stale="2"))
        run = next((self.folder / "shared").rglob("run.json"))
        before = run.read_bytes()
        os.killpg(sleeper.pid, signal.SIGCONT)
        self.end(sleeper)
        self.assertEqual(run.read_bytes(), before)
        self.assert_whole()

    def test_ended_tasks_say_what_is_missing_and_go_on(self):
        tasks = [self.start("1/3", nap=0.5), self.start("2/3", nap=0.5)]
        self.wait_for(2)
        for task in tasks:
            task.terminate()
        for task in tasks:
            self.assertIn("are kept in shared", self.end(task, 130))
        refused = self.project.call("merge", "shared", status=2).stderr
        self.assertRegex(refused, r"^labreport: shared/\S+ lacks \d+ launches: shard 3/3 never began; "
                                  "start its tasks again, or take what is there with --partial\n$")
        folder = self.project.call("merge", "shared", "--partial", status=1).stdout.strip()
        self.project.call("check", folder)
        measured = set(self.times("end"))
        self.project.call("run", "--resume", "--out", folder, status=2)
        for task in [self.start("1/3"), self.start("2/3"), self.start("3/3")]:
            self.end(task)
        kept = self.assert_whole()
        self.assertLessEqual(measured, set(f"{cell}.{number}" for cell, number in kept.launches))
        self.assertEqual(self.project.call("merge", "shared").stdout.strip(), folder)

    def test_of_tasks_that_kept_nothing_nothing_is_taken(self):
        task = self.start("1/2", nap=30)
        self.assertTrue(soon(lambda: self.times("begin")))
        task.terminate()
        self.end(task, 130)
        refused = self.project.call("merge", "shared", "--partial", status=2).stderr
        self.assertEqual(refused, "labreport: shared holds no launch yet; wait for its tasks, or start them\n")
        for shard in ("1/2", "2/2"):
            self.end(self.start(shard))
        self.assert_whole()

    def test_merging_joins_what_the_last_task_did_not(self):
        task = self.start("1/1")
        # It dies between its last launch and the merge: cells/ has all, run.json nothing.
        self.assertTrue(soon(lambda: self.kept_files() == LAUNCHES or task.poll() is not None))
        task.kill()
        task.wait()
        self.project.call("merge", "shared")
        self.assert_whole()

    def kept_files(self):
        return len(list((self.folder / "shared").rglob("cells/*.json")))

    def test_alike_gpus_share_a_run_and_each_measures_its_own_limits(self):
        gpus = have_two_gpus(self.project, self.fakes)
        for task in [self.start(f"{gpu + 1}/2", GPU_PLAN, nap=0.5, CUDA_VISIBLE_DEVICES=str(gpu), **gpus)
                     for gpu in (0, 1)]:
            self.end(task)
        kept = Kept(self.folder / "shared")
        self.assertEqual(len(kept.run["devices"]), 2)
        limits = next(cell for cell in kept.run["cells"] if cell["kind"] == "limits")
        self.assertEqual({launch["device"] for launch in limits["launches"]}, {0, 1})
        self.project.call("render", str(kept.folder), "--format", "csv")
        with open(next((self.folder / "site/public").rglob("cells.csv")), encoding="utf-8") as cells:
            hardware = {row["hardware"] for row in csv.DictReader(cells)}
        self.assertEqual(hardware, {f"Fake H200 (GPU {device['uuid_hash'][:8]})"
                                    for device in kept.run["devices"]})

    def test_unlike_gpus_have_runs_of_their_own(self):
        gpus = {**have_two_gpus(self.project, self.fakes), "FAKE_NVML": "two"}
        for task in [self.start(f"{gpu + 1}/2", GPU_PLAN, CUDA_VISIBLE_DEVICES=str(gpu), **gpus)
                     for gpu in (0, 1)]:
            self.end(task)
        runs = sorted((self.folder / "shared").rglob("run.json"))
        self.assertEqual([run.relative_to(self.folder / "shared").parts[0] for run in runs],
                         ["fake-h200", "fake-k80"])
        launches = [sum(len(cell["launches"]) for cell in json.loads(run.read_text("utf-8"))["cells"])
                    for run in runs]
        self.assertEqual(launches, [5, 5])

    def refused(self, words, *command, **environment):
        said = self.project.call("run", *command, status=2, **environment).stderr
        self.assertIn(words, said.splitlines()[-1])
        self.assertEqual(said.count("labreport: "), 1)

    def test_what_cannot_be_shared_is_refused_in_one_line(self):
        self.end(self.start("1/2"))
        shared = ("--out", "shared", *PLAN)
        self.refused("shared holds shards of another plan: its flags are", "--shard", "1/2", *shared,
                     "--launches", "2")
        self.refused("9 tasks are more than the plan's 6 groups", "--shard", "1/9", *shared)
        self.refused("--shard is '3/2'", "--shard", "3/2", *shared)
        self.refused("leave --resume out", "--shard", "1/2", "--resume", *shared)
        self.refused("start one task for each", "--shard", "1/2", "--out", "shared", *GPU_PLAN, "--gpus",
                     "0,1", **have_two_gpus(self.project, self.fakes))
        self.project.call("run", *PLAN, "--out", "others")
        self.refused("others holds other runs", "--shard", "1/2", "--out", "others", *PLAN)
        (self.folder / "file").touch()
        self.refused("cannot make the folder file/in", "--shard", "1/2", "--out", "file/in", *PLAN)
        self.assertIn("plan.json is missing", self.project.call("merge", "alone", status=2).stderr)


SLURM = ("slurm", "--partition", "gpu", "--out", "shared", "--gpus-per-task", "0", *PLAN)


class JobScripts(Tasks):
    """With stand-ins for Slurm's programs; tests/slurm has the real ones."""

    def stand_in(self, name, shell):
        folder = self.folder / "stand-ins"
        folder.mkdir(exist_ok=True)
        program = folder / name
        program.write_text(f"#!/bin/bash\n{shell}\n", encoding="utf-8")
        program.chmod(0o755)
        self.project.environment["PATH"] = f"{folder}:/usr/bin:/bin"

    def test_a_job_script_starts_a_task_of_the_plan(self):
        script = self.project.call(*SLURM, "--array", "2", "--time", "02:00:00", "--sbatch=--account=lab").stdout
        lines = [line.removeprefix("#SBATCH ") for line in script.splitlines() if "#SBATCH" in line]
        self.assertEqual(lines, [
            "--job-name=labreport", "--partition=gpu", "--array=1-2", "--ntasks=1", "--time=02:00:00",
            "--requeue", "--open-mode=append", f'--output="{self.folder}/shared/slurm-%A_%a.log"',
            "--account=lab"])
        self.stand_in("srun", 'exec "$@"')
        for task in ("1", "2"):
            subprocess.run(["bash", "-c", script], cwd=self.folder, check=True, capture_output=True,
                           env={**self.project.environment, "SLURM_ARRAY_TASK_ID": task})
        self.assert_whole()

    def test_a_gpu_is_asked_for_unless_the_cpu_is_wanted(self):
        script = self.project.call("slurm", "--array", "2", "--out", "shared").stdout
        self.assertIn("#SBATCH --gpus-per-task=1\n", script)
        self.assertTrue(script.endswith(f"--out {self.folder}/shared --preset full\n"), script)

    def test_submitting_prints_the_jobs_number_or_what_slurm_says(self):
        self.stand_in("sbatch", 'test "$1" = --parsable && grep -q srun "$2" && echo 17')
        self.assertEqual(self.project.call(*SLURM, "--array", "2", "--submit").stdout, "17\n")
        for last in ("error", "fatal"):
            self.stand_in("sbatch", f"printf 'sbatch: error: first\\nsbatch: {last}: Invalid partition\\n' >&2; exit 1")
            self.assertEqual(self.project.call(*SLURM, "--array", "2", "--submit", status=2).stderr,
                             "labreport: Slurm refuses the job: Invalid partition; change the flags; `sinfo` "
                             "lists partitions, nodes and time limits\n")

    def test_what_makes_no_array_is_refused_in_one_line(self):
        for words, flags in (("slurm needs --array N", ()), ("9 tasks are more than", ("--array", "9")),
                             ("--gpus-per-task", ("--array", "2", "--gpus-per-task=2")),
                             ("unknown flag '--resume'", ("--array", "2", "--resume")),
                             ("holds a quote or the end of a line", ("--array", "2", "--time", "1\n2"))):
            command = [word for word in SLURM if word not in ("--gpus-per-task", "0")]
            said = self.project.call(*command, *flags, *(() if "--gpus-per-task=2" in flags else
                                                         ("--gpus-per-task", "0")), status=2).stderr
            self.assertIn(words, said)
            self.assertEqual(len(said.splitlines()), 1)
        if "tmpfs /dev/shm" in pathlib.Path("/proc/mounts").read_text(encoding="utf-8"):
            command = ["/dev/shm/labreport" if word == "shared" else word for word in SLURM]
            said = self.project.call(*command, "--array", "2", "--submit", status=2).stderr
            self.assertIn("/dev/shm/labreport lies in this machine's memory", said)


if __name__ == "__main__":
    Tasks.fakes = sys.argv.pop(2)
    Tasks.program = sys.argv.pop(1)
    unittest.main()
