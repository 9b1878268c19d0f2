"""Draws and typesets well-formed runs that nobody measured. Tests that no run costs another its pictures, and that the
program ends by itself.

  drawn_runs_test.py LABREPORT HOSTILE_RUNS RECORDED FIRST COUNT
"""

import os
import subprocess
import sys
import tempfile

AT_A_TIME = 25


def render(labreport, runs, out):
    """Renders the runs and returns the messages. Status 1 means that a format of a run could not be made."""
    result = subprocess.run([labreport, "render", *runs, "--format", "html,pdf", "--out", out],
                            capture_output=True, text=True, check=False, timeout=1800)
    assert result.returncode in (0, 1), (result.returncode, runs, result.stderr[-2000:])
    return result.stderr


def main():
    labreport, hostile_runs, recorded, first, count = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([hostile_runs, recorded, first, count, folder + "/runs"], check=True)
        runs = sorted(folder + "/runs/" + name for name in os.listdir(folder + "/runs"))
        pages = drawn = 0
        for begin in range(0, len(runs), AT_A_TIME):
            out = f"{folder}/site-{begin}"
            words = render(labreport, runs[begin:begin + AT_A_TIME], out)
            for path, _, files in os.walk(out):
                pages += "index.html" in files and path != out
                drawn += "report.pdf" in files
            if words:
                print(words, file=sys.stderr)
        print(f"{len(runs)} runs, {pages} pages, {drawn} PDFs")
        assert pages and drawn


if __name__ == "__main__":
    main()
