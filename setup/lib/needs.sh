# What each verb needs.

# A front end that was built elsewhere and carried here stands for the libraries that only it is made of,
# and for nothing else.
front_end_was_carried() {
  find_missing frontend
  [ -n "$missing" ] || return 1
  take_carried_front_end
  [ -x build/bin/labreport ] && build/bin/labreport --version >/dev/null 2>&1
}

debian_sets_of() { # <verb>
  local sets="compiler worker"
  [ -x .venv/bin/python ] || have_other_builders || sets="$sets venv"
  case $1 in
    test|attack|lint) echo "$sets frontend test"; return ;;
  esac
  if front_end_was_carried; then
    say "using the front end that was carried here: its libraries are not here"
    echo "$sets"
  else
    echo "$sets frontend"
  fi
}

need_all_of() { # <verb>
  need_debian_packages "$(debian_sets_of "$1")"
  need_compiler
  case $1 in
    render) need_python_tools ;;
    report) need_torch ;;
    test)   need_torch; need_python_set test; need_tex ;;
    attack) need_torch; need_python_set test; need_tex; need_fuzzer ;;
    lint)   need_python_tools; need_python_set test ;;
  esac
}
