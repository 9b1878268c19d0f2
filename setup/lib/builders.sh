# Finds CMake and Ninja in .venv, or on PATH if they are new enough.

new_enough() { # <program>
  case $1 in *ninja) return ;; esac
  local version
  version=$("$1" --version 2>/dev/null | awk 'NR == 1 { print $3 }')
  [ "$(printf '3.24\n%s\n' "$version" | sort -V | head -1)" = 3.24 ]
}

other_builder() { # <cmake|ninja>: its path outside .venv
  local found
  found=$(command -v "$1") && new_enough "$found" && echo "$found"
}

builder() { # <cmake|ninja>: its path
  if [ -x ".venv/bin/$1" ]; then echo "$PWD/.venv/bin/$1"; else other_builder "$1"; fi
}

# A bundle's front end was built on another machine, so it may not start here.
bundled=.deps/bundle/labreport
bundled_starts() { $bundled --version >/dev/null 2>&1; }

have_other_builders() { other_builder cmake >/dev/null && other_builder ninja >/dev/null; }
