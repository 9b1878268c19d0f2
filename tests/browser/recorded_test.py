"""Tests the recorded runs' pages: accessibility, bytes and requests. Prints how soon each page shows something.

python3 recorded_test.py SAMPLE_SITE LABREPORT
"""
import gzip
import importlib.util
import pathlib
import re
import sys
import unittest

from site_browser import PHONE, WIDE, BrowserTest
from site_server import CompressedSite

A4 = {"width": 703, "height": 1032}  # A4 without its margins, in CSS pixels.
SCREENS = [(WIDE, ["light"]), (WIDE, ["dark"]), (PHONE, ["light"]), (PHONE, ["dark"])]

# Limits for a reader's first visit.
MOST_BYTES = 1_500_000  # The page, its charts and their scripts, compressed.
MOST_BYTES_TO_READ = 200_000  # Before the reader touches anything, without pictures.
MOST_REQUESTS_TO_READ = 3  # The page, one style sheet and one script.
MOST_REQUESTS_WITHOUT_PICTURES = 5  # The three to read, and the bundle and the specs of live charts.
MOST_SHEETS = 18  # Sheets of A4 in the PDF of a page.

# Returns the lines of the longest name, and the first column's position after the table has scrolled.
PHONE_TABLE = """(table) => {
  const lines = (cell) => {
    const tops = new Set(), range = document.createRange();
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      range.selectNode(texts.currentNode);
      for (const box of range.getClientRects()) tops.add(Math.round(box.top));
    }
    return tops.size;
  };
  const names = [...table.querySelectorAll("td")].filter((cell) => cell.querySelector("wbr"));
  table.scrollLeft = 200;
  return [Math.max(...names.map(lines)),
          table.querySelector("tbody th").getBoundingClientRect().left - table.getBoundingClientRect().left];
}"""


