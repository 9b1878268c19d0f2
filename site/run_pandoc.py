"""Runs pandoc: python3 run_pandoc.py formulas|latex REQUEST RESULT [TEMPLATE FILTER]

latex: REQUEST is a list of reports in Markdown for paper. RESULT has the LaTeX of each by TEMPLATE and FILTER, or an
empty text if pandoc fails.

formulas: REQUEST is a list of formulas in TeX with their dollars. RESULT maps each that is fit for pages and LaTeX to
its forms, MathML and Typst; the others are left out. Its Typst is empty if Typst refuses it. Pandoc is no sanitizer:
its MathML is written anew from known elements and attributes, its Typst is refused where it would call code, and TeX
that defines commands or that LaTeX would not take is never asked for. Formulas share one start of pandoc; if it fails,
each has its own.
"""
import html
import importlib.util
import json
import os
import pathlib
import re
import resource
import secrets
import signal
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET

LONGEST = 2000  # characters that fit a page
DEEPEST = 48  # nested elements that every reader's stack can hold
MEMORY = "-M512m"
# Limits of processor time, which do not depend on how busy the machine is: of one start for all formulas, one start for
# a single formula, all starts for single formulas, and one start for LaTeX; of one trial by Typst, and of all trials.
SHARED_SECONDS, SINGLE_SECONDS, ALL_SINGLES_SECONDS, LATEX_SECONDS = 10, 2, 30, 30
TYPST_SECONDS, ALL_TYPST_SECONDS = 5, 60

ELEMENTS = {"mrow", "mi", "mn", "mo", "mtext", "mspace", "mphantom", "mstyle", "msub", "msup", "msubsup", "munder",
            "mover", "munderover", "mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd"}
ATTRIBUTES = {"mathvariant", "stretchy", "form", "accent", "width", "displaystyle", "scriptlevel", "columnalign",
              "linethickness", "minsize", "maxsize"}
THIN = '<mspace width="0.1667em"></mspace>'
APPLIES = "\u2061"  # An operator after the name of a function; renderers put space on both sides.


class Refused(Exception):
    """The formula is shown as its source."""


GROUP = "\0"  # Stands for a group in braces whose content has been checked.
SCRIPTED = r"(?:\\[A-Za-z]+\s*" + GROUP + r"*|\\.|[^\\\s{}])"
DOUBLE_SCRIPT = re.compile(rf"\^\s*{SCRIPTED}\s*(?:_\s*{SCRIPTED}\s*)?[\^']"
                           rf"|_\s*{SCRIPTED}\s*(?:\^\s*{SCRIPTED}\s*|'+)?_|'\s*_\s*{SCRIPTED}\s*['^]")
# Matches commands of packages that the template does not load, and commands that an inline formula cannot contain.
UNSUPPORTED = re.compile(r"\\(?:tag|color|SI|si|num|iddots|(?:over|under)bracket|sym[a-z]+|math(?:bf|sf)[a-z]+"
                         r"|up(?:alpha|beta|gamma|delta|theta|lambda|mu|pi|sigma|phi|omega))(?![A-Za-z])"
                         r"|\\begin\{(?:align|alignat|eqnarray|equation|flalign|gather|multline|split)\*?\}"
                         r"|(?<![\\A-Za-z])[A-Za-z0-9]\s*\\limits(?![A-Za-z])|\\sqrt\s*(?:[}$]|$)")


ENVIRONMENT = re.compile(r"\\begin\{(\w+)\*?\}((?:(?!\\(?:begin|end)\{).)*)\\end\{\1\*?\}", re.DOTALL)
COLUMNS = re.compile(r"\s*(?:\[\w\]\s*)?\{((?:[^{}]|\{[^{}]*\})*)\}")


def has_too_many_cells(source):
    """Tells if a row has more cells than its array has column letters, a matrix ten columns or cases two."""
    while found := ENVIRONMENT.search(source):
        name, inside = found.groups()
        columns = COLUMNS.match(inside) if name == "array" else None
        most = 10 if name.endswith("matrix") else 2 if name == "cases" else len(source)
        if columns:
            most = len(re.findall(r"[lcrpmb]", re.sub(r"\{[^{}]*\}", "", columns[1])))
        if any(row.count("&") >= most for row in inside.split("\\\\") if "&" in row):
            return True
        source = source[:found.start()] + "x" + source[found.end():]
    return False


def count(command, source):
    return len(re.findall(rf"\\{command}(?![A-Za-z])", source))


def stops_latex(source):
    """Tells if TeX refuses what pandoc reads: x^a^b, lone brackets, unsupported commands, too many cells."""
    if (UNSUPPORTED.search(source) or count("left", source) != count("right", source)
            or has_too_many_cells(source)):
        return True
    source = re.sub(r"\\[{}]", "x", source)
    while not DOUBLE_SCRIPT.search(source):
        inner = re.sub(r"\{[^{}]*\}", GROUP, source)
        if inner == source:
            return False
        source = inner
    return True


