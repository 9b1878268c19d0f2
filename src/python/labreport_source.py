"""Loads the code that a user names: a model, an attention function or a maker of training steps.

What cannot be loaded or called is told in one line. The code runs as its user, in the user's Python.
"""

import ast
import contextlib
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import itertools
import json
import os
import platform
import re
import shutil
import sys
import tempfile
import tomllib
import traceback
import typing
from pathlib import Path

import torch

# The course's parameters, and the other names under which models take them.
SYNONYMS = {
    "vocab_size": "vocabulary_size n_vocab vocab",
    "context_length": "context_len context_size context max_seq_len max_seq_length max_sequence_length seq_len block_size n_ctx "
                      "n_positions max_position_embeddings",
    "d_model": "n_embd n_embed embed_dim embedding_dim embeddings_size emb_dim hidden_size model_dim dim",
    "num_layers": "n_layers n_layer num_blocks n_blocks num_hidden_layers layers blocks depth",
    "num_heads": "n_heads n_head num_attention_heads nhead heads",
    "d_ff": "ffn_dim ff_dim intermediate_size dim_feedforward d_hidden",
    "rope_theta": "theta rope_base",
}
COURSE_PARAMETERS = list(SYNONYMS)
CONFIG_NEEDS = {"vocab_size", "d_model", "num_layers"}  # a config without these has sizes that labreport would not set
ROPE_THETA = 10_000.0
HASH_DIGITS = 8
MAX_SOURCE_BYTES = 8 << 20
OWN_LOSS = "model"  # the value of LOSS for a model that takes targets and returns its own loss


class Mismatch(Exception):
    """Raised if a model cannot be measured as it is, with a reason in one line."""


class CollectiveFailed(Exception):
    """Raised if a collective of the user's failed. Usually another rank is the cause, whose outcome explains more."""


class NotOffered(Exception):
    """Raised if this torch or this machine lacks a feature, with the reason. It does not count as a failure."""


def describe_error(error):
    """Describes an exception in one line. A compiler's error names a place first and its cause below: Triton quotes the
    kernel up to the place and a caret, and has the cause behind them or, if a called function failed, in __cause__."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    kind, first = type(error).__name__, (lines or [""])[0]
    if first.startswith("0 active drivers"):
        return f"{kind}: Triton finds no GPU, which its kernels need"
    if not lines and error.__traceback__:  # a bare assert says where it stands
        place = traceback.extract_tb(error.__traceback__)[-1]
        first = f"`{place.line}` at {place.filename}:{place.lineno}"
    caret = max((number for number, line in enumerate(lines) if number and set(line) == {"^"}), default=None)
    if caret is not None and any(re.search(r"\bat \d+:\d+:$", line) for line in lines):
        if lines[caret + 1:]:
            return f"{kind} at `{lines[caret - 1]}`: {lines[caret + 1]}"
        if error.__cause__:
            return describe_error(error.__cause__)
    return f"{kind}: {first} {lines[1]}" if first.endswith(":") and lines[1:] else f"{kind}: {first}"


def describe_value(value):
    """Describes a value for a message: "int64[4, 512] on cuda:0"."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)} on {value.device}"
    if isinstance(value, (tuple, list)) and len(value) <= 4:
        return f"({', '.join(map(describe_value, value))})"
    text = repr(value)
    return text if len(text) <= 80 else type(value).__name__


def call_text(call_name, arguments=(), named={}):
    texts = [*map(describe_value, arguments), *(f"{name}={describe_value(value)}" for name, value in named.items())]
    return f"{call_name}({', '.join(texts)})"


def call(call_name, function, *arguments, **named):
    """Calls the function. Turns its exceptions into a Mismatch of one line, except for running out of memory."""
    try:
        return function(*arguments, **named)
    except (torch.OutOfMemoryError, Mismatch, NotOffered, CollectiveFailed):
        raise
    except BaseException as error:  # a model may call sys.exit
        text = call_text(call_name, arguments, named)
        raise Mismatch(f"{text} failed: {describe_error(error)}") from error


def tensors_in(output, name):
    """Returns the tensors that a network's output may be: itself, its attribute or item of that name, and those of a tuple."""
    if isinstance(output, torch.Tensor):
        return [output]
    found = [getattr(output, name, None)]
    found += [output.get(name)] if isinstance(output, dict) else output if isinstance(output, (tuple, list)) else []
    return [value for value in found if isinstance(value, torch.Tensor)]


