"""clang-tidy over what a build folder would compile of our own, again only where something changed.

tidy.py <clang-tidy> <build folder> [<project's root>]

A source that passed is remembered by a hash of all it is made of: itself, the project's headers
that it includes, its command and the configuration. The folder need not be built.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
if len(sys.argv) > 3:
    ROOT = os.path.realpath(sys.argv[3])
# Leaves out code that includes LibTorch's headers, which alone would take longer than all the rest.
CHECKED = re.compile(r"^(src/(?!engine/|model/|measure/|worker)|experiments/).*\.cpp$")


INCLUDE = re.compile(rb'^ *# *include +"([^"]+)"', re.MULTILINE)


def made_of(source, build):
    """The source and the project's headers that it includes, directly or not, by their paths."""
    folders = [os.path.join(ROOT, "src"), ROOT, os.path.join(build, "generated")]
    found, open_ones = set(), [os.path.realpath(source)]
    while open_ones:
        path = open_ones.pop()
        if path in found:
            continue
        found.add(path)
        with open(path, "rb") as file:
            names = INCLUDE.findall(file.read())
        for name in names:
            for folder in [os.path.dirname(path), *folders]:
                candidate = os.path.realpath(os.path.join(folder, name.decode()))
                if os.path.isfile(candidate):
                    open_ones.append(candidate)
                    break
    return found


def fingerprint(entry, build, version):
    digest = hashlib.sha256()
    names = sorted(os.path.relpath(path, ROOT) for path in made_of(entry["file"], build))
    for name in [".clang-tidy"] + names:
        digest.update(name.encode())
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    digest.update((version + entry["command"]).encode())
    return digest.hexdigest()


def main():
    clang_tidy, build = sys.argv[1], os.path.abspath(sys.argv[2])
    version = subprocess.run([clang_tidy, "--version"], check=True, capture_output=True,
                             text=True).stdout
    passed = os.path.join(build, "tidy")
    os.makedirs(passed, exist_ok=True)

    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file)
                   if CHECKED.match(os.path.relpath(entry["file"], ROOT))]
    if not entries:
        sys.exit(f"{build} compiles no source of ours")

    def check(entry):
        name = os.path.relpath(entry["file"], ROOT)
        stamp = os.path.join(passed, fingerprint(entry, build, version))
        if os.path.exists(stamp):
            return name, None
        result = subprocess.run([clang_tidy, "--quiet", "-p", build,
                                 "--extra-arg=-Wno-unknown-warning-option", entry["file"]],
                                capture_output=True, text=True)
        if result.returncode != 0:
            return name, result.stdout + result.stderr
        open(stamp, "w").close()
        return name, ""

    failed = again = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, words in pool.map(check, entries):
            again += words is not None
            if words:
                failed += 1
                print(f"{name}:\n{words}", flush=True)
    print(f"clang-tidy: {len(entries)} sources, {again} looked at, {failed} with complaints")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
