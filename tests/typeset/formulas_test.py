"""Tries every name that pandoc writes for a sign on the Typst that is installed: python3 formulas_test.py"""
import importlib.util
import pathlib
import re
import sys
import unicodedata
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "site" / "run_pandoc.py"
SKIPPED = 77
# The blocks of Unicode that have the signs of mathematics, and the letters in its styles.
SIGNS = [chr(code) for code in [*range(0xA1, 0x3000), *range(0x1D400, 0x1D800)]
         if unicodedata.category(chr(code))[0] in "LNPS"]


def script():
    spec = importlib.util.spec_from_file_location("run_pandoc", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Names(unittest.TestCase):
    def test_typst_takes_every_sign_that_pandoc_names(self):
        run_pandoc = script()
        pandoc = run_pandoc.Pandoc()
        sources = [f"${sign}$" for sign in SIGNS]
        named = {source: forms["typst"] for source, forms in run_pandoc.convert_all(pandoc, sources).items()
                 if re.search("[a-z]{2}", forms["typst"])}
        self.assertGreater(len(named), 800)
        taken = run_pandoc.formulas(pandoc, sorted(named))
        self.assertEqual({source: name for source, name in named.items() if not taken[source]["typst"]}, {})

    def test_a_sign_stands_for_a_name_only_where_typst_lacks_the_name(self):
        run_pandoc = script()
        found = run_pandoc.formulas(run_pandoc.Pandoc(), [r"$\times$", r"$\bigotimes_i x \odot y$"])
        self.assertEqual(found[r"$\times$"]["typst"], "times")
        self.assertEqual(found[r"$\bigotimes_i x \odot y$"]["typst"], "⨂_i x ⊙ y")


if __name__ == "__main__":
    if not all(map(importlib.util.find_spec, ("typst", "pypandoc"))):
        print("skipped: no Typst or no pandoc here")
        sys.exit(SKIPPED)
    unittest.main()
