"""Runs a Slurm of one node in a folder: munged, slurmctld and slurmd, with their own configuration."""

import os
import pathlib
import shutil
import socket
import subprocess
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
SLOTS = 4
PATIENCE = 60  # seconds to wait for an event that usually takes one or two

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
KillWait=5
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={slots} RealMemory=1000 State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=60 State=UP
"""


def missing():
    """Returns the reason why no cluster can run here; empty if one can."""
    absent = [name for name in DAEMONS if not find(name)]
    if absent:
        return f"Slurm is not installed ({', '.join(absent)}: Debian's slurm-wlm and munge)"
    return "" if os.geteuid() == 0 else "slurmctld and slurmd are started as root"


def find(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.daemons = []
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], controller=free_port(), node=free_port(),
            folder=self.folder, slots=SLOTS), encoding="utf-8")
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration)}

    def start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        munge = {name: f"{self.folder}/munge.{name}" for name in ("socket", "pid", "log", "seed")}
        self.begin("munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={munge['socket']}", f"--pid-file={munge['pid']}",
                   f"--log-file={munge['log']}", f"--seed-file={munge['seed']}")
        self.wait_for(lambda: os.path.exists(munge["socket"]))
        self.begin("slurmctld", "-D", "-i", "-f", str(self.configuration))
        self.begin("slurmd", "-D", "-f", str(self.configuration))
        self.wait_for(lambda: "idle" in self.call("sinfo", "-h", "-o", "%T", check=False))

    def begin(self, name, *flags):
        with open(self.folder / f"{name}.out", "wb") as said:
            self.daemons.append(subprocess.Popen([find(name), *flags], stdout=said, stderr=said,
                                                 env=self.environment))

    def wait_for(self, holds, seconds=PATIENCE):
        until = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > until:
                raise AssertionError("".join(
                    f"\n== {file.name}\n{file.read_text(errors='replace')[-2000:]}"
                    for file in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out"))))
            time.sleep(0.2)

    def call(self, *words, check=True):
        result = subprocess.run(words, env=self.environment, check=False, capture_output=True,
                                text=True, timeout=PATIENCE)
        if check and result.returncode != 0:
            raise AssertionError(f"{words}: {result.stdout}{result.stderr}")
        return result.stdout

    def states(self, job):
        """Returns the states of the job's tasks that are pending, running or ending."""
        return self.call("squeue", "-h", "-r", "-j", job, "-o", "%T", check=False).split()

    def wait_for_end(self, job, seconds=PATIENCE):
        self.wait_for(lambda: not self.states(job), seconds)

    def stop(self):
        self.call("scancel", "--user=root", check=False)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
