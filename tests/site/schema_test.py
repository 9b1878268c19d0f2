"""Tests that the published schemas accept and refuse the same runs and comparisons as the program.

python3 schema_test.py LABREPORT FAKES; see CMakeLists.txt.
"""
import copy
import json
import sys
import unittest

import jsonschema

from project import ProjectTest
from shipped import measured_runs, need_run, shipped_runs

TWO_GPUS = "nvidia-h100-80gb-hbm3/2026/20261124-222222"
ATTENTION = "nvidia-h100-80gb-hbm3/2025/20261124-111400"
REMOVED = object()  # Stands for a key that is removed.

LAUNCH = "cells/0/launches/0/"
METRIC = LAUNCH + "metrics/0/"
TABLE = LAUNCH + "tables/0/"
CRASHED = {"status": "crashed", "signal": 9, "message": ""}

# Wrong values, each with its place in a run of two GPUs with one cell.
WRONG = [
    ("schema_version", 1), ("schema_version", "one"), ("schema_version", REMOVED),
    ("edition", "2027"), ("preset", "fast"), ("source", "guessed"), ("devices", REMOVED), ("more", 1),
    ("sessions/0/started_at", "today"), ("sessions/0/argv", "labreport run"), ("sessions/0/argv/0", 1),
    ("sessions/0/argv", ["word"] * 10_001), ("sessions/0/revision", "HEAD"), ("sessions/0/dirty", 0),
    ("sessions/0/host", None), ("sessions/0/cpu", "w" * 16_385), ("sessions/0/cores", -1),
    ("sessions/0/seed", 10**16 + 1), ("sessions/0/seed", 0.5), ("sessions/0/more", 1),
    ("sessions/0/software/cuda", REMOVED), ("sessions/0/software/cuda", 13), ("sessions/0/software/more", ""),
    ("sessions/0/environment/MORE", 1), ("sessions/0/request/preset", None), ("sessions/0/request/more", ""),
    ("sessions/0/request/compile", "yes"), ("sessions/0/request/size", "mini=64,128,2,2"),
    ("sessions/0/model", {"implementation": "a b", "model": "", "arguments": "", "loss": "", "optimizer": ""}),
    ("devices/0/kind", "tpu"), ("devices/0/uuid_hash", "A100"), ("devices/0/memory_bytes", -1),
    ("devices/0/memory_bytes", None), ("devices/0/ecc", "on"), ("devices/0/ecc", REMOVED), ("devices/0/more", 1),
    ("cells/0/id", "a/b"), ("cells/0/kind", "speed"), ("cells/0/params", REMOVED), ("cells/0/more", 1),
    ("cells/0/params/device_kind", REMOVED), ("cells/0/params/device_kind", "gpu"), ("cells/0/params/size", "w" * 201),
    ("cells/0/params/d_model", 0), ("cells/0/params/d_ff", REMOVED), ("cells/0/params/context", None),
    ("cells/0/params/context", "512"), ("cells/0/params/batch", 1.5), ("cells/0/params/precision", "fp8"),
    ("cells/0/params/mode", "backward"), ("cells/0/params/warmup", -1), ("cells/0/params/ranks", 0),
    ("cells/0/params/ranks", 1025), ("cells/0/params/ranks", REMOVED), ("cells/0/params/scheme", "ring"),
    ("cells/0/params/largest_bytes", 1023), ("cells/0/params/bucket_bytes", 0), ("cells/0/params/checkpoint_group", 0),
    ("cells/0/params/variant", "fast"), ("cells/0/params/sharding", "all"), ("cells/0/params/more", 1),
    ("cells/0/params/implementation", "a b"),
    (LAUNCH + "session", -1), (LAUNCH + "device", "0"), (LAUNCH + "device", REMOVED), (LAUNCH + "wall_ns", -1),
    (LAUNCH + "warnings/0", 3), (LAUNCH + "conditions", {}), (LAUNCH + "more", 1),
    (LAUNCH + "outcome", {"status": "lost"}), (LAUNCH + "outcome", {"status": "ok", "message": ""}),
    (LAUNCH + "outcome", CRASHED | {"signal": 256}), (LAUNCH + "outcome", CRASHED | {"signal": 0}),
    (LAUNCH + "outcome", CRASHED | {"rank": -1}), (LAUNCH + "outcome", {"status": "crashed", "signal": 9}),
    (LAUNCH + "outcome", {"status": "timeout", "limit_seconds": 0}),
    (LAUNCH + "outcome", {"status": "oom", "phase": "loss", "requested_bytes": -1, "in_use_bytes": None,
                          "peak_bytes": None}),
    (METRIC + "tag", REMOVED), (METRIC + "tag", "w" * 201), (METRIC + "unit", 3), (METRIC + "more", 1),
    (METRIC + "reason", None), (METRIC + "samples", REMOVED), (METRIC + "samples", 30), (METRIC + "samples", ["30"]),
    (METRIC + "samples", [1.1e18]), (METRIC + "samples", [1] * 10_001), (METRIC + "value", 1),
    (TABLE + "name", None), (TABLE + "columns/0/unit", REMOVED), (TABLE + "columns/0/more", 1),
    (TABLE + "rows/0", 1), (TABLE + "rows/0/0", []), (TABLE + "rows/0/0", -1.1e18),
]
WRONG_ATTENTION = [
    ("cells/0/params/lengths", []), ("cells/0/params/lengths", list(range(1, 18))),
    ("cells/0/params/lengths", [0]), ("cells/0/params/backend", "xformers"), ("cells/0/params/method", "timeit"),
    ("cells/0/params/head_dim", 0), ("cells/0/params/heads", REMOVED),
]


