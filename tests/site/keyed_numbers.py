"""Reads the numbers of pages over several runs, each with the key that says what it is."""
import html.parser
import re

NUMBER = re.compile(r"[−-]?\d[\d,]*(\.\d+)?")
YEAR = re.compile(r"20\d\d")
STEP_PARTS = re.compile(r"figure-step-limits-.*-data")
STEP_FIGURE = re.compile(r"figure-step-limits-.*")
WITH_UNIT = re.compile(r"\d[\d,.]*\s?(ms|GiB|MiB|%|TFLOP/s|GB/s|times\b|×(?! NVIDIA))")


class KeyedNumbers(html.parser.HTMLParser):
    """The numbers of a page: `keyed` has pairs of a key and the number, `without_key` words of numbers that have none, of
    which `items` are those of lists.

    Numbers are the cells of tables that have nothing else, and those with a unit in the page's sentences. Versions and
    counts in the table of a machine's facts are words. The parts of a step, which one figure divides, have no keys, and
    neither have their sums in its caption.
    """

    def __init__(self, text):
        super().__init__()
        self.keyed, self.without_key, self.items = [], [], []
        self.cell = self.sentence = None  # The words so far, if the parser is inside one.
        self.is_keyed = self.in_data = self.in_words = self.in_parts = self.in_step_caption = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "data-key" in attributes:
            number = attributes.get("value", attributes.get("data-sort"))
            self.keyed.append((attributes["data-key"], float(number)))
        named = attributes.get("id") or ""
        self.in_words = self.in_words or named == "table-machine"
        self.in_parts = self.in_parts or bool(STEP_PARTS.fullmatch(named))
        if tag in ("td", "th") and not self.in_words and not self.in_parts:
            self.cell, self.is_keyed = "", "data-key" in attributes
        self.in_step_caption = self.in_step_caption or (tag == "figure" and bool(STEP_FIGURE.fullmatch(named)))
        if tag in ("li", "p") and "class" not in attributes and not self.in_step_caption:
            self.sentence = ""
        self.in_data = self.in_data or tag == "data"

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
        if self.sentence is not None and not self.in_data:
            self.sentence += data

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            words = self.cell.strip()
            is_number = NUMBER.fullmatch(words) and not YEAR.fullmatch(words)
            if is_number and not self.is_keyed:
                self.without_key.append(words)
            self.cell = None
        if tag in ("li", "p") and self.sentence is not None:
            if WITH_UNIT.search(self.sentence):
                self.without_key.append(self.sentence)
                if tag == "li":
                    self.items.append(self.sentence)
            self.sentence = None
        self.in_data = self.in_data and tag != "data"
        self.in_step_caption = self.in_step_caption and tag != "figcaption"
        self.in_words = self.in_words and tag != "table"
        self.in_parts = self.in_parts and tag != "table"


def different_values(pages):
    """Returns the keys that have several values, each value with the first of the pages that show it. `pages` are
    pairs of a page's name and its keyed numbers."""
    values = {}
    for name, keyed in pages:
        for key, number in keyed:
            values.setdefault(key, {}).setdefault(number, name)
    return {key: found for key, found in values.items() if len(found) > 1}
