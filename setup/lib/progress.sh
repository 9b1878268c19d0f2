# Shows the progress of long steps: one changing line on a terminal, otherwise a new line every ten seconds.

[ -t 2 ] && on_terminal=yes || on_terminal=
tick=${LABREPORT_TICK:-$([ -n "$on_terminal" ] && echo 1 || echo 10)}

show_state() { # <words>
  if [ -n "$on_terminal" ]; then printf '\r\033[Ksetup: %.100s' "$1" >&2; else echo "setup: $1" >&2; fi
}

clear_state() { [ -z "$on_terminal" ] || printf '\r\033[K' >&2; }

# Shows the elapsed seconds and the log's last line, until the input ends.
show_log() { # <log>
  local began=$SECONDS
  while read -r -t "$tick"; [ $? -gt 128 ]; do
    show_state "$((SECONDS - began)) s: $(tail -n 1 "$1" 2>/dev/null | tr -cd '[:print:]' | cut -c 1-80)"
  done
}

# watched <command>…: runs it with its output in $log, shows the progress, and returns its status.
watched() {
  local shower status
  # The child ends with its input and is not killed: if it is killed early, Bash runs this shell's EXIT trap in it.
  exec 8> >(show_log "$log" 9>&-)
  shower=$!
  "$@" >> "$log" 2>&1 8>&-
  status=$?
  exec 8>&-
  wait "$shower"
  clear_state
  return "$status"
}

# show_build <folder>: reads Ninja's output, shows its progress, and passes on all other lines.
show_build() {
  local line at= said=$SECONDS began=$SECONDS
  while true; do
    if IFS= read -r -t "$tick" line; then
      case $line in
        '['[0-9]*/*']'*) at=${line%%]*} at=${at#[} ;;
        'ninja: no work'* | 'ninja: Entering'*) continue ;;
        *) clear_state; printf '%s\n' "$line" >&2; continue ;;
      esac
    elif [ $? -le 128 ]; then
      break
    fi
    [ $((SECONDS - said)) -ge "$tick" ] || continue
    said=$SECONDS
    show_state "building $1: ${at:+${at/\// of } steps, }$((SECONDS - began)) s"
  done
  clear_state
}