def are_logits(tensor, ids, vocab):
    """Returns true for a score of each id at each position. Padded logits have more columns than the vocabulary."""
    return tensor.shape[:-1] == ids.shape and tensor.shape[-1] >= vocab


# These functions and classes load models.


def normalized(package):
    return re.sub(r"[-_.]+", "-", package).lower()


def project_of(folder):
    """Returns name and version from the pyproject.toml in the folder or at most two above it; ("", "0") without one."""
    for place in [folder, *folder.parents[:2]]:
        with contextlib.suppress(OSError, ValueError):
            tables = tomllib.loads((place / "pyproject.toml").read_text())
            project = tables.get("project") or tables.get("tool", {}).get("poetry", {})
            return str(project.get("name", "")), str(project.get("version", "0"))
    return "", "0"


class CheckoutDistribution(importlib.metadata.Distribution):
    """The metadata of a package that lies in a checkout and is not installed. Its __init__.py may ask for them."""

    def __init__(self, name, version):
        self.text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"

    def read_text(self, filename):
        return self.text if filename == "METADATA" else None

    def locate_file(self, path):
        return Path(path)


class CheckoutMetadata:
    """Finds what no other finder of distributions knows: the packages and projects of the folders on the path."""

    @staticmethod
    def find_spec(*_):
        return None

    @staticmethod
    def find_distributions(context):
        name = getattr(context, "name", None) or ""
        for folder in map(Path, dict.fromkeys(sys.path)):
            if not name or is_installed(folder) or folder == STANDARD_LIBRARY or not folder.is_dir():
                continue
            project, version = project_of(folder.resolve())
            package = folder / normalized(name).replace("-", "_")
            if normalized(name) == normalized(project) or package.is_dir() or package.with_suffix(".py").is_file():
                yield CheckoutDistribution(name, version)


sys.meta_path.append(CheckoutMetadata)


def name_in_package(path):
    """Returns the name under which the file is imported, and the folder that has to be on the path. The folders above it are
    packages if they have an __init__.py, or if the file imports from them by leading dots."""
    names, folder = [], path.parent
    dots = map(len, re.findall(r"^\s*from\s+(\.+)", path.read_text(errors="replace"), re.MULTILINE))
    levels = max(dots, default=0)
    while "." not in folder.name and ((folder / "__init__.py").is_file() or len(names) < levels):
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names + ([] if names and path.stem == "__init__" else [path.stem])), folder


@functools.cache  # model and loss may be in the same file
def import_file(path):
    path = Path(path).expanduser().resolve()
    if not path.is_file():
        raise Mismatch(f"there is no file {path}")
    name, folder = name_in_package(path)
    sys.path.insert(0, str(folder))  # a script can import its neighbors, so this file can, too
    sys.path.extend(str(place) for place in folders_of_uv(path) if str(place) not in sys.path)
    if "." in name or path.stem == "__init__":
        sys.path.append(str(path.parent))  # comes last, because a package may have a types.py
        module = importlib.import_module(name)
        if module_file(module) != path:
            raise Mismatch(f"{name} is {module_file(module)}, not {path}; rename one of the two packages")
        return module
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if sys.modules[path.stem] is module:
            del sys.modules[path.stem]  # import_place may try again
        raise
    return module


def import_place(place):
    """Imports the file or the module. A script that starts in its checkout's root finds the packages there, so a missing
    package of a folder above the importing file puts that folder on the path."""
    while True:
        try:
            return import_file(place) if place.endswith(".py") else importlib.import_module(place)
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            files = users_files(error)
            if not files or has_package(package):
                raise
            folders = [folder for folder in checkout_folders(files[-1].resolve()) if has_module(folder, package)]
            if not folders or str(folders[0]) in sys.path:
                raise
            sys.path.append(str(folders[0]))


def users_files(error):
    """Returns the user's files in the error's traceback, the outermost first."""
    files = [Path(frame.f_code.co_filename) for frame, _ in traceback.walk_tb(error.__traceback__)]
    return [file for file in files if file.is_file() and is_users(file)]


