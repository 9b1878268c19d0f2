# Installs Debian's packages with root or sudo, or else unpacks them into .deps/.

packages_of() { # <sets>: their lines "set package MB kind words…" of setup/debian.txt
  local line set
  while read -r line; do
    set=${line%% *}
    case " $1 " in *" $set "*) echo "$line" ;; esac
  done < setup/debian.txt
}

is_there() { # <kind> <words…>
  local word prefix path
  case $1 in
    command) shift; for word; do have "$word" && return; done ;;
    module) "$(project_python)" -c "import $2" 2>/dev/null && return ;;
    file)
      for prefix in .deps/usr ${LABREPORT_SYSTEM_PREFIXES-/usr /usr/local}; do
        for path in $prefix/$2; do [ -e "$path" ] && return; done
      done ;;
    header)
      path=$(worker_include)
      [ -e "$path/$2" ] || [ -e ".deps/usr/include/${path##*/}/$2" ] && return ;;
  esac
  return 1
}

# Prints the folder of the headers of the Python that has torch, or will have it.
worker_include() {
  local python
  python=$(setup/find-torch --python 2>/dev/null) || python=.venv/bin/python
  [ -x "$python" ] || python=$(project_python)
  "$python" -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null
}

# Sets `missing` to the missing packages of the sets, and `missing_megabytes` to their size.
find_missing() { # <sets>
  local set package megabytes proof
  missing= missing_megabytes=0
  while read -r set package megabytes proof; do
    is_there $proof && continue
    missing="$missing $package"
    missing_megabytes=$((missing_megabytes + megabytes))
  done < <(set -f; packages_of "$1")
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

can_be_root() {
  [ "$(id -u)" = 0 ] || { have sudo && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; }
}

offered() { apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }

# Prints the first package that the system offers for each "a|b".
first_offered() {
  local package name
  for package; do
    for name in ${package//|/ }; do offered "$name" && break; done
    echo "$name"
  done
}

install_as_root() {
  local names
  export DEBIAN_FRONTEND=noninteractive
  offered libfmt-dev || watched as_root apt-get update
  names=$(first_offered $missing)
  local install="as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $names"
  watched $install && return
  watched as_root apt-get update
  watched $install
}

# Prints apt's options for lists in .deps, if the system's lists are empty: only root can update those.
apt_options() {
  offered libfmt-dev && return
  mkdir -p .deps/apt/lists/partial .deps/apt/cache/archives/partial
  echo "-o Dir::State::lists=$PWD/.deps/apt/lists -o Dir::Cache=$PWD/.deps/apt/cache"
}

fetch_packages() { # <into> <apt's options…>
  local folder=$1
  shift
  (cd "$folder" && apt-get "$@" download $(cat names))
}

unpack_without_root() {
  local options folder=.deps/packages archive
  options=$(apt_options)
  [ -z "$options" ] || apt-get $options -o Debug::NoLocking=1 update >> "$log" 2>&1 || return
  rm -rf "$folder" && mkdir -p "$folder"
  # apt's simulation changes nothing, and also names the dependencies that the system lacks.
  apt-get $options install --simulate --no-install-recommends $missing 2>> "$log" |
    awk '$1 == "Inst" { print $2 }' > "$folder/names"
  [ -s "$folder/names" ] || return
  watched fetch_packages "$folder" $options || return
  for archive in "$folder"/*.deb; do
    dpkg -x "$archive" .deps >> "$log" 2>&1 || return
  done
  rm -rf "$folder"
}

# These packages are of no use unpacked, so they need root.
refuse_without_root() {
  case " $missing " in
    *" g++ "*) die "no C++ compiler" "have an administrator install g++ 12 or newer" ;;
    *" python3-venv "*)
      die "python3 has no venv module" "have an administrator install python3-venv" ;;
    *chromium*) die "no Chromium for the browser tests" \
      "have an administrator install chromium, or put one on PATH" ;;
  esac
}

need_debian_packages() { # <sets>
  find_missing "$1"
  [ -z "$missing" ] && return
  begin_changes
  find_missing "$1"
  [ -z "$missing" ] && return
  have apt-get || { refuse_without_root; die "these libraries are missing:$missing" \
    "install what Debian calls so"; }
  need_space $((missing_megabytes + 100)) "the system's packages"
  if can_be_root; then
    say "installing with apt-get (about $missing_megabytes MB):$missing"
    install_as_root || die_with_reason "installing$missing"
  else
    refuse_without_root
    say "unpacking into .deps, without root (about $missing_megabytes MB):$missing"
    unpack_without_root || die_with_reason "fetching$missing"
  fi
  find_missing "$1"
  [ -z "$missing" ] || die "still missing after installing:$missing" \
    "this system's packages lack the files that setup/debian.txt names; install what holds them"
}

# Installs a set that is of no use unpacked. Without root, says what will be missing, and goes on.
need_with_root() { # <set> <message without root>
  find_missing "$1"
  [ -z "$missing" ] && return
  if have apt-get && can_be_root; then
    need_debian_packages "$1"
  else
    say "$2"
  fi
}

# Tries to install an optional set once, so that a machine without network does not wait each time.
need_once() { # <set> <what is missing without it>
  find_missing "$1"
  [ -z "$missing" ] || [ -e ".deps/without-$1" ] && return
  have apt-get && (need_debian_packages "$1") && return
  mkdir -p .deps && touch ".deps/without-$1"
  say "no$missing: $2"
}

need_for_ranks() {
  need_once ranks "processes on the CPU will not be joined by Gloo, and their rows will say so"
}

need_for_models() {
  need_once models "models and attentions in Python, and compiled steps, will not be measured"
}

# TeX Live generates its formats during the installation, which an unpacked package lacks.
need_tex() {
  need_with_root tex \
    "no TeX Live without root: the test that compiles report.tex will be skipped"
}

# Slurm's daemons must run as root.
need_slurm() {
  need_with_root slurm "no Slurm without root: the test of job arrays will be skipped"
}

# Clang finds its libraries only in the folder in which it is installed.
need_fuzzer() {
  need_with_root fuzz \
    "no Clang without root: tests/fuzz runs its kept inputs alone"
}

need_compiler() {
  local version
  have g++ || refuse "no C++ compiler" "put g++ 12 or newer on PATH (on many clusters: module load gcc)"
  version=$(g++ -dumpversion 2>/dev/null)
  [ "${version%%.*}" -ge 12 ] 2>/dev/null ||
    refuse "g++ ${version:-that does not start} is too old" "install g++ 12 or newer and put it first on PATH"
}
