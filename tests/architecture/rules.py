"""Checks the rules of the tree that a machine can check. Each check takes the tree's root and yields what breaks it."""

import os
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import own_files  # noqa: E402: a neighbor's, found by the line above

# A room may include itself and each room that a chain of these arrows reaches.
INCLUDES = {
    "base": [],
    "results": ["base"],
    "plan": ["results"],
    "orchestrate": ["plan"],
    "analysis": ["plan"],
    "imports": ["plan"],
    "query": ["plan"],
    "document": ["analysis"],
    "experiments": ["document"],
    "writers": ["document", "query"],
    "notes": ["document"],
    "publish": ["orchestrate", "experiments", "writers", "notes"],
    "cli": ["imports", "publish"],
    "engine": ["plan"],
    "model": ["engine"],
    "measure": ["model"],
    "worker": ["measure"],
    "python": ["worker"],
    "main.cpp": ["cli"],
    "worker_main.cpp": ["worker"],
}

TORCH_ROOMS = ["engine", "model", "measure", "worker", "python", "worker_main.cpp"]

# The rooms that may include a library. A library that is not listed may be included anywhere.
LIBRARIES = {
    r"(ATen|c10|torch|caffe2)/|cuda|cupti|cublas|nvtx": TORCH_ROOMS,
    r"nlohmann/": ["results", "document", "experiments", "writers", "publish", "cli", "measure",
                    "worker"],
    r"kainjow/|cmark": ["document", "writers", "notes"],
    r"CLI/": ["cli"],
    r"sqlite3": ["query"],
    r"boost/": ["base"],
    r"pybind11/|Python\.h": ["python"],
}

PROCESS_OWNER = re.compile(r"src/orchestrate/subprocess[^/]*$")
PROCESS_HEADER = re.compile(r"sys/(wait|prctl|signalfd|pidfd)\.h|spawn\.h")
PROCESS_CALL = re.compile(
    r"(?<![\w.>])(v?fork|wait(pid|id|3|4)?|kill|killpg|sigaction|sigprocmask|pthread_sigmask|signal"
    r"|signalfd|prctl|exec[vl]p?e?|execveat|posix_spawnp?|system|popen|std::system|std::signal)\(")
# NVML starts threads, which must not receive the signals that subprocess waits for.
PROCESS_EXCEPTIONS = {("src/base/nvml.cpp", "pthread_sigmask(")}

SOURCE = re.compile(r"\.(cpp|h|py|sh|cmake|js|css|html)$|(^|/)(CMakeLists\.txt|Makefile)$"
                    r"|^setup/(install|build|test|lock|find-torch|choose-torch|bundle)$|^\.ci/run$")
TEXT = re.compile(SOURCE.pattern + r"|\.(txt|md|json|in)$|(^|/)\.[a-z-]+$")
LOCK = re.compile(r"^setup/requirements-\w+\.txt$")

# Matches paths of a particular machine, not those that every Linux has (/usr, /proc, /dev, /etc).
ABSOLUTE_PATH = re.compile(r"(?<![\w.$}/:\\])/(home|root|work|Users|mnt|srv|opt|data)/\w")
ADDRESS = re.compile(r"://|\b[\w-]+\.(org|com|net|io|dev)\b")
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")

GENERATED = re.compile(r"^tests/(golden|fuzz/corpus)/")

# Tests find the shipped runs by these files alone. They name no other place of a clone that a user fills, and they start
# no program in the clone, because it would take the user's runs and notes from there.
RUN_FINDERS = ("tests/shipped.py", "tests/results/shipped_runs.h")
USERS_PLACE = re.compile(r"(?<!\w)(ROOT|\w+_SOURCE_DIR|RUNS)\b[^,;#]*\b(site/(runs|public|dropped)|notes|submission)\b"
                         r"|\bcwd=(ROOT|RUNS)\b")


def files(root):
    """Returns the relative paths of the project's files that are written by hand."""
    return [path for path in own_files(root) if TEXT.search(path) and not GENERATED.match(path)]


def lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as text:
        return text.read().splitlines()


def room_of(path):
    parts = path.split("/")
    if parts[0] == "experiments":
        return "experiments"
    return parts[1] if parts[0] == "src" and len(parts) > 1 else None


