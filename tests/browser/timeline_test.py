"""Tests the live timeline of a training step that a CPU recorded: it can be zoomed, moved and read.

python3 timeline_test.py LABREPORT
"""
import re
import sys
import unittest

from site_browser import PHONE, ROOT, WIDE, BrowserTest

FIGURE = "#figure-step-timeline"


class Timeline(BrowserTest):
    @classmethod
    def write_site(cls):
        cls.write_site_of(ROOT / "tests/fixtures/traced_step.json")

    def open_timeline(self, **settings):
        page = self.open_live(FIGURE, ".timeline", **settings)
        self.lanes = page.locator(f"{FIGURE} canvas")
        return page

    def view(self, page):
        """Returns the start and the end of the time that the timeline shows, in ns."""
        return page.locator(".timeline").evaluate("(t) => [+t.dataset.from, +t.dataset.to]")

    def press(self, page, *keys):
        self.lanes.focus()
        for key in keys:
            page.keyboard.press(key)
        return self.view(page)

    def detail(self, page):
        return page.locator(".timeline-detail").inner_text()

    def test_the_timeline_replaces_the_picture_on_every_screen(self):
        for viewport in (WIDE, PHONE):
            page = self.open_timeline(viewport=viewport)
            self.assertEqual(page.locator(f"{FIGURE} .frame:visible").count(), 0)
            self.assertTrue(self.lanes.is_visible())
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"),
                                 viewport["width"])
            self.assert_quiet()

    def test_the_picture_is_printed_and_stays_without_scripts(self):
        page = self.open_timeline()
        page.emulate_media(media="print")
        self.assertFalse(self.lanes.is_visible())
        printed = page.locator(f"{FIGURE} .frame:visible")
        printed.first.wait_for()  # A lazy picture has no size until it is loaded.
        self.assertEqual(printed.count(), 1)
        plain = self.open(self.report, java_script_enabled=False)
        self.assertTrue(plain.locator(f"{FIGURE} .frame.wide img").is_visible())
        self.assertEqual(plain.locator(".timeline").count(), 0)

    def test_keys_zoom_move_and_return(self):
        page = self.open_timeline()
        whole = self.view(page)
        self.assertEqual(whole[0], 0)
        zoomed = self.press(page, "+", "+")
        self.assertLess(zoomed[1] - zoomed[0], (whole[1] - whole[0]) / 2)
        later = self.press(page, "ArrowRight")
        self.assertGreater(later[0], zoomed[0])
        self.assertAlmostEqual(later[1] - later[0], zoomed[1] - zoomed[0], delta=2)
        self.assertEqual(self.press(page, "ArrowLeft"), zoomed)
        self.assertGreater(self.press(page, "-")[1] - self.view(page)[0], zoomed[1] - zoomed[0])
        self.assertEqual(self.press(page, "Home"), whole)
        self.assertEqual(self.press(page, *["ArrowRight"] * 9), whole, "nothing lies beyond")

    def test_shift_and_an_arrow_go_from_kernel_to_kernel(self):
        page = self.open_timeline()
        self.press(page, "Shift+ArrowRight")
        first = self.detail(page)
        self.assertRegex(first, r"^\w+ \w+, .*% of the step, at ")
        self.press(page, "Shift+ArrowRight")
        self.assertNotEqual(self.detail(page), first)
        self.press(page, "Shift+ArrowLeft")
        self.assertEqual(self.detail(page), first)

    def test_a_live_line_says_what_is_in_view(self):
        page = self.open_timeline()
        self.assertEqual(page.locator(".timeline-detail").get_attribute("role"), "status")
        whole = self.detail(page)
        self.assertRegex(whole, r"^[\d.,]+ ms, \d+ kernels; bars show their shares of the time of each \w+$")
        self.press(page, "+", "+")
        zoomed = self.detail(page)
        self.assertRegex(zoomed, r"^[\d.,]+ .s, [\d.]+ % of the step, at .*: \d+ kernels\b")
        self.press(page, "ArrowRight")
        self.assertNotEqual(self.detail(page), zoomed)
        self.press(page, "Home")
        self.assertEqual(self.detail(page), whole)

    def test_kernels_that_are_too_narrow_are_drawn_as_shares(self):
        page = self.open_timeline()
        over_kernels = {"x": 300, "y": 120}
        self.lanes.hover(position=over_kernels)
        shares = [int(share) for share in re.findall(r"(\d+) %(?=,|$)", self.detail(page).partition(" kernels: ")[2])]
        self.assertTrue(shares, "a stretch of kernels is told by their shares of its time")
        self.assertLessEqual(sum(shares), 101)
        self.assertEqual(shares, sorted(shares, reverse=True))
        page.mouse.move(0, 0)
        self.assertIn("bars show", self.detail(page))
        self.press(page, *"++++++++")
        self.assertNotIn("bars show", self.detail(page))
        self.lanes.hover(position=over_kernels)
        self.assertRegex(self.detail(page), r"^\w.*% of the step, at [^:]*; (forward|backward|optimizer)")

    def test_buttons_do_what_keys_do(self):
        page = self.open_timeline()
        whole = self.view(page)
        for name, wider in (("Zoom in", False), ("Zoom out", True)):
            before = self.view(page)
            page.get_by_role("button", name=name).click()
            after = self.view(page)
            self.assertEqual(after[1] - after[0] > before[1] - before[0], wider, name)
        page.get_by_role("button", name="One block").click()
        self.lanes.hover(position={"x": 300, "y": 35})
        self.assertIn("forward › block 1 ", self.detail(page))
        page.get_by_role("button", name="Whole step").click()
        self.assertEqual(self.view(page), whole)

    def test_a_click_on_a_phase_zooms_to_it(self):
        page = self.open_timeline()
        whole = self.view(page)
        self.lanes.click(position={"x": 3, "y": 10})
        shown = self.view(page)
        self.assertEqual(shown[0], 0)
        self.assertLess(shown[1], whole[1])
        self.assertRegex(self.detail(page), r"^forward .* kernels")

    def test_the_wheel_zooms_only_while_the_lanes_have_the_focus(self):
        page = self.open_timeline()
        whole = self.view(page)
        self.lanes.hover()
        page.mouse.wheel(0, -100)
        self.assertEqual(self.view(page), whole)
        self.lanes.focus()
        self.lanes.hover()  # The page may have scrolled.
        page.mouse.wheel(0, -100)
        page.wait_for_function("() => +document.querySelector('.timeline').dataset.from > 0")
        self.assert_quiet()

    def test_dragging_moves(self):
        page = self.open_timeline()
        before = self.press(page, "+", "+", "+")
        box = self.lanes.bounding_box()
        page.mouse.move(box["x"] + 300, box["y"] + 90)
        page.mouse.down()
        page.mouse.move(box["x"] + 200, box["y"] + 90)
        page.mouse.up()
        self.assertGreater(self.view(page)[0], before[0])

    def test_the_focus_is_seen(self):
        page = self.open_timeline()
        page.get_by_role("button", name="Whole step").focus()
        page.keyboard.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.tagName"), "CANVAS")
        self.assertEqual(self.lanes.evaluate("(c) => getComputedStyle(c).outlineStyle"), "solid")


if __name__ == "__main__":
    Timeline.program = sys.argv.pop(1)
    unittest.main()
