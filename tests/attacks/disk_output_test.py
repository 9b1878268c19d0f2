"""Tests the verbs that write but do not measure on a disk that goes wrong at each call: every file is the old one or
the new one, one line says what and why, and repeating the command gives the right result.

python3 disk_output_test.py LABREPORT FAKES [ROUNDS [SEED]]; see disk_case.py.
"""

import json
import os
import resource
import subprocess
import zipfile

from disk import tree
from disk_case import FAULTS, REFUSALS, RUN, DiskTest, launches, main

TABLE = "gpu: First\nedition: 2025\n\nsize,mode,mean_ms\nsmall,forward,5\nmedium,forward,6\n"
IMPORT = ("import", "table.csv", "--context", "128", "--precision", "fp32")
REMOVES_PART_FILES = ("ENOSPC", "EDQUOT")  # Files can still be removed from such a disk.


class SameBytes(DiskTest):
    """Tests the verbs that write the same bytes each time."""

    def setUp(self):
        super().setUp()
        self.run_folder = self.project.folder / self.project.call(*RUN).stdout.strip()

    def all_files(self):
        return tree(self.project.folder)

    def assert_old_or_new(self, before, after, fault):
        for path, data in self.all_files().items():
            if path.endswith(".part"):
                self.assertNotIn(fault, REMOVES_PART_FILES, path)
            elif path in before or path in after:
                self.assertIn(data, (before.get(path), after.get(path)), path)

    def check_faults(self, words, *folders):
        """Runs a command that writes into `folders`, with faults at some of its calls."""
        before = {folder: tree(self.project.folder / folder) for folder in folders}
        all_before = self.all_files()
        call_count = self.count_calls(*words)
        after = self.all_files()
        self.assertNotEqual(after, all_before)
        for at, fault in self.chosen_faults(call_count, FAULTS):
            with self.subTest(at=at, fault=fault):
                for folder, files in before.items():
                    self.project.restore(folder, files)
                outcome = self.project.call_with_fault(words, at, fault)
                self.assert_fault_told(outcome, fault)
                if outcome.status == 0:
                    self.assertEqual(self.all_files(), after)
                self.assert_old_or_new(all_before, after, fault)
                self.project.call(*words)
                self.assertEqual(self.all_files(), after)

    def test_pages(self):
        self.check_faults(("render",), "site/public")

    def test_pages_in_place_of_others(self):
        self.project.call("render", "--answers", "none")
        self.check_faults(("render", "--single-file"), "site/public")

    def test_notes(self):
        self.check_faults(("notes", "--init"), "notes")

    def test_a_comparison(self):
        (self.project.folder / "kept").mkdir()
        (self.project.folder / "kept/diff.json").write_text("of yesterday", encoding="utf-8")
        run = str(self.run_folder.relative_to(self.project.folder))
        self.check_faults(("diff", run, run, "--out", "kept/diff.json", "--force"), "kept")

    def test_pages_after_a_measurement(self):
        """`report` keeps the run whatever happens to its pages."""
        self.project.remove_folders("site")
        words = ("report", *RUN[1:])
        calls = self.project.call_with_fault(words).calls
        expected = launches(self.runs()[0])
        measuring_calls = max(i for i, call in enumerate(calls) if "/runs/" in call.path) + 1
        for at, fault in self.chosen_faults(len(calls) - measuring_calls, FAULTS):
            self.project.remove_folders("site")
            with self.subTest(at=at, fault=fault):
                outcome = self.project.call_with_fault(words, measuring_calls + at, fault)
                self.assert_fault_told(outcome, fault)
                if outcome.status == 2:
                    self.assertIn("; the measurements are kept in site/runs/", outcome.complaints()[0])
                self.assertEqual([launches(run) for run in self.runs()], [expected])
                self.project.call("render")


