# Defines functions that the other files of setup/lib use.

log=.deps/install.log

say() { echo "setup: $*" >&2; }

# die <problem> <remedy>
die() {
  say "$1; $2"
  exit 1
}

# refuse <what the machine or the caller lacks> <remedy>
refuse() {
  say "$1; $2"
  exit 2
}

have() { command -v "$1" >/dev/null 2>&1; }

# Locks this checkout, so that a second installation waits and then finds everything installed.
begin_changes() {
  [ -n "${changing-}" ] && return
  mkdir -p .deps 2>/dev/null && { exec 9> .deps/lock; } 2>/dev/null ||
    die "cannot write to $PWD/.deps" "make the project's folder writable"
  flock 9
  changing=yes
  : > "$log"
}

# need_space <MiB> <what needs it>
need_space() {
  local free
  free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1024) }')
  [ "${free:-0}" -ge "$1" ] ||
    die "$2 needs $1 MiB of disk space, and $PWD has $free MiB" "free some or move the project"
}

# Prints the last line of a log that names an error, or else the log's last line.
reason_in() { # <log>
  { grep -v '^[[:space:]]*$' "$1" | tail -n 1; grep -E '^(E:|ERROR|[Ee]rror|[Ff]atal|dpkg: error)' "$1"; } |
    tail -n 1 | cut -c 1-300
}

# die_with_reason <action>: ends the installation with the reason that the log gives for the failed action.
die_with_reason() {
  if grep -qiE 'DO NOT MATCH THE HASHES|hash sum mismatch' "$log"; then
    die "$1: a package's hash is not the locked one" \
      "try again; if it stays so, the mirror serves altered files (log: $log)"
  elif grep -qi 'no space left' "$log"; then
    die "$1: the disk is full" "free some space and call it again (log: $log)"
  elif grep -qiE "name resolution|name or service not known|could not resolve|unreachable|connection refused|failed to establish|could not connect|timed out|proxy" "$log"; then
    die "$1: no network" "connect and call it again, what is done is kept (log: $log)"
  fi
  die "$1 failed: $(reason_in "$log")" "mend that and call it again, what is done is kept (log: $log)"
}
