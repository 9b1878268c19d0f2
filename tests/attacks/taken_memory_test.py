"""Tests a run while another process takes the GPU's memory: the launch without memory is kept and flagged, and its cell
is measured once more. Needs a GPU.

python3 taken_memory_test.py LABREPORT FAKES WORKER, where python3 has torch.
"""

import subprocess
import sys
import unittest

from attacked import FrontEnd, KeptRun, ProjectTest, becomes_true

OTHER_PROCESS = """
import sys, torch
free, _ = torch.cuda.mem_get_info()
taken = torch.empty(free - (2 << 30), dtype=torch.uint8, device="cuda")
print("taken", flush=True)
sys.stdin.read()
"""
RUN = ("run", "--preset", "quick", "--only", "benchmarking_script.b", "--sizes", "small",
       "--contexts", "512", "--modes", "inference,train_step")
PATIENCE_S = 60


class TakenMemory(ProjectTest):
    worker = ""

    def setUp(self):
        super().setUp()
        self.other_process = subprocess.Popen([sys.executable, "-c", OTHER_PROCESS], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.other_process.stdout.close)
        self.addCleanup(self.free_memory)
        self.assertEqual(self.other_process.stdout.readline(), "taken\n")
        self.front_end = FrontEnd(self.project, *RUN, LABREPORT_WORKER=self.worker,
                                  LABREPORT_NVML="libnvidia-ml.so.1")

    def free_memory(self):
        if not self.other_process.stdin.closed:
            self.other_process.stdin.close()
        self.other_process.wait()

    def launches(self, mode):
        cells = [cell for cell in KeptRun(self.project.folder / "site/runs").run["cells"]
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
        def has_out_of_memory_launch():
            return "oom" in KeptRun(self.project.folder / "site/runs").launches.values()
        self.assertTrue(becomes_true(has_out_of_memory_launch, PATIENCE_S))
        self.free_memory()
        status, words = self.front_end.end()
        self.assertEqual(status, 0, words)
        cells = KeptRun(self.project.folder / "site/runs").run["cells"]
        statuses = [[launch["outcome"]["status"] for launch in cell["launches"]] for cell in cells]
        self.assertEqual(sorted(statuses), [["ok"], ["ok"], ["oom", "ok"]], words)
        self.assert_flagged(cells[statuses.index(["oom", "ok"])]["launches"][0])


if __name__ == "__main__":
    TakenMemory.program, TakenMemory.fakes, TakenMemory.worker = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
