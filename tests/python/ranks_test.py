"""Tests training steps of the user's on two ranks over Gloo: what torch.distributed offers them, what is recorded, and what
is told when a rank fails.

ranks_test.py WORKER

Ranks are forks of this process, which has loaded torch, because loading torch takes longer than a launch.
"""

import json
import os
import runpy
import sys
import tempfile
import time
import unittest
from pathlib import Path

import torch  # noqa: F401

HERE = Path(__file__).parent
WORKER = sys.argv.pop(1)
PROGRAM = Path(WORKER).parent / "python" / "labreport_worker.py"
SHAPE = dict(d_model=16, d_ff=24, layers=2, heads=2, vocab=30, context=8)


def fork_worker(arguments, output):
    """Starts the worker and returns its process."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.argv[:] = [str(PROGRAM), *map(str, arguments)]
    sys.path[0] = str(PROGRAM.parent)
    try:
        runpy.run_path(str(PROGRAM), run_name="__main__")
    finally:
        os._exit(99)


class Ranks(unittest.TestCase):
    def described(self, source):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)  # of the launch that follows, too
        params = SHAPE | dict(device_kind="cpu", batch=2, ranks=2, collectives="gloo", precision="fp32")
        output = self.folder / "description"
        child = fork_worker(["--describe", json.dumps({"model": source, "params": params})], output)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        text = output.read_text()
        return json.loads(text) if status == 0 else text.splitlines()[-1]

    def launch(self, maker, seconds=60, wanted=2, **arguments):
        """Measures the step on both ranks. Returns the results that they leave, by rank, and their exit statuses. Once one
        has failed, the others get a second before they are ended."""
        source = dict(model=f"{HERE / 'rank_steps.py'}:{maker}", arguments=json.dumps(arguments), loss="", optimizer="",
                      compile=False, attention=False, step=dict(takes_size=True, takes_context=False, compiles=False))
        implementation = self.described(source)["implementation"]
        params = SHAPE | dict(device_kind="cpu", size="tiny", implementation=implementation, collectives="gloo", ranks=2,
                              scheme="own_step", batch=2, precision="fp32", mode="train_step", warmup=1, steps=3)
        children = {}
        for rank in range(2):
            rendezvous = dict(rank=rank, store=str(self.folder / "meeting"), timeout_seconds=seconds)
            request, result = self.folder / f"{rank}.request", self.folder / f"{rank}.json"
            request.write_text(json.dumps(dict(kind="data_parallel", params=params, launch=0, seed=0, rendezvous=rendezvous,
                                               model=source | dict(implementation=implementation))))
            children[fork_worker(["--request", request, "--result", result], self.folder / f"{rank}.output")] = rank
        statuses, deadline = {}, None
        while children and (deadline is None or time.monotonic() < deadline):
            child, status = os.waitpid(-1, os.WNOHANG)
            if child:
                statuses[children.pop(child)] = os.waitstatus_to_exitcode(status)
                deadline = deadline or (time.monotonic() + 3 if any(statuses.values()) else None)
            time.sleep(0.02)
        for child, rank in children.items():
            os.kill(child, 15)
            statuses[rank] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        results = {}
        for rank in range(2):
            file = self.folder / f"{rank}.json"
            results[rank] = json.loads(file.read_text())["result"] if file.exists() else None
        return results, statuses

    def measured(self, maker, **arguments):
        """Returns rank 0's result with its metrics by tag and name, and its tables by name."""
        results, statuses = self.launch(maker, **arguments)
        self.assertEqual(statuses, {0: 0, 1: 0}, (self.folder / "0.output").read_text())
        body = results[0]
        self.assertEqual(body["outcome"]["status"], "ok", body["outcome"])
        body["values"] = {(m["tag"], m["name"]): m.get("value", m.get("samples")) for m in body["metrics"]}
        body["tables"] = {table["name"]: [dict(zip([column["name"] for column in table["columns"]], row))
                                          for row in table["rows"]] for table in body["tables"]}
        return body

    def collectives(self, body):
        return [row["phase"] for row in body["tables"]["lanes"] if row["lane"] == "communication"]

    def test_measures_distributed_data_parallel(self):
        body = self.measured("ddp")
        self.assertEqual(self.collectives(body), ["all-reduce"])
        self.assertEqual(body["values"]["equality", "apart"], 0)
        self.assertEqual(len(body["values"]["step", "total"]), 4)
        self.assertEqual(body["values"]["occurrences", "backward"], 1)
        for row in body["tables"]["rank_steps"]:
            self.assertIsNone(row["exchange_ns"])
            self.assertLessEqual(row["both_ns"], row["communication_ns"])
            parts = sum(row[f"{phase}_ns"] for phase in ["forward", "loss", "backward", "optimizer", "other"])
            self.assertLess(parts, 1.5 * row["max_ns"])

    def test_measures_fully_sharded_data_parallel(self):
        body = self.measured("fsdp")
        # Over Gloo, torch makes a reduce-scatter of an all-reduce.
        self.assertLessEqual({"all-gather"}, set(self.collectives(body)))
        self.assertGreater(len(self.collectives(body)), 4)
        whole = self.measured("ddp")["values"]["memory", "parameters"]
        self.assertLess(body["values"]["memory", "parameters"], 0.6 * whole)

    def test_measures_a_plain_all_reduce_loop(self):
        body = self.measured("AllReducing")
        self.assertEqual(self.collectives(body), 7 * ["all-reduce"])
        rank0 = body["tables"]["rank_steps"][0]
        self.assertLess(rank0["both_ns"], 0.2 * rank0["communication_ns"])

    def test_sees_ranks_that_hold_different_weights(self):
        self.assertEqual(self.measured("AllReducing", fault="diverging")["values"]["equality", "apart"], 1)

    def test_tells_which_rank_failed_and_where(self):
        for fault, message in [("raising", "failed: ValueError: rank 1 gives up"), ("exiting", "SystemExit: enough")]:
            results, statuses = self.launch("AllReducing", fault=fault)
            self.assertEqual(results[1]["outcome"]["status"], "error", fault)
            self.assertIn(message, results[1]["outcome"]["message"])
            self.assertTrue(results[0] is None or statuses[0] == 4, "rank 0 waited in vain")

    def test_a_killed_rank_leaves_no_result(self):
        results, statuses = self.launch("AllReducing", fault="killed")
        self.assertEqual((results[1], statuses[1]), (None, -9))
        self.assertEqual(statuses[0], 4)

    def test_tells_where_a_hanging_rank_stands(self):
        results, statuses = self.launch("AllReducing", seconds=2, fault="hanging")
        self.assertEqual(statuses, {0: 4, 1: -15})
        self.assertIn("rank_steps.py", results[0]["warnings"][0])
        self.assertRegex((self.folder / "1.output").read_text(), r'rank_steps.py", line \d+ in hanging')

    def test_times_out_when_a_rank_leaves_out_a_collective(self):
        results, statuses = self.launch("AllReducing", seconds=2, fault="leaving")
        self.assertIn(4, statuses.values())
        self.assertEqual({result["outcome"]["status"] for result in results.values() if result} - {"error"}, {"timeout"})

    def test_refuses_another_process_group(self):
        source = dict(model=f"{HERE / 'rank_steps.py'}:over_another_backend", arguments="", loss="", optimizer="",
                      compile=False, attention=False, step=dict(takes_size=False, takes_context=False, compiles=False))
        self.assertIn("init_process_group asks for mpi; these ranks are joined over gloo", self.described(source))


if __name__ == "__main__":
    unittest.main()
