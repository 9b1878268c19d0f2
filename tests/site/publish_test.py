"""Tests the workflow that publishes the site: it passes a linter, has few rights, and its commands run in a clean copy.

python3 publish_test.py: the copy shares .venv and ccache with this tree, so that nothing is downloaded or compiled
again.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

import links
from project import ROOT
from shipped import measured_runs, own_files, shipped_project

WORKFLOW = ROOT / ".github/workflows/pages.yml"
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "CMAKE_CXX_COMPILER_LAUNCHER", "CCACHE_DIR")
BASE_URL = "https://somebody.example/a/sub/path"  # actions/configure-pages would give the real address.
ACTIONLINT = pathlib.Path(sys.executable).parent / "actionlint"


def lint(path):
    """Returns a line for each fault that actionlint finds. It knows the inputs of the official actions."""
    return subprocess.run([ACTIONLINT, "-oneline", "-no-color", path], check=False,
                          capture_output=True, text=True).stdout


class Workflow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = WORKFLOW.read_text(encoding="utf-8")
        cls.jobs = yaml.safe_load(cls.text)["jobs"]
        cls.steps = [step for job in cls.jobs.values() for step in job["steps"]]

    def test_has_no_fault_that_a_linter_finds(self):
        for path in WORKFLOW.parent.iterdir():
            self.assertEqual(lint(path), "")

    def test_the_linter_finds_faults(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder, "broken.yml")
            for old, new in (("needs: render", "needs: nothing"), ("path: site", "paths: site"),
                             ("steps.deployment", "steps.elsewhere"), ("runs-on:", "run-on:")):
                self.assertIn(old, self.text)
                broken.write_text(self.text.replace(old, new, 1), encoding="utf-8")
                self.assertNotEqual(lint(broken), "", new)

    def test_uses_only_official_actions_of_a_fixed_version(self):
        for step in self.steps:
            if "uses" in step:
                self.assertRegex(step["uses"], r"^actions/[\w-]+@v\d+$")

    def test_each_job_has_the_rights_that_it_needs_and_no_secret(self):
        self.assertEqual(yaml.safe_load(self.text)["permissions"], {})
        self.assertEqual({name: job["permissions"] for name, job in self.jobs.items()},
                         {"render": {"contents": "read", "pages": "read"},
                          "deploy": {"pages": "write", "id-token": "write"}})
        self.assertNotIn("secrets.", self.text)
        self.assertFalse(self.jobs["render"]["steps"][0]["with"]["persist-credentials"])

    def test_no_expression_stands_in_a_command(self):
        for step in self.steps:
            self.assertNotIn("${{", step.get("run", ""))


class Commands(unittest.TestCase):
    """Tests the job `render` by running its steps, without GPU, torch or CUDA."""

    def test_they_make_the_site_that_is_published(self):
        with tempfile.TemporaryDirectory() as scratch:
            project = pathlib.Path(os.path.realpath(scratch), "project")
            self.check_out(project)
            for step in yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["render"]["steps"]:
                self.run_step(step, project)

    def check_out(self, project):
        """Copies what ships with the project, and links .venv."""
        shipped_project(project)
        for name in own_files():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, project / name)
        (project / ".venv").symlink_to(ROOT / ".venv")
        (project / ".deps").mkdir()

    def run_step(self, step, project):
        if step.get("uses", "").startswith("actions/upload-pages-artifact"):
            self.check_site(project, project / step["with"]["path"])
        if "run" not in step:
            return
        environment = {name: value for name, value in os.environ.items() if name in KEPT_VARIABLES}
        environment |= {name: value.replace("${{ steps.pages.outputs.base_url }}", BASE_URL)
                        for name, value in step.get("env", {}).items()}
        environment |= {"CCACHE_BASEDIR": str(project), "CCACHE_NOHASHDIR": "1",
                        "CUDA_VISIBLE_DEVICES": ""}
        result = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=project, env=environment,
                              check=False, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn("left out", result.stderr)

    def check_site(self, project, site):
        self.assertTrue((site / ".nojekyll").is_file())
        self.assertEqual(list(links.problems(site)), [])
        index = (site / "index.html").read_text(encoding="utf-8")
        self.assertEqual(index.count('<tr id="run-'), len(measured_runs()))
        self.assertIn(f'<link rel="canonical" href="{BASE_URL}/">', index)


if __name__ == "__main__":
    unittest.main()
