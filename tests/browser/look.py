"""Takes pictures of the sample site, which has each kind of figure, table, answer, <details> and note once:

python3 tests/browser/look.py build/tests/sample_site FOLDER

It writes each page with every <details> open: wide and on a phone, each in light and dark, and on paper.
"""
import pathlib
import sys

from site_browser import PHONE, WIDE, BrowserTest

SCREENS = [(name, size, scheme) for name, size in (("wide", WIDE), ("phone", PHONE)) for scheme in ("light", "dark")]


def main(program, folder):
    BrowserTest.program = program
    BrowserTest.setUpClass()
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    pages = {"report": BrowserTest.report, "index": BrowserTest.index,
             "comparison": next(BrowserTest.site.glob("diff/*/index.html"))}
    for name, path in pages.items():
        for screen, size, scheme in SCREENS:
            page = BrowserTest.browser.new_page(viewport=size, color_scheme=scheme)
            page.goto(path.as_uri())
            page.wait_for_selector("[data-equipped]", state="attached")
            page.evaluate("document.querySelectorAll('details:not(.menu)').forEach((d) => (d.open = true))")
            page.evaluate("document.querySelectorAll('img').forEach((img) => (img.loading = 'eager'))")
            page.wait_for_load_state("networkidle")
            page.screenshot(path=out / f"{name}-{screen}-{scheme}.png", full_page=True)
            if (screen, scheme) == SCREENS[0][::2]:
                page.pdf(path=out / f"{name}-paper.pdf", format="A4")
            page.close()
    BrowserTest.tearDownClass()


if __name__ == "__main__":
    main(*sys.argv[1:])
