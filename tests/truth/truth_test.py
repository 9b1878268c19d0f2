"""Recomputes every sentence of the answers, a claim, from run.json: for the recorded runs and for seeded
mutations of them.

python3 truth_test.py LABREPORT [--mutations 30] [--seed 0] [--problem NAME]

A module of claims/ has CELL_KINDS, the kinds of cells that it rests on, and CLAIMS: for each part a list of
patterns with the function that checks what they matched. If other problems measure such cells, too, its function
`belongs` tells which are its own. If no shipped run has measured a problem, its function `fake_runs` makes some. An answer is read from its beginning; text that no
pattern matches is a failure, so that no sentence goes without a check. TITLES, if a module has them, are patterns of
figures' titles.
"""
import argparse
import functools
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from answers import answers_of  # noqa: E402
from checks import always  # noqa: E402
from runs import Run, load, mutated, varied  # noqa: E402
from shipped import DEMONSTRATIONS, measured_runs, need_run, skip  # noqa: E402
from step_limits import StepLimits  # noqa: E402

RECORDED_FILES = [run / "run.json" for run in (*measured_runs(), *DEMONSTRATIONS)]


@functools.cache
def fake_runs():
    return [run for problem in PROBLEMS.values() for run in getattr(problem, "fake_runs", lambda _: [])(LABREPORT)]


ANY_BULLET = r"- .*?(?=\n- |$)"


def claims_of(part, problems):
    """Returns the part's claims; none if the part belongs to none of these problems. Every problem may add to a summary's
    claims, and bullets of problems that are not checked pass."""
    if part != "overview":
        problem = part.split(".")[0]
        return PROBLEMS[problem].CLAIMS[part] if problem in PROBLEMS and problem in problems else []
    own = [claim for problem in problems for claim in PROBLEMS[problem].CLAIMS.get(part, [])]
    is_every_problem = set(problems) == {file.stem for file in (HERE / "claims").glob("*.py")}
    return own if is_every_problem else [*own, (ANY_BULLET, always)]


