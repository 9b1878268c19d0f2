"""Tests the leaderboard's steps on two ranks over Gloo: every rung trains the same network, and holds what its name says.

leaderboard_test.py WORKER
"""

import functools
import re
import sys
import unittest
from pathlib import Path
from unittest import mock

import torch
from rank_launches import RankTest
from torch.utils._python_dispatch import TorchDispatchMode

WORKER = sys.argv.pop(1)
sys.path.insert(0, str(Path(WORKER).parent / "python"))

import labreport_leaderboard as leaderboard  # noqa: E402
from labreport_transformer import Block, RotaryEmbedding, cross_entropy  # noqa: E402

torch.set_num_threads(1)  # A fork would wait for the threads of its parent's pool.
GIB = 2**30
RUNGS_OF_CPU = ["replicated", "sharded", "checkpointed", "fused_head"]
SHAPE = dict(d_model=4096, d_ff=11008, num_layers=34, num_heads=32, vocab_size=151936, context_length=32768)
TINY = dict(d_model=8, d_ff=12, num_layers=2, num_heads=2, vocab_size=30, context_length=16)


def without_generating_code():
    """Lets torch.compile decide what it keeps and computes again, but not generate code, which takes much longer."""
    return mock.patch.object(torch, "compile", functools.partial(torch.compile, backend="aot_eager_decomp_partition"))


class Rungs(RankTest):
    program = Path(WORKER).parent / "python" / "labreport_worker.py"

    def measured_rung(self, rung, **more):
        self.new_folder()
        return self.body_of(*self.start("leaderboard", dict(precision="bf16", implementation=f"leaderboard-{rung}") | more))

    def test_train_the_same_network(self):
        first = self.measured_rung("replicated")
        for rung in [*RUNGS_OF_CPU[1:], "compiled", "saved_products"]:
            with without_generating_code():
                body = self.measured_rung(rung)
            for known, loss in zip(first["values"]["losses", "total"], body["values"]["losses", "total"]):
                self.assertAlmostEqual(loss, known, delta=2e-3, msg=rung)

    def test_sharded_state_is_half_on_each_of_two_ranks(self):
        whole = self.measured_rung("replicated")["values"]["memory", "parameters"]
        self.assertLess(self.measured_rung("sharded")["values"]["memory", "parameters"], 0.6 * whole)

    def test_repeats_are_timed_as_often_as_the_cell_says(self):
        body = self.measured_rung("fused_head", repeats=2)
        self.assertEqual(len(body["values"]["do_bench", "total"]), 2)
        self.assertEqual(len(body["values"]["step", "total"]), 4)

    def test_are_those_that_the_program_plans(self):
        header = (Path(__file__).parents[2] / "src/results/leaderboard_rung.h").read_text()
        self.assertEqual(re.findall(r'\{LeaderboardRung::\w+, "(\w+)"', header), leaderboard.RUNGS)
        self.assertIsNone(leaderboard.rung_of("leaderboard-unknown"))

    def test_chunks_are_those_whose_memory_the_program_calculates(self):
        source = (Path(__file__).parents[2] / "src/plan/leaderboard.cpp").read_text()
        self.assertEqual(int(re.search(r"kTokensOfChunk = (\d+)", source)[1]), leaderboard.TOKENS_OF_CHUNK)


class AttentionCounter(TorchDispatchMode):
    count = 0

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        self.count += function in leaderboard.ATTENTION_OPERATORS
        return function(*arguments, **(named or {}))


