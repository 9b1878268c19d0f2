"""The generated answers of reports.

python3 answers.py SITE PROBLEM    prints a problem's answers, each with the page that it stands on
"""
import pathlib
import re
import sys


# Matches the end of an answer: its figure, its table, its drawer, its mark or the part's end.
BEHIND = r"\*\*Figure |\*\*[^\n]*\*\*\n\n\||<details>|\*Calculated|\Z"


def answers_of(markdown):
    """The generated answers of a report by part: {"nsys_profile.a": "In the forward …"}."""
    found = {}
    for section in re.split(r"\n(?=## )", markdown):
        named = re.match(r"## .*\(`(\w+)`\)", section)
        for part in re.split(r"\n(?=### )", section) if named else []:
            letter = re.match(r"### \((\w)\)", part)
            whole = re.search(rf"\n> [^\n]*\n\n(.*?)\n\n(?:{BEHIND})", part + "\n\n", re.S)
            if whole:
                name = named[1] + ("." + letter[1] if letter else "")
                found[name] = whole[1].replace("\u00a0", " ").replace("\\", "")
    return found


if __name__ == "__main__":
    site = pathlib.Path(sys.argv[1])
    for report in sorted(site.glob("*/*/*/report.md")):
        for part, answer in answers_of(report.read_text(encoding="utf-8")).items():
            if part.split(".")[0] == sys.argv[2]:
                print(f"{report.with_name('index.html')}#{part.replace('.', '-')}\n{answer}\n")
