"""Tests measurements on a disk that goes wrong at each call: it is full, read-only, over quota, failing or gone, or the
program is killed. No file is ever half-written, one line says what and why, and a resume keeps what is measured.

python3 disk_test.py LABREPORT FAKES [ROUNDS [SEED]]; see disk_case.py.
"""

import json

from disk import error_text, tree
from disk_case import FAULTS, REFUSALS, RESUME, RUN, DiskTest, launches, main


class Run(DiskTest):
    def setUp(self):
        super().setUp()
        self.call_count = self.count_calls(*RUN)
        self.expected = launches(self.runs()[0])
        self.project.remove_folders("site")

    def test_a_run_resumes_after_a_failing_disk(self):
        for at, fault in self.chosen_faults(self.call_count, REFUSALS):
            with self.subTest(at=at, fault=fault):
                outcome = self.project.call_with_fault(RUN, at, fault)
                self.assert_no_half_file()
                self.assert_fault_told(outcome, fault)
                kept = [call for call in outcome.calls_before
                        if call.name == "rename" and "/cells/" in call.path]
                self.assertGreaterEqual(self.launches_on_disk(), len(kept))
                if outcome.went_wrong and kept:
                    self.assertIn(f"{self.launches_on_disk()} of 5 launches are kept in site/runs/",
                                  outcome.messages)
                    self.assertIn("resume it with --resume", outcome.messages)
                self.resume_ends_as(self.expected)
            self.project.remove_folders("site")

    def test_death_in_the_middle_of_a_call(self):
        for at, fault in self.chosen_faults(self.call_count, ("kill",)):
            with self.subTest(at=at):
                self.assert_fault_told(self.project.call_with_fault(RUN, at, fault), fault)
                self.assert_no_half_file()
                self.resume_ends_as(self.expected)
            self.project.remove_folders("site")

    def test_a_folder_that_vanishes(self):
        folder = self.project.folder
        self.project.disk = folder / "site"
        for at, fault in self.chosen_faults(self.call_count, ("vanish",)):
            with self.subTest(at=at):
                outcome = self.project.call_with_fault(RUN, at, fault)
                if outcome.status != 0:
                    self.assert_one_line(outcome, error_text("ENOENT"))
                    self.project.remove_folders("site")
                    if (folder / "site.gone").exists():
                        (folder / "site.gone").rename(folder / "site")
                self.assert_no_half_file()
                self.resume_ends_as(self.expected)
            self.project.remove_folders("site", "site.gone")

    def test_a_short_write_is_continued(self):
        for at, fault in self.chosen_faults(self.call_count, ("short",)):
            self.assert_fault_told(self.project.call_with_fault(RUN, at, fault), fault)
            self.assertEqual([launches(run) for run in self.runs()], [self.expected])
            self.project.remove_folders("site")


class Resume(DiskTest):
    """Tests a resume that goes wrong, of a run with unmerged launches, one of which failed."""

    def setUp(self):
        super().setUp()
        calls = self.project.call_with_fault(RUN).calls
        self.expected = launches(self.runs()[0])
        self.project.remove_folders("site")
        last = max(i for i, call in enumerate(calls) if "/cells/" in call.path
                   and call.name == "rename")
        self.project.call_with_fault(RUN, last + 2, "kill")
        folder = next(self.project.folder.glob("site/runs/*/*/*/cells"))
        first_of_two = next(folder.glob("*.1.json")).name.replace(".1.json", ".0.json")
        failed = json.loads((folder / first_of_two).read_text(encoding="utf-8"))
        failed["result"].update(outcome={"status": "error", "message": "no luck"}, metrics=[])
        (folder / first_of_two).write_text(json.dumps(failed), encoding="utf-8")
        self.assertEqual([len(cell_launches) for cell_launches in launches(self.runs()[0]).values()],
                         [0, 0, 0])
        self.assertEqual(self.launches_on_disk(), 5)
        self.before = tree(self.project.folder / "site")

    def test_a_resume_that_dies_can_be_repeated(self):
        call_count = self.count_calls(*RESUME)
        self.assertEqual([launches(run) for run in self.runs()], [self.expected])
        for at, fault in self.chosen_faults(call_count, FAULTS):
            with self.subTest(at=at, fault=fault):
                self.project.restore("site", self.before)
                self.assert_fault_told(self.project.call_with_fault(RESUME, at, fault), fault)
                self.assert_no_half_file()
                self.resume_ends_as(self.expected)


class Order(DiskTest):
    """Tests the order of syncs, on which depends what a power cut leaves."""

    def test_each_file_is_synced_before_it_gets_its_name(self):
        calls = self.project.call_with_fault(RUN).calls
        renamed = [i for i, call in enumerate(calls) if call.name == "rename"]
        self.assertGreater(len(renamed), 10)
        for i in renamed:
            path = calls[i].path
            if "/scratch/" in path:
                continue  # A power cut makes these files worthless.
            self.assertEqual([repr(call) for call in calls[i - 3:i]],
                             [f"{name} {path}.part" for name in ("open", "write", "fsync")])
            if path.endswith("/run.json"):
                self.assertEqual(repr(calls[i + 1]), f"fsync {path.removesuffix('/run.json')}")

    def test_launch_files_are_removed_after_the_merged_run_is_synced(self):
        calls = self.project.call_with_fault(RUN).calls
        first_removal = next(i for i, call in enumerate(calls)
                             if call.name == "remove" and "/cells/" in call.path)
        calls_before = [call for call in calls[:first_removal] if call.name != "remove"][-5:]
        self.assertEqual([call.name for call in calls_before],
                         ["open", "write", "fsync", "rename", "fsync"])
        self.assertTrue(calls_before[-2].path.endswith("/run.json"))

    def test_new_folders_are_synced_in_the_folders_that_hold_them(self):
        calls = [repr(call) for call in self.project.call_with_fault(RUN).calls]
        first_scratch = next(i for i, call in enumerate(calls) if "/scratch/" in call)
        new_folders = [call.split(" ")[1] for call in calls[:first_scratch] if call.startswith("mkdir ")]
        self.assertEqual(len(new_folders), 7)
        for folder in new_folders:
            parent = folder.rpartition("/")[0] or "."
            calls_after = calls[calls.index("mkdir " + folder):first_scratch]
            self.assertIn("fsync " + parent, calls_after)


if __name__ == "__main__":
    main()