def is_safe_to_convert(source):
    """Refuses what pandoc and LaTeX read differently: definitions, comments, signs for others, marks in text."""
    if stops_latex(source):
        return False
    marks = re.sub(r"\\.", "", source, flags=re.DOTALL)
    return (len(source) <= LONGEST and not re.search(r"[%#]|\^\^", marks)
            and not re.search(r"\\(?:new|renew|provide|Declare|def|&)|\\text\w*\{[^{}]*[_^&]",
                              re.sub(r"\\[\\_]", "", source))
            and not any(unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Cn") for sign in source.replace("\n", " ")))


def document(blocks):
    return json.dumps({"pandoc-api-version": [1, 23], "meta": {}, "blocks": blocks})


def formula(source):
    kind, dollars = ("DisplayMath", 2) if source.startswith("$$") else ("InlineMath", 1)
    return {"t": "Para", "c": [{"t": "Math", "c": [{"t": kind}, source[dollars:-dollars]]}]}


def names_function(node):
    named = node[0] if node.tag in ("msub", "msup", "msubsup", "munder", "mover", "munderover") and len(node) else node
    return "".join(named.itertext()).endswith(APPLIES)


def is_apart(left, right):
    """A function's name stands apart from its neighbors; operators and brackets bring their own room."""
    return left is not None and (names_function(left) or names_function(right)) and "mo" not in (left.tag, right.tag)


def mathml(node, depth=0):
    tag = "mrow" if node.get("notation") == "box" else node.tag
    if tag not in ELEMENTS or depth > DEEPEST:
        raise Refused(node.tag)
    attributes = ' class="boxed"' if tag != node.tag else "".join(f' {name}="{value}"' for name, value in node.items()
                         if name in ATTRIBUTES and re.fullmatch(r"[\w.%+-]+", value))
    inside = html.escape(node.text or "")
    before = None
    for child in node:
        if child.text == APPLIES:
            continue
        if node.tag == "mrow" and is_apart(before, child):
            inside += THIN
        inside += mathml(child, depth + 1)
        before = child
    return f"<{tag}{attributes}>{inside}</{tag}>"


def mathml_forms(page):
    """Returns the inside of each formula's <math>, or None."""
    page = ET.fromstring(f"<page>{page.replace(' xmlns=', ' data-xmlns=')}</page>")
    return [place.find("p/math/semantics/*") for place in page]


QUOTED = r'"(?:[^"\\]|\\.)*"|\\.'
MATHEMATICS = re.compile(rf'\$((?:{QUOTED}|#h\(-?\d+em\)|[^"\\$#])*)\$', re.DOTALL)
SPACES = re.compile(rf"{QUOTED}|#h\((?P<back>-?)\d+em\)", re.DOTALL)
CALL = re.compile(rf'#box\(stroke: black, inset: 3pt, \[(?P<boxed>\$(?:{QUOTED}|#h\(-?\d+em\)|[^"\\$#])*\$)\]\)'
                  r"|#scale\(x: (?P<size>\d+)%, y: \d+%\)\[(?P<sign>\\[^\w\s]|[^\w\s\\$#])\]", re.DOTALL)


def plain_typst(text):
    """Returns what stands between the dollars. Refuses what may call code."""
    whole = MATHEMATICS.fullmatch(text.strip())
    if whole is None or re.search(r"\bstd\b|//|/\*|`", re.sub(QUOTED, " ", whole[1], flags=re.DOTALL)):
        raise Refused(text)
    # Pandoc 3.9 rounds the widths of spaces down to whole ems, so all become medium or, if negative, vanish.
    return SPACES.sub(lambda found: {None: found[0], "": " med ", "-": ""}[found["back"]], whole[1]).strip()


def typst(text):
    """Returns what stands between the dollars, with pandoc's calls for \\boxed and \\big."""
    text = re.sub("[\ue000-\uf8ff]", "", text)  # Each of these letters stands for a call.
    calls = []
    while found := CALL.search(text):
        text = text.replace(found[0], chr(0xe000 + len(calls)))
        calls.append(f"#box(stroke: 0.5pt, inset: 3pt, [${plain_typst(found['boxed'])}$])" if found["boxed"]
                     else f"lr(size: #{found['size']}%, \\{found['sign'][-1]})")
    text = plain_typst(text)
    for i, call in reversed(list(enumerate(calls))):
        text = text.replace(chr(0xe000 + i), call)
    return text


class Pandoc:
    def __init__(self):
        found = importlib.util.find_spec("pypandoc")
        folder = pathlib.Path(found.origin).parent if found and found.origin else pathlib.Path("/none")
        self.program = folder / "files" / "pandoc"
        if not self.program.exists():
            sys.exit("the Python package pypandoc_binary is not installed")

    def write(self, what, text, seconds, form="json"):
        return subprocess.run([self.program, "+RTS", MEMORY, "-RTS", "--sandbox", f"--from={form}", *what],
                              input=text, capture_output=True, check=True, encoding="utf-8",
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))).stdout

    def convert(self, sources, seconds):
        """Returns the forms of those sources that are fit for every format."""
        mark = secrets.token_hex(16)
        between = {"t": "Para", "c": [{"t": "Str", "c": mark}]}
        apart = [block for source in sources for block in (formula(source), between)]
        places = [{"t": "Div", "c": [["", [], []], [formula(source)]]} for source in sources]
        pages = mathml_forms(self.write(["--to=html", "--mathml", "--wrap=none"], document(places), seconds))
        texts = self.write(["--to=typst", "--wrap=none"], document(apart), seconds).split(mark)
        found = {}
        for source, node, text in zip(sources, pages, texts):
            try:
                if node is not None:
                    found[source] = {"mathml": mathml(node), "typst": typst(text)}
            except Refused:
                pass
        return found


