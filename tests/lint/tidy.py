"""clang-tidy over what a build folder compiles of our own, again only where something changed.

tidy.py <clang-tidy> <build folder> [<project's root>]

A source that passed is remembered by a hash of all it is made of: itself, the project's headers
that the compiler says it includes, its command and the configuration.
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
# LibTorch's headers alone would take longer than all the rest.
CHECKED = re.compile(r"^(src/(?!engine/|model/|measure/|worker)|experiments/).*\.cpp$")


def includes(build):
    """What the compiler recorded: {object file: [files it was made of]}."""
    ninja = os.path.join(ROOT, ".venv/bin/ninja")
    ninja = ninja if os.path.exists(ninja) else "ninja"
    output = subprocess.run([ninja, "-C", build, "-t", "deps"], check=True, capture_output=True,
                            text=True).stdout
    found = {}
    for block in output.split("\n\n"):
        first, *rest = block.strip().splitlines() or [""]
        found[first.split(": #")[0]] = [line.strip() for line in rest]
    return found


def own(path, build):
    """The path relative to the project when it is the project's, else None."""
    path = os.path.relpath(os.path.join(build, path), ROOT)
    return path if re.match(r"(src|experiments|tests|build[^/]*/generated)/", path) else None


def fingerprint(entry, made_of, build, version):
    digest = hashlib.sha256()
    names = sorted({name for name in (own(path, build) for path in made_of) if name})
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
    made_of = includes(build)
    passed = os.path.join(build, "tidy")
    os.makedirs(passed, exist_ok=True)

    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file)
                   if CHECKED.match(os.path.relpath(entry["file"], ROOT))]
    if not entries:
        sys.exit(f"{build} compiles no source of ours")

    def check(entry):
        name = os.path.relpath(entry["file"], ROOT)
        made = made_of.get(os.path.relpath(os.path.join(build, entry["output"]), build))
        if not made:
            return name, f"{name} is not built yet"
        stamp = os.path.join(passed, fingerprint(entry, made, build, version))
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
