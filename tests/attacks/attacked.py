"""Helps to attack a front end: starts it with a mark that its workers inherit, watches it and kills it."""

import collections
import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "site"))
from project import ProjectTest  # noqa: E402: a neighbor's, found by the line above

MARK_VARIABLE = "LABREPORT_ATTACK"
LIFETIME_S = 600  # A test fails if a front end runs longer.
PATIENCE_S = 120  # The limit for what takes milliseconds on an idle machine.
DEMO = ("run", "--preset", "demo", "--sizes", "demo-1", "--launches", "2")
TWO_GPUS = ("run", "--preset", "quick", "--sizes", "small", "--contexts", "64,128,256", "--only",
            "benchmarking_script", "--gpus", "0,1", "--launches", "2")


def has_mark(pid, mark):
    """True for a marked process, even before exec; false for a zombie."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environment:
        return f"{MARK_VARIABLE}={mark}".encode() in environment.read().split(b"\0")
    return False


def marked_processes(mark):
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and has_mark(entry, mark)]


def children(pid, thread=None):
    """Returns the children that a thread of the process has started; by default, its first thread."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread or pid}/children",
                                            encoding="ascii") as listed:
        return [int(child) for child in listed.read().split()]
    return []


def becomes_true(condition, seconds=PATIENCE_S):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


def kill_marked(pid, mark, signal_number):
    """Sends a signal, unless the process id now belongs to another process. Returns whether it was sent."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        if not has_mark(pid, mark):
            return False
        signal.pidfd_send_signal(handle, signal_number)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)


class FrontEnd:
    """A running `labreport` with these arguments."""

    marks = itertools.count()

    def __init__(self, project, *words, **environment):
        self.mark = f"{os.getpid()}.{next(self.marks)}"
        # Each front end keeps its own file, even if the next one replaces the name.
        self.messages = open(project.folder / "said", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [project.program, *words], cwd=project.folder, stdout=subprocess.DEVNULL,
            stderr=self.messages, start_new_session=True,
            env={**project.environment, **environment, MARK_VARIABLE: self.mark})
        self.pid = self.process.pid

    def running(self):
        return self.process.poll() is None

    def workers(self):
        return children(self.pid)

    def kill(self, signal_number, front_end=True, workers=False):
        pids = self.workers() if workers else []
        pids += [self.pid] if front_end else []
        return [pid for pid in pids if kill_marked(pid, self.mark, signal_number)]

    def end(self):
        """Waits for its end; returns its exit status and its messages."""
        status = self.process.wait(timeout=LIFETIME_S)
        self.messages.seek(0)
        text = self.messages.read()
        self.messages.close()
        return status, text


class KeptRun:
    """The run in a folder, read without the program."""

    def __init__(self, root):
        files = sorted(pathlib.Path(root).rglob("run.json"))
        if len(files) > 1:
            raise AssertionError(f"{len(files)} runs in {root}")
        self.folder = files[0].parent if files else None
        self.launches = {}  # The status by (cell id, launch number).
        if not self.folder:
            return
        self.run = json.loads(files[0].read_text(encoding="utf-8"))
        for cell in self.run["cells"]:
            for number, launch in enumerate(cell["launches"]):
                self.launches[cell["id"], number] = launch["outcome"]["status"]
        for file in self.folder.glob("cells/*.json"):
            launch = json.loads(file.read_text(encoding="utf-8"))
            key = launch["id"], launch["launch"]
            self.launches.setdefault(key, launch["result"]["outcome"]["status"])

    def is_incomplete(self):
        return self.folder is not None and (self.folder / "cells").is_dir()

    def results(self):
        """Counts the launches of each cell that no resume repeats."""
        repeated_statuses = ("timeout", "crashed", "error")
        return collections.Counter(cell for (cell, _), status in self.launches.items()
                                   if status not in repeated_statuses)


def comparable(run, measured):
    """Returns the run without times, sessions and the order of devices, which differ between equal runs. If `measured`
    is true, real measurements differ too, and only their names are kept."""
    def comparable_launch(launch):
        result = {key: launch[key] for key in ("outcome", "metrics", "tables")}
        if measured:
            result["metrics"] = [(metric["tag"], metric["name"]) for metric in result["metrics"]]
            result["tables"] = [table["name"] for table in result["tables"]]
        return result

    result = {key: run.get(key) for key in ("schema_version", "edition", "preset", "source")}
    result["devices"] = sorted(json.dumps(device) for device in run["devices"])
    result["cells"] = [{"id": cell["id"], "launches": [comparable_launch(launch) for launch in cell["launches"]]}
                       for cell in run["cells"]]
    return result


def fake_two_gpus(project, fakes):
    """Returns variables for the fake driver with two alike GPUs, and a worker that runs on both."""
    worker = project.folder / "two/labreport-worker"
    worker.parent.mkdir()
    worker.symlink_to(f"{fakes}/worker")
    pathlib.Path(f"{worker}.json").write_text('{"torch": "2.11.0", "cuda": "13.0", "architectures": []}',
                                              encoding="utf-8")
    return {"LABREPORT_WORKER": str(worker), "LABREPORT_NVML": f"{fakes}/nvml.so", "FAKE_NVML": "alike"}


__all__ = ["DEMO", "LIFETIME_S", "TWO_GPUS", "FrontEnd", "KeptRun", "ProjectTest", "becomes_true", "children",
           "comparable", "fake_two_gpus", "marked_processes"]
