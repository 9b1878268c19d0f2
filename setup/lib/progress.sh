# What long steps say of themselves: on a terminal one line that changes, in a log a line every ten seconds.

[ -t 2 ] && on_terminal=yes || on_terminal=
tick=${LABREPORT_TICK:-$([ -n "$on_terminal" ] && echo 1 || echo 10)}

show_state() { # <words>
  if [ -n "$on_terminal" ]; then printf '\r\033[Ksetup: %.100s' "$1" >&2; else echo "setup: $1" >&2; fi
}

clear_state() { [ -z "$on_terminal" ] || printf '\r\033[K' >&2; }

# Shows the seconds so far and what the log told last until its input ends.
show_log() { # <log>
  local began=$SECONDS
  while read -r -t "$tick"; [ $? -gt 128 ]; do
    show_state "$((SECONDS - began)) s: $(tail -n 1 "$1" 2>/dev/null | tr -cd '[:print:]' | cut -c 1-80)"
  done
}

# watched <command>…: its output goes to $log; its status is kept.
watched() {
  local shower status
  # Bash runs this shell's EXIT trap in a child that is killed right after it was started, so it is not killed.
  exec 8> >(show_log "$log" 9>&-)
  shower=$!
  "$@" >> "$log" 2>&1 8>&-
  status=$?
  exec 8>&-
  wait "$shower"
  clear_state
  return "$status"
}

# show_build <folder>: reads what Ninja says; shows how far it is, and passes on all else.
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
    [ -n "$at" ] && [ $((SECONDS - said)) -ge "$tick" ] || continue
    said=$SECONDS
    show_state "building $1: ${at/\// of } steps, $((SECONDS - began)) s"
  done
  clear_state
}
