"""A run.json as the claims of answers are recomputed from it, and seeded mutations of it."""
import copy
import json
import random
import statistics


class Launch:
    def __init__(self, data):
        self.data = data

    def metric(self, tag, name):
        """The samples or the value of a metric; None where it is missing."""
        for metric in self.data["metrics"]:
            if (metric["tag"], metric["name"]) == (tag, name):
                return metric.get("samples", metric.get("value"))
        return None

    def mean(self, tag, name):
        """The mean of a metric's samples; None where there are none."""
        samples = self.metric(tag, name)
        return statistics.fmean(samples) if samples else None

    def table(self, name):
        """A table's rows, each a dict by column."""
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

    def ok(self):
        """The launch that represents the cell; None where none succeeded."""
        return next((one for one in self.launches if one.data["outcome"]["status"] == "ok"), None)

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
        """The cells of these kinds that have these parameters."""
        return [cell for cell in self.cells
                if cell.kind in kinds and all(cell[name] == value for name, value in params.items())]


def load(file):
    return json.loads(file.read_text(encoding="utf-8"))


def _scaled(value, factor):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return type(value)(value * factor)


def _change_metric(chance, launch):
    if not launch["metrics"]:
        return
    metric = chance.choice(launch["metrics"])
    if chance.random() < 0.3:
        launch["metrics"].remove(metric)
        return
    factor = chance.choice([0.1, 0.5, 0.9, 1.1, 2, 10])
    if "samples" in metric:
        metric["samples"] = [_scaled(sample, factor) for sample in metric["samples"]]
    elif "value" in metric:
        metric["value"] = _scaled(metric["value"], factor)


def _change_table(chance, launch):
    if not launch["tables"]:
        return
    table = chance.choice(launch["tables"])
    if not table["rows"] or chance.random() < 0.2:
        table["rows"] = []
        return
    texts = [i for i, value in enumerate(table["rows"][0]) if isinstance(value, str)]
    column = chance.choice(texts) if texts else 0
    chosen = chance.choice(table["rows"])[column]
    if chance.random() < 0.3:
        table["rows"] = [row for row in table["rows"] if row[column] != chosen]
        return
    factor = chance.choice([0.1, 0.5, 2, 10, 100])
    for row in table["rows"]:
        if row[column] != chosen:
            continue
        for i, described in enumerate(table["columns"]):
            if described["unit"] in ("ns", "B"):
                row[i] = _scaled(row[i], factor)


def _fail(chance, cell):
    for launch in cell["launches"]:
        launch["outcome"] = chance.choice([
            {"status": "oom", "phase": "forward", "requested_bytes": 1 << 30, "in_use_bytes": 1 << 36,
             "peak_bytes": 1 << 36},
            {"status": "skipped", "reason": "no room"}, {"status": "timeout", "limit_seconds": 600},
            {"status": "error", "message": "it broke"}])
        launch["metrics"], launch["tables"] = [], []


def mutated(data, kinds, seed):
    """The run's cells of these kinds, some of them dropped, failed or with other values; one in four
    mutations keeps one or two cells alone."""
    chance = random.Random(seed)
    run = {**data, "cells": [cell for cell in data["cells"] if cell["kind"] in kinds]}
    kept = chance.choice([1, 2, 4, 8, 100, 100, 100, 100])
    if kept < len(run["cells"]):
        chosen = chance.sample(run["cells"], kept)
        run["cells"] = [cell for cell in run["cells"] if cell in chosen or cell["kind"] == "limits"]
    run["cells"] = copy.deepcopy(run["cells"])
    for _ in range(chance.choice([1, 2, 4, 8])):
        cell = chance.choice(run["cells"])
        launch = chance.choice(cell["launches"]) if cell["launches"] else None
        what = chance.random()
        if what < 0.15:
            _fail(chance, cell)
        elif launch and what < 0.5:
            _change_metric(chance, launch)
        elif launch:
            _change_table(chance, launch)
    return run
