"""Tests the head of every page: it describes the page to browsers, search engines and link previews.

python3 heads_test.py LABREPORT FAKES; see CMakeLists.txt.
"""
import html.parser
import shutil
import struct
import sys
import unittest

from project import ProjectTest

ADDRESS = "https://ada.example/assignment2"


class Head(html.parser.HTMLParser):
    """A page's first words by tag, its metas by name and its links by relation."""

    def __init__(self, text):
        super().__init__()
        self.metas, self.links, self.words, self.tag = {}, {}, {}, ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tag = tag
        if tag == "meta":
            self.metas[attrs.get("name") or attrs.get("property")] = attrs.get("content")
        if tag == "link":
            self.links[attrs["rel"]] = attrs["href"]

    def handle_data(self, data):
        if data.strip():
            self.words.setdefault(self.tag, data.strip())


class Heads(ProjectTest):
    def setUp(self):
        super().setUp()
        self.project.have_chart_tool()
        for edition in ("2025", "2026"):  # The site compares these two runs.
            self.project.measure("--sizes", "demo-1", "--edition", edition)

    def rendered(self, *words):
        """Renders the site; returns its files and the heads of its pages, by their paths."""
        self.assertEqual(self.project.render(*words), "")
        files = self.project.public()
        heads = {path: Head(text.decode()) for path, text in files.items() if path.endswith(".html")}
        self.assertEqual(sum(path.startswith("diff/") for path in heads), 1)
        return files, heads

    def test_every_page_has_words_of_its_own(self):
        files, heads = self.rendered("--single-file")
        for path, head in heads.items():
            with self.subTest(path):
                self.assertEqual(head.metas["og:title"], head.words["title"])
                self.assertEqual(head.metas["og:description"], head.metas["description"])
                self.assertTrue(10 < len(head.metas["description"]) <= 201, head.metas)
                self.assertEqual(head.metas["og:type"], "website" if path == "index.html" else "article")
                self.assertEqual(head.metas["og:site_name"], "labreport")
                self.assertIn("Made with labreport", head.words["footer"])
                icon = "../" * path.count("/") + "assets/favicon.svg" if path == "compare.html" or path.endswith("index.html") \
                    else "data:image/svg+xml;base64,"
                self.assertTrue(head.links["icon"].startswith(icon), head.links)
        self.assertIn(b"<svg", files["assets/favicon.svg"])

    def test_without_a_site_address_pages_have_none(self):
        files, heads = self.rendered()
        for path, head in heads.items():
            self.assertNotIn("canonical", head.links, path)
            self.assertFalse({"og:url", "og:image", "twitter:card"} & set(head.metas), path)
        self.assertFalse([path for path in files if path.endswith("card.png")])

    def test_with_the_site_s_address_each_page_has_its_own_and_a_picture(self):
        files, heads = self.rendered("--site-url", ADDRESS)
        for path, head in heads.items():
            with self.subTest(path):
                folder = path.removesuffix("index.html")
                self.assertEqual(head.links["canonical"], f"{ADDRESS}/{folder}")
                self.assertEqual(head.metas["og:url"], f"{ADDRESS}/{folder}")
                if path == "compare.html":
                    continue  # This page has no picture.
                self.assertEqual(head.metas["og:image"], f"{ADDRESS}/{folder}card.png")
                self.assertTrue(head.metas["og:image:alt"])
                self.assertIn(folder + "card.png", files)

    def test_the_picture_is_as_large_as_previews_show_it(self):
        shutil.rmtree(self.project.folder / ".venv")
        self.project.have_real_chart_tool()
        self.assertEqual(self.project.render("--site-url", ADDRESS, "--format", "html"), "")
        for path in self.project.folder.glob("site/public/**/card.png"):
            picture = path.read_bytes()
            self.assertTrue(picture.startswith(b"\x89PNG"))
            self.assertEqual(struct.unpack(">II", picture[16:24]), (1200, 630))

    def test_another_address_makes_the_pages_anew(self):
        before = self.rendered()[0]
        files, heads = self.rendered("--site-url", "http://a.example/")
        for path, head in heads.items():
            self.assertTrue(head.metas["og:url"].startswith("http://a.example/"), path)
        self.assertEqual(self.rendered()[0], before)


if __name__ == "__main__":
    ProjectTest.fakes = sys.argv.pop(2)
    ProjectTest.program = sys.argv.pop(1)
    unittest.main()