def checkout_folders(file):
    """Returns the folders above a file, up to the root of its checkout and five at most, the nearest first. The course's
    checkout holds another project, so the root is git's or else that of the outermost project."""
    folders = list(file.parents[:5])
    roots = [number for number, folder in enumerate(folders) if (folder / ".git").exists()][:1]
    roots += [number for number, folder in enumerate(folders) if any((folder / name).exists() for name in ["pyproject.toml", "setup.py"])]
    return folders[: (roots[0] if (folders[roots[0]] / ".git").exists() else roots[-1]) + 1] if roots else folders


def folders_of_uv(file):
    """Returns the folders of packages that the pyproject.toml of the file's checkout gives to uv by their paths."""
    found = []
    for folder in checkout_folders(file):
        with contextlib.suppress(OSError, ValueError):
            tool = tomllib.loads((folder / "pyproject.toml").read_text()).get("tool", {})
            sources = [source for value in tool.get("uv", {}).get("sources", {}).values()
                       for source in (value if isinstance(value, list) else [value])]
            places = [(folder / source["path"]).resolve() for source in sources if "path" in source]
            found += [place / "src" if (place / "src").is_dir() else place for place in places if place.is_dir()]
    return found


def has_module(folder, package):
    return (folder / package / "__init__.py").is_file() or (folder / f"{package}.py").is_file()


def imports_of(file, package="", top_level_only=False):
    """Returns the full names of the modules that a file of the package imports, also of what may be a name in a module."""
    try:
        tree = ast.parse(Path(file).read_text(errors="replace"))
    except (OSError, ValueError, SyntaxError):
        return set()
    names = set()
    for node in tree.body if top_level_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level <= len(package.split(".")) * bool(package):
            parent = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(filter(None, [parent, node.module]))
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return names


def folder_with(package, near):
    """Returns the folder of a checkout that has the package; None if there is none near the file."""
    for folder in near.parents[:3]:
        for place in sorted(folder.glob("*/")):
            if has_module(place, package):
                return place
    return None


# These packages have other names where they are installed from.
PROJECT_NAMES = {"PIL": "pillow", "cv2": "opencv-python", "sklearn": "scikit-learn", "yaml": "PyYAML"}


def explain_missing_packages(flag, place, error):
    """Raises Mismatch with all packages that the files of the error's traceback need, and the command that installs them."""
    package = (error.name or "").partition(".")[0]
    if not package or has_package(package) or package == place.partition(".")[0]:
        return
    files = users_files(error)
    named_files = [Path(place).expanduser()] if place.endswith(".py") else []
    missing = sorted({package} | missing_packages(named_files + files))
    for name in missing:
        if files and (folder := folder_with(name, files[-1].resolve())):
            raise Mismatch(f"{flag} {place} needs {name}, which lies in {folder}; set PYTHONPATH={folder}") from error
    projects = " ".join(PROJECT_NAMES.get(name, name) for name in missing)
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        torch_version = importlib.metadata.version("torch")  # pip compares this one; torch.__version__ may add "+cu130"
    raise Mismatch(f"{flag} {place} needs {', '.join(missing)}, which {sys.prefix} lacks; `{pip_install()} {projects} "
                   f"torch=={torch_version}` installs beside this torch and keeps it") from error


def pip_install():
    return f"{sys.executable} -m pip install" if has_package("pip") else f"uv pip install --python {sys.executable}"


def missing_packages(files):
    """Returns the packages that the files, and the user's files that these import, need and that are not installed."""
    pending, seen, missing = [file.resolve() for file in files], set(), set()
    while pending:
        file = pending.pop()
        if file in seen:
            continue
        seen.add(file)
        name = name_in_package(file)[0]
        package = name if file.stem == "__init__" else name.rpartition(".")[0]
        for imported in filter(None, imports_of(file, package, top_level_only=True)):
            parts = [found for found in map(file_of_import, itertools.accumulate(imported.split("."), "{}.{}".format)) if found]
            pending += parts
            first = imported.partition(".")[0]
            missing |= set() if parts or has_package(first) else {first}
    return missing


def other_spelling(error):
    """Returns the advice to rename a file that differs from the missing module in upper and lower case only."""
    package, _, name = (error.name or "").rpartition(".")
    for folder in getattr(sys.modules.get(package), "__path__", []):
        for file in sorted(Path(folder).iterdir()):
            if file.stem != name and file.stem.lower() == name.lower():
                return f"; {file} is spelled differently, and this machine tells upper from lower case: rename it"
    return ""


