"""Tests README and docs/: their commands run, with a fake worker on fake GPUs, their links lead somewhere, and make's
help says what make does.

python3 readme_test.py LABREPORT FAKES: the program, and the folder of the fakes; see CMakeLists.txt.
"""
import fnmatch
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS), str(TESTS / "site")]
# Neighbors', found by the line above:
from project import Project  # noqa: E402
from shipped import ROOT, WHOLE_RUNS, copy_run, measured_runs, need_run, pages, shipped_runs  # noqa: E402

PAGES = {path: path.read_text(encoding="utf-8") for path in pages()}
USER_PAGES = [path for path in PAGES if path.parent.name == "docs" or path.name == "README.md"]
DOCUMENTS = "".join(PAGES[path] for path in USER_PAGES)
MEASURED = [run.relative_to(ROOT) for run in measured_runs()]
IMPORTED = [run.relative_to(ROOT) for run in shipped_runs() if run.relative_to(ROOT) not in MEASURED]
RECORDED = next((run for run in MEASURED if "2025" in run.parts), pathlib.Path("site/runs/gpu/2025/none"))
USERS_RUN = RECORDED.parent / "20300101-120000-0123abcd"
# Commands that name no run choose from these: a run of each GPU and edition, and the imported runs.
SHIPPED = [*{run.parent: run for run in reversed(MEASURED) if run.parent != RECORDED.parent}.values(),
           *IMPORTED, RECORDED]

# Commands that no test can run, each with its reason.
NOT_RUN = {
    "make help": "MakeHelp below reads it",
    "make test": "it runs this test",
    "make bundle": "tests/setup/bundle_test.py packs one without network, bundle_whole_test.py with it",
    "make bundle WITH_TORCH=cu130 OUT=all.tgz": "it fetches gigabytes",
    "make bundle WITH_TORCH=none": "tests/setup/bundle_test.py packs one",
    "make torches": "it fetches 30 GB; the repository's workflow runs it with four versions",
    'make torches TORCHES="2.8 2.11@python3.13"': "it fetches gigabytes",
    "make report TORCH_CUDA=cu128": "set-up alone reads that: tests/setup/choice_test.py",
    "build/bin/labreport slurm --partition gpu --array 4 --out shards --submit":
        "tests/slurm/slurm_test.py submits arrays to a Slurm of its own",
    "parallel -j 4 'CUDA_VISIBLE_DEVICES=$(({%} - 1)) build/bin/labreport run --shard {}/4 --out "
    "shards' ::: 1 2 3 4": "test_commands_for_other_programs_measure runs what it starts",
    "make report RESUME=1": "tests/cli/resume_test.cpp interrupts a run and resumes it",
    "make report COURSE=../assignment2-systems RESUME=1": "tests/cli/course_test.cpp resumes a checkout",
    "make submit COURSE=../assignment2-systems": "tests/cli/course_test.cpp hands in a checkout",
    "source ../assignment2-systems/.venv/bin/activate": "tests/setup/activated_test.py activates environments",
}

# Set-up reads these variables from the environment, so that no call of make shows them.
SET_UP_VARIABLES = {"TORCH_CUDA": "tests/setup/choice_test.py"}

# The allowed exit statuses of commands that need not end with 0.
ALLOWED_STATUSES = {
    "build/bin/labreport doctor": (0, 1),  # The status is 1 if this machine lacks something.
}

# Commands on a run that is not recorded, each with the command that measures the run.
MEASURED_BY = {
    "build/bin/labreport advise RUN": "build/bin/labreport run --problems ladder --sizes small",
    "build/bin/labreport merge shards": "build/bin/labreport run --shard 1/1 --preset quick --out shards",
}

TABLE = "docs/a100.csv"

WORKER = '{"torch": "2.11.0", "cuda": "13.0", "architectures": ["sm_90"]}'


def commands():
    """Returns the lines of fenced blocks and the commands between backticks, each once."""
    found = []
    for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", DOCUMENTS, re.M | re.S):
        found += [line.partition("#")[0].removeprefix("$ ").strip() for line in block.splitlines()]
    found += re.findall(r"`((?:make|build/bin/labreport) [^`]+)`", DOCUMENTS)
    return list(dict.fromkeys(command for command in found if command))


