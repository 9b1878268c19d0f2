"""Runs one launch of a worker, as the front end does."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def result_of(worker, kind, params, *flags, environment=None, **more):
    """Returns the result that the worker wrote. Ends the script if the launch failed."""
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
    """Returns values and samples by (tag, name)."""
    return {(metric["tag"], metric["name"]): metric.get("samples", metric.get("value"))
            for metric in result_of(*launch, **more)["metrics"]}
