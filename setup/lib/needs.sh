# Installs what a target of the Makefile needs. Here a target is called a verb.

debian_sets_of() { # <verb>
  local sets="compiler worker frontend"
  [ -x .venv/bin/python ] || have_other_builders || sets="$sets venv"
  case $1 in test|attack|lint) sets="$sets test" ;; esac
  echo "$sets"
}

# With a bundle, the machine needs only a compiler and a torch.
need_for_building() { # <verb>
  if ! in_bundle; then
    need_debian_packages "$(debian_sets_of "$1")"
    need_compiler
    return
  fi
  case $1 in
    render) bundled_starts || need_compiler ;;
    report) need_compiler ;;
    *) refuse "a bundle holds what make report and make site need" "call make $1 in a clone" ;;
  esac
}

need_for_worker() {
  need_for_ranks
  need_for_models
}

need_all_of() {
  need_for_building "$1"
  case $1 in
    render) need_python_tools ;;
    report) in_bundle || need_for_worker; need_torch ;;
    test)   need_for_worker; need_torch; need_python_set test; need_tex ;;
    attack) need_for_worker; need_torch; need_python_set test; need_tex; need_slurm; need_fuzzer ;;
    lint)   need_python_tools; need_python_set test ;;
  esac
}
