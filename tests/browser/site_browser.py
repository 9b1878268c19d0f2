"""Opens the sample site in Chromium without a network, for all browser tests."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from playwright.sync_api import sync_playwright

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
# A neighbor's, found by the line above:
from shipped import DEMONSTRATIONS, ROOT, WHOLE_RUNS, need_run, shipped_project  # noqa: E402

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    sys.exit("no Chromium on PATH; run setup/install test")


class BrowserTest(unittest.TestCase):
    program = ""  # the program that writes the site, or the sample site that it wrote

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.site = pathlib.Path(cls.scratch.name) / "site"
        cls.write_site()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)

    @classmethod
    def write_site(cls):
        if pathlib.Path(cls.program).is_dir():
            shutil.copytree(cls.program, cls.site)
        else:
            subprocess.run([cls.program, cls.site, ROOT], check=True)
        cls.report = next(cls.site.glob("nvidia-h200/*/*/index.html"))
        cls.demonstration = next(cls.site.glob("cpu/*/*/index.html"))
        cls.hostile = next(cls.site.glob("hostile/*/*/index.html"))
        cls.index = cls.site / "index.html"

    @classmethod
    def render_shipped(cls, labreport, site, *words, needed=WHOLE_RUNS):
        """Renders the runs that ship with the project. Skips the tests if one of the needed runs is not here."""
        for place in needed:
            need_run(place)
        with tempfile.TemporaryDirectory() as project:
            subprocess.run([labreport, "render", "--out", site, *words], cwd=shipped_project(project), check=True,
                           stdout=subprocess.DEVNULL)

    @classmethod
    def write_site_of(cls, run_json):
        run = cls.site.parent / "recorded/gpu/2025/one"
        run.mkdir(parents=True)
        shutil.copy(run_json, run / "run.json")
        subprocess.run([cls.program, "render", run, "--out", cls.site, "--format", "html"],
                       check=True, stdout=subprocess.DEVNULL)
        cls.report = next(cls.site.glob("*/*/*/index.html"))

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.scratch.cleanup()

    def open_live(self, figure, drawn, **settings):
        """Opens the report and waits until a live figure, which draws itself once it is in view, is drawn."""
        page = self.open(self.report, **settings)
        page.locator(figure).scroll_into_view_if_needed()
        page.mouse.move(5, 5)
        page.locator(f"{figure} {drawn}").wait_for()
        return page

    def open(self, path, query="", **settings):
        """Opens a page and records its console messages and requests, which assert_quiet() checks."""
        settings.setdefault("viewport", WIDE)
        context = self.browser.new_context(offline=True, **settings)
        self.addCleanup(context.close)
        page = context.new_page()
        self.complaints, self.requests = [], []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri() + query)
        return page

    def assert_quiet(self):
        self.assertEqual(self.complaints, [])
        root = self.site.resolve().as_uri()
        outside = [url for url in self.requests if not url.startswith((root, "data:"))]
        self.assertEqual(outside, [])

    def open_details(self, page):
        page.evaluate(
            "document.querySelectorAll('details:not(.menu)').forEach((d) => (d.open = true))")

    def bring_charts_to_life(self, page):
        """Makes all visible charts live; returns the frames of those that stay in their place."""
        page.wait_for_selector("[data-equipped]", state="attached")
        self.open_details(page)
        page.mouse.move(200, 200)
        frames = page.locator("figure:not([data-live]) > .frame.wide:visible").all()
        for shown in frames + page.locator("[data-live] > figcaption").all():
            shown.scroll_into_view_if_needed()
        page.wait_for_function("""() => [...document.querySelectorAll('.frame.wide')]
            .every((frame) => frame.dataset.live || !frame.checkVisibility())""", timeout=60000)
        return frames

    def heights(self, page, selector):
        return page.locator(selector).evaluate_all(
            "(nodes) => nodes.map((n) => n.getBoundingClientRect().height)")


FOCUSED = """() => {
  const node = document.activeElement;
  return `${node.tagName.toLowerCase()}.${node.className}`;
}"""

# Returns the contrast of an element's text or fill with the page, by WCAG's formula.
CONTRAST = """(node) => {
  const light = (css) => {
    const [r, g, b] = css.match(/[\\d.]+/g).slice(0, 3).map((c) => {
      const s = c / 255;
      return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = getComputedStyle(node);
  const ink = light(node instanceof SVGElement ? style.fill : style.color);
  const paper = light(getComputedStyle(document.body).backgroundColor);
  return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
}"""

LEAST_CONTRAST = f"(nodes) => Math.min(...nodes.map({CONTRAST}))"