def axe_source():
    package = importlib.util.find_spec("axe_playwright_python")
    if package is None:
        sys.exit("no axe-playwright-python; run setup/install test")
    return (pathlib.Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")


class Recorded(BrowserTest):
    labreport = ""  # the program that renders recorded runs

    @classmethod
    def write_site(cls):
        cls.recorded = cls.site.parent / "recorded"
        cls.render_shipped(cls.labreport, cls.recorded, "--format", "html", "--single-file")
        super().write_site()
        # Only one of several pages with the same parts is tested.
        cls.runs = list({parts_of(path): path for path in sorted(cls.recorded.glob("*/*/*/index.html"))}.values())
        cls.every_part = covering(cls.runs)
        cls.profiled = [path for path in cls.runs if 'id="nsys_profile' in path.read_text(encoding="utf-8")]
        cls.axe = axe_source()

    def findings(self, page):
        """Returns what axe-core finds, each with its first element. The page's policy does not restrict axe-core."""
        page.evaluate(self.axe)
        violations = page.evaluate(
            "axe.run({resultTypes: ['violations']}).then((result) => result.violations)")
        return [f"{violation['id']}: {violation['nodes'][0]['html'][:160]} ({len(violation['nodes'])} ×)"
                for violation in violations]

    def assert_axe_finds_nothing(self, path, viewport, schemes):
        """Opens all details and brings every chart to life, because axe-core ignores what is hidden."""
        page = self.open(path, viewport=viewport)
        if path.parent not in (self.site, self.recorded):
            self.bring_charts_to_life(page)
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            with self.subTest(path.parent.name, width=viewport["width"], scheme=scheme):
                self.assertEqual(self.findings(page), [])
        page.context.close()

    def test_axe_finds_nothing_on_any_screen(self):
        for path in (self.report, self.index, self.recorded / "index.html"):
            for viewport in (WIDE, PHONE):
                self.assert_axe_finds_nothing(path, viewport, ["light", "dark"])
        for path in (self.demonstration, self.hostile):
            for viewport, schemes in SCREENS[::3]:
                self.assert_axe_finds_nothing(path, viewport, schemes)

    def test_axe_finds_nothing_on_recorded_runs(self):
        # axe-core takes long on a large page, so each part is tested once, on one screen.
        for number, path in enumerate(self.every_part):
            self.assert_axe_finds_nothing(path, *SCREENS[(3 * number) % len(SCREENS)])

    def test_axe_finds_nothing_while_menus_are_open(self):
        page = self.open(self.report)
        self.bring_charts_to_life(page)
        for menu in page.locator(".menu:visible").all()[:2]:
            menu.locator("summary").click()
        self.assertEqual(self.findings(page), [])

    def test_axe_can_find_something(self):
        page = self.open(self.report)
        page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        self.assertIn("button-name", " ".join(self.findings(page)))

    def test_a_run_costs_few_bytes_and_requests(self):
        with CompressedSite(self.recorded) as address:
            for path in self.runs:
                with self.subTest(path.parent.name):
                    self.visit(address, path)

    def visit(self, address, path):
        page = self.browser.new_page(viewport=WIDE)
        self.addCleanup(page.close)
        urls = []
        page.on("request", lambda request: urls.append(request.url.split("#")[0]))
        page.route(lambda url: not url.startswith((address, "data:")), lambda route: route.abort())
        page.goto(f"{address}/some/path/{path.relative_to(self.recorded)}")
        page.wait_for_selector("[data-equipped]", state="attached")
        urls_to_read = without_pictures(urls)
        self.bring_charts_to_life(page)
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        live_urls = without_pictures(urls)
        files = {self.recorded / url.removeprefix(f"{address}/some/path/")
                 for url in urls if not url.startswith("data:")}
        all_bytes = compressed_bytes(files | set(path.parent.glob("charts/**/*.svg")))
        read_bytes = compressed_bytes(self.recorded / url.removeprefix(f"{address}/some/path/") for url in urls_to_read)
        print(f"{path.parent.name}: first view after {paint:.0f} ms, {read_bytes} B to read, "
              f"{all_bytes} B in all, {len(files)} requests", file=sys.stderr)
        self.assertEqual([url for url in urls if not url.startswith((address, "data:"))], [])
        self.assertLessEqual(len(urls_to_read), MOST_REQUESTS_TO_READ, urls_to_read)
        self.assertLessEqual(len(live_urls), MOST_REQUESTS_WITHOUT_PICTURES, live_urls)
        self.assertLess(read_bytes, MOST_BYTES_TO_READ)
        self.assertLess(all_bytes, MOST_BYTES)

    def test_every_page_has_the_same_head_and_parts_lead_to_other_gpus(self):
        def head_of(page):
            return page.locator("nav.site a").all_inner_texts()
        expected = head_of(self.open(self.recorded / "index.html"))
        linked_gpus = set()
        for path in self.runs:
            page = self.open(path)
            self.assertEqual(head_of(page), expected, path)
            for link in page.locator(".elsewhere a", has_not_text="all GPUs").all():
                file, _, anchor = link.evaluate("(a) => a.href").partition("#")
                target = pathlib.Path(file.removeprefix("file://"))
                self.assertNotEqual(target.parents[2], path.parents[2])
                self.assertIn(f'id="{anchor}"', target.read_text(encoding="utf-8"))
                linked_gpus.add(target.parents[2].name)
            page.context.close()
        self.assertEqual(len(linked_gpus), 2)

    def test_one_file_stands_alone(self):
        for path in self.every_part:
            file, = (file for file in path.parent.glob("*.html") if file.name != "index.html")
            alone = pathlib.Path(self.scratch.name) / "alone" / file.name
            alone.parent.mkdir(exist_ok=True)
            alone.write_bytes(file.read_bytes())
            page = self.open(alone)
            frames = self.bring_charts_to_life(page)
            self.assertGreater(len(frames), 10 if path in self.profiled else 0)
            self.assertGreater(page.locator(".frame.wide .mark-group").count(), len(frames))
            self.assertEqual(self.complaints, [])
            outside = [url for url in self.requests
                       if not url.startswith("data:") and url != alone.as_uri()]
            self.assertEqual(outside, [])
            self.assertEqual(page.locator("a:not([href^='#']):not([href*='://'])").count(), 0)
            page.context.close()

    def test_on_a_phone_kernels_keep_one_line_and_the_first_column_its_place(self):
        for path in self.profiled:
            page = self.open(path, viewport=PHONE)
            self.open_details(page)
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
            tables = page.locator(".table:has(td wbr)").all()
            self.assertGreater(len(tables), 0)
            for table in tables:
                lines, left = table.evaluate(PHONE_TABLE)
                self.assertEqual(lines, 1)
                self.assertAlmostEqual(left, 0, delta=1)
            page.context.close()

    def test_on_paper_no_table_is_wider_than_its_place(self):
        for path in self.runs:
            page = self.open(path, viewport=A4)
            page.emulate_media(media="print")
            self.open_details(page)
            wide = page.locator(".table").evaluate_all(
                "(tables) => tables.filter((t) => t.scrollWidth > t.clientWidth + 1)"
                ".map((t) => t.parentElement.id)")
            self.assertEqual(wide, [])
            sheets = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
            print(f"{path.parent.name}: {sheets} sheets of A4", file=sys.stderr)
            self.assertLessEqual(sheets, MOST_SHEETS)
            page.context.close()


def parts_of(path):
    return tuple(re.findall(r'<section[^>]* id="([^"]+)"', path.read_text(encoding="utf-8")))


def covering(pages):
    """Returns the pages with most parts that together have each part of all pages."""
    chosen, covered = [], set()
    for path in sorted(pages, key=lambda page: len(parts_of(page)), reverse=True):
        if not covered.issuperset(parts_of(path)):
            chosen.append(path)
            covered.update(parts_of(path))
    return chosen


def without_pictures(urls):
    return sorted({url for url in urls if not url.startswith("data:") and
                   not url.endswith(".svg")})


def compressed_bytes(files):
    return sum(len(gzip.compress(file.read_bytes())) for file in files)


if __name__ == "__main__":
    Recorded.labreport = sys.argv.pop(2)
    BrowserTest.program = sys.argv.pop(1)
    unittest.main()
