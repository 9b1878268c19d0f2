"""Tests what labreport-model-worker says of networks whose steps do less than training steps.

honesty_test.py FOLDER    FOLDER has labreport_worker.py and its engine
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, sys.argv.pop(1))
import labreport_engine  # noqa: E402
import labreport_worker as worker  # noqa: E402
from labreport_honesty import remarks_on_steps  # noqa: E402

worker.engine = labreport_engine
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
SIZE = dict(vocab_size=30, context_length=8, d_model=16, num_layers=2, num_heads=2, d_ff=24, rope_theta=10_000.0)


def remarks(model, loss="torch.nn.functional:cross_entropy", optimizer="torch.optim:AdamW"):
    source = worker.Source(dict(model=model if ":" in model else f"{HERE / 'lazy_models.py'}:{model}", arguments="", loss=loss,
                                optimizer=optimizer))
    return remarks_on_steps(worker.Network(source, SIZE, "cpu"), batch_size=2, context=8)


class Honesty(unittest.TestCase):
    def test_says_nothing_of_networks_that_train(self):
        for model in ["Bigram", "ZeroHead", "Dropping", f"{HERE / 'my_transformer.py'}:TransformerLM",
                      f"{HERE / 'einsum_transformer.py'}:TransformerLM", f"{HERE / 'odd_models.py'}:Shared"]:
            self.assertEqual(remarks(model), [], model)
        self.assertEqual(remarks(f"{HERE / 'odd_models.py'}:LossItself", loss="model"), [])

    def test_counts_parameters_without_gradients(self):
        self.assertEqual(remarks("UngradedTable"), ["1 of 3 parameters gets no gradient"])

    def test_counts_frozen_parameters(self):
        self.assertEqual(remarks("FrozenHead"), ["2 of 3 parameters require no gradient"])

    def test_counts_parameters_that_the_optimizer_leaves(self):
        self.assertEqual(remarks("Bigram", optimizer=f"{HERE / 'lazy_models.py'}:KeepingParameters"),
                         ["3 of 3 parameters are the same after ten steps"])

    def test_finds_cached_outputs(self):
        self.assertEqual(remarks("CachedLogits"), ["its output stays when its parameters change",
                                                   "its output stays when the batch changes"])
        self.assertEqual(remarks("CachedByAddress"), ["its output stays when the batch changes"])
        self.assertEqual(remarks("OwnConstantLoss", loss="model"), ["its loss stays when the batch changes"])

    def test_finds_later_steps_that_do_less(self):
        found = remarks("Retiring")
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], r"^its tenth step takes \d+ operators, its third \d+$")


if __name__ == "__main__":
    unittest.main()
