"""The recorded runs' pages: what axe-core finds, what they weigh, how soon they show something.

python3 recorded_test.py SAMPLE_SITE_PROGRAM LABREPORT
"""
import gzip
import importlib.util
import pathlib
import subprocess
import sys
import unittest

from site_browser import PHONE, WIDE, BrowserTest
from site_server import CompressedSite

SCREENS = [(WIDE, "light"), (WIDE, "dark"), (PHONE, "light"), (PHONE, "dark")]

# What a reader's first visit may cost.
MOST_BYTES = 1_500_000  # the page, its charts and what makes them live, compressed
MOST_BYTES_TO_READ = 200_000  # before the reader touches anything, pictures not counted
MOST_REQUESTS_TO_READ = 3  # the page, one style sheet, one script
MOST_REQUESTS_BESIDE_PICTURES = 5  # and, for live charts, the bundle and the specs
MOST_MS_TO_FIRST_VIEW = 3000  # from a local server; about 300 on an idle machine


def axe_source():
    package = importlib.util.find_spec("axe_playwright_python")
    if package is None:
        sys.exit("no axe-playwright-python; run setup/install test")
    return (pathlib.Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")


class Recorded(BrowserTest):
    labreport = ""  # renders recorded runs

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recorded = pathlib.Path(cls.scratch.name) / "recorded"
        project = pathlib.Path(__file__).resolve().parents[2]
        subprocess.run([cls.labreport, "render", "--single-file", "--out", cls.recorded],
                       cwd=project, check=True, stdout=subprocess.DEVNULL)
        cls.runs = sorted(cls.recorded.glob("*/*/*/index.html"))
        cls.axe = axe_source()

    def findings(self, page):
        """axe-core's, run from outside the page's policy, each with its first place."""
        page.evaluate(self.axe)
        found = page.evaluate("axe.run().then((result) => result.violations)")
        return [f"{one['id']}: {one['nodes'][0]['html'][:160]} ({len(one['nodes'])} ×)"
                for one in found]

    def test_axe_finds_nothing_on_any_page(self):
        for path in (self.report, self.demonstration, self.index, self.recorded / "index.html",
                     *self.runs):
            for viewport, scheme in SCREENS:
                page = self.open(path, viewport=viewport, color_scheme=scheme)
                with self.subTest(path.parent.name, width=viewport["width"], scheme=scheme):
                    self.assertEqual(self.findings(page), [])
                page.context.close()

    def test_axe_finds_nothing_once_drawers_are_open_and_charts_live(self):
        page = self.open(self.report)
        self.bring_charts_to_life(page)
        for menu in page.locator(".menu").all()[:2]:
            menu.locator("summary").click()
        self.assertEqual(self.findings(page), [])

    def test_axe_can_find_something(self):
        page = self.open(self.report)
        page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        self.assertIn("button-name", " ".join(self.findings(page)))

    def test_a_run_costs_few_bytes_and_requests(self):
        for path in self.runs:
            page = self.open(path)
            page.wait_for_timeout(300)
            read = [url for url in self.requests if not url.startswith("data:")]
            pictures = [url for url in read if url.endswith(".svg")]
            self.assertLessEqual(len(read) - len(pictures), MOST_REQUESTS_TO_READ, read)
            to_read = [url for url in read if url not in pictures]
            self.assertLess(self.weight(to_read), MOST_BYTES_TO_READ)
            self.bring_charts_to_life(page)
            rest = [url for url in self.requests if not url.startswith("data:")]
            beside = [url for url in set(rest) if not url.endswith(".svg")]
            self.assertLessEqual(len(beside), MOST_REQUESTS_BESIDE_PICTURES, beside)
            everything = set(rest) | {svg.as_uri() for svg in path.parent.glob("charts/**/*.svg")}
            weight = self.weight(everything)
            print(f"{path.parent.name}: {self.weight(to_read)} B to read, {weight} B in all, "
                  f"{len(set(rest))} requests", file=sys.stderr)
            self.assertLess(weight, MOST_BYTES)
            page.context.close()

    def weight(self, addresses):
        files = [pathlib.Path(url.split("#")[0].removeprefix("file://")) for url in addresses]
        return sum(len(gzip.compress(file.read_bytes())) for file in files)

    def test_a_run_shows_something_soon_and_asks_nobody_else(self):
        with CompressedSite(self.recorded) as address:
            for path in self.runs:
                page = self.browser.new_page(viewport=WIDE)
                self.addCleanup(page.close)
                strangers = []
                page.route(lambda url: not url.startswith((address, "data:")),
                           lambda route: (strangers.append(route.request.url), route.abort()))
                page.goto(f"{address}/some/path/{path.relative_to(self.recorded)}")
                self.bring_charts_to_life(page)
                paint = page.evaluate(
                    "performance.getEntriesByName('first-contentful-paint')[0].startTime")
                print(f"{path.parent.name}: first view after {paint:.0f} ms", file=sys.stderr)
                self.assertLess(paint, MOST_MS_TO_FIRST_VIEW)
                self.assertEqual(strangers, [])

    def test_one_file_stands_alone(self):
        for path in self.runs:
            files = [file for file in path.parent.glob("*.html") if file.name != "index.html"]
            self.assertEqual(len(files), 1)
            alone = pathlib.Path(self.scratch.name) / "alone" / files[0].name
            alone.parent.mkdir(exist_ok=True)
            alone.write_bytes(files[0].read_bytes())
            page = self.open(alone)
            self.bring_charts_to_life(page)
            self.assertEqual(self.complaints, [])
            outside = [url for url in self.requests
                       if not url.startswith("data:") and url != alone.as_uri()]
            self.assertEqual(outside, [])
            self.assertEqual(page.locator("a:not([href^='#']):not([href*='://'])").count(), 0)
            self.assertEqual(self.findings(page), [])
            page.context.close()


if __name__ == "__main__":
    Recorded.labreport = sys.argv.pop(2)
    BrowserTest.program = sys.argv.pop(1)
    unittest.main()
