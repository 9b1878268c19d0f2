"""Comments are sentences: none begins with a word that continues a thought the reader has not seen."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("src", "experiments", "tests", "site", "cmake", "setup")
SUFFIXES = {".h", ".cpp", ".py", ".js", ".css", ".cmake", ".txt", ""}
# "What", "As" and the like may begin a sentence, but hardly ever begin one that stands by itself.
FRAGMENT = re.compile(r"(?:^|\s)(?:///?<?|#|/\*\*?) (Of|What|Those|Whose|Where|Whether|Nothing)\b")


def fragments(path):
    """The comments of a file that begin so; a line that continues a comment begins as it likes."""
    continued = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if FRAGMENT.search(line) and not continued:
            yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        continued = bool(re.match(r"\s*(//|#|/?\*)", line)) or ("///<" in line and line.strip()[-1] not in ".;")


class Comments(unittest.TestCase):
    def test_comments_begin_as_sentences(self):
        found = []
        for folder in FOLDERS:
            for path in sorted((ROOT / folder).rglob("*")):
                ours = path.is_file() and path.suffix in SUFFIXES and "runs" not in path.parts
                if ours and "golden" not in path.parts and "corpus" not in path.parts:
                    found += fragments(path)
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
