"""Tests that no comment begins with a word of a fragment, because comments are sentences."""
import pathlib
import re
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import ROOT, own_files  # noqa: E402: a neighbor's, found by the line above

SUFFIXES = {".h", ".cpp", ".py", ".js", ".css", ".cmake", ".txt", ""}
# These words may begin a sentence, but hardly ever a comment that is one.
FRAGMENT = re.compile(r"(?:^|\s)(?:///?<?|#|/\*\*?) (Of|What|Those|Whose|Where|Whether|Nothing)\b")


def fragments(path):
    """Yields the comments of a file that begin with such a word. Lines that continue a comment do not count."""
    continued = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if FRAGMENT.search(line) and not continued:
            yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        continued = bool(re.match(r"\s*(//|#|/?\*)", line)) or ("///<" in line and line.strip()[-1] not in ".;")


class Comments(unittest.TestCase):
    def test_comments_begin_as_sentences(self):
        found = []
        for path in map(ROOT.joinpath, own_files()):
            if path.suffix in SUFFIXES and "golden" not in path.parts and "corpus" not in path.parts:
                found += fragments(path)
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