class Submission(DiskTest):
    """Its zip files have other times each time. The states of a submission are its folder, without the manifest, which has
    the zip files' hashes, and what is beside it: the contents of both zip files, and the write-up."""

    AUTHORS = {"plot.png": b"drawn by hand", "appendix/proof.tex": b"a proof"}
    BESIDE = ("submission.zip", "code.zip", "writeup.pdf")

    def setUp(self):
        super().setUp()
        self.project.have_chart_tool()
        self.project.call(*RUN)
        self.run_folder = next(self.project.folder.glob("site/runs/*/*/*"))
        run = json.loads((self.run_folder / "run.json").read_text(encoding="utf-8"))
        run["sessions"][0]["model"] = {"implementation": "mine-01234567", "model": "mine.py:mine", "arguments": "", "loss": "",
                                       "optimizer": "", "compile": False, "attention": True}
        (self.run_folder / "run.json").write_text(json.dumps(run), encoding="utf-8")

    def keep_code(self, code):
        """Gives the run the file that its worker kept, or takes it away."""
        sources = self.run_folder / "artifacts/sources/mine-01234567"
        sources.mkdir(parents=True, exist_ok=True)
        (sources / ".origins").touch()
        (sources / "mine.py").unlink(missing_ok=True)
        if code:
            (sources / "mine.py").write_text(code, encoding="utf-8")

    def contents(self, name):
        """Returns the content of a file beside the folder; of a zip file, all of whose files can be read, by name."""
        path = self.project.folder / name
        if not path.exists() or not name.endswith(".zip"):
            return path.read_bytes() if path.exists() else None
        with zipfile.ZipFile(path) as archive:
            return {entry: archive.read(entry) for entry in archive.namelist()}

    def state(self):
        files = {path: data for path, data in tree(self.project.folder / "submission").items()
                 if not path.startswith(".labreport")}
        return [files, *map(self.contents, self.BESIDE)]

    def begin_with(self, code):
        self.project.remove_folders("submission", "submission.part")
        for name in self.BESIDE:
            (self.project.folder / name).unlink(missing_ok=True)
        if code is not None:
            self.keep_code(code)
            self.project.call("submit", "--answers", "none")
            for path, data in self.AUTHORS.items():
                (self.project.folder / "submission" / path).parent.mkdir(exist_ok=True)
                (self.project.folder / "submission" / path).write_bytes(data)

    def check_faults(self, code_before, code_after):
        """The earlier submission has one version of the code, the new one another. None is no submission, "" no code."""
        self.begin_with(code_before)
        before = self.state()
        self.keep_code(code_after)
        number = self.count_calls("submit")
        after = self.state()
        self.assertNotEqual(before[:2], after[:2])
        for at, fault in self.chosen_faults(number, FAULTS):
            with self.subTest(at=at, fault=fault):
                self.begin_with(code_before)
                self.keep_code(code_after)
                outcome = self.project.call_with_fault(["submit"], at, fault)
                found = self.state()
                is_whole = found in (before, after)
                # After death, and if nothing can be renamed any more, the next submission ends an exchange.
                if fault in ("once EIO", "short"):
                    self.assertTrue(is_whole)
                elif not is_whole:
                    self.assertEqual(found[0], after[0])
                    self.assertTrue(all(part in (old, new) for old, new, part in zip(before, after, found)))
                if outcome.status == 0:  # Only what is not needed anymore could not be removed.
                    self.assertEqual(found, after)
                else:
                    self.assert_fault_told(outcome, fault)
                if fault in REMOVES_PART_FILES and is_whole:
                    self.assertFalse((self.project.folder / "submission.part").exists())
                self.project.call("submit")
                self.assertEqual(self.state(), after)
                self.assertFalse((self.project.folder / "submission.part").exists())

    def test_all_of_it_or_nothing(self):
        self.check_faults(None, "measured")

    def test_the_earlier_one_or_the_new_one_with_all_files_of_the_author(self):
        self.check_faults("measured", "measured later")

    def test_code_that_is_not_measured_any_more(self):
        self.check_faults("measured", "")


class Import(DiskTest):
    def test_all_of_a_table_or_nothing(self):
        (self.project.folder / "table.csv").write_text(TABLE, encoding="utf-8")
        number = self.count_calls(*IMPORT)
        for at, fault in self.chosen_faults(number, FAULTS):
            with self.subTest(at=at, fault=fault):
                self.project.remove_folders("site")
                outcome = self.project.call_with_fault(IMPORT, at, fault)
                self.assert_no_half_file()
                self.assert_fault_told(outcome, fault)
                if fault not in ("kill", "EROFS"):  # After these the program cannot remove a file.
                    self.assertEqual(len(self.runs()), 0 if outcome.went_wrong else 1)
                self.project.remove_folders("site")
                self.project.call(*IMPORT)
                self.assertEqual(len(self.runs()), 1)


class CacheAndOutput(DiskTest):
    def test_a_failing_cache_stops_no_render(self):
        self.project.have_chart_tool()
        self.project.call(*RUN)
        self.project.disk = self.project.cache
        call_count = self.count_calls("render")
        expected = self.project.public()
        for at, fault in self.chosen_faults(call_count, REFUSALS):
            with self.subTest(at=at, fault=fault):
                self.project.remove_folders("site/public", "cache")
                outcome = self.project.call_with_fault(("render",), at, fault)
                self.assertEqual((outcome.status, outcome.complaints()), (0, []))
                self.assertEqual(self.project.public(), expected)
                self.project.call("render")
                self.assertEqual(self.project.public(), expected)

    def test_charts_are_left_out_where_there_is_no_room_to_draw_them(self):
        self.project.have_chart_tool()
        self.project.call(*RUN)
        outcome = self.project.call_with_fault(("render",), TMPDIR=str(self.project.folder / "absent"))
        self.assertEqual((outcome.status, outcome.complaints()), (0, []), outcome.messages)
        self.assertRegex(outcome.messages, r"charts are left out: cannot make a temporary folder")

    def test_standard_output_that_takes_nothing_is_no_success(self):
        """A limit on file sizes replaces a full disk, which a pipe cannot have."""
        def forbid_writing():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        for words in (("list", "sizes"), ("list", "cells", "--preset", "demo"), ("--version",)):
            with open(self.project.folder / "output", "wb") as output:
                process = subprocess.run([self.project.program, *words], stdout=output, check=False,
                                         stderr=subprocess.PIPE, text=True, preexec_fn=forbid_writing,
                                         env=self.project.environment, restore_signals=False)
            self.assertEqual((process.returncode, process.stderr.splitlines()[-1]),
                             (2, "labreport: cannot write to standard output: File too large"))

    def test_messages_that_nobody_takes_stop_no_measurement(self):
        with open(os.devnull, "rb") as unwritable:
            process = subprocess.run([self.project.program, *RUN], stdout=subprocess.PIPE,
                                     stderr=unwritable, cwd=self.project.folder, check=False,
                                     text=True, env=self.project.environment)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(sum(map(len, launches(self.runs()[0]).values())), 5)


if __name__ == "__main__":
    main()
