"""Makes runs with the fake worker, for problems that no run which ships with the project has measured. No number in them was
measured."""
import json
import os
import pathlib
import subprocess
import tempfile

ANY_GPU = {"torch": "2.11.0", "cuda": "13.0", "architectures": []}


def fake_run(labreport, *words, gpu=""):
    """Returns the run of these words of `labreport run`: of two GPUs of that name, or of a CPU."""
    fakes = labreport.parents[1] / "fakes"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        worker = root / "labreport-worker"
        worker.symlink_to(fakes / "worker")
        worker.with_name("labreport-worker.json").write_text(json.dumps(ANY_GPU))
        environment = {**os.environ, "LABREPORT_WORKER": str(worker), "LABREPORT_MODEL_WORKER": str(worker),
                       "LABREPORT_NVML": str(fakes / "nvml.so") if gpu else "", "FAKE_NVML": "alike"}
        subprocess.run([labreport, "run", *words, *(["--gpus", "all"] if gpu else []), "--out", "run"], cwd=root, check=True,
                       capture_output=True, env=environment)
        file, = root.glob("run/**/run.json")
        run = json.loads(file.read_text(encoding="utf-8"))
    for device in run["devices"]:
        device["name"] = gpu or device["name"]
    return run