def load_shortened(folder):
    """Loads a run with at most 20 rows of each table, because the thousands of others have the same form."""
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    for cell in run["cells"]:
        for launch in cell["launches"]:
            for table in launch["tables"]:
                del table["rows"][20:]
    return run


def path_steps(pointer):
    return [int(step) if step.isdigit() else step for step in pointer.split("/")]


def path_text(steps):
    """Writes a path as the program's messages do: "cells[0].params"."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def changed(run, pointer, value):
    run = copy.deepcopy(run)
    *steps, last = path_steps(pointer)
    place = run
    for step in steps:
        place = place[step]
    if value is REMOVED:
        del place[last]
    elif isinstance(place, list):
        place[last:last + 1] = [value]
    else:
        place[last] = value
    return run


class Schemas(ProjectTest):
    def setUp(self):
        super().setUp()
        self.project.measure("--sizes", "demo-1")
        self.project.render("--format", "html")
        self.run_schema, self.diff_schema = map(self.published, ("run", "diff"))

    def published(self, name):
        path = self.project.folder / f"site/public/assets/{name}.schema.json"
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft7Validator.check_schema(schema)
        return jsonschema.Draft7Validator(schema)

    def check_messages(self, run, status):
        """Returns the messages of `labreport check` about the run."""
        folder = self.project.folder / "checked"
        folder.mkdir(exist_ok=True)
        (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
        return self.project.call("check", str(folder), status=status).stderr

    def test_every_recorded_run_is_as_the_schema_says(self):
        need_run()
        for folder in shipped_runs():
            with self.subTest(run=folder.name):
                self.run_schema.validate(load_shortened(folder))

    def test_the_schema_and_the_program_refuse_the_same(self):
        for place, kind, wrong_values in ((TWO_GPUS, "data_parallel", WRONG),
                                          (ATTENTION, "attention", WRONG_ATTENTION)):
            run = load_shortened(need_run(place))
            run["cells"] = [cell for cell in run["cells"] if cell["kind"] == kind][:1]
            self.run_schema.validate(run)
            self.check_messages(run, status=0)
            for pointer, value in wrong_values:
                with self.subTest(pointer=pointer, value=str(value)[:60]):
                    wrong = changed(run, pointer, value)
                    self.assertFalse(self.run_schema.is_valid(wrong))
                    place = path_text(path_steps(pointer)[:-1])
                    self.assertIn(f"run.json: {place}", self.check_messages(wrong, status=2))

    def test_summaries_are_as_their_schema_says_and_small(self):
        need_run()
        self.project.render(*map(str, measured_runs()), "--format", "html")
        schema = self.published("summary")
        summaries = sorted((self.project.folder / "site/public").rglob("summary.json"))
        self.assertTrue(summaries)
        for file in summaries:
            with self.subTest(run=file.parent.name):
                summary = json.loads(file.read_text(encoding="utf-8"))
                schema.validate(summary)
                self.assertFalse(schema.is_valid(changed(summary, "quantities/0/values/0/1", "much")))
                self.assertLess(file.stat().st_size, 30_000)

    def test_comparisons_are_as_their_schema_says(self):
        h200, h100, published = (str(need_run(place)) for place in (
            "nvidia-h200/2025/20261122", "nvidia-h100-80gb-hbm3/2025/20261123", "nvidia-a100-40gb"))
        for runs in ((h200, h100), (h200, published), (h200, h200)):
            diff = json.loads(self.project.call("diff", *runs, "--format", "json").stdout)
            self.diff_schema.validate(diff)
            self.assertFalse(self.diff_schema.is_valid(changed(diff, "rows/0/ratio", "much")))


if __name__ == "__main__":
    ProjectTest.fakes = sys.argv.pop(2)
    ProjectTest.program = sys.argv.pop(1)
    unittest.main()
