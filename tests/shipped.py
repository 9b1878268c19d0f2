"""Finds what ships with the project. Tests look at this and at fixtures of their own, never at what a user adds to a
clone: runs, notes, a submission, own files, the history of git.

`make test` therefore passes in a clone in which somebody measures, publishes and drops runs, in an archive without git,
and in a clone without the shipped runs, where tests say that they are skipped. results/shipped_runs.h does this in C++.
"""
import pathlib
import shutil
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The runs of an H200 and an H100 with every problem of one GPU, by the beginning of their place below site/runs.
WHOLE_RUNS = ("nvidia-h200/2025/20261122", "nvidia-h100-80gb-hbm3/2025/20261123")

# Folders and files of the project. A user may put others beside them and, as a fork does, also commit those.
OWN_FOLDERS = (".ci", ".github", "cmake", "docs", "experiments", "setup", "src", "templates", "tests")
OWN_FILES = (".clang-format", ".clang-tidy", ".dockerignore", ".gitignore", "CHANGELOG.md", "CMakeLists.txt",
             "CMakePresets.json", "CONTRIBUTING.md", "Containerfile", "LICENSE", "Makefile", "README.md")


# Runs of a CPU for the tests alone: a demonstration, and one with an attention of the user's.
DEMONSTRATIONS = sorted(file.parent for file in (ROOT / "tests/fixtures/runs").glob("*/run.json"))


def own_files(root=ROOT):
    """Returns the relative paths of the project's files without its runs, sorted."""
    root = pathlib.Path(root)
    found = [root / name for name in OWN_FILES]
    found += (root / "site").glob("*")  # Its folders hold runs and what is made of them.
    for folder in OWN_FOLDERS:
        found += (root / folder).rglob("*")
    return sorted(path.relative_to(root).as_posix() for path in found
                  if path.is_file() and "__pycache__" not in path.parts)


def pages(root=ROOT):
    """Returns the documents that the project's readers are led to."""
    return [pathlib.Path(root) / name for name in own_files(root)
            if name.endswith(".md") and name.rpartition("/")[0] in ("", "docs")]


def skip(reason):
    """Skips the current test or class. The reason is printed, because unittest prints only that something was skipped."""
    print("\nskipped:", reason, file=sys.stderr)
    raise unittest.SkipTest(reason)


def shipped_runs(place="", root=ROOT):
    """Returns the folders of the runs that ship with the project: those marked as reference runs, as
    RunStore::is_reference tells them. `place` is the beginning of their path below site/runs, as in "nvidia-h200/2025".
    """
    runs = pathlib.Path(root) / "site/runs"
    marked = (mark.parent for mark in sorted(runs.glob("*/*/*/reference")) if (mark.parent / "run.json").is_file())
    return [run for run in marked if run.relative_to(runs).as_posix().startswith(place)]


def measured_runs(place="", root=ROOT):
    return [run for run in shipped_runs(place, root) if not (run / "imported").exists()]


def need_run(place=""):
    """Returns the first shipped run of a place. Skips the test if it was dropped or taken away."""
    runs = shipped_runs(place)
    return runs[0] if runs else skip(f"no run that ships with the project is here at site/runs/{place}")


def need_git():
    """Skips a test that makes a clone of its own where git is not installed."""
    if not shutil.which("git"):
        skip("git is not installed")


def need_clone():
    """Skips a test that clones the project if git does not know it, as in an unpacked archive."""
    need_git()
    if not (ROOT / ".git").exists():
        skip("this is no clone of the project")


def copy_run(run, folder):
    """Copies a run's own files, without what a user may have added to its folder."""
    folder.mkdir(parents=True)
    for name in ("run.json", "reference", "imported"):
        if (run / name).exists():
            shutil.copy(run / name, folder)


def shipped_project(folder):
    """Makes a folder with the shipped runs in site/runs, and returns it. A program that is started there finds these runs
    and no others, because it looks for runs and notes in the current folder. Skips the test if none was measured."""
    if not measured_runs():
        skip("no measured run that ships with the project is here")
    for run in shipped_runs():
        copy_run(run, pathlib.Path(folder) / run.relative_to(ROOT))
    return folder
