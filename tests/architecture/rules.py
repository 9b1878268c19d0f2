"""The house rules that a machine can check. Each check takes a tree and returns what breaks it."""

import os
import re

# A folder may include itself and whatever these arrows reach.
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

# The folders that may include a library; any other library may be included anywhere.
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
# The driver's library starts threads; they must not take the signals that subprocess waits for.
PROCESS_EXCEPTIONS = {("src/base/nvml.cpp", "pthread_sigmask(")}

SOURCE = re.compile(r"\.(cpp|h|py|sh|cmake|js|css|html)$|(^|/)(CMakeLists\.txt|Makefile)$"
                    r"|^setup/(install|build|test|lock|find-torch|choose-torch|bundle)$|^\.ci/run$")
TEXT = re.compile(SOURCE.pattern + r"|\.(txt|md|json|in)$|(^|/)\.[a-z-]+$")
LOCK = re.compile(r"^setup/requirements-\w+\.txt$")

# Matches paths of a particular machine, not those that every Linux has (/usr, /proc, /dev, /etc).
ABSOLUTE_PATH = re.compile(r"(?<![\w.$}/:\\])/(home|root|work|Users|mnt|srv|opt|data)/\w")
ADDRESS = re.compile(r"://|\b[\w-]+\.(org|com|net|io|dev)\b")
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")

SKIPPED_FOLDERS = re.compile(r"^(\.git|\.deps|\.venv[^/]*|build[^/]*|runs|site/runs|site/public"
                             r"|tests/golden|tests/fuzz/corpus|shared|shards|.*__pycache__)$")


def files(root):
    """Paths relative to the root, of everything that is written by hand."""
    for folder, folders, names in os.walk(root):
        here = os.path.relpath(folder, root)
        inside = lambda name: name if here == "." else here + "/" + name
        folders[:] = sorted(f for f in folders if not SKIPPED_FOLDERS.match(inside(f)))
        names = [name for name in names if name != ".git"]  # .git is a file in a second working tree
        yield from sorted(inside(name) for name in names if TEXT.search(inside(name)))


def lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as text:
        return text.read().splitlines()


def room_of(path):
    parts = path.split("/")
    if parts[0] == "experiments":
        return "experiments"
    return parts[1] if parts[0] == "src" and len(parts) > 1 else None


def reachable(room):
    found = {room}
    for next_room in INCLUDES.get(room, []):
        found |= reachable(next_room)
    return found


def included_room(name):
    """The room that `#include "name"` leads to."""
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
            own, library = match.groups()
            where = f"{path}:{number}"
            if own and included_room(own) not in reachable(room):
                yield f"{where}: {room} may not include {own}"
            for pattern, rooms in LIBRARIES.items():
                if re.match(pattern, library or "") and room not in rooms:
                    yield f"{where}: {room} may not include <{library}>"


def without_comments_and_texts(line):
    return re.sub(r'"(\\.|[^"\\])*"|//.*', '""', line)


def check_processes(root):
    for path in files(root):
        if room_of(path) is None or PROCESS_OWNER.match(path) or not path.endswith((".cpp", ".h")):
            continue
        for number, line in enumerate(lines(root, path), 1):
            code = without_comments_and_texts(line)
            found = PROCESS_CALL.search(code) or (
                "#include" in code and PROCESS_HEADER.search(code))
            if found and (path, found.group(0)) not in PROCESS_EXCEPTIONS:
                yield f"{path}:{number}: '{found.group(0)}' belongs to orchestrate/subprocess"

TYPE = re.compile(r"(?:struct|class|enum class|union) (\w+)\b(?!::|;)")


def named_types(root, path):
    """(line number, namespace::name) of the types that other files may see."""
    spaces = []
    for number, line in enumerate(lines(root, path), 1):
        opened = re.match(r"(?:inline )?namespace ?([\w:]*) ?\{$", line)
        if opened:
            spaces.append(opened.group(1))
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif "" not in spaces and (found := TYPE.match(line)):
            yield number, "::".join([*spaces, found.group(1)])


def check_types(root):
    """One definition a name: a linker takes either of two without a word."""
    first = {}
    for path in files(root):
        if room_of(path) is None or not path.endswith((".cpp", ".h")):
            continue
        for number, name in named_types(root, path):
            if name in first:
                yield f"{path}:{number}: {name} is already a type of {first[name]}"
            first.setdefault(name, path)


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
