"""A project whose disk goes wrong at a call of one's choice; see tests/fakes/disk.cpp."""

import errno
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "site"))
from project import Project, tree  # noqa: E402: a neighbor's, found by the line above


def reason(name):
    return os.strerror(getattr(errno, name))


class Call:
    """One call that changed something, or was to: "write", "site/runs/…"."""

    def __init__(self, line, folder):
        self.what, path = line.split(" ", 1)
        self.path = os.path.relpath(path, folder)

    def __repr__(self):
        return f"{self.what} {self.path}"


class Outcome:
    """What became of the program, and its calls up to the one that went wrong and after it."""

    def __init__(self, ended, log, folder):
        self.status, self.output, self.messages = ended.returncode, ended.stdout, ended.stderr
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        cut = lines.index("fault") if "fault" in lines else None
        self.went_wrong = cut is not None
        self.calls = [Call(line, folder) for line in lines if line != "fault"]
        self.done = self.calls[:cut]

    def complaints(self):
        return [line for line in self.messages.splitlines() if line.startswith("labreport: ")]


class DiskProject(Project):
    """The calls counted are those below `disk`, a folder of the project."""

    def __init__(self, folder, program, fakes, disk="."):
        super().__init__(folder, program, fakes)
        self.preload = f"{fakes}/disk.so"
        self.disk = (self.folder / disk).resolve()
        self.log = self.folder.parent / (self.folder.name + ".log")

    def suffer(self, words, at=0, fault="", **environment):
        """Calls the program; the `at`-th call of its goes wrong as `fault` says: an error's name,
        "once" and a name, "short", "kill" or "vanish"."""
        self.log.unlink(missing_ok=True)
        number = re.sub(r"E[A-Z]+", lambda name: str(getattr(errno, name[0])), fault)
        ended = subprocess.run(
            [self.program, *words], cwd=self.folder, check=False, capture_output=True, text=True,
            timeout=120, env={**self.environment, **environment, "LD_PRELOAD": self.preload,
                              "FAKE_DISK": str(self.disk), "FAKE_DISK_PROGRAM": "labreport",
                              "FAKE_DISK_LOG": str(self.log), "FAKE_DISK_AT": str(at),
                              "FAKE_DISK_FAULT": number})
        return Outcome(ended, self.log, self.folder)

    def forget(self, *names):
        for name in names:
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def restore(self, name, kept):
        """Makes a folder hold what tree() saw there."""
        self.forget(name)
        for path, data in kept.items():
            (self.folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name / path).write_bytes(data)
