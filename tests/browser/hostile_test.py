"""Tests a run in which every name is an attack: the names stay text, and the page works."""
import sys
import unittest

from site_browser import PHONE, WIDE, BrowserTest

# Scripts that the Content Security Policy must block.
BLOCKED = {
    "a script in the page": "(() => { const s = document.createElement('script');"
                            " s.textContent = 'window.attacked = true'; document.body.append(s); })()",
    "an attribute's script": "(() => { const d = document.createElement('div');"
                             " d.setAttribute('onclick', 'window.attacked = true');"
                             " document.body.append(d); d.click(); })()",
    "a script from elsewhere": "(() => { const s = document.createElement('script');"
                               " s.src = 'https:' + '//example.invalid/a.js';"
                               " document.body.append(s); })()",
    "a script's address": "(() => { const a = document.createElement('a');"
                          " a.href = 'javascript:window.attacked = true';"
                          " document.body.append(a); a.click(); })()",
    "text as code": "(() => { const s = document.createElement('script');"
                    " s.src = 'data:text/javascript,window.attacked=true';"
                    " document.body.append(s); })()",
}


class Hostile(BrowserTest):
    def test_no_script_runs_and_no_request_leaves_the_site(self):
        for scripts in (True, False):
            page = self.open(self.hostile, java_script_enabled=scripts)
            page.on("dialog", lambda dialog: self.fail(dialog.message))
            if scripts:
                self.bring_charts_to_life(page)
            self.assertNotIn("owned", page.title()[:5])
            self.assertEqual(page.locator("main img:not([src^='charts/'])").count(), 0)
            self.assert_quiet()

    def test_every_word_is_shown_as_it_is(self):
        page = self.open(self.hostile)
        self.open_details(page)
        for place in ("h1", "h2", "h3", "figcaption", "caption", "thead", "tbody", ".setting",
                      ".flags", ".warnings", "pre", ".contents"):
            text = " ".join(page.locator(place).all_inner_texts())
            self.assertIn("<script>document.title='owned'</script>", text, place)
            self.assertIn("{{title}}{{{parts}}}", text, place)

    def test_no_name_makes_the_page_wider_than_the_screen(self):
        for viewport in (WIDE, PHONE):
            page = self.open(self.hostile, viewport=viewport)
            self.open_details(page)
            width = page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(width, viewport["width"])

    def test_pictures_are_drawn(self):
        page = self.open(self.hostile, java_script_enabled=False)
        picture = page.locator("#figure-hostile-label .frame.wide img")
        picture.scroll_into_view_if_needed()
        page.wait_for_function("(img) => img.complete", arg=picture.element_handle())
        self.assertGreater(picture.evaluate("(img) => img.naturalWidth"), 100)

    def test_copied_tables_escape_markup(self):
        page = self.open(self.hostile)
        table = page.locator("#table-environment table").element_handle()
        markdown = page.evaluate("(table) => asMarkdown(readTable(table))", table)
        self.assertIn("\\<script\\>", markdown)
        latex = page.evaluate("(table) => asLatex(readTable(table))", table)
        self.assertIn("\\textless{}script\\textgreater{}", latex)
        self.assertNotIn("{{title}}", latex)

    def test_the_policy_blocks_foreign_scripts(self):
        for name, attack in BLOCKED.items():
            page = self.open(self.report)
            page.evaluate(attack)
            page.wait_for_timeout(150)
            self.assertIsNone(page.evaluate("window.attacked ?? null"), name)
            self.assertTrue(any("Content Security Policy" in text for text in self.complaints),
                            (name, self.complaints))

    def test_the_policy_blocks_code_from_text(self):
        page = self.open(self.report)
        page.evaluate("""() => {
          // The timeout runs after the browser driver's own permission to evaluate code has ended.
          setTimeout(() => {
            try { new Function('return 1')(); } catch { window.refused = true; }
            window.tried = true;
          });
        }""")
        page.wait_for_function("window.tried")
        self.assertTrue(page.evaluate("window.refused ?? false"))


if __name__ == "__main__":
    BrowserTest.program = sys.argv.pop(1)
    unittest.main()
