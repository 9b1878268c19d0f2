"""The disk goes wrong at each call that a measurement makes: full, read-only, over quota, failing,
gone, or the program killed in the middle. Never half a file, one line that says what and why, and
what is measured is kept and gone on with.

python3 disk_test.py LABREPORT FAKES [ROUNDS [SEED]]; see disk_case.py.
"""

import json

from disk import reason, tree
from disk_case import FAULTS, REFUSALS, RESUME, RUN, DiskTest, launches, main


class Run(DiskTest):
    def setUp(self):
        super().setUp()
        self.number = self.undisturbed(*RUN)
        self.expected = launches(self.runs()[0])
        self.project.forget("site")

    def test_what_a_failing_disk_leaves_is_gone_on_with(self):
        for at, fault in self.some(self.number, REFUSALS):
            with self.subTest(at=at, fault=fault):
                outcome = self.project.suffer(RUN, at, fault)
                self.assert_no_half_file()
                self.assert_fault_told(outcome, fault)
                before = [call for call in outcome.done
                          if call.what == "rename" and "/cells/" in call.path]
                self.assertGreaterEqual(self.kept(), len(before))
                if outcome.went_wrong and before:
                    self.assertIn(f"{self.kept()} of 5 launches are kept in site/runs/",
                                  outcome.messages)
                    self.assertIn("resume it with --resume", outcome.messages)
                self.resume_ends_as(self.expected)
            self.project.forget("site")

    def test_death_in_the_middle_of_a_call(self):
        for at, fault in self.some(self.number, ("kill",)):
            with self.subTest(at=at):
                self.assert_fault_told(self.project.suffer(RUN, at, fault), fault)
                self.assert_no_half_file()
                self.resume_ends_as(self.expected)
            self.project.forget("site")

    def test_a_folder_that_vanishes(self):
        folder = self.project.folder
        self.project.disk = folder / "site"
        for at, fault in self.some(self.number, ("vanish",)):
            with self.subTest(at=at):
                outcome = self.project.suffer(RUN, at, fault)
                if outcome.status != 0:
                    self.assert_one_line(outcome, reason("ENOENT"))
                    self.project.forget("site")
                    if (folder / "site.gone").exists():
                        (folder / "site.gone").rename(folder / "site")
                self.assert_no_half_file()
                self.resume_ends_as(self.expected)
            self.project.forget("site", "site.gone")

    def test_a_short_write_is_gone_on_with(self):
        for at, fault in self.some(self.number, ("short",)):
            self.assert_fault_told(self.project.suffer(RUN, at, fault), fault)
            self.assertEqual([launches(run) for run in self.runs()], [self.expected])
            self.project.forget("site")


class Resume(DiskTest):
    """A run whose launches lie apart, one of them failed, is gone on with, and that dies too."""

    def setUp(self):
        super().setUp()
        calls = self.project.suffer(RUN).calls
        self.expected = launches(self.runs()[0])
        self.project.forget("site")
        last = max(i for i, call in enumerate(calls) if "/cells/" in call.path
                   and call.what == "rename")
        self.project.suffer(RUN, last + 2, "kill")
        folder = next(self.project.folder.glob("site/runs/*/*/*/cells"))
        first_of_two = next(folder.glob("*.1.json")).name.replace(".1.json", ".0.json")
        failed = json.loads((folder / first_of_two).read_text(encoding="utf-8"))
        failed["result"].update(outcome={"status": "error", "message": "no luck"}, metrics=[])
        (folder / first_of_two).write_text(json.dumps(failed), encoding="utf-8")
        self.assertEqual([len(all_of_it) for all_of_it in launches(self.runs()[0]).values()],
                         [0, 0, 0])
        self.assertEqual(self.kept(), 5)
        self.before = tree(self.project.folder / "site")

    def test_a_resumption_that_dies_is_gone_on_with(self):
        number = self.undisturbed(*RESUME)
        self.assertEqual([launches(run) for run in self.runs()], [self.expected])
        for at, fault in self.some(number, FAULTS):
            with self.subTest(at=at, fault=fault):
                self.project.restore("site", self.before)
                self.assert_fault_told(self.project.suffer(RESUME, at, fault), fault)
                self.assert_no_half_file()
                self.resume_ends_as(self.expected)


class Order(DiskTest):
    """What a power cut leaves depends on what was synced before what."""

    def test_each_file_is_synced_before_it_gets_its_name(self):
        calls = self.project.suffer(RUN).calls
        renamed = [i for i, call in enumerate(calls) if call.what == "rename"]
        self.assertGreater(len(renamed), 10)
        for i in renamed:
            path = calls[i].path
            if "/scratch/" in path:
                continue  # worthless after a power cut
            self.assertEqual([repr(call) for call in calls[i - 3:i]],
                             [f"{what} {path}.part" for what in ("open", "write", "fsync")])
            if path.endswith("/run.json"):
                self.assertEqual(repr(calls[i + 1]), f"fsync {path.removesuffix('/run.json')}")

    def test_launches_are_let_go_once_the_run_that_holds_them_is_on_the_disk(self):
        calls = self.project.suffer(RUN).calls
        let_go = next(i for i, call in enumerate(calls)
                      if call.what == "remove" and "/cells/" in call.path)
        kept = [call for call in calls[:let_go] if call.what != "remove"][-5:]
        self.assertEqual([call.what for call in kept],
                         ["open", "write", "fsync", "rename", "fsync"])
        self.assertTrue(kept[-2].path.endswith("/run.json"))

    def test_new_folders_are_synced_in_the_folders_that_hold_them(self):
        calls = [repr(call) for call in self.project.suffer(RUN).calls]
        first = next(i for i, call in enumerate(calls) if "/scratch/" in call)
        made = [call.split(" ")[1] for call in calls[:first] if call.startswith("mkdir ")]
        self.assertEqual(len(made), 7)
        for folder in made:
            above = folder.rpartition("/")[0] or "."
            after = calls[calls.index("mkdir " + folder):first]
            self.assertIn("fsync " + above, after)


if __name__ == "__main__":
    main()
