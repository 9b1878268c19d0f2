"""Tests the live figure "What fits" of a run that a GPU recorded: inputs, answers, and the page without scripts.

python3 what_fits_test.py LABREPORT
"""
import sys
import unittest

from site_browser import PHONE, WHOLE_RUNS, WIDE, BrowserTest, need_run

FIGURE = "#figure-what-fits"


class WhatFits(BrowserTest):
    @classmethod
    def write_site(cls):
        cls.write_site_of(need_run(WHOLE_RUNS[0]) / "run.json")

    def open_drawer(self, **settings):
        page = self.open(self.report, **settings)
        page.locator(f"details:has({FIGURE}) > summary").first.click()
        return page

    def open_figure(self, **settings):
        page = self.open_drawer(**settings)
        page.locator(FIGURE).scroll_into_view_if_needed()
        page.mouse.move(5, 5)
        page.locator(f"{FIGURE} .what-fits").wait_for()
        return page

    def field(self, page, label):
        return page.locator(FIGURE).get_by_label(label, exact=True)

    def answer(self, page):
        return page.locator(f"{FIGURE} output").inner_text()

    def batches(self, page):
        return page.locator(f"{FIGURE} .what-fits-cards tr").last.locator("td").all_inner_texts()

    def test_the_form_replaces_the_picture_on_every_screen(self):
        for viewport in (WIDE, PHONE):
            page = self.open_figure(viewport=viewport)
            self.assertEqual(page.locator(f"{FIGURE} .frame:visible").count(), 0)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"),
                                 viewport["width"])
            self.assert_quiet()

    def test_without_scripts_the_picture_and_its_table_remain(self):
        page = self.open_drawer(java_script_enabled=False)
        self.assertTrue(page.locator(f"{FIGURE} .frame.wide img").is_visible())
        self.assertEqual(page.locator(".what-fits").count(), 0)
        self.assertIn("80 GB", page.locator(f"{FIGURE}-data").inner_text())

    def test_the_figure_is_not_printed(self):
        page = self.open_figure()
        page.emulate_media(media="print")
        self.assertFalse(page.locator(FIGURE).is_visible())

    def test_the_first_answer_is_the_reports_own_step(self):
        page = self.open_figure()
        self.assertRegex(self.answer(page), r"^65\.\d\d GiB at the peak, in the backward pass: "
                                            r"fits a card of 80 GB\. This run measured \d+ peaks")
        self.assertEqual(self.batches(page)[:2], ["–", "–"])

    def test_each_choice_changes_the_answer(self):
        page = self.open_figure()
        seen = {self.answer(page)}
        for label, value in (("size", "xl"), ("precision", "BF16"), ("step", "inference forward")):
            self.field(page, label).select_option(value)
            seen.add(self.answer(page))
        for label, value in (("context", "4096"), ("batch", "32")):
            self.field(page, label).fill(value)
            seen.add(self.answer(page))
        self.assertEqual(len(seen), 6)

    def test_the_largest_batch_fits_and_the_next_does_not(self):
        page = self.open_figure()
        largest = int(self.batches(page)[3])
        for batch, word in ((largest, "fits a card of 141 GB"), (largest + 1, "needs more than 141 GB")):
            self.field(page, "batch").fill(str(batch))
            self.assertIn(word, self.answer(page))
            self.assertRegex(self.answer(page), r"Extrapolated: this run measured .* up to 65\.\d\d GiB, batch 4 and")
            self.assertNotIn("too low", self.answer(page))

    def test_the_parts_add_up(self):
        page = self.open_figure()
        parts = page.locator(f"{FIGURE} .what-fits-key li").all_inner_texts()
        sizes = [part.split()[-2:] for part in parts]
        total = sum(float(size) / (1 if unit == "GiB" else 1024) for size, unit in sizes)
        self.assertAlmostEqual(total, float(self.answer(page).split()[0]), delta=0.03)

    def test_thousands_of_gibibytes_are_grouped(self):
        page = self.open_figure()
        self.field(page, "batch").fill("4096")
        self.assertRegex(self.answer(page), r"^\d{1,3},\d{3}\.\d\d GiB at the peak")

    def test_a_wrong_number_is_reported(self):
        page = self.open_figure()
        for text in ("", "0", "1.5"):
            self.field(page, "context").fill(text)
            self.assertIn("whole numbers", self.answer(page))
            self.assertFalse(page.locator(f"{FIGURE} .what-fits-cards").is_visible())
        self.assert_quiet()

    def test_the_keyboard_reaches_every_field(self):
        page = self.open_figure()
        self.field(page, "size").focus()
        before = self.answer(page)
        page.keyboard.press("ArrowUp")
        self.assertNotEqual(self.answer(page), before)
        for label in ("step", "precision", "context", "batch"):
            page.keyboard.press("Tab")
            focused = page.evaluate("document.activeElement.labels[0].textContent")
            self.assertEqual(focused, label)


if __name__ == "__main__":
    WhatFits.program = sys.argv.pop(1)
    unittest.main()
