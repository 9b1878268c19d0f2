"""Tests faulty workers under the real front end: each failure is a row with its reason, and no other row is affected.

python3 workers_test.py LABREPORT FAKES
"""

import sys
import unittest

from attacked import KeptRun, ProjectTest, marked_processes, comparable, fake_two_gpus, FrontEnd

# The fake worker's faults and the outcome that each must have.
FAILURES = {
    "aborts": "crashed", "segv": "crashed", "killed": "crashed", "status7": "error",
    "throws": "error", "nothing": "error", "half": "error", "garbage": "error",
    "wrong_json": "error", "deep_json": "error", "endless_result": "error", "another": "error",
    "another_launch": "error", "hangs": "timeout", "stubborn": "timeout", "endless": "timeout",
    "oom": "oom", "dies_after": "ok", "hangs_after": "ok", "leaves_child": "ok", "noise": "ok",
}
ONE_CELL_EACH = ("run", "--preset", "demo", "--only", "benchmarking_script.b", "--modes", "inference",
                 "--timeout", "1")


def own_sizes(names):
    """Returns flags that define a size of each name. The widths differ, because a cell's id has no name in it."""
    words = []
    for number, name in enumerate(names):
        words += ["--size", f"{name}=64,{256 + number},2,2"]
    return words


class Workers(ProjectTest):
    def test_every_way_to_fail_is_a_row_with_its_reason(self):
        words = (*ONE_CELL_EACH, *own_sizes(FAILURES), "--sizes", "demo-1," + ",".join(FAILURES))
        front_end = FrontEnd(self.project, *words)
        status, messages = front_end.end()
        self.assertEqual(status, 1, messages)
        self.assertEqual(marked_processes(front_end.mark), [])
        kept = KeptRun(self.project.folder / "site/runs")
        statuses = {cell["params"]["size"]: cell["launches"][0]["outcome"]["status"]
                    for cell in kept.run["cells"] if cell["params"].get("size")}
        self.assertEqual(statuses, {"demo-1": "ok", **FAILURES})
        self.project.call("check", str(kept.folder))
        self.project.render("--format", "md")
        page = next((self.project.folder / "site/public").rglob("report.md")).read_text("utf-8")
        for reason in ("died of signal 6", "what(): no such kernel", "shape mismatch",
                       "answered for another cell", "out of memory in backward", "time limit"):
            self.assertIn(reason, page)

    def test_a_device_that_disappears_ends_the_run_and_what_was_measured_is_kept(self):
        words = ("run", "--preset", "demo", "--only", "benchmarking_script.b",
                 *own_sizes(["no_device"]), "--sizes", "demo-1,no_device")
        failed = self.project.call(*words, status=2)
        self.assertRegex(failed.stderr.splitlines()[-1],
                         "^labreport: CUDA cannot start: the driver is too old; `labreport doctor` "
                         "shows what is here and what is missing; "
                         r"\d of 9 launches are kept in site/runs/\S+: resume it with --resume$")
        kept = KeptRun(self.project.folder / "site/runs")
        self.assertGreaterEqual(len(kept.launches), 4)
        self.project.call("check", str(kept.folder))
        self.project.call(*words, "--resume", FAKE_WORKER="good")
        resumed = KeptRun(self.project.folder / "site/runs")
        self.assertLessEqual(kept.launches.items(), resumed.launches.items())
        self.assertEqual(set(resumed.launches.values()), {"ok"})

    def test_devices_hidden_from_the_front_end_are_told_and_the_run_is_unharmed(self):
        gpus = fake_two_gpus(self.project, self.fakes)
        words = ("run", "--preset", "quick", "--sizes", "small,no_device", *own_sizes(["no_device"]))
        self.project.call(*words, status=2, **gpus)
        before = KeptRun(self.project.folder / "site/runs").launches
        hidden = self.project.call(*words, "--resume", status=2, **gpus, CUDA_VISIBLE_DEVICES="")
        self.assertIn("CUDA_VISIBLE_DEVICES hides all", hidden.stderr)
        self.assertEqual(KeptRun(self.project.folder / "site/runs").launches, before)

    def test_a_clock_that_jumps_changes_no_measurement(self):
        words = ("run", "--preset", "demo", "--timeout", "60", "--out")
        self.project.call(*words, "steady")
        self.project.call(*words, "jumping", LD_PRELOAD=f"{self.fakes}/jumping_clock.so")
        steady, jumping = (KeptRun(self.project.folder / root).run for root in ("steady", "jumping"))
        self.assertNotEqual(steady["sessions"][0]["started_at"][:13],
                            jumping["sessions"][0]["started_at"][:13], "it did jump")
        self.assertEqual(comparable(jumping, measured=False), comparable(steady, measured=False))
        for cell in jumping["cells"]:
            for launch in cell["launches"]:
                self.assertTrue(0 < launch["wall_ns"] < 60e9, launch["wall_ns"])


if __name__ == "__main__":
    Workers.fakes = sys.argv.pop(2)
    Workers.program = sys.argv.pop(1)
    unittest.main()