def missing_part(error):
    """Returns the advice to install a checkout whose package imports a part that no file holds, such as a C++ extension."""
    name = re.match(r"cannot import name '(\w+)' from (partially initialized )?module", str(error))
    file = Path(error.path or "")
    if not name or file.name != "__init__.py" or not is_users(file) or [*file.parent.glob(name[1]), *file.parent.glob(f"{name[1]}.py")]:
        return ""
    return (f"; no file of {file.parent} is {name[1]}: if it has to be built, `{pip_install()} --no-deps -e "
            f"{checkout_folders(file.resolve())[-1]}` builds it")


def load(flag, text):
    """Returns the object that "path/file.py:Name" or "package.module:Name" names, and its module."""
    place, _, name = text.rpartition(":")
    if not place or not name:
        raise Mismatch(f"{flag} {text} names no class; give path/file.py:Class or package.module:Class")
    del sys.argv[1:]  # a module that reads the command line finds none
    try:
        module = import_place(place)
    except Mismatch:
        raise
    except BaseException as error:  # a module may call sys.exit
        if isinstance(error, ModuleNotFoundError):
            explain_missing_packages(flag, place, error)
        python = f"Python {platform.python_version()} of {sys.prefix}"
        is_script = isinstance(error, SystemExit)
        advice = "; put what only a script does under if __name__ == '__main__'" if is_script else ""
        if isinstance(error, ImportError):
            advice = other_spelling(error) or missing_part(error)
        raise Mismatch(f"{flag} {place} cannot be imported by {python}: {describe_error(error)}{advice}") from error
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = [other for other, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
            raise Mismatch(f"{flag}: {place} has no {name}" + (f"; it has {', '.join(known)}" if known else ""))
        found = getattr(found, part)
    if not callable(found):
        raise Mismatch(f"{flag} {text} is a {type(found).__name__}, which cannot be called")
    return found, module


resolve_folder = functools.cache(os.path.realpath)  # thousands of modules share a few hundred folders
STANDARD_LIBRARY, TORCH, LABREPORT = (Path(resolve_folder(os.path.dirname(file)))
                                      for file in [os.__file__, torch.__file__, __file__])


def module_file(module):
    folder, name = os.path.split(getattr(module, "__file__", None) or "")
    return Path(resolve_folder(folder), name)


def is_installed(path):
    return not {"site-packages", "dist-packages"}.isdisjoint(path.parts)


def is_users(path):
    """Returns true for a file that neither Python, an installed package, torch nor labreport brings."""
    return not is_installed(path) and {STANDARD_LIBRARY, TORCH, LABREPORT}.isdisjoint(path.parents)


def file_of_import(name):
    """Returns the user's file that an import of this name would load, without loading it; None if there is none."""
    for folder in dict.fromkeys(sys.path):
        place = Path(resolve_folder(folder), *name.split("."))
        for file in [place / "__init__.py", place.with_suffix(".py")]:
            if is_users(file) and file.is_file():
                return file
    return None


def source_files(modules):
    """Returns the files that make the modules, by their names: all loaded ones of the user's, and those that these import
    inside of functions, which load later. Of an installed module, its package's files that are loaded."""
    loaded = [module for module in sys.modules.values() if getattr(module, "__name__", "__main__") != "__main__"]
    packages = {module.__name__.partition(".")[0] for module in modules if is_installed(module_file(module))}
    files = {}
    for module in [*modules, *loaded]:
        file = module_file(module)
        belongs = is_users(file) or module in modules or module.__name__.partition(".")[0] in packages - {"torch"}
        if belongs and file.suffix == ".py" and file.is_file():  # torch._classes names a file that does not exist
            name = module.__name__
            while files.get(name, file) != file:  # MODEL and LOSS may be two files of one name
                name += "'"
            files[name] = file
    pending = {name: file for name, file in files.items() if is_users(file)}
    while pending:
        name, file = pending.popitem()
        package = name if file.stem == "__init__" else name.rpartition(".")[0]
        for imported in imports_of(file, package):
            for part in itertools.accumulate(imported.split("."), "{}.{}".format):
                found = file_of_import(part)
                if found and found not in files.values():
                    files[part] = pending[part] = found
    return sorted(files.items())


def version_of_modules(package):
    """Returns name and version of an installed package that requires torch, and so may define modules; else ""."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        if any(re.match(r"torch\b", requirement) for requirement in importlib.metadata.requires(package) or []):
            return f"{package} {importlib.metadata.version(package)}"
    return ""


CONFIG_NAMES = r"config|cfg|conf|args|hparams"


def is_required(parameter):
    return parameter.default is parameter.empty and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)


def spellings(taken):
    """Returns the course's parameters that a signature takes, with the names by which it takes them."""
    spelled = {name: next((other for other in [name, *words.split()] if other in taken), None) for name, words in SYNONYMS.items()}
    return {name: other for name, other in spelled.items() if other}


def values_taken(values, taken):
    """Returns those values that a signature takes, under its names for them; all values if it takes any names."""
    names = {name: name for name in values if name in taken} | spellings(taken)
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        names = {name: name for name in values} | names
    return {other: values[name] for name, other in names.items() if name in values}


class Source:
    """The model as its user named it: a class or a factory, its arguments, a loss, an optimizer."""

    config_name = ""  # the class of the config object that was made for the model
    arguments_flag = "MODEL_ARGS"

    def __init__(self, spec):
        self.spec = spec
        sys.path.insert(0, os.getcwd())
        self.model, module = load("MODEL", spec["model"])
        self.has_own_loss = spec["loss"] == OWN_LOSS
        self.loss, loss_module = (None, module) if self.has_own_loss else load("LOSS", spec["loss"])
        self.optimizer, optimizer_module = load("OPTIMIZER", spec["optimizer"])
        modules = [module, *(other for other in (loss_module, optimizer_module) if is_users(module_file(other)))]
        self.arguments = self.read_arguments(spec["arguments"])
        self.name = spec["model"].rpartition(":")[2]
        self.compiled, self.compiled_loss, self.mode = spec.get("compile", False), False, None
        self.implementation = self.implementation_name(modules)

    def implementation_name(self, modules):
        slug = re.sub(r"[^A-Za-z0-9_-]", "_", self.short_name())[:40] + ("-compiled" if self.compiled else "")
        return f"{slug}-{self.digest(modules)}"

    def short_name(self):
        return self.name

    def read_arguments(self, text):
        try:
            arguments = json.loads(text or "{}")
        except ValueError as error:
            raise Mismatch(f"{self.arguments_flag} is no JSON: {error}") from None
        if not isinstance(arguments, dict):
            raise Mismatch(f'{self.arguments_flag} is {text}; give an object, as {{"dropout": 0.0, "width": "$d_model"}}')
        return arguments

    def digest(self, modules):
        """Hashes what determines the model: source files, arguments, and the names of loss and optimizer."""
        digest = hashlib.sha256(json.dumps([self.arguments, self.spec["loss"], self.spec["optimizer"]]).encode())
        self.files, packages = {}, set()
        for name, file in source_files(modules):
            self.files[file] = file.read_bytes()
            digest.update(name.encode() + b"\0" + self.files[file])
            packages |= {imported.partition(".")[0] for imported in imports_of(file)} if is_users(file) else set()
        for package in sorted(packages - {"torch"}):
            digest.update(version_of_modules(package).encode())
        return digest.hexdigest()[:HASH_DIGITS]

    def keep_files(self, artifacts):
        """Writes the files that the hash covers, except torch's, as they were hashed, to sources/<implementation> beside the
        launch's artifacts, unless they are there or too large. Each has its path below the folder from which its package is
        imported. The file .origins has a line for each: this path, a tab, and the original's path from the current folder."""
        place = Path(artifacts).with_name("sources") / self.implementation
        files = {file: content for file, content in self.files.items() if TORCH not in file.parents}
        if not files or place.exists() or place.parent.is_symlink() or sum(map(len, files.values())) > MAX_SOURCE_BYTES:
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=place.parent) as unfinished:
            copy, origins = Path(unfinished, "copy"), {}
            for file, content in files.items():
                root = name_in_package(file)[1]
                path = file.relative_to(root)
                while path in origins:  # MODEL and LOSS may be two files of one name
                    path = Path(root.name or "root", path)
                origins[path] = os.path.relpath(file)
                copy.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
                copy.joinpath(path).write_bytes(content)
            lines = "".join(f"{path}\t{origin}\n" for path, origin in origins.items())
            copy.joinpath(".origins").write_bytes(os.fsencode(lines))
            copy.rename(place)

    def named_arguments(self, values, device=None, makes_config=True):
        """Returns the values whose names the signature takes, and MODEL_ARGS with each "$name" replaced. A parameter called
        device gets the device; one called dtype gets FP32, unless it has a default. A config object that takes the values
        is made, or only shown to be possible."""
        taken = inspect.signature(self.model).parameters
        named = values_taken(values, taken)
        if "device" in taken:
            named["device"] = device
        if "dtype" in taken and taken["dtype"].default is inspect.Parameter.empty:
            named["dtype"] = torch.float32
        given = dict(self.arguments)
        for name, value in given.items():
            if isinstance(value, str) and value.startswith("$"):
                if value[1:] not in values:
                    raise Mismatch(f"{self.arguments_flag}: {name} is {value}; there are {', '.join('$' + known for known in values)}")
                given[name] = values[value[1:]]
        for name, parameter in taken.items():
            if name not in named and name not in given and (fields := self.config_fields(parameter, values, given)):
                kind = self.config_kind(parameter)
                named[name] = call(kind.__name__, kind, **fields) if makes_config else None
                self.config_name = kind.__name__
                given = {other: value for other, value in given.items() if other in taken or other not in fields}
        named |= given
        lacking = [parameter for name, parameter in taken.items() if name not in named and is_required(parameter)]
        for parameter in lacking:
            if advice := self.factory_for(parameter, [*named, *(other.name for other in lacking)]):
                raise Mismatch(f"{self.name}({', '.join(named)}) lacks {parameter.name}; {advice}")
        if lacking:
            names = ", ".join(parameter.name for parameter in lacking)
            raise Mismatch(f"{self.name}({', '.join(named)}) lacks the argument{'s' if len(lacking) > 1 else ''} {names}; "
                           f"{self.arguments_flag} gives constants and {', '.join('$' + known for known in values)}")
        return named

    def config_kind(self, parameter):
        """Returns the class of the config object that a parameter takes: its annotation, or the config class of this
        model in its module. Returns None for a parameter of another kind."""
        initializer, kind = self.model.__init__ if isinstance(self.model, type) else self.model, parameter.annotation
        with contextlib.suppress(Exception):  # an annotation may be text that names nothing
            kind = typing.get_type_hints(initializer).get(parameter.name, kind)
        kinds = [part for part in typing.get_args(kind) or [kind] if isinstance(part, type) and part is not type(None)]
        if len(kinds) == 1 and kinds[0] is not parameter.empty:
            is_config = kinds[0].__module__ != "builtins" and not issubclass(kinds[0], torch.nn.Module)
            return kinds[0] if is_config else None
        if not re.search(CONFIG_NAMES, parameter.name):
            return None
        names = getattr(initializer, "__globals__", {})
        configs = {name: value for name, value in names.items() if isinstance(value, type) and name.endswith("Config")}
        return configs.get(f"{self.name}Config") or (next(iter(configs.values())) if len(configs) == 1 else None)

    def config_fields(self, parameter, values, given):
        """Returns the arguments of a parameter's config class, from the course's values and MODEL_ARGS; none if they do not
        make it."""
        with contextlib.suppress(ValueError, TypeError):  # some classes have no signature
            fields = inspect.signature(self.config_kind(parameter)).parameters
            names = {name: values[course] for course, name in spellings(fields).items() if course in values}
            filled = names | {name: value for name, value in given.items() if name in fields}
            if CONFIG_NEEDS <= spellings(fields).keys() and {name for name in fields if is_required(fields[name])} <= filled.keys():
                return filled
        return {}

    def factory_for(self, parameter, passed):
        """Returns the advice to write a factory if a parameter takes a config object; else an empty text. The factory passes the
        other arguments of these names on."""
        kind = self.config_kind(parameter)
        if kind is None and not re.search(CONFIG_NAMES, parameter.name):
            return ""
        fields = inspect.signature(kind).parameters if kind else {}
        filled = {spelled: name for name, spelled in spellings(fields).items()}
        required = [f"{name}={filled.get(name, '…')}" for name, field in fields.items() if name in filled or is_required(field)]
        arguments = [f"{parameter.name}={kind.__name__ if kind else 'Config'}({', '.join(required) or '…'})"]
        courses = {spelled: name for name, spelled in spellings(dict.fromkeys(passed)).items()}
        others = {name: courses.get(name, name) for name in passed if name != parameter.name}
        arguments += [f"{name}={value}" for name, value in others.items()]
        taken = dict.fromkeys([*COURSE_PARAMETERS[:-1], *others.values()])
        return (f"write a function that makes it, and name that function: `def make({', '.join(taken)}): "
                f"return {self.name}({', '.join(arguments)})`")

    def check(self):
        """Raises Mismatch if the arguments do not fit the model, or if a needed compiler is missing."""
        self.named_arguments(dict.fromkeys(COURSE_PARAMETERS, 1), makes_config=False)
        if self.compiled:
            check_compiler()


