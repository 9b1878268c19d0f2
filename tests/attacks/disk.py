"""Makes a project whose disk goes wrong at a chosen call; see tests/fakes/disk.cpp."""

import errno
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "site"))
from project import Project, tree  # noqa: E402: a neighbor's, found by the line above


def error_text(name):
    return os.strerror(getattr(errno, name))


class Call:
    """A call that changes a file, from its line in the log: "write", "site/runs/…"."""

    def __init__(self, line, folder):
        self.name, path = line.split(" ", 1)
        self.path = os.path.relpath(path, folder)

    def __repr__(self):
        return f"{self.name} {self.path}"


class Outcome:
    """How the program ended, all of its calls, and those before the call that went wrong."""

    def __init__(self, process, log, folder):
        self.status, self.output, self.messages = process.returncode, process.stdout, process.stderr
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        fault_line = lines.index("fault") if "fault" in lines else None
        self.went_wrong = fault_line is not None
        self.calls = [Call(line, folder) for line in lines if line != "fault"]
        self.calls_before = self.calls[:fault_line]

    def complaints(self):
        return [line for line in self.messages.splitlines() if line.startswith("labreport: ")]


class DiskProject(Project):
    """A project in which the calls below `disk`, one of its folders, are counted."""

    def __init__(self, folder, program, fakes, disk="."):
        super().__init__(folder, program, fakes)
        self.preload = f"{fakes}/disk.so"
        self.disk = (self.folder / disk).resolve()
        self.log = self.folder.parent / (self.folder.name + ".log")

    def call_with_fault(self, words, at=0, fault="", **environment):
        """Runs the program and returns its Outcome. Its `at`-th call goes wrong as `fault` says: an error's name,
        "once" and a name, "short", "kill" or "vanish". If `at` is 0, no call goes wrong."""
        self.log.unlink(missing_ok=True)
        numeric_fault = re.sub(r"E[A-Z]+", lambda name: str(getattr(errno, name[0])), fault)
        process = subprocess.run(
            [self.program, *words], cwd=self.folder, check=False, capture_output=True, text=True,
            timeout=120, env={**self.environment, **environment, "LD_PRELOAD": self.preload,
                              "FAKE_DISK": str(self.disk), "FAKE_DISK_PROGRAM": "labreport",
                              "FAKE_DISK_LOG": str(self.log), "FAKE_DISK_AT": str(at),
                              "FAKE_DISK_FAULT": numeric_fault})
        return Outcome(process, self.log, self.folder)

    def remove_folders(self, *names):
        for name in names:
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def restore(self, name, files):
        """Gives a folder the files that tree() returned."""
        self.remove_folders(name)
        for path, data in files.items():
            (self.folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name / path).write_bytes(data)
