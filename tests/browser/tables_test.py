"""Tests that tables can be sorted and copied, figures saved and switched, and that links lead to each of them."""
import csv
import io
import pathlib
import sys
import unittest

from site_browser import PHONE, BrowserTest

COLUMN = """(table, column) => [...table.tBodies[0].querySelectorAll("tr:not(.below)")]
    .map((row) => row.cells[column].textContent)"""
# Returns the text that a page would copy, without asking the browser for its clipboard.
COPY = "([table, format]) => kFormats[format](readTable(table))"
# Makes a table sortable that is too short to be so.
MAKE_SORTABLE = """(table) => {
  const body = table.tBodies[0], groups = rowGroups(body);
  [...table.tHead.rows[0].cells].forEach((head, column) => addSortButton(head, column, body, groups));
}"""
# Gives a copy of a table so many rows, and returns how many sort buttons it gets.
SORT_BUTTONS = """(table, count) => {
  const copy = table.cloneNode(true);
  const row = copy.tBodies[0].rows[0];
  copy.tBodies[0].replaceChildren(...Array.from({ length: count }, () => row.cloneNode(true)));
  addSortButtons(copy);
  return copy.querySelectorAll(".sort").length;
}"""


class Tables(BrowserTest):
    def setUp(self):
        self.page = self.open(self.report)
        self.page.wait_for_selector("[data-equipped]", state="attached")
        self.table = self.page.locator("#table-benchmarking_script-b-durations table")
        self.table.evaluate(MAKE_SORTABLE)

    def column(self, index):
        return self.table.evaluate(COLUMN, index)

    def copied(self, format_, table=None):
        handle = (table or self.table).element_handle()
        return self.page.evaluate(COPY, [handle, format_])

    def test_a_column_sorts_by_its_numbers_both_ways_and_back(self):
        original = self.column(0)
        button = self.table.locator("th .sort").nth(1)
        head = self.table.locator("thead th").nth(1)
        for order, expected in (("descending", original[::-1]), (None, original)):
            if order == "descending":
                button.click()
                self.assertEqual(head.get_attribute("aria-sort"), "ascending")
            button.click()
            self.assertEqual(head.get_attribute("aria-sort"), order)
            self.assertEqual(self.column(0), expected)
        self.assert_quiet()

    def test_missing_values_stay_last_in_either_order(self):
        for _ in range(2):
            self.table.locator("th .sort").nth(3).press("Enter")
            self.assertEqual(self.column(0)[-1], "2.7B")

    def test_only_tables_of_eight_rows_have_sort_buttons(self):
        table = self.page.locator("#figure-durations-data table")
        self.assertEqual(table.evaluate(SORT_BUTTONS, 7), 0)
        self.assertEqual(table.evaluate(SORT_BUTTONS, 8), table.locator("thead th").count())

    def test_markdown_keeps_deviations_units_and_the_reason_of_a_gap(self):
        text = self.copied("Markdown")
        self.assertIn("| size | forward (ms) |", text)
        self.assertIn("| --- | ---: |", text)
        self.assertIn("| small | 10.62 ± 0.02 |", text)
        self.assertIn("out of memory in optimizer: tried to allocate 100.0 MiB", text)
        lengths = {line.count("|") for line in text.splitlines() if line.startswith("|")}
        self.assertEqual(len(lengths), 1, text)

    def test_latex_is_a_booktabs_table(self):
        text = self.copied("LaTeX")
        for part in ("\\toprule", "\\midrule", "\\bottomrule", "\\begin{tabular}{lrrrrrl}",
                     "variation (\\%)", "10.62 $\\pm$ 0.02"):
            self.assertIn(part, text)

    def test_csv_splits_value_and_deviation(self):
        rows = list(csv.DictReader(io.StringIO(self.copied("CSV"))))
        self.assertEqual(rows[0]["forward (ms)"], "10.62")
        self.assertEqual(rows[0]["forward ± (ms)"], "0.02")
        self.assertEqual(rows[-1]["optimizer (ms)"], "")
        self.assertIn("out of memory", rows[-1]["Remarks"])

    def test_copies_keep_the_sorted_order(self):
        for _ in range(2):
            self.table.locator("th .sort").first.click()
        self.assertGreater(self.copied("CSV").index("2.7B"), 0)
        first = self.copied("CSV").splitlines()[1]
        self.assertTrue(first.startswith(self.column(0)[0]), first)

    def test_signs_of_each_format_are_escaped(self):
        self.table.locator("tbody th").first.evaluate(
            "(cell) => { cell.textContent = '=1|2_3*4%<b>\\\\x{}$&\"'; }")
        self.assertIn("=1\\|2\\_3\\*4%\\<b\\>\\\\x\\{\\}\\$&amp;", self.copied("Markdown"))
        self.assertIn("=1\\textbar{}2\\_3*4\\%\\textless{}b", self.copied("LaTeX"))
        row = list(csv.reader(io.StringIO(self.copied("CSV"))))[1]
        self.assertEqual(row[0], "'=1|2_3*4%<b>\\x{}$&\"")

    def test_a_menu_opens_copies_and_closes_by_keyboard(self):
        menu = self.page.locator(".tabled:has(table) > .menu:visible").first
        summary = menu.locator("summary")
        summary.press("Enter")
        button = menu.locator("button").first
        button.press("Enter")
        self.page.wait_for_function("(b) => b.textContent !== 'Markdown'",
                                    arg=button.element_handle())
        self.assertEqual(button.inner_text(), "copied")
        button.press("Escape")
        self.assertIsNone(menu.get_attribute("open"))

    def test_without_scripts_there_are_no_buttons(self):
        page = self.open(self.report, java_script_enabled=False)
        self.assertEqual(page.locator("button, .menu, .switch").count(), 0)


