"""Draws Vega-Lite charts with vl-convert: python3 draw_charts.py REQUEST RESULT BUNDLES

REQUEST holds {"specs": [spec as text, ...]}; RESULT gets {"svgs": [...], "bundle": path}.
The interactive bundle is made once for each version of the tool and kept in the folder BUNDLES.
"""
import json
import os
import pathlib
import sys
import tempfile

SNIPPET = "window.labreportCharts = { vegaEmbed };"


def write_atomically(path, text):
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, 0o644)
    os.replace(name, path)


def bundle(tool, folder):
    path = folder / f"charts-{tool.__version__}.js"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # The function keeps the bundle's names out of the page, except one.
        code = tool.javascript_bundle(SNIPPET)
        write_atomically(path, "(() => {\n" + code + "\n})();\n")
    return path


def main(request, result, bundles):
    try:
        import vl_convert
    except ImportError:
        sys.exit("the Python package vl-convert-python is not installed")
    specs = json.loads(pathlib.Path(request).read_text(encoding="utf-8"))["specs"]
    svgs = [vl_convert.vegalite_to_svg(json.loads(spec)) for spec in specs]
    drawn = {"svgs": svgs, "bundle": str(bundle(vl_convert, pathlib.Path(bundles)))}
    write_atomically(pathlib.Path(result), json.dumps(drawn))


if __name__ == "__main__":
    main(*sys.argv[1:])
