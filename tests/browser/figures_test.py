"""Tests the figures of recorded runs and comparisons: no text overlaps or is cut, and live charts do not move.

python3 figures_test.py LABREPORT
"""
import subprocess
import sys
import unittest

from site_browser import DEMONSTRATIONS, PHONE, WHOLE_RUNS, WIDE, BrowserTest

DATA_PARALLEL = "nvidia-h200/2026/20261124-175733"

PICTURES_PER_CALL = 40
LEAST_TEXTS = 1000  # Fewer texts mean that the pictures were not found.

# Finds overlapping letters, words beyond the picture's edge, words within 3 px of the next tick label or of the next sign
# of a legend, and axes whose first or last tick has no label. A halo behind the same words is allowed. A dark page has the same letters in the same places.
PROBLEMS = """(pictures) => pictures.map(([name, code]) => {
  const stage = document.createElement("div");
  stage.innerHTML = code;
  document.body.replaceChildren(stage);
  const svg = stage.querySelector("svg");
  const paper = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")]
    .filter((text) => text.textContent.trim() && text.getAttribute("opacity") !== "0")
    .map((text) => [text.textContent, text.getBoundingClientRect(), text]);
  const found = texts.flatMap(([words, box]) => {
    const out = Math.max(paper.left - box.left, box.right - paper.right, paper.top - box.top, box.bottom - paper.bottom);
    return out > 1 ? [`${name}: “${words}” is cut by ${out.toFixed(1)} px`] : [];
  });
  texts.forEach(([words, box], i) => texts.slice(i + 1).forEach(([others, other]) => {
    const width = Math.min(box.right, other.right) - Math.max(box.left, other.left);
    const height = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
    const halo = words === others && Math.hypot(box.left - other.left, box.top - other.top) < 2;
    if (!halo && width > 1 && height > 2) found.push(`${name}: “${words}” lies on “${others}”`);
  }));
  const inLine = (box, other) => box.left < other.left && Math.abs(box.top + box.bottom - other.top - other.bottom) < 8;
  const crowd = (marks, selector) => [...svg.querySelectorAll(selector)].map((mark) => mark.getBoundingClientRect())
    .forEach((other) => texts.filter(([, box, text]) => text.closest(marks) && inLine(box, other) && box.right > other.left - 3)
      .forEach(([words]) => found.push(`${name}: “${words}” touches what follows`)));
  crowd(".role-axis-label", ".role-axis-label text:not([opacity='0'])");
  crowd(".role-legend-label", ".role-legend-symbol path");
  svg.querySelectorAll(".role-axis-label").forEach((axis) => {
    const place = (tick) => { const box = tick.getBoundingClientRect(); return box.left + box.right - box.top - box.bottom; };
    const ticks = [...axis.querySelectorAll("text")].sort((tick, other) => place(tick) - place(other));
    for (const tick of new Set([ticks.at(0), ticks.at(-1)].filter(Boolean))) {
      if (tick.getAttribute("opacity") === "0") found.push(`${name}: the end of an axis, “${tick.textContent}”, is hidden`);
    }
  });
  return [texts.length, found];
})"""

# Returns the middles of a chart's plots and of its tick labels, from the chart's corner and in its own units.
PLACES = """(svg) => {
  const corner = svg.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / corner.width;
  const place = (node) => {
    const box = node.getBoundingClientRect();
    const size = node.tagName === "text" ? [] : [box.width, box.height];
    return [box.left + box.width / 2 - corner.left, box.top + box.height / 2 - corner.top, ...size]
      .map((length) => length * scale);
  };
  const shown = (text) => text.getAttribute("opacity") !== "0";
  const plots = [...svg.querySelectorAll(".role-frame > g > path.background, .cell > g > path.background")];
  const labels = [...svg.querySelectorAll(".role-axis-label text")].filter(shown);
  return [["the chart", [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height]], ...plots.map((plot) => ["a plot", place(plot)]),
    ...labels.map((label) => [label.textContent, place(label)]).sort()];
}"""


# Finds names in a roofline that stand closer to another part's dot than to their own. The dots of the first precision come
# first, in the order of the names. Dots within 4 px of one another count as one.
STRAYS = """(code) => {
  const stage = document.createElement("div");
  stage.innerHTML = code;
  document.body.replaceChildren(stage);
  const boxes = (kind) => [...[...stage.querySelectorAll(`.mark-${kind}.role-mark`)].at(-1).children]
    .map((node) => [node.textContent, node.getBoundingClientRect()]);
  const names = boxes("text");
  const dots = boxes("symbol").map(([, box]) => [box.left + box.width / 2, box.top + box.height / 2]);
  const distance = (box, [x, y]) =>
    Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
  return names.flatMap(([words, box], i) => {
    const [x, y] = dots[i];
    const others = dots.slice(0, names.length).filter((dot, j) => j !== i && Math.hypot(dot[0] - x, dot[1] - y) > 4);
    return Math.min(...others.map((dot) => distance(box, dot))) < distance(box, dots[i]) ? [words] : [];
  });
}"""


