"""Adds to a clone what its user may leave there, so that a test that reads any of it fails:

python3 tests/states/plant.py FOLDER
python3 tests/states/plant.py --remove FOLDER

These are newer runs than those that ship, with times that are three times as long, a run that no program can read, dropped
runs, notes and own files with odd words and paths, a submission and the build of another preset. `make test` passes all the
same: .ci/run calls it between, and tests/architecture looks at a tree with all this. No file is replaced.
"""
import contextlib
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import measured_runs  # noqa: E402: a neighbor's, found by the line above

NEWEST = "20991231-235959-0000beef"
ODD_WORDS = "TO" + "DO: see /" + "home/me/thesis, {{#unclosed}} <b> `$\\frac{1$ [a page](nowhere.md)\n"
OWN_FILES = ("notes/benchmarking_script.b.md", "notes/nobody_asked.md", "my_model.py", "plan.md", "analysis/README.md",
             "analysis/CMakeLists.txt", "submission/report.tex", "submission/parts/run.sh", "writeup.pdf", "code.zip",
             "build-other/CMakeCache.txt", "build-other/bin/labreport", "shards/cpu/2026/one/run.json")


def slower(run):
    """Returns the text of a run as if its user had measured it, much later and with other times."""
    data = json.loads((run / "run.json").read_text(encoding="utf-8"))
    data["sessions"][0]["started_at"] = "2099-12-31T23:59:59Z"
    for metric in (metric for cell in data["cells"] for launch in cell["launches"] for metric in launch["metrics"]):
        if metric["unit"] == "ns" and "samples" in metric:
            metric["samples"] = [3 * sample for sample in metric["samples"]]
    return json.dumps(data)


def users_files(root):
    """Yields the path and the bytes of each file that is added."""
    shipped = {run.parent: run for run in reversed(measured_runs(root=root))}  # The first run of each GPU and edition.
    for run in shipped.values():
        dropped = root / "site/dropped" / run.relative_to(root / "site/runs")
        yield run.with_name(NEWEST) / "run.json", slower(run).encode()
        yield run.with_name(NEWEST) / "notes/nsys_profile.a.md", ODD_WORDS.encode()
        yield dropped / "run.json", (run / "run.json").read_bytes()
        yield dropped / "reference", b""
    yield root / "site/runs/cpu/2026" / NEWEST / "run.json", b"{"
    yield root / "notes/latin.md", b"na\xefve\n"
    for name in OWN_FILES:
        yield root / name, ODD_WORDS.encode()


def plant(folder):
    files = list(users_files(pathlib.Path(folder)))
    taken = [str(path) for path, _ in files if path.exists()]
    if taken:
        sys.exit(f"{taken[0]} is there already; move it away")
    for path, content in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def remove(folder):
    """Removes what plant() added, if it is as it was, and the folders that are empty then."""
    for path, content in list(users_files(pathlib.Path(folder))):
        if path.is_file() and path.read_bytes() == content:
            path.unlink()
        with contextlib.suppress(OSError):
            for above in path.relative_to(folder).parents[:-1]:
                (folder / above).rmdir()


if __name__ == "__main__":
    words = sys.argv[1:]
    if len(words) not in (1, 2) or words[:-1] not in ([], ["--remove"]):
        sys.exit(__doc__)
    (remove if len(words) == 2 else plant)(pathlib.Path(words[-1]))
