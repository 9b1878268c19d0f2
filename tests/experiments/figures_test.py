"""Tests that each figure's file is plain Vega-Lite: it compiles, names its data and has no theme of its own."""

import glob
import json
import os
import pathlib
import sys
import unittest

import vl_convert

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIGURES = sorted(path for room in ("experiments/*", "src/document/*")
                 for path in glob.glob(ROOT + "/" + room + "/figures/*.vl.json"))


class Figures(unittest.TestCase):
    def test_there_are_some(self):
        self.assertTrue(FIGURES)

    def test_each_compiles_as_it_is(self):
        for path in FIGURES:
            with self.subTest(os.path.relpath(path, ROOT)), open(path, encoding="utf-8") as file:
                spec = json.load(file)
                self.assertIn("name", spec["data"])
                self.assertNotIn("config", spec)
                self.assertTrue(vl_convert.vegalite_to_vega(spec)["marks"])

    def test_each_is_placed_by_a_text(self):
        for path in FIGURES:
            folder, name = os.path.split(path)
            is_shared = folder.endswith("src/document/charts/figures")
            folders = [f"{ROOT}/src", f"{ROOT}/experiments"] if is_shared else [os.path.dirname(folder)]
            texts = [file.read_text(encoding="utf-8") for texts in folders for file in pathlib.Path(texts).rglob("*.md")]
            place = os.path.relpath(path, ROOT)
            programs = [file.read_text(encoding="utf-8") for file in pathlib.Path(f"{ROOT}/src").rglob("*.cpp")] if is_shared else []
            if any(place in program for program in programs):
                continue  # A script gets it, and draws what its reader chooses.
            with self.subTest(place):
                self.assertIn(("file: " if is_shared else "Figure ") + name.removesuffix(".vl.json") + "\n", "".join(texts))


if __name__ == "__main__":
    sys.exit(unittest.main())
