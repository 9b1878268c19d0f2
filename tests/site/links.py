"""Reads the links of a site's files as a browser and GitHub do, and checks that each leads somewhere."""

import html.parser
import pathlib
import re
import urllib.parse

SUB_PATH = "https://somebody.example/a/sub/path/"

# Attributes whose addresses a page requests by itself; a reader may follow the others.
REQUESTS = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "src"),
            ("iframe", "src"), ("object", "data"), ("image", "href"), ("use", "href"),
            ("image", "xlink:href"), ("use", "xlink:href")}
LINKS = REQUESTS | {("a", "href"), ("a", "xlink:href")}


class Page(html.parser.HTMLParser):
    """The ids of a page or SVG, and its links as pairs of an address and whether the page requests it by itself."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.styles = [], [], []
        self.in_style = False
        self.feed(text)
        self.links += [(address, True) for css in self.styles for address in css_addresses(css)]

    def handle_starttag(self, tag, attrs):
        self.in_style = tag == "style"
        # A canonical link states the page's address and requests nothing.
        may_request = ("rel", "canonical") not in attrs
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name == "style":
                self.styles.append(value or "")
            if (tag, name) in LINKS:
                self.links.append((value, may_request and (tag, name) in REQUESTS))
            if name == "srcset":
                self.links += [(part.split()[0], True) for part in value.split(",")]

    def handle_data(self, data):
        if self.in_style:
            self.styles.append(data)

    def handle_endtag(self, tag):
        self.in_style = False


def css_addresses(text):
    return [url or imported for url, imported in re.findall(
        r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", text)]


def markdown_links(text):
    """Returns the addresses of links and pictures, and whether each is a picture. Skips code and escaped brackets."""
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.M | re.S)
    return [(address, picture == "!")
            for picture, address in re.findall(r"(!?)(?<!\\)\[(?:\\.|[^\]\\])*\]\(<?([^)\s>]+)", text)]


def markdown_anchors(text):
    """Returns headings as GitHub names them, and explicit ids."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    return names + re.findall(r'<a id="([^"]+)"', text)


def read(path):
    """Returns the ids and the links of one file."""
    if path.suffix not in (".html", ".svg", ".md", ".css"):
        return [], []
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".html", ".svg"):
        page = Page(text)
        return page.ids, page.links
    if path.suffix == ".md":
        return markdown_anchors(text), markdown_links(text)
    return [], [(address, True) for address in css_addresses(text)]


def problems(site):
    """Yields a line for each problem of the files below the folder `site`."""
    site = pathlib.Path(site)
    files = {path.relative_to(site).as_posix(): read(path)
             for path in sorted(site.rglob("*")) if path.is_file()}
    for name, (ids, links) in files.items():
        if not name.endswith(".md"):
            yield from (f"{name}: two things are called {name_twice}"
                        for name_twice in sorted({i for i in ids if ids.count(i) > 1}))
        for address, request in links:
            if name.endswith(".svg") and not (address or "").startswith(("#", "data:")):
                yield f"{name}: {address}: a picture leads nowhere"
            yield from (f"{name}: {address}: {wrong}"
                        for wrong in link_problems(name, address or "", request, files))


def orphans(site):
    """Returns the pages that no links lead to from the index, and those without the site's head."""
    site = pathlib.Path(site)
    pages = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    reached, waiting = set(), ["index.html"]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in pages:
            continue
        reached.add(name)
        for address, _ in Page(pages[name]).links:
            absolute = urllib.parse.urljoin(SUB_PATH + name, address or "").partition("#")[0].partition("?")[0]
            waiting.append(urllib.parse.unquote(absolute.removeprefix(SUB_PATH)))
    return sorted(name for name, text in pages.items() if name not in reached or '<nav class="site"' not in text)


def link_problems(name, address, request, files):
    scheme = urllib.parse.urlsplit(address).scheme
    if scheme == "data" and request:
        return
    if scheme or address.startswith("//"):
        if request or scheme != "https":
            yield "leaves the site" if request else "is no https link"
        return
    # A user pastes a part into another document, so its addresses are relative to the run's folder.
    base = name.replace("/parts/", "/") if name.endswith(".md") else name
    absolute = urllib.parse.urljoin(SUB_PATH + base, address)
    target, _, fragment = absolute.partition("#")
    if not target.startswith(SUB_PATH):
        yield "leaves a site that lies below a path"
        return
    target = urllib.parse.unquote(target.partition("?")[0].removeprefix(SUB_PATH)) or "index.html"
    if target not in files:
        yield "is not there"
    elif fragment and urllib.parse.unquote(fragment) not in files[target][0]:
        yield "there is no such place"
