"""A front end under attack: started with a mark that its workers inherit, watched, and killed."""

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

MARK = "LABREPORT_ATTACK"
LIFE = 600  # seconds after which a front end is ended
PATIENCE = 120  # seconds for what takes milliseconds on a quiet machine
DEMO = ("run", "--preset", "demo", "--sizes", "demo-1", "--launches", "2")
TWO = ("run", "--preset", "quick", "--sizes", "small", "--contexts", "64,128,256", "--only",
       "benchmarking_script", "--gpus", "0,1", "--launches", "2")


def has_mark(pid, mark):
    """Also before it has become its program; never once it is a zombie."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environment:
        return f"{MARK}={mark}".encode() in environment.read().split(b"\0")
    return False


def alive(mark):
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and has_mark(entry, mark)]


def children(pid, thread=None):
    """The children that a thread has started; without one, the first thread."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread or pid}/children",
                                            encoding="ascii") as listed:
        return [int(child) for child in listed.read().split()]
    return []


def soon(holds, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.002)
    return True


def kill_marked(pid, mark, number):
    """Whether the signal was sent: the number may be another process's by now."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        if not has_mark(pid, mark):
            return False
        signal.pidfd_send_signal(handle, number)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)


class FrontEnd:
    """`labreport` with these words, running."""

    marks = itertools.count()

    def __init__(self, project, *words, **environment):
        self.mark = f"{os.getpid()}.{next(self.marks)}"
        self.said = open(project.folder / "said", "w+", encoding="utf-8")  # its own, even if renamed
        self.process = subprocess.Popen(
            [project.program, *words], cwd=project.folder, stdout=subprocess.DEVNULL,
            stderr=self.said, start_new_session=True,
            env={**project.environment, **environment, MARK: self.mark})
        self.pid = self.process.pid

    def running(self):
        return self.process.poll() is None

    def workers(self):
        return children(self.pid)

    def kill(self, number, front_end=True, workers=False):
        pids = self.workers() if workers else []
        pids += [self.pid] if front_end else []
        return [pid for pid in pids if kill_marked(pid, self.mark, number)]

    def end(self):
        """Its exit status and what it said; whatever it leaves behind is found by its mark."""
        status = self.process.wait(timeout=LIFE)
        self.said.seek(0)
        words = self.said.read()
        self.said.close()
        return status, words


class Kept:
    """What lies in a run's folder, read without the program's help."""

    def __init__(self, root):
        files = sorted(pathlib.Path(root).rglob("run.json"))
        if len(files) > 1:
            raise AssertionError(f"{len(files)} runs in {root}")
        self.folder = files[0].parent if files else None
        self.launches = {}  # (cell, number): status
        if not self.folder:
            return
        self.run = json.loads(files[0].read_text(encoding="utf-8"))
        for cell in self.run["cells"]:
            for number, launch in enumerate(cell["launches"]):
                self.launches[cell["id"], number] = launch["outcome"]["status"]
        for file in self.folder.glob("cells/*.json"):
            beside = json.loads(file.read_text(encoding="utf-8"))
            key = beside["id"], beside["launch"]
            self.launches.setdefault(key, beside["result"]["outcome"]["status"])

    def can_go_on(self):
        return self.folder is not None and (self.folder / "cells").is_dir()

    def results(self):
        """How many launches each cell has that no resume repeats."""
        repeated = ("timeout", "crashed", "error")
        return collections.Counter(cell for (cell, _), status in self.launches.items()
                                   if status not in repeated)


def essence(run, measured):
    """The run without what differs from time to time: moments, sessions, which of equal places; of
    what was really measured only its names."""
    def body(launch):
        kept = {key: launch[key] for key in ("outcome", "metrics", "tables")}
        if measured:
            kept["metrics"] = [(metric["tag"], metric["name"]) for metric in kept["metrics"]]
            kept["tables"] = [table["name"] for table in kept["tables"]]
        return kept

    whole = {key: run.get(key) for key in ("schema_version", "edition", "preset", "source")}
    whole["devices"] = sorted(json.dumps(device) for device in run["devices"])
    whole["cells"] = [{"id": cell["id"], "launches": [body(launch) for launch in cell["launches"]]}
                      for cell in run["cells"]]
    return whole


def have_two_gpus(project, fakes):
    """The fake driver's two, and a worker that runs on both."""
    worker = project.folder / "two/labreport-worker"
    worker.parent.mkdir()
    worker.symlink_to(f"{fakes}/worker")
    pathlib.Path(f"{worker}.json").write_text('{"torch": "2.11.0", "cuda": "13.0", "architectures": []}',
                                              encoding="utf-8")
    return {"LABREPORT_WORKER": str(worker), "LABREPORT_NVML": f"{fakes}/nvml.so", "FAKE_NVML": "alike"}


__all__ = ["DEMO", "TWO", "FrontEnd", "Kept", "ProjectTest", "alive", "children", "essence",
           "have_two_gpus", "soon"]
