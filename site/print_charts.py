"""Turns drawn charts into PDF (typst) and PNG (vl-convert): print_charts.py REQUEST FOLDER

REQUEST holds {"svgs": [text, ...]}; FOLDER gets 0.pdf, 0.png, 1.pdf, ... The same charts
give the same bytes, so typst makes the PDF, in a font that it brings: vl-convert's PDF varies.
"""
import concurrent.futures
import json
import multiprocessing
import pathlib
import re
import sys

# Prints have twice the pixels of a page, so that they are sharp on paper and on dense screens.
SCALE = 2
FACE = 'font-family="Libertinus Serif"'
PAGE = """#set document(date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image("{}.svg")
"""


def to_pdf(folder, index, svg):
    import typst
    source = folder / f"{index}.typ"
    drawing = folder / f"{index}.svg"
    drawing.write_text(re.sub('font-family="[^"]*"', FACE, svg), encoding="utf-8")
    source.write_text(PAGE.format(index), encoding="utf-8")
    typst.compile(source, output=folder / f"{index}.pdf", root=folder, ignore_system_fonts=True)


def to_png(folder, index, svg):
    import vl_convert
    (folder / f"{index}.png").write_bytes(vl_convert.svg_to_png(svg, scale=SCALE))


def run_task(task):
    task[0](*task[1:])


def main(request, folder):
    try:
        import typst  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as error:
        sys.exit(f"the Python package {error.name.replace('_', '-')} is not installed")
    folder = pathlib.Path(folder)
    svgs = json.loads(pathlib.Path(request).read_text(encoding="utf-8"))["svgs"]
    tasks = [(to, folder, *chart) for to in (to_png, to_pdf) for chart in enumerate(svgs)]
    # Neither library releases Python's lock, so processes run in parallel, not threads.
    with concurrent.futures.ProcessPoolExecutor(
            mp_context=multiprocessing.get_context("fork")) as pool:
        for _ in pool.map(run_task, tasks):
            pass


if __name__ == "__main__":
    main(*sys.argv[1:])
