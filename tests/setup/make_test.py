"""Tests that the variables on make's command line reach the program unchanged, and nothing else does."""

import os
import shutil
import subprocess
import unittest

from sandbox import ROOT, Sandbox

HOSTILE = ["it's", "a'; touch planted; '", "$(touch planted)", "`touch planted`", '"', "a b", "a;b", "\\",
           "$(shell touch planted)", "$(x", "${x", "$(error planted)", "$$", "#", "%", "&"]


class Make(Sandbox):
    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(ROOT, "Makefile"), self.root)
        os.symlink(shutil.which("make"), self.bin + "/make")
        self.fake("cmake", "echo cmake version 4.0.0")
        self.fake("ninja", 'case "$MAKEFLAGS" in *jobserver*) echo "ninja: error: Could not initialize jobserver" >&2 ;; esac')
        for folder in ("build", "build-render"):
            self.program(f"{self.root}/{folder}/bin/labreport", f'#!/bin/sh\nprintf "%s\\0" "$@" > {self.root}/words\n')
        self.install("render")

    def make(self, *words):
        return subprocess.run(["make", "--no-print-directory", *words], cwd=self.root, env=self.environment,
                              capture_output=True, text=True, timeout=60)

    def words_of(self, *words):
        result = self.make(*words)
        self.assertEqual((result.returncode, result.stderr), (0, ""), words)
        with open(self.root + "/words", encoding="utf-8") as file:
            return file.read().split("\0")[:-1]

    def test_a_value_is_one_word_whatever_it_holds(self):
        for value in HOSTILE:
            self.assertEqual(self.words_of("site", "OUT=" + value), ["render", "--out", value])
            self.assertEqual(self.words_of("notes", "RUN=" + value), ["notes", "--init", value])
            self.assertEqual(self.words_of("diff", "A=" + value, "B=b"), ["diff", value, "b"])
        self.assertFalse(os.path.exists(self.root + "/planted"))

    def test_nothing_of_a_value_is_expanded(self):
        """make expands the values that it exports to set-up and the build, unless they are frozen."""
        self.fake("ninja", f'printf "%s" "$CXX" > {self.root}/compiler')
        for value in HOSTILE:
            self.assertEqual(self.words_of("site", "CXX=" + value), ["render"])
            with open(self.root + "/compiler", encoding="utf-8") as file:
                self.assertEqual(file.read(), value)
        self.assertFalse(os.path.exists(self.root + "/planted"))

    def test_no_value_stays_in_the_environment(self):
        self.program(f"{self.root}/build/bin/labreport", f'#!/bin/sh\nprintf "%s\\0" "$OUT" "$MAKEFLAGS" > {self.root}/words\n')
        self.assertNotIn("planted", " ".join(self.words_of("site", "OUT=planted")))

    def test_args_are_words_and_no_commands(self):
        self.assertEqual(self.words_of("site", """ARGS=-R a|b 'c d' "e f" g\\ h $(touch planted) `x`;touch planted"""),
                         ["render", "-R", "a|b", "c d", "e f", "g h", "$(touch", "planted)", "`x`;touch", "planted"])
        self.assertFalse(os.path.exists(self.root + "/planted"))
        result = self.make("site", "ARGS=it's")
        self.assertEqual(result.returncode, 2)
        self.assertIn("ARGS opens a quote that nothing closes", result.stderr)

    def test_an_unknown_target_is_refused_whatever_it_holds(self):
        for target in HOSTILE:
            result = self.make(target)
            self.assertEqual(result.returncode, 2)
            self.assertIn("make has no target ", result.stderr, target)
        self.assertFalse(os.path.exists(self.root + "/planted"))

    def test_a_hostile_variable_name_is_refused(self):
        result = self.make("site", "a'touch${IFS}planted'b=1")
        self.assertEqual(result.returncode, 2)
        self.assertIn("make site reads no a'touch", result.stderr)
        self.assertFalse(os.path.exists(self.root + "/planted"))

    def test_a_value_of_two_lines_is_refused(self):
        result = self.make("site", "OUT=a\ntouch planted")
        self.assertEqual(result.returncode, 2)
        self.assertIn("OUT holds the end of a line; give it in one", result.stderr)

    def test_a_switch_is_on_off_or_refused(self):
        for target, name, flag in (("site", "OWN", "--own"), ("report", "RESUME", "--resume"),
                                   ("diff", "FAIL", "--fail-on-regression")):
            verb = {"site": "render"}.get(target, target)
            for word in ("1", "yes", "on", "true"):
                self.assertIn(f" {flag}", self.called(target, f"{name}={word}"))
            for word in ("0", "no", "off", "false", ""):
                self.assertEqual(self.called(target, f"{name}={word}").split(), [verb])
            for word in ("2", "maybe", "1 0"):
                result = self.make(target, f"{name}={word}")
                self.assertEqual(result.returncode, 2)
                self.assertIn(f"{name}={word} is neither on nor off; give 1 or 0", result.stderr)

    def called(self, *words):
        """Returns the words after the program in the last command that make would run."""
        return self.make("-n", *words).stdout.splitlines()[-1].partition("bin/labreport ")[2]

    def test_many_jobs_are_no_trouble(self):
        self.assertEqual(self.words_of("-j8", "site"), ["render"])

    def test_goals_come_one_after_the_other(self):
        lines = self.make("-n", "-j8", "site", "pdf").stdout.splitlines()
        self.assertEqual([line for line in lines if "setup/install" in line],
                         ["setup/install render && setup/build default labreport"])
        with open(self.root + "/Makefile", encoding="utf-8") as file:
            self.assertIn("\n.NOTPARALLEL:\n", file.read())


if __name__ == "__main__":
    unittest.main()
