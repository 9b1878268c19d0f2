"""A run of very many cells costs little beside its workers, and no more memory than a short one.

python3 long_run_test.py LABREPORT FAKES [--cells 2000]
"""

import argparse
import contextlib
import os
import sys
import tempfile
import time
import unittest

from attacked import FrontEnd, Kept, ProjectTest

WORDS = ("run", "--preset", "demo", "--sizes", "demo-1", "--only", "benchmarking_script.b")
MODES = 4
MEBIBYTE = 1 << 20


class Watched:
    """What the front end itself used, by the last look at it."""

    def __init__(self, front_end):
        self.memory = []  # bytes, from look to look
        self.seconds = 0  # of a processor
        while front_end.running():
            with contextlib.suppress(OSError, IndexError, ValueError):
                self.look(front_end.pid)
            time.sleep(0.05)

    def look(self, pid):
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
            self.memory.append(int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
        self.seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class LongRun(ProjectTest):
    cells = 2000

    def measure(self, cells, root):
        """A run into memory, where there is a file system of it: a disk's speed is its own affair."""
        contexts = ",".join(str(8 + i) for i in range(cells // MODES))
        began = time.monotonic()
        front_end = FrontEnd(self.project, *WORDS, "--contexts", contexts, "--out", root)
        watched = Watched(front_end)
        status, words = front_end.end()
        watched.wall = time.monotonic() - began
        self.assertEqual(status, 0, words)
        kept = Kept(root)
        self.assertEqual(len(kept.launches), cells + 1, "with the device's limits")
        lives = sum(launch["wall_ns"] for cell in kept.run["cells"] for launch in cell["launches"])
        watched.overhead = (watched.wall - lives / 1e9) / cells
        return watched

    def test_of_thousands_of_cells(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            short = self.measure(self.cells // 4, os.path.join(folder, "short"))
            long = self.measure(self.cells, os.path.join(folder, "long"))
        # The last looks are at the merge, which holds the whole of run.json.
        early, late = (looks[len(looks) * 9 // 10] for looks in (short.memory, long.memory))
        print(f"{self.cells} cells: {long.overhead * 1e3:.2f} ms a cell beside the workers' lives, "
              f"{long.seconds / self.cells * 1e3:.2f} ms of a processor; "
              f"{early / MEBIBYTE:.0f} MiB in a quarter of it, {late / MEBIBYTE:.0f} MiB in all of it, "
              f"{max(long.memory) / MEBIBYTE:.0f} MiB at the merge", file=sys.stderr)
        self.assertLess(late - early, 16 * MEBIBYTE)
        self.assertLess(max(long.memory), 256 * MEBIBYTE)
        # Compares the program's time with its own, so that the machine's speed does not matter. Both are read until the
        # last look, which on a busy machine misses a tenth of a second: too much of a much shorter run.
        self.assertLess(long.seconds, 3 * 4 * short.seconds)


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