FAILURES = (subprocess.SubprocessError, ET.ParseError, UnicodeError, RecursionError)


def convert_all(pandoc, sources):
    try:
        return pandoc.convert(sources, SHARED_SECONDS)
    except FAILURES:
        pass
    found = {}
    for source in sources:
        try:
            if resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime < ALL_SINGLES_SECONDS:
                found |= pandoc.convert([source], SINGLE_SECONDS)
        except FAILURES:
            pass
    return found


def try_with_typst(typesetter, texts, answers):
    """Writes "+" to the file for each text that Typst takes, else "-". A text may end this process."""
    os.environ["RAYON_NUM_THREADS"] = "2"
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Rust prints a message when it aborts.
    for text in texts:
        signal.setitimer(signal.ITIMER_PROF, TYPST_SECONDS)
        try:
            typesetter.compile(f"${text}$".encode(), ignore_system_fonts=True)
            os.write(answers, b"+")
        except typesetter.TypstError:
            os.write(answers, b"-")


def refused_by(typesetter, texts):
    """Returns those of the texts that Typst does not take."""
    refused, rest = set(), list(texts)
    while rest and resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime < ALL_TYPST_SECONDS:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                try_with_typst(typesetter, rest, writer)
            finally:
                os._exit(0)
        os.close(writer)
        with open(reader, encoding="ascii") as file:
            answers = file.read()
        os.waitpid(child, 0)
        answers += "-" if len(answers) < len(rest) else ""  # The next text ended the process.
        refused.update(text for text, answer in zip(rest, answers) if answer == "-")
        rest = rest[len(answers):]
    return refused.union(rest)


def signs_by_name(pandoc, found):
    """Returns the signs of formulas by pandoc's names for Typst, "dot.circle"."""
    signs = sorted({sign for forms in found for sign in re.sub(r"<[^>]*>|&\w+;|[\0-\x7f]", "", forms["mathml"])})
    names = {forms["typst"]: source[1:-1] for source, forms in
             convert_all(pandoc, [f"${sign}$" for sign in signs]).items()}
    return {name: sign for name, sign in names.items() if re.fullmatch(r"[A-Za-z]+(\.[a-z]+)*", name)}


def fit_for_typst(pandoc, found):
    """Replaces names that the installed Typst does not know by their signs, and empties what it still refuses."""
    try:
        import typst as typesetter
    except ImportError:
        return found  # There is no PDF without Typst.
    refused = refused_by(typesetter, sorted({forms["typst"] for forms in found.values()}))
    signs = signs_by_name(pandoc, [forms for forms in found.values() if forms["typst"] in refused])
    unknown = refused_by(typesetter, sorted(signs))
    names = re.compile(rf"{QUOTED}|(?<![\w.])[A-Za-z]+(?:\.[a-z]+)*", re.DOTALL)
    mended = {text: names.sub(lambda name: signs[name[0]] if name[0] in unknown else name[0], text) for text in refused}
    refused = refused_by(typesetter, sorted(set(mended.values())))
    for forms in found.values():
        text = mended.get(forms["typst"], forms["typst"])
        forms["typst"] = "" if text in refused else text
    return found


def formulas(pandoc, sources):
    return fit_for_typst(pandoc, convert_all(pandoc, [source for source in sources if is_safe_to_convert(source)]))


# GitHub's Markdown without its raw HTML, footnotes and second form of formulas; it has no raw TeX.
PAPER = "commonmark+autolink_bare_uris+pipe_tables+strikeout+tex_math_dollars+yaml_metadata_block-raw_html"


def latex(pandoc, reports, template, lua_filter):
    def write_latex(markdown):
        try:
            return pandoc.write(["--to=latex", f"--template={template}", f"--lua-filter={lua_filter}", "--columns=100"],
                                markdown, LATEX_SECONDS, PAPER)
        except FAILURES:
            return ""
    return [write_latex(markdown) for markdown in reports]


def main(what, request, result, *files):
    asked = json.loads(pathlib.Path(request).read_text(encoding="utf-8"))
    answer = {"formulas": formulas, "latex": latex}[what](Pandoc(), asked, *files)
    pathlib.Path(result).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
