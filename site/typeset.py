"""Typesets reports with Typst: python3 typeset.py FOLDER...

Each FOLDER holds report.typ and its pictures, and gets report.pdf, or problem.txt with one line.
Only the fonts that Typst brings are used, so that every machine makes the same bytes. Each report
has a process of its own with limits of time and memory, so that it cannot take down the machine or
other reports. If a report needs more, problem.txt names the variable that raises its limit.
"""
import os
import pathlib
import resource
import signal
import sys

SECONDS = float(os.environ.get("LABREPORT_TYPESET_SECONDS", 60))
MIB = int(os.environ.get("LABREPORT_TYPESET_MIB", 4096))

# A process that runs out of memory ends by one of these signals, from Rust's abort or from a library.
OUT_OF_MEMORY_SIGNALS = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGKILL)


def compile_report(typst, folder):
    def compile_with(inputs):
        return typst.compile(str(folder / "report.typ"), root=str(folder),
                             ignore_system_fonts=True, sys_inputs=inputs)
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
