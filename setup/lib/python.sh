# Installs Python wheels into .venv, and chooses the torch.

# A bundle contains the wheels, so pip needs no network.
in_bundle() { [ -d .deps/bundle ]; }
in_bundle && export PIP_NO_INDEX=1 PIP_FIND_LINKS=.deps/bundle/wheels

# Tells whether the locks have wheels for a Python.
has_locked_wheels() { # <python>
  "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null
}

# Prints a Python that has locked wheels. An activated environment's python3 may be another version and hide the system's.
project_python() {
  local name
  for name in python3 $(type -ap python3) python3.14 python3.13 python3.12 python3.11 ${TORCH_PYTHON-}; do
    have "$name" && has_locked_wheels "$name" && { echo "$name"; return; }
  done
  echo python3
}

lock_hash() { sha256sum < "setup/requirements-$1.txt"; }

# The file .installed-<set> is filled last, so it is empty after an interrupted installation.
is_installed() { # <set>
  [ -x .venv/bin/python ] && [ -f ".venv/.installed-$1" ] &&
    [ "$(cat ".venv/.installed-$1")" = "$(lock_hash "$1")" ]
}

# setup/install marks the .venv that it made. It does not change another .venv, nor the torch in it.
is_own_venv() { [ -f .venv/.installed-venv ]; }
made_by_uv() { grep -q '^uv = ' .venv/pyvenv.cfg 2>/dev/null; }

# This also works with a Python that lacks ensurepip, as Debian's does.
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
  have "$python" || die "no python3" "install python3 3.11 to 3.14 with its venv module"
  has_locked_wheels "$python" || die "$("$python" --version) has no locked packages" \
    "install a Python from 3.11 to 3.14 beside it, or activate an environment that has one"
  if in_bundle; then
    venv_of_bundle "$python" >> "$log" 2>&1 || die_with_reason "making .venv"
  else
    need_debian_packages venv
    "$python" -m venv --clear .venv >> "$log" 2>&1 || die_with_reason "making .venv"
  fi
  : > .venv/.installed-venv
}

look_up_set() { # <set>: sets words and megabytes
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
  look_up_set "$1"
  need_space "$megabytes" "$words"
  say "installing into .venv (about $megabytes MB on disk): $words"
  need_venv
  : > ".venv/.installed-$1"
  watched .venv/bin/python -m pip install --require-hashes --only-binary :all: --no-input \
    --disable-pip-version-check --progress-bar off ${pip_options-} \
    -r "setup/requirements-$1.txt" || die_with_reason "fetching $words"
  lock_hash "$1" > ".venv/.installed-$1"
}

# Installs CMake and Ninja for the build, and vl-convert, Typst and pandoc for charts, PDF and formulas. If the system
# has CMake and Ninja, the others are optional: after a failure, they are not tried again for a day.
need_python_tools() {
  is_installed cu130 || is_installed cu128 && return
  is_installed render && return
  if in_bundle && ! compgen -G ".deps/bundle/wheels/*.whl" >/dev/null; then
    have_other_builders || refuse "no CMake 3.24 and Ninja, and no wheels in this bundle" \
      "install both, or pack the bundle without WITH_TORCH=none"
    return
  fi
  have_other_builders || { need_python_set render; return; }
  local mark=.deps/tools-tried-in-vain
  [ -n "$(find "$mark" -mmin -1440 2>/dev/null)" ] && return
  (pip_options="--retries 1 --timeout 10" need_python_set render) && return
  say "going on without them: the report will lack SVG and PDF (delete $mark to try again)"
  mkdir -p .deps && touch "$mark"
}

bundle_lacks_torch() {
  in_bundle && ! compgen -G ".deps/bundle/wheels/torch-*-$("$(project_python)" -c \
    'import sys; print("cp%d%d" % sys.version_info[:2])')-*" >/dev/null
}

# Two torches in one .venv would mix their CUDA libraries. If installing the new one fails, the old .venv is restored.
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

# Installs the locked torch that setup/choose-torch chooses for the driver and the GPUs.
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

# Uses the torch that setup/find-torch finds, and installs a locked one only if there is none.
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
