"""Reads a run.json, from which claims are recomputed, and makes seeded mutations of it."""
import copy
import json
import random
import statistics


class Launch:
    def __init__(self, data):
        self.data = data

    def metric(self, tag, name):
        """Returns the samples or the value of a metric; None if it is missing."""
        for metric in self.data["metrics"]:
            if (metric["tag"], metric["name"]) == (tag, name):
                return metric.get("samples", metric.get("value"))
        return None

    def mean(self, tag, name):
        """Returns the mean of a metric's samples; None if there are none."""
        samples = self.metric(tag, name)
        return statistics.fmean(samples) if samples else None

    def table(self, name):
        """Returns a table's rows, each a dict by column."""
        for table in self.data["tables"]:
            if table["name"] == name:
                names = [column["name"] for column in table["columns"]]
                return [dict(zip(names, row)) for row in table["rows"]]
        return []


class Cell:
    def __init__(self, data):
        self.kind = data["kind"]
        self.params = data["params"]
        self.launches = [Launch(launch) for launch in data["launches"]]

    def __getitem__(self, name):
        return self.params.get(name)

    def ok_launch(self):
        """Returns the first launch that succeeded; None if none did."""
        return next((launch for launch in self.launches if launch.data["outcome"]["status"] == "ok"), None)

    def parameters(self):
        p = self.params
        block = 4 * p["d_model"] ** 2 + 3 * p["d_model"] * p["d_ff"] + 2 * p["d_model"]
        return 2 * p["vocab"] * p["d_model"] + p["layers"] * block + p["d_model"]


class Run:
    def __init__(self, data):
        self.data = data
        self.edition = data["edition"]
        self.cells = [Cell(cell) for cell in data["cells"]]

    def of(self, *kinds, **params):
        """Returns the cells of these kinds that have these parameters."""
        return [cell for cell in self.cells
                if cell.kind in kinds and all(cell[name] == value for name, value in params.items())]


def load(file):
    return json.loads(file.read_text(encoding="utf-8"))


def _scaled(value, factor):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return type(value)(value * factor)


def varied(data, kinds, share):
    """Returns the run with its cells of these kinds, in which each sample of a time is changed by this share, up and down in
    turns, as on a busy machine."""
    run = {**data, "cells": copy.deepcopy([cell for cell in data["cells"] if cell["kind"] in kinds])}
    for launch in (launch for cell in run["cells"] for launch in cell["launches"]):
        for metric in launch["metrics"]:
            if metric["unit"] == "ns" and "samples" in metric:
                metric["samples"] = [_scaled(sample, 1 + share * (-1) ** i) for i, sample in enumerate(metric["samples"])]
        for table in launch["tables"]:
            columns = {column["name"]: i for i, column in enumerate(table["columns"])}
            for mean, stddev in ((name, name.replace("mean", "stddev")) for name in columns if name.endswith("mean_ns")):
                for row in table["rows"] if stddev in columns else []:
                    row[columns[stddev]] = _scaled(row[columns[mean]], share)
    return run


def _change_metric(rng, launch):
    if not launch["metrics"]:
        return
    metric = rng.choice(launch["metrics"])
    if rng.random() < 0.3:
        launch["metrics"].remove(metric)
        return
    factor = rng.choice([0.1, 0.5, 0.9, 1.1, 2, 10])
    if "samples" in metric:
        metric["samples"] = [_scaled(sample, factor) for sample in metric["samples"]]
    elif "value" in metric:
        metric["value"] = _scaled(metric["value"], factor)


def _change_table(rng, launch):
    if not launch["tables"]:
        return
    table = rng.choice(launch["tables"])
    if not table["rows"] or rng.random() < 0.2:
        table["rows"] = []
        return
    texts = [i for i, value in enumerate(table["rows"][0]) if isinstance(value, str)]
    column = rng.choice(texts) if texts else 0
    chosen_text = rng.choice(table["rows"])[column]
    if rng.random() < 0.3:
        table["rows"] = [row for row in table["rows"] if row[column] != chosen_text]
        return
    factor = rng.choice([0.1, 0.5, 2, 10, 100])
    for row in table["rows"]:
        if row[column] != chosen_text:
            continue
        for i, description in enumerate(table["columns"]):
            if description["unit"] in ("ns", "B"):
                row[i] = _scaled(row[i], factor)


def _fail(rng, cell):
    for launch in cell["launches"]:
        launch["outcome"] = rng.choice([
            {"status": "oom", "phase": "forward", "requested_bytes": 1 << 30, "in_use_bytes": 1 << 36,
             "peak_bytes": 1 << 36},
            {"status": "skipped", "reason": "no room"}, {"status": "timeout", "limit_seconds": 600},
            {"status": "error", "message": "it broke"}])
        launch["metrics"], launch["tables"] = [], []


def mutated(data, kinds, seed):
    """Returns the run with its cells of these kinds, some of them dropped, failed or with other values. One
    mutation in four keeps only one or two cells."""
    rng = random.Random(seed)
    run = {**data, "cells": [cell for cell in data["cells"] if cell["kind"] in kinds]}
    kept_count = rng.choice([1, 2, 4, 8, 100, 100, 100, 100])
    if kept_count < len(run["cells"]):
        kept = rng.sample(run["cells"], kept_count)
        run["cells"] = [cell for cell in run["cells"] if cell in kept or cell["kind"] == "limits"]
    run["cells"] = copy.deepcopy(run["cells"])
    for _ in range(rng.choice([1, 2, 4, 8])):
        cell = rng.choice(run["cells"])
        launch = rng.choice(cell["launches"]) if cell["launches"] else None
        chance = rng.random()
        if chance < 0.15:
            _fail(rng, cell)
        elif launch and chance < 0.5:
            _change_metric(rng, launch)
        elif launch:
            _change_table(rng, launch)
    return run
