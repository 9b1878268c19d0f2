"""Tests that this tree keeps the rules, and that each rule refuses a bad tree by file and line."""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import rules
import shipped

sys.path.append(str(shipped.ROOT / "tests/states"))
from plant import plant, remove  # noqa: E402: a neighbor's, found by the line above


def complaints(check, tree):
    """Returns what `check` complains about in a tree given as {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return list(check(root))


class ThisTree(unittest.TestCase):
    maxDiff = None

    def assert_kept(self, check):
        self.assertEqual(list(check(shipped.ROOT)), [])

    def test_rooms_include_only_what_their_arrows_reach(self):
        self.assert_kept(rules.check_includes)

    def test_processes_belong_to_one_place(self):
        self.assert_kept(rules.check_processes)

    def test_a_type_is_defined_once(self):
        self.assert_kept(rules.check_types)

    def test_texts_name_no_machine_and_are_finished(self):
        self.assert_kept(rules.check_texts)

    def test_tests_read_no_run_of_the_users(self):
        self.assert_kept(rules.check_runs)

    def test_every_room_is_looked_at(self):
        rooms = {rules.room_of(path) for path in rules.files(shipped.ROOT)}
        self.assertLessEqual(set(rules.INCLUDES), rooms)


class Includes(unittest.TestCase):
    def check(self, path, line):
        return complaints(rules.check_includes, {path: "#pragma once\n" + line + "\n"})

    def test_an_arrow_in_reverse(self):
        self.assertEqual(self.check("src/base/a.h", '#include "results/run.h"'),
                         ["src/base/a.h:2: base may not include results/run.h"])

    def test_a_neighbor_that_no_arrow_reaches(self):
        self.assertTrue(self.check("src/document/a.cpp", '#include "orchestrate/pool.h"'))
        self.assertTrue(self.check("src/document/a.cpp", '#include "experiments/catalog.h"'))
        self.assertTrue(self.check("src/engine/a.cpp", '#include "model/linear.h"'))
        self.assertTrue(self.check("experiments/x/plan.cpp", '#include "cli/run.h"'))

    def test_a_problem_that_includes_another(self):
        another, shared = '#include "experiments/ladder/rung.h"', '#include "experiments/common/timing.h"'
        for folder in ["experiments/x", "experiments/x/figures", "experiments/common"]:
            self.assertTrue(self.check(f"{folder}/a.cpp", another), folder)
            self.assertFalse(self.check(f"{folder}/a.cpp", shared), folder)
        self.assertTrue(self.check("experiments/x/a.cpp", '#include "experiments/overview/overview.h"'))
        for path in ["experiments/ladder/a.cpp", "experiments/overview/a.cpp", "experiments/catalog.cpp",
                     "src/cli/a.cpp"]:
            self.assertFalse(self.check(path, another), path)
        self.assertFalse(self.check("experiments/x/a.cpp", '#include "experiments/problems.h"'))

    def test_torch_and_cuda_outside_their_rooms(self):
        for header in ["ATen/core/Tensor.h", "c10/core/Device.h", "torch/torch.h",
                       "cuda_runtime_api.h", "cupti.h", "nvtx3/nvToolsExt.h"]:
            for path in ["src/plan/a.cpp", "src/cli/a.cpp", "experiments/x/plan.cpp", "src/main.cpp"]:
                self.assertTrue(self.check(path, f"#include <{header}>"), (path, header))
            self.assertFalse(self.check("src/engine/a.cpp", f"#include <{header}>"), header)

    def test_a_library_outside_its_room(self):
        self.assertTrue(self.check("src/plan/a.cpp", "#include <nlohmann/json.hpp>"))
        self.assertTrue(self.check("src/document/a.cpp", "#include <CLI/CLI.hpp>"))

    def test_another_rooms_embedded_files(self):
        self.assertTrue(self.check("src/plan/a.cpp", '#include "embedded/writers.h"'))
        self.assertFalse(self.check("src/cli/a.cpp", '#include "embedded/writers.h"'))

    def test_a_folder_that_is_no_room(self):
        self.assertTrue(self.check("src/utils/a.h", ""))

    def test_a_chain_of_arrows_is_allowed(self):
        self.assertFalse(self.check("src/worker/a.cpp", '#include "base/error.h"'))


class Processes(unittest.TestCase):
    def check(self, path, line):
        return complaints(rules.check_processes, {path: line + "\n"})

    def test_calls_and_headers_outside_subprocess(self):
        for line in ["pid_t p = fork();", "  ::kill(pid, SIGTERM);", "std::system(text);",
                     "#include <sys/wait.h>"]:
            self.assertTrue(self.check("src/cli/a.cpp", line), line)
            self.assertFalse(self.check("src/orchestrate/subprocess_spawn.cpp", line), line)

    def test_an_exception_is_for_one_call_of_one_file(self):
        line = "pthread_sigmask(SIG_BLOCK, &all, &before);"
        self.assertFalse(self.check("src/base/nvml.cpp", line))
        self.assertTrue(self.check("src/base/gpu.cpp", line))
        self.assertTrue(self.check("src/base/nvml.cpp", "kill(pid, SIGTERM);"))

    def test_words_in_comments_texts_and_methods_are_no_calls(self):
        for line in ["// fork() is elsewhere", 'say("kill(1)");', "pool.wait();", "child->kill();"]:
            self.assertFalse(self.check("src/cli/a.cpp", line), line)


class Types(unittest.TestCase):
    def check(self, *texts):
        tree = {f"src/base/{index}.h": text for index, text in enumerate(texts)}
        return complaints(rules.check_types, tree)

    def test_two_of_one_name(self):
        space = "namespace labreport {\nstruct Quantity {\n};\n}  // namespace labreport\n"
        self.assertEqual(self.check(space, space), [
            "src/base/1.h:2: labreport::Quantity is already a type of src/base/0.h"])

    def test_two_in_one_line_each(self):
        line = "enum class Color { kA, kB };\n"
        self.assertTrue(self.check(line, line))

    def test_of_two_namespaces_of_none_or_only_declared(self):
        space = "namespace {\nstruct Quantity {\n};\n}  // namespace\n"
        self.assertFalse(self.check(space, space))
        self.assertFalse(self.check("struct Run;\n", "struct Run {\n};\n"))
        self.assertFalse(self.check("namespace a {\nstruct Run {\n};\n}  // namespace a\n",
                                    "namespace b {\nstruct Run {\n};\n}  // namespace b\n"))


class Texts(unittest.TestCase):
    def test_a_path_of_somebodys_machine(self):
        text = "see /" + "home/me/file\n"
        self.assertTrue(complaints(rules.check_texts, {"README.md": text}))
        self.assertFalse(complaints(rules.check_texts, {"README.md": "see /usr/include and a/home/b\n"}))

    def test_an_address_in_a_lock(self):
        lock = "setup/requirements-cu130.txt"
        self.assertTrue(complaints(rules.check_texts, {lock: "--index-url https" + "://a.b/simple\n"}))
        self.assertTrue(complaints(rules.check_texts, {lock: "# from files.example.org\n"}))
        self.assertFalse(complaints(rules.check_texts, {lock: "ninja==1.13.2 --hash=sha256:ab\n"}))

    def test_unfinished_words(self):
        self.assertTrue(complaints(rules.check_texts, {"src/base/a.cpp": "// TO" + "DO: later\n"}))


class Runs(unittest.TestCase):
    def check(self, path, line):
        return complaints(rules.check_runs, {path: line + "\n"})

    def test_a_test_that_reads_what_a_user_puts_into_a_clone(self):
        # Each line is joined here, because this file is looked at, too.
        for line in ['for file in (RO' + 'OT / "site/runs").glob("*/*/*/run.json"):',
                     'files = RO' + 'OT.glob("site/runs/**/x")', 'shutil.copytree(RO' + 'OT / "notes", folder)',
                     'subprocess.run([program, "render"], cwd=RO' + 'OT)']:
            self.assertTrue(self.check("tests/site/a_test.py", line), line)
        self.assertTrue(self.check("tests/cli/a_test.cpp", 'list_runs(LABREPORT_SOURCE' + '_DIR "/site/runs");'))

    def test_the_same_places_of_a_folder_of_its_own(self):
        for line in ['self.project.folder.glob("site/runs/*/*/*/run.json")', 'cwd=self.project.folder',
                     'copy(ROOT / "docs")']:
            self.assertFalse(self.check("tests/site/a_test.py", line), line)


class UsersClone(unittest.TestCase):
    """Tests that in a clone with all that a user may leave there, tests look at what ships and at nothing else."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in shipped.own_files():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(shipped.ROOT / name, self.root / name)

    def seen(self):
        return shipped.own_files(self.root), shipped.pages(self.root), shipped.shipped_runs(root=self.root)

    def test_files_of_the_users_are_not_looked_at(self):
        before = self.seen()
        plant(self.root)
        self.assertTrue((self.root / "notes").exists())
        self.assertEqual(self.seen(), before)
        for check in (rules.check_includes, rules.check_processes, rules.check_types, rules.check_texts, rules.check_runs):
            self.assertEqual(list(check(self.root)), [])

    def test_runs_of_the_users_are_not_read(self):
        shipped.shipped_project(self.root)
        before = self.seen()
        self.assertEqual(len(before[-1]), len(shipped.shipped_runs()))
        plant(self.root)
        self.assertGreater(len(list(self.root.glob("site/runs/*/*/*/run.json"))), len(before[-1]))
        self.assertEqual(self.seen(), before)

    def test_what_was_added_can_be_removed(self):
        shipped.shipped_project(self.root)
        before = sorted(self.root.rglob("*"))
        plant(self.root)
        self.assertNotEqual(sorted(self.root.rglob("*")), before)
        self.assertRaises(SystemExit, plant, self.root)
        remove(self.root)
        self.assertEqual(sorted(self.root.rglob("*")), before)


if __name__ == "__main__":
    unittest.main()
