"""One launch of a worker, asked for as the front end asks."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def result_of(worker, kind, params, *flags, environment=None, **more):
    """What the worker wrote of that cell; the script ends where the launch did not succeed."""
    with tempfile.TemporaryDirectory() as folder:
        request, result = Path(folder, "request.json"), Path(folder, "result.json")
        request.write_text(json.dumps(dict(kind=kind, params=params, launch=0, seed=0, **more)))
        subprocess.run([worker, "--request", request, "--result", result, *flags], check=True,
                       env=os.environ | (environment or {}))
        body = json.loads(result.read_text())["result"]
    if body["outcome"]["status"] != "ok":
        sys.exit(f"the worker failed: {body['outcome']}")
    return body


def metrics_of(*launch, **more):
    """Values and samples by tag and name."""
    return {(metric["tag"], metric["name"]): metric.get("samples", metric.get("value"))
            for metric in result_of(*launch, **more)["metrics"]}
