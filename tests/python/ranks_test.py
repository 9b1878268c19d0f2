"""Tests training steps of the user's on two ranks over Gloo: what torch.distributed offers them, what is recorded, and what
is told when a rank fails.

ranks_test.py WORKER
"""

import json
import sys
import unittest
from pathlib import Path

from rank_launches import OWN_STEP, RankTest

HERE = Path(__file__).parent
WORKER = sys.argv.pop(1)


def step_of(maker, **arguments):
    return OWN_STEP | dict(model=f"{HERE / 'rank_steps.py'}:{maker}", arguments=json.dumps(arguments))


class Ranks(RankTest):
    program = Path(WORKER).parent / "python" / "labreport_worker.py"

    def collectives(self, body):
        return [row["phase"] for row in body["tables"]["lanes"] if row["lane"] == "communication" and row["rank"] == 0]

    def test_measures_distributed_data_parallel(self):
        body = self.measured(step_of("ddp"))
        self.assertEqual(self.collectives(body), ["all-reduce"])
        self.assertEqual(body["values"]["equality", "apart"], 0)
        self.assertEqual(len(body["values"]["step", "total"]), 4)
        self.assertEqual(body["values"]["occurrences", "backward"], 1)
        for row in body["tables"]["rank_steps"]:
            self.assertIsNone(row["exchange_ns"])
            self.assertIsNone(row["both_ns"], "phases on a CPU also wait for collectives")
            parts = sum(row[f"{phase}_ns"] for phase in ["forward", "loss", "backward", "optimizer", "other"])
            self.assertLess(parts, 1.5 * row["max_ns"])

    def test_phases_that_compiled_code_hides_have_no_times(self):
        body = self.measured(step_of("compiling"))
        self.assertEqual({name for tag, name in body["values"] if tag == "event"}, {"other"})
        for row in body["tables"]["rank_steps"]:
            self.assertEqual([row[f"{phase}_ns"] for phase in ["forward", "loss", "backward", "optimizer"]], 4 * [None])
            self.assertGreater(row["other_ns"], 0)

    def test_draws_all_ranks_on_one_time_axis(self):
        lanes = self.measured(step_of("ddp"))["tables"]["lanes"]
        ends = [max(row["start_ns"] + row["duration_ns"] for row in lanes
                    if row["rank"] == rank and row["lane"] == "communication") for rank in range(2)]
        self.assertGreaterEqual(min(row["start_ns"] for row in lanes), 0)
        self.assertLess(abs(ends[0] - ends[1]), 0.02e9, "an all-reduce ends on both ranks at about the same time")

    def test_measures_fully_sharded_data_parallel(self):
        body = self.measured(step_of("fsdp"))
        # Over Gloo, torch makes a reduce-scatter of an all-reduce.
        self.assertLessEqual({"all-gather"}, set(self.collectives(body)))
        self.assertGreater(len(self.collectives(body)), 4)
        whole = self.measured(step_of("ddp"))["values"]["memory", "parameters"]
        self.assertLess(body["values"]["memory", "parameters"], 0.6 * whole)

    def test_measures_a_plain_all_reduce_loop(self):
        body = self.measured(step_of("AllReducing"))
        self.assertEqual(self.collectives(body), 7 * ["all-reduce"])

    def test_sees_ranks_that_hold_different_weights(self):
        self.assertEqual(self.measured(step_of("AllReducing", fault="diverging"))["values"]["equality", "apart"], 1)

    def test_tells_which_rank_failed_and_where(self):
        for fault, message in [("raising", "failed: ValueError: rank 1 gives up"), ("exiting", "SystemExit: enough")]:
            results, statuses = self.launch(step_of("AllReducing", fault=fault))
            self.assertEqual(results[1]["outcome"]["status"], "error", fault)
            self.assertIn(message, results[1]["outcome"]["message"])
            self.assertTrue(results[0] is None or statuses[0] == 4, "rank 0 waited in vain")

    def test_a_killed_rank_leaves_no_result(self):
        results, statuses = self.launch(step_of("AllReducing", fault="killed"))
        self.assertEqual((results[1], statuses[1]), (None, -9))
        self.assertEqual(statuses[0], 4)

    def test_tells_where_a_hanging_rank_stands(self):
        results, statuses = self.launch(step_of("AllReducing", fault="hanging"), seconds=2)
        self.assertEqual(statuses, {0: 4, 1: -15})
        self.assertIn("rank_steps.py", results[0]["warnings"][0])
        self.assertRegex((self.folder / "1.output").read_text(), r'rank_steps.py", line \d+ in hanging')

    def test_times_out_when_a_rank_leaves_out_a_collective(self):
        results, statuses = self.launch(step_of("AllReducing", fault="leaving"), seconds=2)
        self.assertIn(4, statuses.values())
        self.assertEqual({result["outcome"]["status"] for result in results.values() if result} - {"error"}, {"timeout"})

    def test_tells_where_a_rank_stands_that_gloo_aborts(self):
        results, statuses = self.launch(step_of("AllReducing", fault="shrinking"))
        self.assertEqual((results[1], statuses), (None, {0: 4, 1: -6}))
        self.assertRegex((self.folder / "1.output").read_text(), r'(?s)gloo::EnforceNotMet.*rank_steps.py", line \d+ in shrinking')
        self.assertRegex(results[0]["outcome"]["message"], r"a collective failed at rank_steps.py:\d+: another rank left it$")

    def test_refuses_another_process_group(self):
        self.assertIn("init_process_group asks for mpi; these ranks are joined over gloo", self.described(step_of("over_another_backend")))


if __name__ == "__main__":
    unittest.main()