def problem_of(path):
    """Returns the problem whose folder holds a file; None for files of `experiments` itself and of other rooms."""
    folders = path.split("/")[:-1]
    return folders[1] if folders[:1] == ["experiments"] and len(folders) > 1 else None


def is_between_problems(path, header):
    """True if a problem includes another's header. What problems share is in `common`, which includes no problem;
    the page over all, `overview`, may include each."""
    includer, included = problem_of(path), problem_of(header)
    return includer not in (None, "overview") and included not in (None, "common", includer)


def reachable_rooms(room):
    rooms = {room}
    for next_room in INCLUDES.get(room, []):
        rooms |= reachable_rooms(next_room)
    return rooms


def included_room(name):
    """Returns the room of `#include "name"`."""
    parts = name.split("/")
    return os.path.splitext(parts[1])[0] if parts[0] == "embedded" else parts[0]


def check_includes(root):
    for path in files(root):
        room = room_of(path)
        if room is None or not path.endswith((".cpp", ".h")):
            continue
        if room not in INCLUDES:
            yield f"{path}: '{room}' is no room; DESIGN names them all"
            continue
        for number, line in enumerate(lines(root, path), 1):
            match = re.match(r'\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', line)
            if not match:
                continue
            header, library = match.groups()
            where = f"{path}:{number}"
            if header and included_room(header) not in reachable_rooms(room):
                yield f"{where}: {room} may not include {header}"
            if header and is_between_problems(path, header):
                yield f"{where}: {problem_of(path)} may not include {header}"
            for pattern, rooms in LIBRARIES.items():
                if re.match(pattern, library or "") and room not in rooms:
                    yield f"{where}: {room} may not include <{library}>"


def without_comments_and_strings(line):
    return re.sub(r'"(\\.|[^"\\])*"|//.*', '""', line)


def check_processes(root):
    for path in files(root):
        if room_of(path) is None or PROCESS_OWNER.match(path) or not path.endswith((".cpp", ".h")):
            continue
        for number, line in enumerate(lines(root, path), 1):
            code = without_comments_and_strings(line)
            found = PROCESS_CALL.search(code) or (
                "#include" in code and PROCESS_HEADER.search(code))
            if found and (path, found.group(0)) not in PROCESS_EXCEPTIONS:
                yield f"{path}:{number}: '{found.group(0)}' belongs to orchestrate/subprocess"

TYPE = re.compile(r"(?:struct|class|enum class|union) (\w+)\b(?!::|;)")


def named_types(root, path):
    """Yields (line number, namespace::name) of each type that other files may see."""
    namespaces = []
    for number, line in enumerate(lines(root, path), 1):
        opened = re.match(r"(?:inline )?namespace ?([\w:]*) ?\{$", line)
        if opened:
            namespaces.append(opened.group(1))
        elif line.startswith("}  // namespace"):
            namespaces.pop()
        elif "" not in namespaces and (found := TYPE.match(line)):
            yield number, "::".join([*namespaces, found.group(1)])


def check_types(root):
    """Finds types that are defined twice. A linker uses one of two definitions without a warning."""
    first_paths = {}
    for path in files(root):
        if room_of(path) is None or not path.endswith((".cpp", ".h")):
            continue
        for number, name in named_types(root, path):
            if name in first_paths:
                yield f"{path}:{number}: {name} is already a type of {first_paths[name]}"
            first_paths.setdefault(name, path)


def check_texts(root):
    for path in files(root):
        for number, line in enumerate(lines(root, path), 1):
            where = f"{path}:{number}"
            if ABSOLUTE_PATH.search(line):
                yield f"{where}: an absolute path: {line.strip()}"
            if SOURCE.search(path) and UNFINISHED.search(line):
                yield f"{where}: unfinished: {line.strip()}"
            if LOCK.match(path) and ADDRESS.search(line):
                yield f"{where}: an address in a lock file: {line.strip()}"


def check_runs(root):
    for path in files(root):
        if not path.startswith("tests/") or not path.endswith((".py", ".cpp", ".h")) or path in RUN_FINDERS:
            continue
        for number, line in enumerate(lines(root, path), 1):
            if USERS_PLACE.search(line):
                yield f"{path}:{number}: a user fills this place; {' and '.join(RUN_FINDERS)} find what ships"