class Truth(unittest.TestCase):
    def setUp(self):
        self.unclaimed = set()  # sentences that no pattern matches, with … for numbers

    def tearDown(self):
        lines = [f"tests/truth/claims/{part.split('.')[0]}.py: no pattern of CLAIMS['{part}'] matches: {sentence}"
                 for part, sentence in sorted(self.unclaimed)]
        self.assertFalse(lines, "\n".join(lines))

    def render(self, runs):
        """Renders runs, which are by name, and returns their reports by name. A run that is refused has none."""
        with tempfile.TemporaryDirectory() as folder:
            root, times = pathlib.Path(folder), {}
            for i, (name, data) in enumerate(runs.items()):
                # A page's folder has the time of the run's first session.
                times[name] = f"{i // 3600:02}{i // 60 % 60:02}{i % 60:02}"
                stamp = re.sub(r"(..)(..)(..)", r"2026-01-01T\1:\2:\3Z", times[name])
                first = {**data["sessions"][0], "started_at": stamp}
                (root / "site/runs/gpu/2025" / name).mkdir(parents=True)
                (root / "site/runs/gpu/2025" / name / "run.json").write_text(
                    json.dumps({**data, "sessions": [first, *data["sessions"][1:]]}))
            subprocess.run([LABREPORT, "render", "--format", "md", "--out", "out"], cwd=root, capture_output=True,
                           check=False)
            reports = {file.parent.name.split("-")[1]: file for file in root.glob("out/*/*/*/report.md")}
            return {name: reports[time].read_text(encoding="utf-8") for name, time in times.items()
                    if time in reports}

    def check(self, run_words, data, report, problems):
        """Checks each sentence of the report's answers to these problems, and returns the number of sentences."""
        run, count = Run(data), 0
        for part, answer in answers_of(report).items():
            claims = claims_of(part, problems)
            rest = answer if claims else ""
            while rest:
                with self.subTest(f"{run_words}: {part}: {rest}"):
                    tried = [(re.match(pattern, rest, re.S), check) for pattern, check in claims]
                    matches = [(match, check) for match, check in tried if match]
                    if not matches:
                        self.unclaimed.add((part, re.sub(r"[\d.,]*\d", "…", rest)))
                        break
                    match, check = matches[0]
                    self.assertGreater(match.end(), 0)
                    check(run, **match.groupdict())
                    count += 1
                rest = rest[match.end():].strip()
        for name in problems:
            for pattern, check in getattr(PROBLEMS[name], "TITLES", []):
                for match in re.finditer(pattern, report.replace("\u00a0", " ")):
                    with self.subTest(f"{run_words}: {match[0]}"):
                        check(run, **match.groupdict())
                        count += 1
        return count

    def test_recorded_runs_claim_nothing_false(self):
        need_run()
        places = [*RECORDED_FILES, *["a fake run"] * len(fake_runs())]
        runs = dict(zip(map(str, range(len(places))), [*map(load, RECORDED_FILES), *fake_runs()]))
        reports = self.render(runs)
        self.assertEqual(len(reports), len(runs))
        count = sum(self.check(places[int(name)], runs[name], report, PROBLEMS) for name, report in reports.items())
        self.assertGreater(count, len(PROBLEMS))

    def test_no_part_of_a_recorded_step_is_faster_than_its_limit(self):
        """Bandwidths of reading and of writing differ by up to 3 %. Tensors of small networks could stay in a cache."""
        need_run()
        steps = 0
        for file in RECORDED_FILES:
            run = Run(load(file))
            for cell in run.of("kernels", mode="train_step", implementation=None, device_kind="cuda"):
                if cell["steps"] == 0 or not cell.ok_launch() or not run.of("limits"):
                    continue
                limits = StepLimits(run, cell, cell.ok_launch(), 0)
                steps += 1
                for part, ms in limits.ms.items():
                    with self.subTest(f"{file}: {cell['size']} at context {cell['context']} in {cell['precision']}: {part}"):
                        self.assertLessEqual(limits.needed[part], 1.03 * ms)
        self.assertGreater(steps, 1)

    def test_mutated_runs_claim_nothing_false(self):
        for name, problem in PROBLEMS.items():
            with self.subTest(name):
                self.check_mutations(name, problem)

    def test_runs_of_a_busy_machine_claim_nothing_false(self):
        """Steps vary by so much that headlines have their spread beside them, and then that they are left out."""
        for name, problem in PROBLEMS.items():
            source = self.sources(name, problem)[-1]
            runs = {f"{100 * share:.0f}": varied(source, problem.CELL_KINDS, share) for share in (0.15, 0.4, 0.9)}
            reports = self.render(runs)
            self.assertEqual(len(reports), len(runs), name)
            for share, report in reports.items():
                self.check(f"varied by {share} %", runs[share], report, [name])

    def sources(self, name, problem):
        """Returns the runs that measured the problem."""
        belongs = getattr(problem, "belongs", lambda cell: cell["kind"] in problem.CELL_KINDS)
        sources = [run for run in [*map(load, RECORDED_FILES), *fake_runs()] if sum(map(belongs, run["cells"])) > 1]
        if not sources:
            skip(f"no run that ships with the project and measured {name} is here")
        return sources

    def check_mutations(self, name, problem):
        sources = self.sources(name, problem)
        runs = {f"{seed}": mutated(sources[seed % len(sources)], problem.CELL_KINDS, seed)
                for seed in range(FIRST_SEED, FIRST_SEED + MUTATIONS)}
        reports = self.render(runs)
        self.assertGreater(len(reports), MUTATIONS / 2, "most are accepted")
        count = sum(self.check(f"seed {seed}", runs[seed], report, [name]) for seed, report in reports.items())
        self.assertGreater(count, MUTATIONS / 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("labreport", type=pathlib.Path)
    parser.add_argument("--mutations", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--problem", default="*")
    options = parser.parse_args()
    LABREPORT, MUTATIONS, FIRST_SEED = options.labreport.resolve(), options.mutations, options.seed
    PROBLEMS = {file.stem: importlib.import_module(f"claims.{file.stem}")
                for file in (HERE / "claims").glob(f"{options.problem}.py")}
    unittest.main(argv=sys.argv[:1])
