"""Reads the generated answers out of reports in Markdown.

python3 answers.py SITE PROBLEM    prints a problem's answers, each after the address of its page
"""
import pathlib
import re
import sys


# Matches what follows an answer: a figure, a table, the details, the mark "Calculated" or the end of the part.
AFTER_ANSWER = r"\*\*Figure |\*\*[^\n]*\*\*\n\n\||<details>|\*Calculated|\Z"


def answers_of(markdown):
    """Returns the generated answers of a report by part: {"nsys_profile.a": "In the forward …"}. The summary's is
    "overview"."""
    answers = {}
    summary = re.search(rf"\n## Summary\n\n(- .*?)\n\n(?:{AFTER_ANSWER}|## )", markdown, re.S)
    if summary:
        answers["overview"] = summary[1].replace("\u00a0", " ").replace("\\", "")
    for section in re.split(r"\n(?=## )", markdown):
        heading = re.match(r"## .*\(`(\w+)`\)", section)
        for part in re.split(r"\n(?=### )", section) if heading else []:
            letter = re.match(r"### \((\w)\)", part)
            answer = re.search(rf"\n> [^\n]*\n\n(.*?)\n\n(?:{AFTER_ANSWER})", part + "\n\n", re.S)
            if answer:
                name = heading[1] + ("." + letter[1] if letter else "")
                answers[name] = answer[1].replace("\u00a0", " ").replace("\\", "")
    return answers


if __name__ == "__main__":
    site = pathlib.Path(sys.argv[1])
    for report in sorted(site.glob("*/*/*/report.md")):
        for part, answer in answers_of(report.read_text(encoding="utf-8")).items():
            if part.split(".")[0] == sys.argv[2]:
                print(f"{report.with_name('index.html')}#{part.replace('.', '-')}\n{answer}\n")
