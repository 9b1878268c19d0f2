# Python wheels in .venv, and the torch that is used.

# A bundle brings its wheels.
in_bundle() { [ -d .deps/bundle ]; }
in_bundle && export PIP_NO_INDEX=1 PIP_FIND_LINKS=.deps/bundle/wheels

# The oldest and the newest CPython that the locks have wheels for: 3.11 and 3.13. An activated environment's python3
# may be another, and hide the system's.
project_python() {
  local name
  for name in python3 $(type -ap python3) python3.13 python3.12 python3.11 ${TORCH_PYTHON-}; do
    have "$name" || continue
    "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
      2>/dev/null && { echo "$name"; return; }
  done
  echo python3
}

lock_hash() { sha256sum < "setup/requirements-$1.txt"; }

# A stamp is filled last, so an interrupted installation has an empty one.
is_installed() { # <set>
  [ -x .venv/bin/python ] && [ -f ".venv/.installed-$1" ] &&
    [ "$(cat ".venv/.installed-$1")" = "$(lock_hash "$1")" ]
}

# What set-up made it marks; another's .venv that lies here, and the torch in it, are left as they are.
is_own_venv() { [ -f .venv/.installed-venv ]; }
made_by_uv() { grep -q '^uv = ' .venv/pyvenv.cfg 2>/dev/null; }

# Also of a Python that Debian ships without its ensurepip.
venv_of_bundle() { # <python>
  "$1" -m venv --without-pip --clear .venv &&
    PYTHONPATH=$(echo .deps/bundle/wheels/pip-*.whl) .venv/bin/python -m pip install --require-hashes --no-input \
      -r setup/requirements-pip.txt
}

need_venv() {
  [ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1 && return
  if ! is_own_venv && made_by_uv; then
    .venv/bin/python -m ensurepip >> "$log" 2>&1 && return
    refuse ".venv is uv's and has no pip" "install pip into it (uv pip install pip) or move it elsewhere"
  fi
  local python
  python=$(project_python)
  have "$python" || die "no python3" "install python3 3.11, 3.12 or 3.13 with its venv module"
  "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' ||
    die "$("$python" --version) has no locked packages" "install Python 3.11, 3.12 or 3.13"
  if in_bundle; then
    venv_of_bundle "$python" >> "$log" 2>&1 || why_failed "making .venv"
  else
    need_debian_packages venv
    "$python" -m venv --clear .venv >> "$log" 2>&1 || why_failed "making .venv"
  fi
  : > .venv/.installed-venv
}

describe_set() { # <set>: sets words and megabytes
  case $1 in
    cu130) words="torch for CUDA 13, CMake, Ninja, chart, PDF and formula tools" megabytes=6144 ;;
    cu128) words="torch for CUDA 12.8, CMake, Ninja, chart, PDF and formula tools" megabytes=8192 ;;
    render) words="CMake, Ninja, chart, PDF and formula tools" megabytes=450 ;;
    test) words="a browser's driver, clang-format, clang-tidy" megabytes=300 ;;
  esac
}

need_python_set() { # <set>
  is_installed "$1" && return
  begin_changes
  is_installed "$1" && return
  local words megabytes
  describe_set "$1"
  need_space "$megabytes" "$words"
  say "installing into .venv (about $megabytes MB on disk): $words"
  need_venv
  : > ".venv/.installed-$1"
  watched .venv/bin/python -m pip install --require-hashes --only-binary :all: --no-input \
    --disable-pip-version-check --progress-bar off ${pip_options-} \
    -r "setup/requirements-$1.txt" || why_failed "fetching $words"
  lock_hash "$1" > ".venv/.installed-$1"
}

# CMake and Ninja for the build; vl-convert, Typst and pandoc for charts, PDF and formulas. Where the system builds
# by itself the latter are welcome, not needed: without a network, the next try is a day later.
need_python_tools() {
  is_installed cu130 || is_installed cu128 && return
  is_installed render && return
  have_other_builders || { need_python_set render; return; }
  local late=.deps/tools-tried-in-vain
  [ -n "$(find "$late" -mmin -1440 2>/dev/null)" ] && return
  (pip_options="--retries 1 --timeout 10" need_python_set render) && return
  say "going on without them: the report will lack SVG and PDF (delete $late to try again)"
  mkdir -p .deps && touch "$late"
}

bundle_lacks_torch() {
  in_bundle && ! compgen -G ".deps/bundle/wheels/torch-*-$("$(project_python)" -c \
    'import sys; print("cp%d%d" % sys.version_info[:2])')-*" >/dev/null
}

# Two torches in one .venv would mix their CUDA libraries. Until the new one is there, the old one comes back.
set_other_torch_aside() { # <lock>
  local other aside=.deps/venv-before
  for other in cu130 cu128; do
    [ $other = "$1" ] || [ ! -f .venv/.installed-$other ] && continue
    begin_changes
    say "$1 takes the place of $other in .venv"
    rm -rf $aside
    mv .venv $aside && trap "rm -rf .venv && mv $aside .venv" EXIT
    return
  done
}

# The lock that the driver and the GPUs want.
need_locked_torch() {
  local python=.venv/bin/python choice
  [ -x $python ] || python=$(project_python)
  choice=$("$python" -I setup/choose-torch)
  [ $? != 2 ] || exit 2
  choice=${choice%%:*}
  set_other_torch_aside "${choice:=cu130}"
  need_python_set "$choice"
  trap - EXIT
  rm -rf .deps/venv-before
}

# The user's own torch is left as it is; only where there is none, the locked one is fetched.
need_torch() {
  local found
  found=$(setup/find-torch)
  [ $? -le 1 ] || exit 2
  [ -z "$found" ] && bundle_lacks_torch && refuse "no torch, and none in the bundle for this Python" \
    "activate an environment that has one, set TORCH_PYTHON or LIBTORCH, or call make bundle WITH_TORCH=cu130"
  if [ -n "$found" ] && { [ "${found#"$PWD/.venv/"}" = "$found" ] || ! is_own_venv; }; then
    need_python_tools
  else
    need_locked_torch
  fi
}
