"""Runs clang-tidy on the project's sources in a build folder, and again only on those that changed.

tidy.py <clang-tidy> <build folder> [<project's root>]

It remembers a source that passed by a hash of the source, of the project's headers that it includes, of its compile
command and of the configuration. The folder need not be built.
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
# Code that includes LibTorch's headers is left out, because it would take longer than all other code.
CHECKED = re.compile(r"^(src/(?!engine/|model/|measure/|worker)|experiments/).*\.cpp$")


INCLUDE = re.compile(rb'^ *# *include +"([^"]+)"', re.MULTILINE)


def included_files(source, build):
    """Returns the paths of the source and of the project's headers that it includes, directly or not."""
    folders = [os.path.join(ROOT, "src"), ROOT, os.path.join(build, "generated")]
    read, unread = set(), [os.path.realpath(source)]
    while unread:
        path = unread.pop()
        if path in read:
            continue
        read.add(path)
        with open(path, "rb") as file:
            names = INCLUDE.findall(file.read())
        for name in names:
            for folder in [os.path.dirname(path), *folders]:
                candidate = os.path.realpath(os.path.join(folder, name.decode()))
                if os.path.isfile(candidate):
                    unread.append(candidate)
                    break
    return read


def fingerprint(entry, build, version):
    digest = hashlib.sha256()
    names = sorted(os.path.relpath(path, ROOT) for path in included_files(entry["file"], build))
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
    stamps = os.path.join(build, "tidy")
    os.makedirs(stamps, exist_ok=True)

    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file)
                   if CHECKED.match(os.path.relpath(entry["file"], ROOT))]
    if not entries:
        sys.exit(f"{build} compiles no source of ours")

    def check(entry):
        """Returns the name and the complaints; None in place of complaints if the source passed before."""
        name = os.path.relpath(entry["file"], ROOT)
        stamp = os.path.join(stamps, fingerprint(entry, build, version))
        if os.path.exists(stamp):
            return name, None
        result = subprocess.run([clang_tidy, "--quiet", "-p", build,
                                 "--extra-arg=-Wno-unknown-warning-option", entry["file"]],
                                capture_output=True, text=True)
        if result.returncode != 0:
            return name, result.stdout + result.stderr
        open(stamp, "w").close()
        return name, ""

    failed = checked = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, complaints in pool.map(check, entries):
            checked += complaints is not None
            if complaints:
                failed += 1
                print(f"{name}:\n{complaints}", flush=True)
    print(f"clang-tidy: {len(entries)} sources, {checked} looked at, {failed} with complaints")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
