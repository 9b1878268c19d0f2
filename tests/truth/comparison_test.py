"""Recomputes why one GPU's step is faster than another's: the sentences of a comparison, from two run.json.

python3 comparison_test.py LABREPORT
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from checks import median_limit, number  # noqa: E402
from runs import Run, load  # noqa: E402
from shipped import WHOLE_RUNS, need_run, shipped_project  # noqa: E402
from timing import networks, profile_of, typical  # noqa: E402

STEP = re.compile(r"The (?P<fast>\w+) takes \*\*(?P<ms>\S+) ms\*\* for .*?'s (?P<precision>\w+) training step at context "
                  r"(?P<context>\S+), the (?P<slow>\w+) (?P<other_ms>\S+) ms: the (?P=fast) is \*\*(?P<times>\S+)×\*\* "
                  r"as fast\. Of the (?P<all>\S+) ms between them, AdamW makes (?P<optimizer>\S+), other kernels "
                  r"(?P<others>\S+) and GEMMs (?P<gemms>\S+)\. AdamW gains because the (?P=fast) copies memory (?P<bandwidth>\S+)× as "
                  r"fast\.")


class Step:
    """The largest network's training step in one precision: its time, and what its kernels take, in ms."""

    def __init__(self, run, precision):
        found = [network for network in networks(run) if network.shape["precision"] == precision]
        network = max(found, key=lambda one: (one.shape.parameters(), one.shape["context"]))
        cell = network.modes["train_step"]
        rows = profile_of(run, cell).table("kernels")
        of = lambda holds: sum(row["total_ns"] for row in rows if holds(row)) / 1e6
        self.ms = typical(network.whole_steps("train_step"))
        self.gemms = of(lambda row: row["class"].startswith("gemm"))
        self.optimizer = of(lambda row: row["phase"] == "optimizer")
        self.others = of(lambda row: True) - self.gemms - self.optimizer
        self.bandwidth = median_limit(run, "copy", "bandwidth")


class Comparison(unittest.TestCase):
    program = ""

    def test_the_difference_of_two_gpus_is_that_of_their_kernels(self):
        files = [need_run(place) / "run.json" for place in WHOLE_RUNS]
        runs = {name: Run(load(file)) for name, file in zip(("H200", "H100"), files)}
        with tempfile.TemporaryDirectory() as folder:
            words = subprocess.run([self.program, "diff", *(str(file.parent) for file in files), "--format", "md"],
                                   cwd=shipped_project(folder), capture_output=True, text=True, check=False).stdout
        words = " ".join(words.replace("\u00a0", " ").replace("\\", "").split())
        claims = list(STEP.finditer(words))
        self.assertEqual([claim["precision"] for claim in claims], ["FP32", "BF16"], words[:3000])
        for claim in claims:
            fast, slow = (Step(runs[claim[name]], claim["precision"].lower()) for name in ("fast", "slow"))
            for name, expected in (("ms", fast.ms), ("other_ms", slow.ms), ("times", slow.ms / fast.ms),
                                   ("all", slow.ms - fast.ms), ("bandwidth", fast.bandwidth / slow.bandwidth)):
                self.assertAlmostEqual(number(claim[name]) / expected, 1, delta=0.005, msg=name)
            for name in ("optimizer", "others", "gemms"):
                # Summaries keep five digits of each of the numbers that are subtracted.
                self.assertAlmostEqual(number(claim[name]), getattr(slow, name) - getattr(fast, name), delta=0.06,
                                       msg=name)


if __name__ == "__main__":
    Comparison.program = sys.argv.pop(1)
    unittest.main()
