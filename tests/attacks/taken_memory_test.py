"""Another process takes the GPU's memory while a run goes on: the launch that found none is kept and
flagged, its cell is measured once more, and both count as what they are. Needs a GPU.

python3 taken_memory_test.py LABREPORT FAKES WORKER, where python3 has torch.
"""

import subprocess
import sys
import unittest

from attacked import FrontEnd, Kept, ProjectTest, soon

THIEF = """
import sys, torch
free, _ = torch.cuda.mem_get_info()
taken = torch.empty(free - (2 << 30), dtype=torch.uint8, device="cuda")
print("taken", flush=True)
sys.stdin.read()
"""
RUN = ("run", "--preset", "quick", "--only", "benchmarking_script.b", "--sizes", "small",
       "--contexts", "512", "--modes", "inference,train_step")
PATIENCE = 60


class TakenMemory(ProjectTest):
    worker = ""

    def setUp(self):
        super().setUp()
        self.thief = subprocess.Popen([sys.executable, "-c", THIEF], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.thief.stdout.close)
        self.addCleanup(self.let_go)
        self.assertEqual(self.thief.stdout.readline(), "taken\n")
        self.front_end = FrontEnd(self.project, *RUN, LABREPORT_WORKER=self.worker,
                                  LABREPORT_NVML="libnvidia-ml.so.1")

    def let_go(self):
        if not self.thief.stdin.closed:
            self.thief.stdin.close()
        self.thief.wait()

    def launches(self, mode):
        cells = [cell for cell in Kept(self.project.folder / "site/runs").run["cells"]
                 if cell["params"].get("mode") == mode]
        self.assertEqual(len(cells), 1)
        return cells[0]["launches"]

    def assert_flagged(self, launch):
        self.assertTrue(any("other process" in warning for warning in launch["warnings"]),
                        launch["warnings"])

    def test_a_thief_that_stays_leaves_two_launches_out_of_memory(self):
        status, words = self.front_end.end()
        self.assertEqual(status, 0, words)
        step = self.launches("train_step")
        self.assertEqual([launch["outcome"]["status"] for launch in step], ["oom", "oom"], words)
        for launch in step:
            self.assert_flagged(launch)
        fits = self.launches("inference")
        self.assertEqual([launch["outcome"]["status"] for launch in fits], ["ok"], words)

    def test_a_thief_that_goes_leaves_the_launch_without_memory_and_a_measured_one(self):
        def one_is_out_of_memory():
            return "oom" in Kept(self.project.folder / "site/runs").launches.values()
        self.assertTrue(soon(one_is_out_of_memory, PATIENCE))
        self.let_go()
        status, words = self.front_end.end()
        self.assertEqual(status, 0, words)
        cells = Kept(self.project.folder / "site/runs").run["cells"]
        became = [[launch["outcome"]["status"] for launch in cell["launches"]] for cell in cells]
        self.assertEqual(sorted(became), [["ok"], ["ok"], ["oom", "ok"]], words)
        self.assert_flagged(cells[became.index(["oom", "ok"])]["launches"][0])


if __name__ == "__main__":
    TakenMemory.program, TakenMemory.fakes, TakenMemory.worker = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
