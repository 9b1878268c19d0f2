"""Finds the parts that a checkout of the second assignment of Stanford's CS336 has, by its adapters.

Nothing of the checkout is called, and nothing in it is written. Files are parsed, and those with parts are imported.
"""

import ast
import contextlib
import sys
import tomllib
from pathlib import Path

from labreport_source import CONFIG_NEEDS, SYNONYMS, Mismatch, folders_of_uv, load

ATTENTIONS = ["get_flashattention_autograd_function_pytorch", "get_flashattention_autograd_function_triton"]
ADAPTERS = {  # of each edition: flag, adapter, and the companions without which it does not train
    "2026": [("--ddp", "get_ddp", ["ddp_on_after_backward"]),
             ("--sharded-optimizer", "get_sharded_optimizer", []),
             ("--fsdp", "get_fsdp", ["fsdp_on_after_backward", "fsdp_gather_full_params"])],
    "2025": [("--ddp", "get_ddp_individual_parameters", ["ddp_individual_parameters_on_after_backward"]),
             ("--ddp", "get_ddp_bucketed", ["ddp_bucketed_on_after_backward", "ddp_bucketed_on_train_batch_start"]),
             ("--sharded-optimizer", "get_sharded_optimizer", [])],
}
PLACE_OF_ADAPTERS = Path("tests", "adapters.py")
MODEL = [("value", "model.py", "BasicsTransformerLM"), ("loss", "nn_utils.py", "cross_entropy"), ("optimizer", "optimizer.py", "AdamW")]


def names_of(file):
    """Returns the names that a file defines or imports at its top level, with the syntax of each function and class."""
    try:
        tree = ast.parse(file.read_text(errors="replace"))
    except (OSError, ValueError):
        return {}
    except SyntaxError as error:
        raise Mismatch(f"{file} is no Python: {error.msg} in line {error.lineno}") from None
    names = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: None for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {target.id: None for target in node.targets if isinstance(target, ast.Name)}
    return names


def is_unwritten(function):
    """Returns true for a function that only raises NotImplementedError. It may have a docstring."""
    if not isinstance(function, ast.FunctionDef):
        return False
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Raise):
        return False
    raised = body[0].exc.func if isinstance(body[0].exc, ast.Call) else body[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def takes_the_courses_sizes(node):
    """Returns true for a class whose constructor takes the size of a network under the course's names or usual others."""
    makers = [] if not isinstance(node, ast.ClassDef) else [function for function in node.body if getattr(function, "name", "") == "__init__"]
    taken = {argument.arg for maker in makers for argument in [*maker.args.posonlyargs, *maker.args.args, *maker.args.kwonlyargs]}
    return all(not taken.isdisjoint([name, *SYNONYMS[name].split()]) for name in CONFIG_NEEDS)


def definitions_in(package):
    """Returns the functions and classes at the top level of a package's files, as "file.py:name" and their syntax."""
    found = {}
    for file in sorted([*package.glob("*.py"), *package.glob("*/*.py")]):
        with contextlib.suppress(Mismatch):  # a file that is no Python is no part of the network
            found |= {f"{file}:{name}": node for name, node in names_of(file).items() if node}
    return found


def network_of(package):
    """Returns where a package has the network, the loss and the optimizer, as far as it has them: under the course's names, or
    else the only class that takes a network's size, and what has the name of the loss and the optimizer."""
    found = {key: f"{package / file}:{name}" for key, file, name in MODEL if name in names_of(package / file)}
    if "value" in found:
        return found
    definitions = definitions_in(package)
    networks = [place for place, node in definitions.items() if takes_the_courses_sizes(node)]
    if len(networks) != 1:
        several = f", but {len(networks)} networks ({', '.join(place.rpartition(':')[2] for place in networks)})" if networks else ""
        raise Mismatch(f"{package / 'model.py'} has no BasicsTransformerLM{several}; name your model by MODEL")
    for key, _, name in MODEL[1:]:
        places = [place for place in definitions if place.endswith(f":{name}")]
        if len(places) == 1:
            found[key] = places[0]
    return {"value": networks[0]} | found


def edition_of(root, names):
    """Returns the edition by its adapters; without those that only one edition has, by the version of the checkout."""
    for edition, only in [("2026", {"get_ddp", "get_fsdp"}), ("2025", {"get_ddp_individual_parameters", "get_ddp_bucketed"})]:
        if only & names.keys():
            return edition
    with contextlib.suppress(OSError, ValueError):
        version = str(tomllib.loads((root / "pyproject.toml").read_text()).get("project", {}).get("version", ""))
        return {"26": "2026", "1": "2025"}.get(version.partition(".")[0], "")
    return ""


class Discovery:
    """What has been found so far, and why the rest is missing."""

    def __init__(self):
        self.parts, self.missing = [], []

    def miss(self, flag, reason):
        """Adds a reason once, also if several parts are missing for it."""
        if all(missing["reason"] != reason for missing in self.missing):
            self.missing.append({"flag": flag, "reason": reason})

    def can_load(self, flag, values):
        variable = flag.removeprefix("--").upper().replace("-", "_")
        try:
            for value in values:
                load(variable, value)
        except Mismatch as error:
            self.miss(flag, str(error).removeprefix(f"{variable} "))  # The place tells the part.
            return False
        return True

    def look_for(self, flag, file, names, adapter, companions=()):
        for name in [adapter, *companions]:
            if name not in names:
                return self.miss(flag, f"{file} has no {name}")
            if is_unwritten(names[name]):
                return self.miss(flag, f"{name} raises NotImplementedError")
        if self.can_load(flag, [f"{file}:{adapter}"]):
            self.parts.append({"flag": flag, "value": f"{file}:{adapter}"})

    def look_for_model(self, root):
        """Looks for the package that a checkout names for uv, or has in the folder of the course's."""
        folders = [*folders_of_uv(root / PLACE_OF_ADAPTERS), root / "cs336-basics", root]
        package = next((folder / "cs336_basics" for folder in folders if (folder / "cs336_basics").is_dir()), None)
        if not package:
            return self.miss("--model", f"there is no package cs336_basics in {folders[0]}; name your model by MODEL")
        try:
            found = network_of(package)
        except Mismatch as error:
            return self.miss("--model", str(error))
        if self.can_load("--model", found.values()):
            self.parts.append({"flag": "--model", **found})


def discover(folder):
    """Returns the checkout's edition, its parts as values of flags, and what is missing with the reasons."""
    root = Path(folder).expanduser().resolve()
    adapters = root / PLACE_OF_ADAPTERS
    if not adapters.is_file():
        raise Mismatch(f"{root} is no checkout of CS336's second assignment: it has no {PLACE_OF_ADAPTERS}")
    sys.dont_write_bytecode = True
    names, discovery = names_of(adapters), Discovery()
    edition = edition_of(root, names)
    known = [*ATTENTIONS, *(adapter for adapters_of_year in ADAPTERS.values() for _, adapter, _ in adapters_of_year)]
    if not edition or names.keys().isdisjoint(known):
        raise Mismatch(f"{root} is no checkout of CS336's second assignment: {PLACE_OF_ADAPTERS} has neither get_ddp, nor "
                       "get_ddp_bucketed, nor another of its adapters")
    discovery.look_for_model(root)
    for attention in ATTENTIONS:
        discovery.look_for("--attention", adapters, names, attention)
    for flag, adapter, companions in ADAPTERS[edition]:
        discovery.look_for(flag, adapters, names, adapter, companions)
    return {"edition": edition, "parts": discovery.parts, "missing": discovery.missing}
