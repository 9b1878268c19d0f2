"""Runs a notebook's code cells in order, with the part of IPython that docs/labreport.ipynb needs: Python, and shell
lines behind "!" with {names}. Unlike in IPython, a failing shell line stops the run.
"""
import json
import re
import subprocess
import sys
import types


def code_cells(path):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shell_lines(source):
    return re.findall(r"^!(.*)$", source, re.M)


def python_of(source):
    """Returns the cell as plain Python, with shell(line) in place of each "!line"."""
    return re.sub(r"^!(.*)$", lambda line: f"shell({line.group(1)!r})", source, flags=re.M)


def fill_in(line, names):
    return re.sub(r"{(\w+)}", lambda field: str(names[field.group(1)]), line)


def run(cells, folder, environment):
    """Returns what the cells display. `environment` is that of the shell lines."""
    displayed = []
    display = types.ModuleType("IPython.display")
    display.HTML, display.display = str, displayed.append
    sys.modules.update({"IPython": types.ModuleType("IPython"), "IPython.display": display})
    names = {}
    names["shell"] = lambda line: subprocess.run(fill_in(line, names), shell=True, check=True, cwd=folder,
                                                 env=environment)
    for cell in cells:
        exec(compile(python_of(cell), "cell", "exec"), names)  # pylint: disable=exec-used
    return displayed