class Figures(BrowserTest):
    maxDiff = None

    @classmethod
    def write_site(cls):
        cls.render_shipped(cls.program, cls.site, "--format", "html", needed=(*WHOLE_RUNS, DATA_PARALLEL))
        subprocess.run([cls.program, "render", *DEMONSTRATIONS, "--out", cls.site.with_name("demonstrations"), "--format", "html"],
                       check=True, stdout=subprocess.DEVNULL)
        reports = list(cls.site.glob("*/*/*/index.html"))
        cls.reports = [max(reports, key=lambda page: len(list(page.parent.glob("charts/*.svg")))),
                       next(page for page in reports if (page.parent / "charts/lanes.svg").exists())]

    def problems(self, folder, viewport):
        page = self.browser.new_page(viewport=viewport)
        self.addCleanup(page.close)
        pictures = [[str(file.relative_to(self.site.parent)), file.read_text(encoding="utf-8")]
                    for file in sorted(self.site.parent.rglob(f"{folder}/*.svg"))]
        results = [result for first in range(0, len(pictures), PICTURES_PER_CALL)
                   for result in page.evaluate(PROBLEMS, pictures[first:first + PICTURES_PER_CALL])]
        self.assertGreater(sum(text_count for text_count, _ in results), LEAST_TEXTS)
        return [problem for _, problems in results for problem in problems]

    def test_no_words_of_a_figure_collide_or_are_cut(self):
        for folder, viewport in (("charts", WIDE), ("narrow", PHONE)):
            self.assertEqual(self.problems(folder, viewport), [])

    def test_each_name_in_a_roofline_is_nearest_to_its_own_dot(self):
        pictures = sorted(self.site.parent.rglob("roofline.svg"))
        self.assertGreaterEqual(len(pictures), 2)
        for viewport, folder in ((WIDE, "charts"), (PHONE, "narrow")):
            page = self.browser.new_page(viewport=viewport)
            self.addCleanup(page.close)
            for picture in pictures:
                if picture.parent.name == folder:
                    with self.subTest(picture.relative_to(self.site.parent)):
                        self.assertEqual(page.evaluate(STRAYS, picture.read_text(encoding="utf-8")), [])

    def test_a_name_at_another_dot_is_found(self):
        page = self.browser.new_page(viewport=WIDE)
        self.addCleanup(page.close)
        dots = '<g class="mark-symbol role-mark"><path d="M9,9h2v2h-2z"/><path d="M90,90h2v2h-2z"/></g>'
        names = '<g class="mark-text role-mark"><text x="95" y="95">one</text><text x="95" y="80">two</text></g>'
        svg = f'<svg width="200" height="100" xmlns="http://www.w3.org/2000/svg">{dots}{names}</svg>'
        self.assertEqual(page.evaluate(STRAYS, svg), ["one"])

    def test_a_hidden_end_of_an_axis_is_found(self):
        page = self.browser.new_page(viewport=WIDE)
        self.addCleanup(page.close)
        ticks = '<text x="10" y="20">1</text><text x="40" y="20" opacity="0">2</text><text x="70" y="20" opacity="0">3</text>'
        svg = f'<svg width="100" height="60" xmlns="http://www.w3.org/2000/svg"><g class="role-axis-label">{ticks}</g></svg>'
        (_, found), = page.evaluate(PROBLEMS, [["it", svg]])
        self.assertEqual(found, ["it: the end of an axis, “3”, is hidden"])

    def test_collisions_and_cuts_are_found(self):
        page = self.browser.new_page(viewport=WIDE)
        self.addCleanup(page.close)
        texts = '<text x="10" y="20">one</text><text x="14" y="22">two</text><text x="95" y="50">three</text>'
        svg = f'<svg width="100" height="60" xmlns="http://www.w3.org/2000/svg">{texts}</svg>'
        (_, found), = page.evaluate(PROBLEMS, [["it", svg]])
        self.assertEqual(len(found), 2, found)

    def test_a_chart_comes_to_life_where_its_picture_was(self):
        for report in self.reports:
            self.assert_no_chart_moves(report)

    def assert_no_chart_moves(self, report):
        page = self.open(report)
        frames = self.bring_charts_to_life(page)
        self.assertGreater(len(frames), 3)
        stage = self.browser.new_page(viewport=WIDE)
        self.addCleanup(stage.close)
        for frame in frames:
            name = frame.evaluate("(node) => node.parentElement.dataset.spec")
            picture = (report.parent / f"charts/{name}.svg").read_text(encoding="utf-8")
            stage.set_content(picture)
            picture_places = stage.locator("svg").evaluate(PLACES)
            live_places = frame.locator("svg").evaluate(PLACES)
            live_svg = frame.locator("svg").evaluate("(svg) => svg.outerHTML")
            (_, problems), = stage.evaluate(PROBLEMS, [[name, live_svg]])
            with self.subTest(name):
                self.assertEqual(problems, [])
                self.assertEqual([words for words, _ in live_places], [words for words, _ in picture_places])
                for (words, before), (_, after) in zip(picture_places, live_places):
                    for old, new in zip(before, after):
                        self.assertAlmostEqual(old, new, delta=1.5, msg=words)
        self.assert_quiet()


if __name__ == "__main__":
    Figures.program = sys.argv.pop(1)
    unittest.main()