def without_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchors(text):
    """Returns a page's headings as GitHub names them in addresses."""
    headings = re.findall(r"^#+ (.*)", without_blocks(text), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(path):
    """Yields the file and the anchor of each link of a page into the project."""
    for target in re.findall(r"\]\(([^):]+)\)", without_blocks(PAGES[path])):
        name, _, anchor = target.partition("#")
        yield (path.parent / name).resolve() if name else path, anchor


def make(*words):
    # Under `make test` the outer make's variables must not reach this make.
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    return subprocess.run(["make", "--no-print-directory", "-C", ROOT, *words], check=False,
                          capture_output=True, text=True, env=environment)


def lines_of_make(words):
    result = make("-n", *words)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return result.stdout.splitlines()


def calls_of_make(words):
    """Returns the calls of the program behind a target. tests/setup tests the calls of set-up and the build."""
    return [line for line in lines_of_make(words) if "bin/labreport" in line
            and not line.startswith("setup/")]


class Readme(unittest.TestCase):
    program = fakes = ""

    @classmethod
    def setUpClass(cls):
        """Makes one cache for all commands, as a user has one, and a project whose tool for charts and PDFs draws nothing."""
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.cache = f"{scratch.name}/cache"
        quick = Project(os.path.realpath(scratch.name), cls.program, cls.fakes)
        quick.have_chart_tool()
        cls.quick_program = str(quick.program)

    def sandbox(self, runs=True):
        """Makes a folder as a user has it: the recorded runs, a run of the user's, and a worker."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        if runs:
            for place in WHOLE_RUNS:
                need_run(place)
            copy_run(ROOT / RECORDED, folder / USERS_RUN)
            (folder / USERS_RUN / "reference").unlink()
            for run in SHIPPED:
                copy_run(ROOT / run, folder / run)
        (folder / "docs").mkdir()
        shutil.copy(ROOT / TABLE, folder / TABLE)
        (folder / "labreport-worker").symlink_to(f"{self.fakes}/worker")
        (folder / "labreport-worker.json").write_text(WORKER, encoding="utf-8")
        return folder

    def call(self, command, folder, run=str(USERS_RUN), program=None):
        named_runs = {"A": str(RECORDED), "B": str(USERS_RUN)}
        words = [program or self.quick_program if "bin/labreport" in word else named_runs.get(word, word)
                 .replace("RUN", run) for word in shlex.split(command)]
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder),
                       "XDG_CACHE_HOME": self.cache,
                       "LABREPORT_WORKER": str(folder / "labreport-worker"),
                       "LABREPORT_MODEL_WORKER": str(folder / "labreport-worker"),
                       "LABREPORT_NVML": f"{self.fakes}/nvml.so", "CUDA_VISIBLE_DEVICES": "0"}
        # `env` reads the assignments before a call, such as make's LABREPORT_CALLER.
        return subprocess.run(["env", *words], cwd=folder, env=environment, check=False,
                              capture_output=True, text=True, timeout=240)

    def assert_runs(self, command, program):
        words = shlex.split(command)
        calls = calls_of_make(words[1:]) if words[0] == "make" else [command]
        self.assertTrue(calls, command)
        for call in calls:
            # A measuring command makes a run of its own. The others are left out, because drawing them takes long.
            folder = self.sandbox(runs=not command.startswith("make report"))
            run = str(USERS_RUN)
            if command in MEASURED_BY:
                run = self.call(MEASURED_BY[command], folder).stdout.strip()
            result = self.call(call, folder, run, program)
            self.assertIn(result.returncode, ALLOWED_STATUSES.get(command, (0,)),
                          f"{call}\n{result.stdout}{result.stderr}")

    def test_every_command_runs(self):
        """The first command of each verb or target draws charts and PDFs by the installed tools, which takes seconds."""
        drawn = set()
        for command in commands():
            if command not in NOT_RUN:
                with self.subTest(command):
                    for gpu in re.findall(r"=(nvidia-\S+)", command):
                        need_run(gpu)
                    verb = tuple(command.split()[:2])
                    self.assert_runs(command, self.quick_program if verb in drawn else self.program)
                    drawn.add(verb)

    def test_commands_for_other_programs_measure(self):
        """Runs the commands of a pod and of GNU parallel, with the values that these fill in."""
        for pattern, values in (
                (r"command: \[bash, -c, '(.*)'\]", {"/shared/shards": "shared --preset quick"}),
                (r"parallel -j 4 '(.*)'", {"{%}": "1", "{}": "2", "--out shards": "--out shared --preset quick"})):
            shell = "JOB_COMPLETION_INDEX=1\n" + re.search(pattern, DOCUMENTS).group(1) + "\n"
            for name, value in values.items():
                shell = shell.replace(name, value)
            folder = self.sandbox(runs=False)
            (folder / "build/bin").mkdir(parents=True)
            (folder / "build/bin/labreport").symlink_to(self.program)
            (folder / "shell").write_text(shell, encoding="utf-8")
            result = self.call("bash shell", folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(len(list(folder.glob("shared/*/*/*/run.json"))), 1)

    def test_exceptions_are_commands_of_the_documents(self):
        self.assertLessEqual(set(NOT_RUN) | set(ALLOWED_STATUSES) | set(MEASURED_BY), set(commands()))

    def test_every_link_leads_to_a_file_and_its_heading(self):
        for page in PAGES:
            for file, anchor in links(page):
                with self.subTest(page=page.name, file=file.name, anchor=anchor):
                    self.assertTrue(file.is_file())
                    self.assertTrue(not anchor or anchor in anchors(PAGES[file]))

    def test_the_readme_leads_to_every_page(self):
        """Every page is linked directly, and the README stays short."""
        linked = {file for file, _ in links(ROOT / "README.md")}
        self.assertLessEqual(set(USER_PAGES), linked | {ROOT / "README.md"})
        self.assertLessEqual(len(PAGES[ROOT / "README.md"].split()), 1100)

    def test_the_readme_begins_with_whose_code_is_measured(self):
        """The first block of commands stands above the picture, and measures labreport's network and the user's code."""
        first_screen = PAGES[ROOT / "README.md"].partition("![")[0]
        for words in ("", " COURSE=", " STEP=", " MODEL="):
            self.assertRegex(first_screen, rf"(?m)^make report{words}\S* +#")

    def test_every_column_of_the_recorded_runs_is_explained(self):
        """docs/cells.md explains the columns of cells.csv."""
        explanations = (ROOT / "docs/cells.md").read_text(encoding="utf-8")
        names = [name for row in re.findall(r"^\|(.*?)\|", explanations, re.M)
                 for name in re.findall(r"`([^`]+)`", row)]
        need_run()
        for run in MEASURED:
            folder = self.sandbox(runs=False)
            self.call(f"bin/labreport render {ROOT / run} --format csv", folder)
            cells = next(folder.glob("site/public/**/cells.csv"))
            columns = cells.read_text(encoding="utf-8").splitlines()[0].split(",")
            for column in columns:
                name = re.sub(r"\.(count|mean|stddev|min|median|max|last)$", "",
                              re.sub(r" \(.*", "", column))
                self.assertTrue(any(fnmatch.fnmatchcase(name, known) for known in names), column)


class MakeHelp(unittest.TestCase):
    """Tests `make help`, which lists make's targets and their variables."""

    def setUp(self):
        self.help = make("help").stdout
        self.targets = re.findall(r"^make (\w+)", self.help, re.M)

    def test_names_every_target(self):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        targets = set(re.findall(r"^([a-z]+):", makefile, re.M)) - {"help"}
        self.assertEqual(set(self.targets), targets)

    def test_every_target_of_the_documents_is_there(self):
        for target in re.findall(r"make ([a-z]+)", " ".join(commands())):
            self.assertIn(target, [*self.targets, "help"])

    def test_every_variable_changes_what_is_called(self):
        target = None
        target_or_variable = re.compile(r"^make (\w+)|([A-Z_]+)=(\"[^\"]*\"|[^\s|;]*)", re.M)
        make_commands = [command for command in commands() if command.startswith("make ")]
        for new_target, variable, value in target_or_variable.findall(self.help + "\n".join(make_commands)):
            target = new_target or target
            if variable and variable not in SET_UP_VARIABLES:
                assignment = f"{variable}={value.strip(chr(34))}"
                self.assertNotEqual(lines_of_make([target]), lines_of_make([target, assignment]), assignment)

    def refusal(self, *words):
        result = make(*words)
        self.assertEqual(result.returncode, 2, words)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        return result.stderr

    def test_a_variable_that_a_target_does_not_read_is_refused_with_the_nearest(self):
        self.assertIn("make site reads no ANSWER; nearest: ANSWERS;",
                      self.refusal("site", "ANSWER=none"))
        self.assertIn("nearest: ANSWERS;", self.refusal("report", "answers=none"))
        self.assertIn("make pdf reads no PRESET; it reads RUN EDITION PAPER ANSWERS",
                      self.refusal("pdf", "PRESET=quick"))
        self.assertIn("make lint reads no ARGS.", self.refusal("lint", "ARGS=-N"))

    def test_an_unknown_target_is_refused_with_the_nearest(self):
        for words in (["repot"], ["repot", "EDITION=2026"], ["site", "repot"]):
            self.assertIn("make has no target repot; nearest: report;", self.refusal(*words))

    def test_variables_of_make_set_up_and_the_build_are_accepted(self):
        for assignment in ("MAKEFLAGS=-k", "JOBS=1", "LIBTORCH=/torch", "CXX=g++-14"):
            lines_of_make(["report", assignment])
        lines_of_make(["site", "pdf", "PAPER=letter", "OWN=1"])


if __name__ == "__main__":
    Readme.fakes = sys.argv.pop(2)
    Readme.program = sys.argv.pop(1)
    unittest.main()
