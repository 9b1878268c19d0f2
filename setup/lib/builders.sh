# CMake and Ninja: those of .venv, those on PATH where they are new enough, or those that were carried here.

new_enough() { # <program>
  case $1 in *ninja) return ;; esac
  local version
  version=$("$1" --version 2>/dev/null | awk 'NR == 1 { print $3 }')
  [ "$(printf '3.24\n%s\n' "$version" | sort -V | head -1)" = 3.24 ]
}

other_builder() { # <cmake|ninja>: its path
  local found
  if found=$(command -v "$1") && new_enough "$found"; then
    echo "$found"
  elif "$PWD/.deps/carried/bin/$1" --version >/dev/null 2>&1; then
    echo "$PWD/.deps/carried/bin/$1"
  else
    return 1
  fi
}

builder() { # <cmake|ninja>: its path
  if [ -x ".venv/bin/$1" ]; then echo "$PWD/.venv/bin/$1"; else other_builder "$1"; fi
}

have_other_builders() { other_builder cmake >/dev/null && other_builder ninja >/dev/null; }