class Saving(BrowserTest):
    def setUp(self):
        self.page = self.open(self.report)
        self.page.wait_for_selector("[data-equipped]", state="attached")

    def saved(self, figure, words):
        figure.locator("> .menu > summary").click()
        with self.page.expect_download() as download:
            figure.locator("> .menu button", has_text=words).click()
        return pathlib.Path(download.value.path()).read_bytes()

    def test_a_figure_is_saved_as_svg_and_png_and_its_data_as_csv(self):
        self.open_details(self.page)
        figures = self.page.locator("figure.chart:not([data-live]):has(> details):visible")
        self.assertIn(b"<svg", self.saved(figures.nth(0), "SVG"))
        self.assertTrue(self.saved(figures.nth(1), "PNG").startswith(b"\x89PNG"))
        self.assertGreater(self.saved(figures.nth(2), "CSV").count(b"\r\n"), 1)
        self.assert_quiet()

    def test_an_answer_is_copied_as_markdown_and_latex(self):
        self.page.evaluate("""() => {
            window.copied = [];
            copyText = async (text) => { window.copied.push(text); return true; };
        }""")
        answer = self.page.locator(".answer:has(strong)").first
        bold = answer.locator("strong").first.inner_text()
        answer.locator("> .menu > summary").click()
        for words in ("Markdown", "LaTeX"):
            answer.get_by_role("button", name=f"{words}: copy this answer").click()
        markdown, latex = self.page.evaluate("window.copied")
        self.assertIn("**", markdown)
        self.assertIn(bold.split()[0], markdown)
        self.assertIn("\\textbf{", latex)
        self.assertNotIn("copy", markdown)

    def test_a_click_outside_closes_a_menu(self):
        menu = self.page.locator("figure.chart > .menu").first
        menu.locator("summary").click()
        self.page.locator("h1").click()
        self.assertIsNone(menu.get_attribute("open"))

    def test_controls_are_at_least_24_pixels_high(self):
        self.open_details(self.page)
        for menu in self.page.locator(".menu").all()[:3]:
            menu.evaluate("(menu) => (menu.open = true)")
        heights = self.heights(self.page, ":is(button, summary, .switch label):visible")
        self.assertGreaterEqual(min(heights), 24)


class Links(BrowserTest):
    def test_every_titled_part_table_and_figure_has_an_id_and_links_to_itself(self):
        page = self.open(self.report)
        ids = page.locator("[id]").evaluate_all("(nodes) => nodes.map((node) => node.id)")
        self.assertEqual(len(ids), len(set(ids)))
        for node in page.locator(".part:has(> h3), .tabled, figure").all():
            link = node.locator(".self").first
            self.assertEqual(link.get_attribute("href"), "#" + node.get_attribute("id"))

    def test_a_link_opens_the_details_and_the_variant_that_hold_its_target(self):
        page = self.open(self.report)
        for holder in ("details.details .tabled", ".variant.away figure"):
            name = page.locator(holder).first.get_attribute("id")
            target = page.locator(f"#{name}")
            self.assertFalse(target.is_visible())
            page.evaluate("(name) => { location.hash = name; }", name)
            target.wait_for(state="visible")
        self.assert_quiet()

    def test_arrow_keys_switch_between_variants(self):
        page = self.open(self.report)
        first, second = page.locator(".variant").all()
        self.assertTrue(first.is_visible() and not second.is_visible())
        page.locator(".switch input").first.focus()
        page.keyboard.press("ArrowRight")
        self.assertTrue(second.is_visible() and not first.is_visible())

    def test_all_variants_are_on_paper_and_without_scripts(self):
        paper = self.open(self.report)
        paper.emulate_media(media="print")
        plain = self.open(self.report, java_script_enabled=False)
        for page in (paper, plain):
            self.assertEqual(page.locator(".variant:visible").count(), 2)

    def test_the_contents_list_marks_what_is_read(self):
        page = self.open(self.report)
        for part in page.locator(".part:has(> h3)").all():
            part.evaluate("(node) => node.scrollIntoView()")
            page.wait_for_function(
                "(id) => document.querySelector('.contents [aria-current]')?.hash === '#' + id",
                arg=part.get_attribute("id"))

    def test_charts_follow_the_window(self):
        page = self.open(self.report)
        self.bring_charts_to_life(page)
        chart = page.locator("#figure-durations .frame.wide svg")
        before = chart.bounding_box()["width"]
        page.set_viewport_size({"width": 620, "height": 800})
        self.assertLess(chart.bounding_box()["width"], before)
        page.set_viewport_size(PHONE)
        self.assertTrue(page.locator("#figure-durations .frame.narrow img").is_visible())


if __name__ == "__main__":
    BrowserTest.program = sys.argv.pop(1)
    unittest.main()
