"""Tests tasks that share one plan and do not know each other: together they measure the whole plan, even if some die.

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

from attacked import LIFETIME_S, KeptRun, ProjectTest, comparable, fake_two_gpus, becomes_true

PLAN = ("--preset", "demo", "--sizes", "demo-1,demo-2", "--contexts", "16,32,64", "--only",
        "benchmarking_script.b", "--modes", "inference,forward")
LAUNCHES = 12  # The launches of `limits` are not counted, because every task measures its own.
GPU_PLAN = ("--preset", "quick", "--sizes", "small", "--contexts", "64,128", "--only",
            "benchmarking_script.b", "--modes", "inference,forward")


def with_limits_once(run):
    for cell in run["cells"]:
        if cell["kind"] == "limits":
            del cell["launches"][1:]
    return run


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

    def start(self, shard, plan=PLAN, nap=0.05, **environment):
        task = subprocess.Popen(
            [self.project.program, "run", "--shard", shard, "--resume", "--out", "shards", *plan],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
            env={**self.project.environment, "FAKE_WORKER": "logs", "FAKE_WORKER_LOG": str(self.log),
                 "FAKE_WORKER_NAP": str(nap), **environment})
        self.tasks.append(task)
        return task

    def expect_exit(self, task, status=0):
        messages = task.communicate(timeout=LIFETIME_S)[1]
        self.assertEqual(task.returncode, status, messages)
        return messages

    def event_counts(self, event):
        """Counts how often each launch began or ended ("begin" or "end"), except those of limits."""
        lines = [line.split() for line in self.log.read_text(encoding="utf-8").splitlines()]
        return collections.Counter(launch for name, launch in lines
                                   if name == event and not launch.startswith("limits"))

    def wait_for_ends(self, count):
        self.assertTrue(becomes_true(lambda: sum(self.event_counts("end").values()) >= count))

    def merge(self, *flags, status=0):
        return self.project.call("merge", "shards", "--out", "merged", *flags, status=status)

    def assert_merged_is_complete(self):
        """Merges the shards; expects the run that one task alone would have measured."""
        first = self.merge()
        again = self.merge()
        self.assertEqual(again.stdout, first.stdout, "no second run of the same launches")
        self.assertEqual(again.stderr, "these launches are joined already\n")
        kept = KeptRun(self.folder / "merged")
        self.assertEqual([path.name for path in kept.folder.iterdir()], ["run.json"])
        self.assertEqual(set(kept.launches.values()), {"ok"})
        self.assertEqual({session["request"].get("shard") for session in kept.run["sessions"]}, {None})
        self.project.call("run", *PLAN, "--out", "alone")
        self.assertEqual(comparable(with_limits_once(kept.run), measured=False),
                         comparable(KeptRun(self.folder / "alone").run, measured=False))
        return kept


class Shards(Tasks):
    def test_tasks_measure_together_what_one_would_alone(self):
        for task in [self.start(f"{number}/3") for number in (1, 2, 3)]:
            self.expect_exit(task)
        runs_by_setting = collections.defaultdict(set)
        for number, file in enumerate((self.folder / "shards").rglob("run.json")):
            self.project.call("check", str(file.parent))
            for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
                runs_by_setting[cell["params"].get("size"), cell["params"].get("context")].add(number)
        self.assertEqual(runs_by_setting.pop((None, None)), {0, 1, 2}, "the limits of each device")
        self.assertEqual({len(runs) for runs in runs_by_setting.values()}, {1}, "what is compared")
        kept = self.assert_merged_is_complete()
        self.assertEqual(self.event_counts("end"), collections.Counter(self.event_counts("end").keys()))
        self.assertEqual(sum(self.event_counts("end").values()), LAUNCHES)
        self.assertEqual(len(kept.run["sessions"]), 3)

    def test_a_second_submission_goes_on_with_each_shard(self):
        killed, other = self.start("1/3", nap=0.3), self.start("2/3")
        self.expect_exit(other)
        self.wait_for_ends(5)
        killed.kill()
        self.expect_exit(killed, -signal.SIGKILL)
        restarted = [self.start(f"{number}/3") for number in (1, 2, 3)]
        messages = [self.expect_exit(task) for task in restarted]
        self.assertIn("shard 2/3 is measured already", messages[1])
        self.assert_merged_is_complete()
        self.assertIn(sum(self.event_counts("end").values()), (LAUNCHES, LAUNCHES + 1),
                      "at most the one in flight again")

    def test_merge_names_missing_shards_and_can_be_partial(self):
        task = self.start("1/3", nap=0.5)
        self.wait_for_ends(2)
        task.terminate()
        self.assertIn("are kept in shards", self.expect_exit(task, 130))
        self.expect_exit(self.start("3/3"))
        refused = self.merge(status=2).stderr
        self.assertRegex(refused, r"^labreport: shards lacks \d+ launches: shard 1/3 did not finish and shard "
                                  "2/3 never began; resume its shards, or join what is there with "
                                  "--partial\n$")
        folder = self.merge("--partial", status=1).stdout.strip()
        self.project.call("check", folder)
        self.project.call("run", "--resume", "--out", folder)
        self.assertEqual(set(KeptRun(folder if os.path.isabs(folder) else self.folder / folder).results()),
                         {cell["id"] for cell in self.whole_plan()})

    def whole_plan(self):
        self.project.call("run", *PLAN, "--out", "alone")
        return KeptRun(self.folder / "alone").run["cells"]

    def test_tasks_that_kept_nothing_have_nothing_to_merge(self):
        self.assertEqual(self.merge("--partial", status=2).stderr,
                         "labreport: shards is not there; name the --out of `labreport run "
                         "--shard`\n")
        task = self.start("1/2", nap=30)
        self.assertTrue(becomes_true(lambda: "begin" in self.log.read_text(encoding="utf-8")))
        task.kill()
        self.expect_exit(task, -signal.SIGKILL)
        self.assertEqual(self.merge("--partial", status=2).stderr,
                         "labreport: shards holds no launch yet; wait for the shards, or start them\n")

    def test_artifacts_are_merged_but_links_are_not(self):
        for number in (1, 2):
            self.expect_exit(self.start(f"{number}/2"))
        for number, file in enumerate((self.folder / "shards").rglob("run.json")):
            artifacts = file.parent / "artifacts"
            (artifacts / "sources/mine-01234567/nets").mkdir(parents=True)
            (artifacts / "sources/mine-01234567/nets/mine.py").touch()
            (artifacts / f"of{number}.0.pickle").write_text(str(number), encoding="utf-8")
            (artifacts / f"link{number}.0.pickle").symlink_to("/etc/hostname")
        folder = self.folder / self.merge().stdout.strip()
        self.assertEqual(sorted(path.name for path in (folder / "artifacts").iterdir()),
                         ["of0.0.pickle", "of1.0.pickle", "sources"])
        self.assertTrue((folder / "artifacts/sources/mine-01234567/nets/mine.py").exists())

    def test_alike_gpus_share_a_run_and_each_measures_its_own_limits(self):
        gpus = fake_two_gpus(self.project, self.fakes)
        for task in [self.start(f"{gpu + 1}/2", GPU_PLAN, CUDA_VISIBLE_DEVICES=str(gpu), **gpus)
                     for gpu in (0, 1)]:
            self.expect_exit(task)
        self.merge()
        kept = KeptRun(self.folder / "merged")
        self.assertEqual(len(kept.run["devices"]), 2)
        limits = next(cell for cell in kept.run["cells"] if cell["kind"] == "limits")
        self.assertEqual({launch["device"] for launch in limits["launches"]}, {0, 1})
        self.project.call("render", str(kept.folder), "--format", "csv")
        with open(next((self.folder / "site/public").rglob("cells.csv")), encoding="utf-8") as cells:
            hardware = {row["hardware"] for row in csv.DictReader(cells)}
        self.assertEqual(hardware, {f"Fake H200 (GPU {device['uuid_hash'][:8]})"
                                    for device in kept.run["devices"]})

    def test_unlike_devices_make_no_run_together(self):
        for number in (1, 2):
            self.expect_exit(self.start(f"{number}/2"))
        file = next((self.folder / "shards").rglob("run.json"))
        run = json.loads(file.read_text(encoding="utf-8"))
        run["devices"][0]["name"] = "another"
        file.write_text(json.dumps(run), encoding="utf-8")
        self.assert_refused("these shards are not of one run: one is of ", "merge", "shards")

    def assert_refused(self, words, *command):
        messages = self.project.call(*command, status=2).stderr
        self.assertIn(words, messages.splitlines()[-1])
        self.assertEqual(messages.count("labreport: "), 1)

    def test_wrong_shards_are_refused_in_one_line(self):
        self.expect_exit(self.start("1/2"))
        shared = ("--out", "shards", *PLAN)
        self.assert_refused("7 tasks are more than the plan's 6 groups", "run", "--shard", "1/7", *shared)
        self.assert_refused("--shard is '3/2'", "run", "--shard", "3/2", *shared)
        self.assert_refused("--launches is not what this run was begun with", "run", "--shard", "1/2", "--resume",
                     *shared, "--launches", "2")
        self.project.call("run", "--shard", "2/2", *shared, "--launches", "2")
        self.assert_refused("one was begun with `", "merge", "shards")
        self.project.call("run", "--shard", "3/3", *shared)
        self.assert_refused("shards holds shards of ", "merge", "shards")


SLURM = ("slurm", "--partition", "gpu", "--out", "shards", "--gpus-per-task", "0", *PLAN)


class JobScripts(Tasks):
    """Tests job scripts with stand-ins for Slurm's programs; tests/slurm uses the real ones."""

    def stand_in(self, name, shell):
        folder = self.folder / "stand-ins"
        folder.mkdir(exist_ok=True)
        program = folder / name
        program.write_text(f"#!/bin/bash\n{shell}\n", encoding="utf-8")
        program.chmod(0o755)
        self.project.environment["PATH"] = f"{folder}:/usr/bin:/bin"

    def script(self, name):
        return (self.folder / "shards" / f"{name}.sh").read_text(encoding="utf-8")

    def test_the_scripts_start_the_tasks_of_a_plan_and_merge_them(self):
        printed = self.project.call(*SLURM, "--array", "2", "--time", "02:00:00", "--sbatch=--account=lab")
        self.assertRegex(printed.stderr, r"^with 2 tasks the plan is done about 1\.[4-9] times as fast as with one; ")
        shards = self.folder / "shards"
        self.assertEqual(printed.stdout, f"job=$(sbatch --parsable {shards}/array.sh)\n"
                                         f"sbatch --dependency=afterany:$job {shards}/merge.sh\n")
        lines = [line.removeprefix("#SBATCH ") for line in self.script("array").splitlines() if "#SBATCH" in line]
        self.assertEqual(lines, [
            "--job-name=labreport", "--ntasks=1", "--partition=gpu", f'--output="{shards}/slurm-%A_%a.log"',
            "--account=lab", "--array=1-2", "--time=02:00:00", "--requeue", "--open-mode=append"])
        self.stand_in("srun", 'exec "$@"')
        for task in ("1", "2"):
            self.run_script("array", SLURM_ARRAY_TASK_ID=task)
        self.run_script("merge")
        self.assertEqual(set(KeptRun(self.folder / "site/runs").launches.values()), {"ok"})
        self.assert_merged_is_complete()

    def run_script(self, name, **environment):
        subprocess.run(["bash", "-c", self.script(name)], cwd=self.folder, check=True, capture_output=True,
                       env={**self.project.environment, **environment})

    def test_a_gpu_is_asked_for_unless_the_cpu_is_wanted(self):
        self.project.call("slurm", "--array", "2", "--out", "shards", "--steps", "3", "--keep-host")
        self.assertIn("#SBATCH --gpus-per-task=1\n", self.script("array"))
        self.assertTrue(self.script("array").endswith(
            f"--resume --out {self.folder}/shards --keep-host --preset full --steps 3\n"))
        self.assertNotIn("gpus", self.script("merge"))

    def test_submitting_prints_the_jobs_numbers_or_what_slurm_says(self):
        self.stand_in("sbatch", 'test "$1" = --parsable && case "$2" in *array.sh) echo 17;; '
                                '--dependency=afterany:17) echo 18;; esac')
        self.assertEqual(self.project.call(*SLURM, "--array", "2", "--submit").stdout, "17\n18\n")
        for last in ("error", "fatal"):
            self.stand_in("sbatch", f"printf 'sbatch: error: first\\nsbatch: {last}: Invalid partition\\n' >&2; exit 1")
            self.assertEqual(self.project.call(*SLURM, "--array", "2", "--submit", status=2).stderr.splitlines()[1:],
                             ["labreport: Slurm refuses the job: Invalid partition; change the flags; `sinfo` "
                              "lists partitions, nodes and time limits"])

    def test_flags_that_make_no_job_array_are_refused_in_one_line(self):
        for words, flags in (("slurm needs --array N", ()), ("9 tasks are more than", ("--array", "9")),
                             ("--gpus-per-task", ("--array", "2", "--gpus-per-task=2")),
                             ("unknown flag '--resume'", ("--array", "2", "--resume")),
                             ("unknown flag '--shard'", ("--array", "2", "--shard", "1/2")),
                             ("holds a quote or the end of a line", ("--array", "2", "--time", "1\n2"))):
            command = [word for word in SLURM if word not in ("--gpus-per-task", "0")]
            said = self.project.call(*command, *flags, *(() if "--gpus-per-task=2" in flags else
                                                         ("--gpus-per-task", "0")), status=2).stderr
            self.assertIn(words, said)
            self.assertEqual(len(said.splitlines()), 1)
        if "tmpfs /dev/shm" in pathlib.Path("/proc/mounts").read_text(encoding="utf-8"):
            command = ["/dev/shm/labreport" if word == "shards" else word for word in SLURM]
            said = self.project.call(*command, "--array", "2", "--submit", status=2).stderr
            self.assertIn("/dev/shm/labreport lies in this machine's memory", said)


if __name__ == "__main__":
    Tasks.fakes = sys.argv.pop(2)
    Tasks.program = sys.argv.pop(1)
    unittest.main()