class AttentionSource(Source):
    """An attention without a network: an autograd Function, a module, or a function."""

    def __init__(self, spec):
        self.spec = spec
        sys.path.insert(0, os.getcwd())
        self.model, module = load("ATTENTION", spec["model"])
        self.name, self.arguments, self.compiled = spec["model"].rpartition(":")[2], {}, False
        self.implementation = self.implementation_name([module])

    def short_name(self):
        """Shortens the course's get_flashattention_autograd_function_triton to flashattention_triton, which tables have room for."""
        return self.name.removeprefix("get_").replace("_autograd_function", "")

    def check(self):
        pass


class ShippedSource(Source):
    """labreport's network as a module. An implementation's words choose its variant: "pytorch-eager",
    "pytorch-compiled-loss-sdpa-fused". "compiled" wraps the network in torch.compile, "loss" also the loss; "graphs"
    replays compiled code as CUDA graphs; "sdpa" is scaled_dot_product_attention; "fused" is PyTorch's fused AdamW."""

    WORDS = {"eager", "compiled", "loss", "graphs", "sdpa", "fused"}

    @classmethod
    def variant_words(cls, implementation):
        """Returns the variant's words; empty for a user's model, whose implementation ends in a hash."""
        first, *words = implementation.split("-")
        return set(words) if first == "pytorch" and cls.WORDS.issuperset(words) else set()

    def __init__(self, implementation):
        import labreport_transformer as network

        variant = self.variant_words(implementation)
        self.implementation, self.name = implementation, "Transformer"
        self.spec, self.has_own_loss = {"loss": "cross_entropy", "optimizer": "AdamW"}, False
        self.model = functools.partial(network.Transformer, sdpa="sdpa" in variant)
        self.arguments = {"vocab": "$vocab_size", "context": "$context_length", "layers": "$num_layers", "heads": "$num_heads"}
        self.loss = network.cross_entropy
        self.optimizer = functools.partial(torch.optim.AdamW, fused=True) if "fused" in variant else network.AdamW
        self.compiled, self.compiled_loss = "compiled" in variant, {"compiled", "loss"} <= variant
        self.mode = "reduce-overhead" if "graphs" in variant else None


