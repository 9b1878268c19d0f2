"""Adds to a clone what its user may leave there, so that a test that reads any of it fails:

python3 tests/states/plant.py FOLDER

These are newer runs than those that ship, with times that are three times as long, a run that no program can read, a
dropped run, notes and own files with odd words and paths, a submission and the build of another preset. `make test` passes
all the same: .ci/run calls it afterwards, and tests/architecture looks at a tree with all this.
"""
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import copy_run, measured_runs  # noqa: E402: a neighbor's, found by the line above

NEWEST = "20991231-235959-0000beef"
ODD_WORDS = "TO" + "DO: see /" + "home/me/thesis, {{#unclosed}} <b> `$\\frac{1$ [a page](nowhere.md)\n"
OWN_FILES = ("notes/benchmarking_script.b.md", "notes/nobody_asked.md", "my_model.py", "plan.md", "analysis/README.md",
             "analysis/CMakeLists.txt", "submission/report.tex", "submission/parts/run.sh", "site/public/index.html",
             "build-other/CMakeCache.txt", "build-other/bin/labreport", "shards/cpu/2026/one/run.json")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def slower(run):
    """Returns the text of a run as if its user had measured it, much later and with other times."""
    data = json.loads((run / "run.json").read_text(encoding="utf-8"))
    data["sessions"][0]["started_at"] = "2099-12-31T23:59:59Z"
    for metric in (metric for cell in data["cells"] for launch in cell["launches"] for metric in launch["metrics"]):
        if metric["unit"] == "ns" and "samples" in metric:
            metric["samples"] = [3 * sample for sample in metric["samples"]]
    return json.dumps(data)


def plant(folder):
    root = pathlib.Path(folder)
    shipped = {run.parent: run for run in reversed(measured_runs(root=root))}  # The first run of each GPU and edition.
    for run in shipped.values():
        write(run.with_name(NEWEST) / "run.json", slower(run))
        write(run.with_name(NEWEST) / "notes/nsys_profile.a.md", ODD_WORDS)
        copy_run(run, root / "site/dropped" / run.relative_to(root / "site/runs"))
    write(root / "site/runs/cpu/2026" / NEWEST / "run.json", "{")
    for name in OWN_FILES:
        write(root / name, ODD_WORDS)
    (root / "notes/latin.md").write_bytes(b"na\xefve\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    plant(sys.argv[1])
