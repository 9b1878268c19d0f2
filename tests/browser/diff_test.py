"""Tests the pages that compare two runs: accessibility, requests, widths and links.

python3 diff_test.py SAMPLE_SITE
"""
import sys
import unittest

from recorded_test import axe_source
from site_browser import PHONE, WIDE, BrowserTest

SCREENS = [(WIDE, "light"), (WIDE, "dark"), (PHONE, "light"), (PHONE, "dark")]
# Returns the texts of a chart that extend beyond its sides.
CLIPPED_TEXTS = """(svg) => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const own = text.getBoundingClientRect();
    return own.width > 0 && (own.left < box.left - 1 || own.right > box.right + 1);
  }).map((text) => text.textContent.slice(0, 60));
}"""


class Diff(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages = sorted(cls.site.glob("diff/*/index.html"))
        cls.axe = axe_source()

    def test_axe_finds_nothing_on_any_screen(self):
        for path in self.pages:
            for viewport, scheme in SCREENS:
                page = self.open(path, viewport=viewport, color_scheme=scheme)
                self.bring_charts_to_life(page)
                self.assert_quiet()  # Axe itself requests the style sheet.
                page.evaluate(self.axe)
                found = page.evaluate("axe.run({resultTypes: ['violations']})"
                                      ".then((all) => all.violations.map((one) => one.id))")
                with self.subTest(path.parent.name, width=viewport["width"], scheme=scheme):
                    self.assertEqual(found, [])
                page.context.close()

    def test_nothing_is_wider_than_the_screen(self):
        self.assertEqual(len(self.pages), 3)
        for path in self.pages:
            for viewport in (WIDE, PHONE):
                page = self.open(path, viewport=viewport)
                self.open_details(page)
                with self.subTest(path.parent.name, width=viewport["width"]):
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"),
                                         viewport["width"])
                page.context.close()

    def test_controls_at_the_head_name_both_runs_and_lead_to_others(self):
        page = self.open(self.site / "diff/hostile/index.html")
        first, second = (page.get_by_label(name, exact=True) for name in ("Compare", "with"))
        self.assertTrue(first.input_value().startswith("cpu/"))
        self.assertTrue(second.input_value().startswith("nvidia-h200/"))
        self.assertEqual(page.get_by_role("status").count(), 1)
        first.select_option("nvidia-h200")
        page.wait_for_url("**/compare.html?a=nvidia-h200&b=nvidia-h200/**")
        self.assertIn("in common", page.get_by_role("status").inner_text())
        self.assertNotEqual(page.title(), "owned")

    def test_prices_per_hour_stay_in_the_address(self):
        page = self.open(self.site / "diff/two-gpus/index.html")
        cost = page.locator(".prices output")
        self.assertIn("Enter both", cost.inner_text())
        page.get_by_label("L4", exact=True).fill("0.9")
        page.get_by_role("spinbutton", name="B200").fill("4.5")
        self.assertIn("tiny in BF16: 0.0250 on B200, 0.0225 on L4; rent L4, 10 % less.", cost.inner_text())
        page.reload()
        self.assertIn("0.0225", cost.inner_text())
        self.assert_quiet()

    def test_a_price_in_the_address_that_is_none_is_refused(self):
        for price in ("free", "-1", "0", "1e999"):
            page = self.open(self.site / "diff/two-gpus/index.html", f"?price_a={price}&price_b=2")
            self.assertIn("gives no price as price_a: write a number above 0", page.locator(".prices output").inner_text())
            self.assert_quiet()

    def test_names_stay_text_and_no_label_is_cut(self):
        for path in self.pages:
            page = self.open(path)
            self.bring_charts_to_life(page)
            self.assertNotEqual(page.title(), "owned")
            drawn = page.locator(".frame.wide:visible svg").all()
            self.assertTrue(drawn)
            for svg in drawn:
                with self.subTest(path.parent.name):
                    self.assertEqual(svg.evaluate(CLIPPED_TEXTS), [])
            page.context.close()


if __name__ == "__main__":
    BrowserTest.program = sys.argv.pop(1)
    unittest.main()
