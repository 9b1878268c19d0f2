"""Tests an index out of range in the model. After it the process cannot use the GPU any more. It ends one launch with
its reason. The next launches are other processes and are not affected.

python3 wrong_index_test.py LABREPORT FAKES WORKER LIBRARY [--device cuda]
"""

import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "site"))
from project import ProjectTest  # noqa: E402: a neighbor's, found by the line above

from attacked import KeptRun  # noqa: E402

BAD_WIDTH = "128"
SIZES = ("--size", "first=64,128,1,2", "--size", "wrong=128,256,1,2", "--size", "last=64,256,1,2",
         "--sizes", "first,wrong,last")
REASONS = {"cpu": "out of range|out of bounds", "cuda": "device-side assert triggered"}


class WrongIndex(ProjectTest):
    worker = library = ""
    device = "cpu"

    def measure(self, *words, status=0, **environment):
        preset = "demo" if self.device == "cpu" else "quick"
        monitor = {"LABREPORT_NVML": "libnvidia-ml.so.1"} if self.device == "cuda" else {}
        self.project.call("run", "--preset", preset, "--only", "benchmarking_script.b", "--contexts",
                          "64", "--modes", "train_step", "--keep-env", *SIZES, *words,
                          status=status, LABREPORT_WORKER=self.worker, **monitor, **environment)
        return KeptRun(self.project.folder / "site/runs")

    def test_only_the_wrong_model_fails_and_a_mended_one_is_resumed(self):
        kept = self.measure(status=1, LD_PRELOAD=self.library, WRONG_INDEX=BAD_WIDTH)
        statuses = {}
        for cell in kept.run["cells"]:
            outcome = cell["launches"][0]["outcome"]
            statuses.setdefault(cell["params"].get("size"), set()).add(outcome["status"])
            if outcome["status"] != "ok":
                self.assertRegex(outcome["message"], REASONS[self.device])
        limits = statuses.pop(None)  # The limits of the device have no size.
        self.assertEqual(limits, {"ok"})
        self.assertEqual(statuses, {"first": {"ok"}, "wrong": {"error"}, "last": {"ok"}})
        mended = self.measure("--resume", "--out", str(kept.folder))
        self.assertEqual(set(mended.launches.values()), {"ok"})


if __name__ == "__main__":
    if "--device" in sys.argv:
        WrongIndex.device = sys.argv.pop(sys.argv.index("--device") + 1)
        sys.argv.remove("--device")
    WrongIndex.program, WrongIndex.fakes, WrongIndex.worker, WrongIndex.library = sys.argv[1:5]
    del sys.argv[1:5]
    unittest.main()
