"""Typesets reports with Typst: python3 typeset.py FOLDER...

Each FOLDER holds report.typ and its pictures, and gets report.pdf, or problem.txt with one line.
Only the fonts that Typst brings are used, so that every machine makes the same bytes.
"""
import pathlib
import sys


def compiled(typst, folder):
    def compile_with(inputs):
        return typst.compile(str(folder / "report.typ"), root=str(folder),
                             ignore_system_fonts=True, sys_inputs=inputs)
    try:
        return compile_with({})
    except typst.TypstError:
        # Typst 0.15 loses the tags of some figures that float past a break of a page.
        return compile_with({"floats": "no"})


def main(*folders):
    try:
        import typst
    except ImportError:
        sys.exit("the Python package typst is not installed")
    for folder in map(pathlib.Path, folders):
        try:
            (folder / "report.pdf").write_bytes(compiled(typst, folder))
        except typst.TypstError as error:
            problem = str(error).strip() or "Typst gave up"
            (folder / "problem.txt").write_text(problem.splitlines()[0], encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