class Parts(unittest.TestCase):
    def test_head_with_loss_has_the_gradients_of_both_written_out(self):
        torch.manual_seed(0)
        hidden, weight = torch.randn(12, 8, requires_grad=True), torch.randn(20, 8, requires_grad=True)
        targets = torch.randint(20, (12,))
        expected = torch.autograd.grad(cross_entropy(hidden @ weight.t(), targets), [hidden, weight])
        with mock.patch.object(leaderboard, "TOKENS_OF_CHUNK", 5):
            loss = leaderboard.HeadWithLoss.apply(hidden, weight, targets, leaderboard.loss_and_gradient)
        torch.testing.assert_close(loss, cross_entropy(hidden @ weight.t(), targets))
        torch.testing.assert_close(torch.autograd.grad(loss, [hidden, weight]), expected)

    def test_backward_computes_only_what_is_not_kept(self):
        for keeps, count in [(False, 2), (True, 1)]:
            block = leaderboard.CheckpointedBlock(Block(8, 12, 2, RotaryEmbedding(16, 4), sdpa=True), keeps)
            with AttentionCounter() as counter:
                block(torch.randn(1, 16, 8, requires_grad=True)).sum().backward()
            self.assertEqual(counter.count, count)

    def test_compiled_blocks_keep_products_each_for_itself(self):
        values, sequence = dict(TINY, num_layers=3), torch.arange(16)[None]
        with without_generating_code(), mock.patch.object(leaderboard, "check_offered"):
            network = leaderboard.make_network([rung for rung in leaderboard.RUNGS if rung != "sharded"], values, torch.device("cpu"))
            leaderboard.fill_weights(network, torch.device("cpu"), 0, 1)
            step = leaderboard.LeaderboardStep.__new__(leaderboard.LeaderboardStep)
            step.model = network
            torch._dynamo.utils.clear_compilation_metrics()
            for keeping in [0, 2, 3, 1]:
                step.let_last_keep(keeping)
                shapes = []
                with torch.autograd.graph.saved_tensors_hooks(lambda tensor: shapes.append(tensor.shape) or tensor, lambda kept: kept):
                    network(sequence, sequence).backward()
                self.assertEqual(shapes.count(torch.Size([16, 12])), 2 * keeping, "both inputs of the gate")
        reasons = [compilation.recompile_reason for compilation in torch._dynamo.utils.get_compilation_metrics()]
        self.assertTrue(reasons)
        self.assertEqual(set(reasons), {None}, "nothing is compiled anew")

    def test_as_many_blocks_keep_products_as_fit_beside_the_peak(self):
        """The allocator holds 3 GiB more than the peak, and others 2 GiB."""
        self.assertAlmostEqual(leaderboard.bytes_of_products(SHAPE, 32768) / GIB, 2.34, places=2)
        left = {}
        for gib in [79.2, 139.8]:
            with mock.patch.multiple(torch.cuda, max_memory_allocated=lambda _: 51 * GIB, memory_reserved=lambda _: 54 * GIB,
                                     mem_get_info=lambda _, gib=gib: ((gib - 56) * GIB, gib * GIB)):
                left[gib] = leaderboard.bytes_beside_peak(torch.device("cuda")) / GIB
        self.assertAlmostEqual(left[79.2], 0.96 * 79.2 - 2 - 51)
        self.assertEqual([int(gib / 2.34375) for gib in left.values()], [9, 34])

    def chosen_count(self, step, values, blocks_left, most_without_retries):
        """Returns how many blocks keep their products where room is left for some, and the allocator needs retries above a
        number of them."""
        def keeping():
            return sum(block.forward == block.forward_keeping_both for block in step.model.layers)

        retries = []

        def memory_stats():
            retries.append(keeping() > most_without_retries)
            return {"num_alloc_retries": sum(retries)}

        with mock.patch.object(leaderboard, "bytes_beside_peak", lambda _: blocks_left * leaderboard.bytes_of_products(values, 2 * 16)), \
                mock.patch.object(leaderboard, "least_of_ranks", lambda number, _: number), \
                mock.patch.multiple(torch.cuda, reset_peak_memory_stats=mock.DEFAULT, empty_cache=mock.DEFAULT, memory_stats=memory_stats):
            step.keep_products(values, 2, mock.Mock(type="cuda"))
        return keeping()

    def test_passes_tell_how_many_blocks_may_keep_their_products(self):
        values, device = dict(TINY, num_layers=5), torch.device("cpu")
        step = leaderboard.LeaderboardStep.__new__(leaderboard.LeaderboardStep)
        step.model, step.backend = leaderboard.make_network(["checkpointed", "fused_head"], values, device), None
        leaderboard.fill_weights(step.model, device, 0, 1)
        step.optimizer = torch.optim.AdamW(step.model.parameters(), **leaderboard.HYPER_PARAMETERS)
        before = [parameter.clone() for parameter in step.model.parameters()]
        arange = torch.arange
        with mock.patch.object(torch, "arange", lambda *bounds, **_: arange(*bounds)):
            for blocks_left, most_without_retries, count in [(-1, 9, 0), (1.5, 9, 1), (9, 9, 5), (5, 4, 3), (5, 0, 0)]:
                self.assertEqual(self.chosen_count(step, values, blocks_left, most_without_retries), count)
        self.assertTrue(all(map(torch.equal, before, step.model.parameters())), "nothing is trained")
        self.assertTrue(all(parameter.grad is None for parameter in step.model.parameters()))
        for state in step.optimizer.state.values():
            self.assertEqual([int(state["step"]), state["exp_avg"].abs().max(), state["exp_avg_sq"].max()], [0, 0, 0])


if __name__ == "__main__":
    unittest.main()