# These functions compile models.


def has_package(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # the module is loaded, but has no spec
        return False


def folder_of_package(name):
    """Returns the folder of a package, without loading it; None if it is missing."""
    spec = importlib.util.find_spec(name) if has_package(name) else None
    return Path(spec.origin).resolve().parent if spec and spec.origin and spec.submodule_search_locations else None


def check_compiler():
    """Raises Mismatch without a compiler: torch.compile writes C++ for a CPU and launchers in C for Triton's kernels."""
    if not any(filter(shutil.which, [os.environ.get("CXX", ""), os.environ.get("CC", ""), "g++", "gcc", "clang"])):
        raise Mismatch("torch.compile needs a C++ compiler, and there is none; install g++")


def check_offered(device):
    """Raises NotOffered if this machine cannot compile for the device."""
    try:
        check_compiler()
    except Mismatch as error:
        raise NotOffered(str(error)) from None
    if device.type == "cuda" and not has_package("triton"):
        raise NotOffered("torch.compile needs Triton for a GPU, and this torch comes without it; install the triton that "
                         f"belongs to torch {torch.__version__}")
    if device.type == "cuda" and torch.cuda.get_device_capability(device) < (7, 0):
        raise NotOffered("Triton, which torch.compile writes for, needs compute capability 7.0 or newer")
