"""The disk goes wrong at each call of the verbs that write but do not measure: every file is the
old one or the new one, one line says what and why, and the same command then makes up for it.

python3 disk_output_test.py LABREPORT FAKES [ROUNDS [SEED]]; see disk_case.py.
"""

import os
import resource
import subprocess

from disk import tree
from disk_case import FAULTS, REFUSALS, RUN, DiskTest, launches, main

TABLE = "gpu: First\nedition: 2025\n\nsize,mode,mean_ms\nsmall,forward,5\nmedium,forward,6\n"
IMPORT = ("import", "table.csv", "--context", "128", "--precision", "fp32")
KEEP_NO_PART = ("ENOSPC", "EDQUOT")  # an unfinished file can still be removed on such a disk


class Written(DiskTest):
    """Verbs that leave the same bytes each time."""

    def setUp(self):
        super().setUp()
        self.run_folder = self.project.folder / self.project.call(*RUN).stdout.strip()

    def see(self):
        return tree(self.project.folder)

    def assert_whole(self, before, after, fault):
        for path, data in self.see().items():
            if path.endswith(".part"):
                self.assertNotIn(fault, KEEP_NO_PART, path)
            elif path in before or path in after:
                self.assertIn(data, (before.get(path), after.get(path)), path)

    def walk(self, words, *folders):
        """Makes `words` fail at some of its calls; `folders` are what it writes into."""
        before = {folder: tree(self.project.folder / folder) for folder in folders}
        all_before = self.see()
        number = self.undisturbed(*words)
        after = self.see()
        self.assertNotEqual(after, all_before)
        for at, fault in self.some(number, FAULTS):
            with self.subTest(at=at, fault=fault):
                for folder, files in before.items():
                    self.project.restore(folder, files)
                outcome = self.project.suffer(words, at, fault)
                self.assert_fault_told(outcome, fault)
                if outcome.status == 0:
                    self.assertEqual(self.see(), after)
                self.assert_whole(all_before, after, fault)
                self.project.call(*words)
                self.assertEqual(self.see(), after)

    def test_pages(self):
        self.walk(("render",), "site/public")

    def test_pages_in_place_of_others(self):
        self.project.call("render", "--answers", "none")
        self.walk(("render", "--single-file"), "site/public")

    def test_notes(self):
        self.walk(("notes", "--init"), "notes")

    def test_a_comparison(self):
        (self.project.folder / "kept").mkdir()
        (self.project.folder / "kept/diff.json").write_text("of yesterday", encoding="utf-8")
        run = str(self.run_folder.relative_to(self.project.folder))
        self.walk(("diff", run, run, "--out", "kept/diff.json", "--force"), "kept")

    def test_pages_after_a_measurement(self):
        """`report` keeps the run whatever happens to its pages."""
        self.project.forget("site")
        words = ("report", *RUN[1:])
        calls = self.project.suffer(words).calls
        expected = launches(self.runs()[0])
        measured = max(i for i, call in enumerate(calls) if "/runs/" in call.path) + 1
        for at, fault in self.some(len(calls) - measured, FAULTS):
            self.project.forget("site")
            with self.subTest(at=at, fault=fault):
                self.assert_fault_told(self.project.suffer(words, measured + at, fault), fault)
                self.assertEqual([launches(run) for run in self.runs()], [expected])
                self.project.call("render")


class Import(DiskTest):
    def test_all_of_a_table_or_nothing(self):
        (self.project.folder / "table.csv").write_text(TABLE, encoding="utf-8")
        number = self.undisturbed(*IMPORT)
        for at, fault in self.some(number, FAULTS):
            with self.subTest(at=at, fault=fault):
                self.project.forget("site")
                outcome = self.project.suffer(IMPORT, at, fault)
                self.assert_no_half_file()
                self.assert_fault_told(outcome, fault)
                if fault not in ("kill", "EROFS"):  # these leave no chance to remove a file
                    self.assertEqual(len(self.runs()), 0 if outcome.went_wrong else 1)
                self.project.forget("site")
                self.project.call(*IMPORT)
                self.assertEqual(len(self.runs()), 1)


class Beside(DiskTest):
    def test_results_that_cannot_be_kept_are_made_again(self):
        """The cache is a convenience: no render fails for it."""
        self.project.have_chart_tool()
        self.project.call(*RUN)
        self.project.disk = self.project.cache
        number = self.undisturbed("render")
        expected = self.project.public()
        for at, fault in self.some(number, REFUSALS):
            with self.subTest(at=at, fault=fault):
                self.project.forget("site/public", "cache")
                outcome = self.project.suffer(("render",), at, fault)
                self.assertEqual((outcome.status, outcome.complaints()), (0, []))
                self.assertEqual(self.project.public(), expected)
                self.project.call("render")
                self.assertEqual(self.project.public(), expected)

    def test_charts_are_left_out_where_there_is_no_room_to_draw_them(self):
        self.project.have_chart_tool()
        self.project.call(*RUN)
        outcome = self.project.suffer(("render",), TMPDIR=str(self.project.folder / "absent"))
        self.assertEqual((outcome.status, outcome.complaints()), (0, []), outcome.messages)
        self.assertRegex(outcome.messages, r"charts are left out: cannot make a temporary folder")

    def test_standard_output_that_takes_nothing_is_no_success(self):
        """A limit on the sizes of files stands in for a full disk, which pipes do not know."""
        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        for words in (("list", "sizes"), ("list", "cells", "--preset", "demo"), ("--version",)):
            with open(self.project.folder / "output", "wb") as output:
                ended = subprocess.run([self.project.program, *words], stdout=output, check=False,
                                       stderr=subprocess.PIPE, text=True, preexec_fn=no_room,
                                       env=self.project.environment, restore_signals=False)
            self.assertEqual((ended.returncode, ended.stderr.splitlines()[-1]),
                             (2, "labreport: cannot write to standard output: File too large"))

    def test_messages_that_nobody_takes_stop_no_measurement(self):
        with open(os.devnull, "rb") as unwritable:
            ended = subprocess.run([self.project.program, *RUN], stdout=subprocess.PIPE,
                                   stderr=unwritable, cwd=self.project.folder, check=False,
                                   text=True, env=self.project.environment)
        self.assertEqual(ended.returncode, 0)
        self.assertEqual(sum(map(len, launches(self.runs()[0]).values())), 5)


if __name__ == "__main__":
    main()
