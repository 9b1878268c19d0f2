"""Typesets reports with Typst: python3 typeset.py FOLDER...

Each FOLDER holds report.typ and its pictures, and gets report.pdf, or problem.txt with one line.
Only the fonts that Typst brings are used, so that every machine makes the same bytes, unless they
lack a letter of the report. If the system's fonts lack it too, missing.json names it: an object of
lists of letters by the Debian package whose fonts have them. Each report has a process of its own
with limits of time and memory, so that it cannot take down the machine or other reports. If a
report needs more, problem.txt names the variable that raises its limit.
"""
import json
import os
import pathlib
import re
import resource
import signal
import sys
import unicodedata

SECONDS = float(os.environ.get("LABREPORT_TYPESET_SECONDS", 60))
MIB = int(os.environ.get("LABREPORT_TYPESET_MIB", 4096))

# A process that runs out of memory ends by one of these signals, from Rust's abort or from a library.
OUT_OF_MEMORY_SIGNALS = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGKILL)


NO_LETTER = "\U0010fffe"  # Each font shows it as the box that stands for a letter it lacks.
EAST_ASIAN = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
                        "\U00020000-\U0003ffff]")
EMOJI = re.compile("[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")


def missing_letters(typst, letters, **fonts):
    """Returns the letters that become boxes. Each is drawn on a page of its own."""
    if not letters:
        return []
    source = "#set page(width: auto, height: auto)\n" + "\n#pagebreak()\n".join([NO_LETTER, *letters])
    box, *pages = [set(re.findall(rb'href="(#\w+)"', page)) for page in
                   typst.compile(source.encode(), format="svg", **fonts)]
    return [letter for letter, glyphs in zip(letters, pages) if glyphs & box]


def package_with(letter):
    return ("fonts-noto-cjk" if EAST_ASIAN.match(letter) else
            "fonts-noto-color-emoji" if EMOJI.match(letter) else "fonts-noto-core")


def compile_report(typst, folder):
    source = (folder / "report.typ").read_text(encoding="utf-8")
    letters = [letter for letter in dict.fromkeys(source)
               if not letter.isascii() and unicodedata.category(letter)[0] in "LNPS"]
    lacking = missing_letters(typst, letters, ignore_system_fonts=True)
    missing = {}
    for letter in missing_letters(typst, lacking, ignore_system_fonts=False):
        missing.setdefault(package_with(letter), []).append(letter)
    if missing:
        (folder / "missing.json").write_text(json.dumps(missing), encoding="utf-8")

    def compile_with(inputs):
        return typst.compile(str(folder / "report.typ"), root=str(folder),
                             ignore_system_fonts=not lacking, sys_inputs=inputs)
    try:
        return compile_with({})
    except typst.TypstError:
        # Typst 0.15 loses the tags of some figures that float past a break of a page.
        return compile_with({"floats": "no"})


def write_problem(folder, problem):
    (folder / "problem.txt").write_text(problem, encoding="utf-8")


def memory_problem():
    return f"Typst needs more than {MIB} MiB for it; LABREPORT_TYPESET_MIB raises this limit"


def limit_this_process():
    resource.setrlimit(resource.RLIMIT_AS, (MIB << 20, MIB << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["RAYON_NUM_THREADS"] = "4"  # each thread reserves memory of its own
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)


def typeset(typst, folder):
    try:
        (folder / "report.pdf").write_bytes(compile_report(typst, folder))
    except typst.TypstError as error:
        problem = str(error).strip() or "Typst gave up"
        write_problem(folder, problem.splitlines()[0])
    except MemoryError:
        write_problem(folder, memory_problem())


def typeset_in_limits(typst, folder):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            limit_this_process()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Rust prints a message when it aborts.
            typeset(typst, folder)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    if ended_by == signal.SIGALRM:
        write_problem(folder, f"Typst needs longer than {SECONDS:g} s for it; "
                              "LABREPORT_TYPESET_SECONDS raises this limit")
    elif ended_by in OUT_OF_MEMORY_SIGNALS:
        write_problem(folder, memory_problem())
    elif status:
        write_problem(folder, "Typst gave up")


def main(*folders):
    try:
        import typst
    except ImportError:
        sys.exit("the Python package typst is not installed")
    for folder in map(pathlib.Path, folders):
        typeset_in_limits(typst, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
