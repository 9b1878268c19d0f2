"""Makes a `.venv` with the machine's own Python and stubs of vl-convert, Typst and pandoc. The stubs draw at once,
record their environment, and fail as the real modules do."""

import json
import os
import pathlib
import sys

VL_CONVERT = '''
import json, os, pathlib, sys, time
__version__ = "1.0"
HERE = pathlib.Path(__file__).parent
def note(name, value):
    (HERE / name).write_text(json.dumps(value))
note("seen.json", {"environment": dict(os.environ), "folder": os.getcwd(), "path": sys.path})
def vegalite_to_svg(spec):
    text = json.dumps(spec)
    (HERE / "starts").open("a").write("chart\\n")
    if "UNDRAWABLE" in text:
        raise ValueError("this chart cannot be drawn\\nand more")
    if "ABORTS" in text:
        os.abort()
    if (HERE / "wait").exists():
        (HERE / "drawing").touch()
        time.sleep(60)
    return "<svg><!-- %d --></svg>" % len(text)
def javascript_bundle(snippet):
    return "// the bundle"
def svg_to_png(svg, scale):
    return b"PNG"
'''

TYPST = '''
import pathlib
class TypstError(Exception):
    pass
def compile(source, output=None, format="pdf", **options):
    if format == "svg":
        return [b""] * (source.count(b"#pagebreak()") + 1)
    if (pathlib.Path(__file__).parent / "typst-fails").exists():
        raise TypstError("no room left on the device")
    if output is None:
        return b"%PDF"
    pathlib.Path(output).write_bytes(b"%PDF")
'''


class StubPython:
    def __init__(self, project):
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.venv = pathlib.Path(project) / ".venv"
        self.packages = self.venv / "lib" / version / "site-packages"
        for package in ("vl_convert_python-1.0.dist-info", "typst-1.0.dist-info", "pypandoc_binary-1.0.dist-info"):
            (self.packages / package).mkdir(parents=True)
        (self.packages / "vl_convert.py").write_text(VL_CONVERT, encoding="utf-8")
        (self.packages / "typst.py").write_text(TYPST, encoding="utf-8")
        pandoc = self.packages / "pypandoc" / "files" / "pandoc"
        pandoc.parent.mkdir(parents=True)
        (self.packages / "pypandoc" / "__init__.py").touch()
        pandoc.write_text("#!/bin/sh\ncat > /dev/null; echo '% LaTeX'\n", encoding="utf-8")
        pandoc.chmod(0o755)
        (self.venv / "bin").mkdir()
        system = pathlib.Path(sys.base_prefix) / "bin/python3"
        (self.venv / "bin/python").symlink_to(system)
        (self.venv / "pyvenv.cfg").write_text(f"home = {system.parent}\n", encoding="utf-8")

    def enable(self, behavior):
        """Makes the stubs behave so from now on: "wait" or "typst-fails"."""
        (self.packages / behavior).touch()

    def remove(self, name):
        os.unlink(self.packages / name)

    def has(self, name):
        return (self.packages / name).exists()

    def recorded_environment(self):
        return json.loads((self.packages / "seen.json").read_text(encoding="utf-8"))
