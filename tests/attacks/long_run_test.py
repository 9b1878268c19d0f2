"""Tests that a run of very many cells costs little beside its workers, and no more memory than a short run.

python3 long_run_test.py LABREPORT FAKES [--cells 2000]
"""

import argparse
import contextlib
import os
import sys
import tempfile
import time
import unittest

from attacked import FrontEnd, KeptRun, ProjectTest

WORDS = ("run", "--preset", "demo", "--sizes", "demo-1", "--only", "benchmarking_script.b")
MODES = 4
MEBIBYTE = 1 << 20


class Usage:
    """Samples the memory and the processor time of a front end until it ends."""

    def __init__(self, front_end):
        self.memory = []  # Resident bytes at each sample.
        self.seconds = 0  # Processor time at the last sample.
        while front_end.running():
            with contextlib.suppress(OSError, IndexError, ValueError):
                self.sample(front_end.pid)
            time.sleep(0.05)

    def sample(self, pid):
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
            self.memory.append(int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
        self.seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class LongRun(ProjectTest):
    cells = 2000

    def measure(self, cells, root):
        """Runs `cells` cells; returns the front end's Usage."""
        contexts = ",".join(str(8 + i) for i in range(cells // MODES))
        start = time.monotonic()
        front_end = FrontEnd(self.project, *WORDS, "--contexts", contexts, "--out", root)
        usage = Usage(front_end)
        status, words = front_end.end()
        usage.wall = time.monotonic() - start
        self.assertEqual(status, 0, words)
        kept = KeptRun(root)
        self.assertEqual(len(kept.launches), cells + 1, "with the device's limits")
        worker_ns = sum(launch["wall_ns"] for cell in kept.run["cells"] for launch in cell["launches"])
        usage.overhead = (usage.wall - worker_ns / 1e9) / cells
        return usage

    def test_thousands_of_cells_cost_little_time_and_memory(self):
        # A RAM disk is preferred, because the speed of a disk is not what is tested.
        ram_disk = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=ram_disk) as folder:
            short = self.measure(self.cells // 4, os.path.join(folder, "short"))
            long = self.measure(self.cells, os.path.join(folder, "long"))
        # The last samples are from the merge, which needs the whole run.json in memory.
        short_memory, long_memory = (samples[len(samples) * 9 // 10] for samples in (short.memory, long.memory))
        print(f"{self.cells} cells: {long.overhead * 1e3:.2f} ms a cell beside the workers' lives, "
              f"{long.seconds / self.cells * 1e3:.2f} ms of a processor; "
              f"{short_memory / MEBIBYTE:.0f} MiB in a quarter of it, {long_memory / MEBIBYTE:.0f} MiB in all of it, "
              f"{max(long.memory) / MEBIBYTE:.0f} MiB at the merge", file=sys.stderr)
        self.assertLess(long_memory - short_memory, 16 * MEBIBYTE)
        self.assertLess(max(long.memory), 256 * MEBIBYTE)
        # Two runs of the program are compared, so that the machine's speed does not matter. On a busy machine the last
        # sample misses a tenth of a second, which is why the shorter run must not be much shorter.
        self.assertLess(long.seconds, 3 * 4 * short.seconds, "four times the cells, and a tolerance of three")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("fakes")
    parser.add_argument("--cells", type=int, default=LongRun.cells)
    given, rest = parser.parse_known_args()
    LongRun.program, LongRun.fakes, LongRun.cells = given.program, given.fakes, given.cells
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
