"""Tests the sample site, opened from files in Chromium without a network, as its readers do.

python3 pages_test.py SAMPLE_SITE: the program that writes the site, or the folder that it wrote
"""
import pathlib
import re
import sys
import unittest

from site_browser import FOCUSED, LEAST_CONTRAST, PHONE, WIDE, BrowserTest


class Pages(BrowserTest):
    def test_every_chart_comes_to_life_without_a_complaint_or_a_request(self):
        page = self.open(self.report)
        frames = self.bring_charts_to_life(page)
        self.assertGreaterEqual(len(frames), 3)
        for frame in frames:
            marks = frame.locator("svg .mark-symbol path, svg .mark-rect path")
            self.assertGreater(marks.count(), 5)
        self.assert_quiet()

    def test_a_live_chart_is_as_large_as_the_drawn_one(self):
        static_page = self.open(self.report, java_script_enabled=False)
        static_page.locator("details.details > summary").first.click()
        static_heights = self.heights(static_page, ".frame.wide")
        live_page = self.open(self.report)
        self.bring_charts_to_life(live_page)
        pairs = list(zip(static_heights, self.heights(live_page, ".frame.wide"), strict=True))
        self.assertEqual(sum(live == 0 for _, live in pairs), 1, "the variant that is hidden")
        for static, live in pairs:
            self.assertAlmostEqual(static, live or static, delta=1)

    def test_a_tooltip_near_a_point_states_the_tables_number(self):
        page = self.open(self.report)
        self.bring_charts_to_life(page)
        point = page.locator("#figure-durations .frame.wide .role-mark.mark-symbol path").first
        point.scroll_into_view_if_needed()
        box = point.bounding_box()
        page.mouse.move(box["x"] - 8, box["y"] - 2)
        tooltip = page.locator("#vg-tooltip-element.visible")
        tooltip.wait_for(state="visible")
        sentence = tooltip.inner_text()
        self.assertRegex(sentence, r"^small, \w+, [0-9.,]+ ± [0-9.]+\.$")
        self.assertIn(f"{float(re.search(r'[0-9.]+', sentence)[0]):.1f}", page.locator("#figure-durations-data").inner_text())
        tip = tooltip.bounding_box()
        self.assertTrue(tip["y"] + tip["height"] <= box["y"] or tip["y"] >= box["y"] + box["height"], (tip, box))
        page.mouse.move(2, 2)
        tooltip.wait_for(state="hidden")
        self.assert_quiet()

    def test_without_scripts_every_figure_is_there(self):
        for viewport, frame in ((WIDE, "wide"), (PHONE, "narrow")):
            page = self.open(self.report, java_script_enabled=False, viewport=viewport)
            page.locator("details.details > summary").first.click()
            self.assertEqual(page.locator("figure").count(), 4)
            for figure in page.locator("figure").all():
                picture = figure.locator(f".frame.{frame} img")
                picture.scroll_into_view_if_needed()
                page.wait_for_function("(img) => img.complete && img.naturalWidth > 100",
                                       arg=picture.element_handle())
                self.assertEqual(figure.locator(".frame:visible").count(), 1)
            self.assert_quiet()

    def test_no_page_scrolls_sideways_on_a_phone(self):
        for path in (self.report, self.demonstration, self.index):
            page = self.open(path, viewport=PHONE, has_touch=True)
            self.open_details(page)
            width = page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(width, PHONE["width"], path)
            self.assert_quiet()

    def test_text_stands_out_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            page = self.open(self.report, color_scheme=scheme)
            self.bring_charts_to_life(page)
            for selector in ("main p", ".question", ".frame.wide text", ".unit", ".contents a", "footer"):
                ratio = page.locator(selector).evaluate_all(LEAST_CONTRAST)
                self.assertGreaterEqual(ratio, 4.5, f"{selector}, {scheme}")
            self.assert_quiet()

    def test_series_stand_out_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            page = self.open(self.report, color_scheme=scheme)
            self.bring_charts_to_life(page)
            marks = page.locator(".frame.wide .mark-symbol path:visible")
            self.assertGreaterEqual(marks.evaluate_all(LEAST_CONTRAST), 3, scheme)

    def test_the_keyboard_reaches_links_details_tables_and_buttons(self):
        page = self.open(self.report)
        self.open_details(page)
        reached = set()
        for _ in range(80):
            page.keyboard.press("Tab")
            reached.add(page.evaluate(FOCUSED))
        self.assertTrue(
            {"a.skip", "a.self", "summary.", "div.table", "button.copy"} <= reached, reached)

    def test_details_open_by_keyboard(self):
        page = self.open(self.report)
        summary = page.locator("details.details > summary").first
        summary.focus()
        page.keyboard.press("Enter")
        self.assertTrue(page.locator("details.details").first.evaluate("(d) => d.open"))

    def test_a_command_is_copied(self):
        page = self.open(self.report)
        self.open_details(page)
        button = page.locator("td.code .copy").first
        button.click()
        page.wait_for_function("(b) => b.textContent !== 'copy'", arg=button.element_handle())
        self.assertIn(button.inner_text(), ("copied", "selected"))

    def test_paper_shows_details_and_no_navigation(self):
        page = self.open(self.report, java_script_enabled=False)
        page.emulate_media(media="print")
        words = page.locator("details.details p").first
        self.assertGreater(words.evaluate("(n) => n.getBoundingClientRect().height"), 5)
        for screen in ("td.code", "figure[data-spec] > details", ".on-screen"):
            self.assertEqual(page.locator(f"{screen}:visible").count(), 0, screen)
        for furniture in (".contents", "footer"):
            self.assertFalse(page.locator(furniture).is_visible(), furniture)
        # Only of figures beside one another paper shows the pictures for a phone, whose letters are larger.
        frames = page.locator("main figure[data-spec]:visible").evaluate_all("""(figures) => figures.map((figure) => [
            figure.offsetWidth < 0.6 * figure.closest("main").offsetWidth ? ".frame.narrow" : ".frame.wide",
            ...[...figure.querySelectorAll(".frame")].filter((frame) => frame.offsetHeight > 0)])
            .map(([wanted, ...shown]) => shown.length === 1 && shown[0].matches(wanted))""")
        self.assertTrue(frames)
        self.assertTrue(all(frames), frames)

    def test_paper_is_light_also_for_readers_in_the_dark(self):
        page = self.open(self.report, color_scheme="dark")
        page.emulate_media(media="print", color_scheme="dark")
        color = page.evaluate("getComputedStyle(document.body).backgroundColor")
        self.assertEqual(color, "rgb(255, 255, 255)")

    def test_a_report_prints_on_a4_and_letter(self):
        for paper in ("A4", "Letter"):
            page = self.open(self.report)
            self.assertTrue(page.pdf(format=paper).startswith(b"%PDF"))

    def test_markup_in_names_stays_text(self):
        for path in (self.demonstration, self.index):
            page = self.open(path)
            self.open_details(page)
            self.assertIn("<script>alert(1)</script>", page.locator("body").inner_text())
            self.assert_quiet()

    def test_every_link_leads_somewhere(self):
        for path in (self.index, self.report, self.demonstration):
            page = self.open(path)
            for target in page.locator("a").evaluate_all("(links) => links.map((a) => a.href)"):
                file, _, anchor = target.partition("#")
                if file.startswith("https://"):
                    continue
                local = pathlib.Path(file.removeprefix("file://"))
                self.assertTrue(local.is_file(), target)
                if anchor:
                    self.assertEqual(local.read_text(encoding="utf-8").count(f'id="{anchor}"'), 1, target)

    def test_a_demonstration_is_marked_at_its_head_and_in_the_index(self):
        self.assertTrue(self.open(self.demonstration).locator(".banner").is_visible())
        rows = self.open(self.index).locator("#table-runs tbody tr")
        remarks = [text for text in rows.all_text_contents() if "CPU demonstration" in text]
        self.assertEqual(len(remarks), 1)
        self.assertEqual(self.open(self.report).locator(".banner").count(), 0)


if __name__ == "__main__":
    Pages.program = sys.argv.pop(1)
    unittest.main()
