"""Tests that a site is replaced whole or not at all, and that one bad run does not spoil the pages of others.

python3 whole_test.py LABREPORT FAKES; see CMakeLists.txt.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

from project import ROOT, ProjectTest, tree
from stub_python import StubPython

TIMEOUT_S = 60


class StubbedTest(ProjectTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.project.measure("--sizes", "demo-1")
        self.python = StubPython(self.project.folder)

    def start(self, *words, **environment):
        return subprocess.Popen([self.project.program, *words], cwd=self.project.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**self.project.environment, **environment})

    def add_run(self, name, old, new):
        """Adds a copy of the first run, with `old` replaced by `new`."""
        folder = self.project.folder / "site/runs/others" / name
        folder.mkdir(parents=True)
        text = (self.run_folder / "run.json").read_text(encoding="utf-8")
        self.assertIn(old, text)
        (folder / "run.json").write_text(text.replace(old, new), encoding="utf-8")
        return folder


class Interrupted(StubbedTest):
    def interrupt(self, signal_number, *words, kept="site/public"):
        """Interrupts a verb while it draws; expects the message that `kept` is as it was."""
        self.python.enable("wait")
        render = self.start(*(words or ("render", "--answers", "none")), LABREPORT_CACHE="")
        start = time.monotonic()
        while not self.python.has("drawing") and time.monotonic() < start + TIMEOUT_S:
            time.sleep(0.01)
        render.send_signal(signal_number)
        messages = render.communicate(timeout=TIMEOUT_S)[1]
        for name in ("wait", "drawing"):
            self.python.remove(name)
        self.assertEqual(render.returncode, 130, messages)
        self.assertEqual(messages.splitlines()[-1], f"interrupted: {kept} is as it was")

    def test_no_site_is_written(self):
        self.interrupt(signal.SIGINT)
        self.assertFalse((self.project.folder / "site/public").exists())

    def test_a_site_stays_as_it_was(self):
        self.project.render("--format", "html,md")
        before = self.project.public()
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.interrupt(signal_number)
            self.assertEqual(self.project.public(), before)

    def test_a_submission_stays_as_it_was(self):
        self.project.call("submit", "--answers", "none")
        beside = [self.project.folder / name for name in ("submission.zip", "writeup.pdf")]
        before, before_beside = tree(self.project.folder / "submission"), [file.read_bytes() for file in beside]
        self.interrupt(signal.SIGINT, "submit", kept="submission")
        self.assertEqual(tree(self.project.folder / "submission"), before)
        self.assertEqual([file.read_bytes() for file in beside], before_beside)
        self.assertFalse((self.project.folder / "submission.part").exists())

    def test_leftovers_of_a_killed_render_are_removed(self):
        leftover = self.project.folder / "site/public/.labreport-new/index.html"
        leftover.parent.mkdir(parents=True)
        leftover.touch()
        self.project.render("--format", "json")
        self.assertFalse(leftover.parent.exists())


class AtOnce(StubbedTest):
    def test_renders_into_one_site_wait_for_each_other(self):
        renders = [self.start("render", "--format", "html,md,pdf", LABREPORT_CACHE="")
                   for _ in range(4)]
        for render in renders:
            _, messages = render.communicate(timeout=TIMEOUT_S)
            self.assertEqual(render.returncode, 0, messages)
        self.assertEqual(sorted(tree(self.project.folder / "site/public")),
                         sorted(self.from_scratch("--format", "html,md,pdf")))

    def from_scratch(self, *words):
        self.project.render("--out", "scratch", *words, LABREPORT_CACHE="")
        return tree(self.project.folder / "scratch")

    def test_imports_into_one_folder_are_all_kept(self):
        table = ROOT / "docs/a100.csv"
        imports = [self.start("import", str(table), "--out", "imports") for _ in range(12)]
        folders = []
        for process in imports:
            output, messages = process.communicate(timeout=TIMEOUT_S)
            self.assertEqual(process.returncode, 0, messages)
            folders += [line.split("  ")[0] for line in output.splitlines()]
        self.assertEqual(len(set(folders)), len(folders))
        for folder in folders:
            self.assertTrue((self.project.folder / folder / "run.json").exists(), folder)

    def test_runs_of_one_gpu_second_and_revision_have_pages_of_their_own(self):
        self.add_run("one", '"preset": "demo"', '"preset": "quick"')
        self.project.render()
        pages = [name for name in self.project.public() if name.endswith("/run.json")]
        self.assertEqual(len(pages), 2)
        index = self.project.public()["index.html"].decode()
        self.assertEqual(index.count('<tr id="run-'), 2)
        before = self.project.public()
        self.project.render()
        self.assertEqual(self.project.public(), before)
        shutil.rmtree(self.run_folder)
        self.project.render()
        self.assertEqual(self.project.public(), self.from_scratch())

    def test_gpus_whose_names_make_one_word_have_folders_of_their_own(self):
        device = json.loads((self.run_folder / "run.json").read_text(encoding="utf-8"))["devices"][0]["name"]
        names = ["NVIDIA H200", "NVIDIA-H200", "nvidia h200 ", "\u4e2d\u6587", "\u65e5\u672c", "A" * 120 + "B",
                 "A" * 120 + "C"]
        for i, name in enumerate(names):
            self.add_run(f"gpu-{i}", device, name)
        self.project.render()
        before = self.project.public()
        folders = {name.split("/")[0] for name in before if name.endswith("/run.json")}
        self.assertEqual(len(folders), len(names) + 1, folders)
        self.project.render()
        self.assertEqual(self.project.public(), before)


class Pairs(StubbedTest):
    def test_use_runs_that_time_networks(self):
        device = json.loads((self.run_folder / "run.json").read_text(encoding="utf-8"))["devices"][0]["name"]
        self.add_run("gpu", device, "Another device")
        newer = self.project.measure("--only", "mixed_precision_accumulation")
        self.assertLess(self.run_folder.name, newer.name)
        self.project.render()
        pairs = {name.split("/")[1] for name in self.project.public() if name.startswith("diff/")}
        self.assertEqual(len(pairs), 1)
        self.assertIn(self.run_folder.name, pairs.pop())


class OneBadRun(StubbedTest):
    def test_does_not_spoil_the_pictures_of_others(self):
        for word in ("ABORTS", "UNDRAWABLE"):
            with self.subTest(word):
                bad = self.add_run(word, '"demo-1"', f'"{word}"')
                messages = self.project.render("--out", word)
                pictures = [name for name in tree(self.project.folder / word) if "/charts/" in name]
                folders = {name.split("/charts/")[0] for name in pictures}
                self.assertEqual(len(folders), 1, messages)
                self.assertIn("charts are left out of ", messages)
                starts = self.python.has("starts") and (self.python.packages / "starts").stat().st_size
                self.project.render("--out", word)
                rendered_again = tree(self.project.folder / word)
                self.assertEqual([n for n in rendered_again if "/charts/" in n], pictures)
                self.assertTrue(starts)
                shutil.rmtree(bad)


class FailingTypst(StubbedTest):
    def setUp(self):
        super().setUp()
        self.python.enable("typst-fails")

    def test_a_requested_format_that_fails_is_a_failure(self):
        asked = self.project.call("render", "--format", "pdf", status=1)
        self.assertEqual(asked.stdout, "")
        self.assertIn("report.pdf is left out: no room left on the device", asked.stderr)
        several = self.project.call("render", "--format", "md,pdf", status=1)
        self.assertIn("report.md", several.stdout)
        self.assertNotIn("report.pdf", several.stdout)

    def test_another_format_that_fails_is_one_line(self):
        not_asked = self.project.call("render", status=1)
        self.assertIn("report.pdf is left out", not_asked.stderr)
        self.assertIn("index.html", not_asked.stdout)

    def test_without_room_for_temporary_files(self):
        for words, status in (((), 0), (("--format", "pdf"), 1)):
            messages = self.project.call("render", *words, status=status, TMPDIR="/nowhere",
                                     LABREPORT_CACHE="").stderr
            self.assertIn("cannot make a temporary folder", messages)

    def test_wrong_limits_are_refused(self):
        for name in ("LABREPORT_TYPESET_MIB", "LABREPORT_TYPESET_SECONDS"):
            for value in ("junk", "-1", "0", "", "1e999", "4096MiB"):
                messages = self.project.call("render", status=2, **{name: value}).stderr
                self.assertIn(f"{name} is '{value}'; give a number above 0", messages)
        self.project.call("render", "--format", "md", LABREPORT_TYPESET_MIB="junk")


class Unreadable(StubbedTest):
    def setUp(self):
        super().setUp()
        self.project.render()
        self.locked = self.project.folder / "site/runs/lost+found"
        self.locked.mkdir(mode=0)
        self.addCleanup(self.locked.chmod, 0o700)
        self.user_arguments = {}
        if os.geteuid() == 0:  # root ignores file modes
            nobody = 65534
            for path in [self.project.folder, *self.project.folder.rglob("*")]:
                if path != self.locked:
                    os.chown(path, nobody, nobody, follow_symlinks=False)
            self.user_arguments = {"user": nobody, "group": nobody, "extra_groups": []}

    def call(self, *words):
        return subprocess.run([self.project.program, *words], cwd=self.project.folder, text=True,
                              env=self.project.environment, check=False, capture_output=True,
                              timeout=TIMEOUT_S, **self.user_arguments)

    def test_an_unreadable_folder_is_skipped_and_reported(self):
        run = str(self.run_folder)
        for words in (["list", "runs"], ["render"], ["diff", "latest", run]):
            result = self.call(*words)
            self.assertEqual(result.returncode, 1, result.stderr)
            lines = [line for line in result.stderr.splitlines() if "lost+found" in line]
            self.assertEqual(lines, ["left out: cannot read site/runs/lost+found: Permission denied"])
            self.assertTrue(result.stdout)

    def test_a_site_that_is_a_loop_of_links_is_refused(self):
        pathlib.Path(self.project.folder, "loop").symlink_to("loop")
        result = self.call("render", "--out", "loop")
        self.assertEqual(result.returncode, 2)
        self.assertIn("loop: Too many levels of symbolic links", result.stderr)
        self.assertNotIn("filesystem error", result.stderr)


if __name__ == "__main__":
    ProjectTest.fakes = sys.argv.pop(2)
    ProjectTest.program = sys.argv.pop(1)
    unittest.main()
