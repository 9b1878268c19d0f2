# What a machine without network lacks for building the worker, in one folder that travels with the sources:
# the headers that the sources include, CMake and Ninja, and the front end where it is built.

carried=.deps/carried

prefix_of() { # <library>: where its headers are
  local prefix
  for prefix in .deps/usr ${LABREPORT_SYSTEM_PREFIXES-/usr /usr/local}; do
    [ -d "$prefix/include/$1" ] && echo "$prefix/include" && return
  done
  return 1
}

# Of Boost's 140 MB what the compiler reads for the sources, and whatever suits another compiler.
boost_headers() { # <folder of headers>
  grep -rhoE '#include <boost/[^>]+>' src experiments | sort -u |
    g++ -std=c++20 -M -x c++ -idirafter "$1" - | tr ' ' '\n' | sed -n "s|^$1/\(boost/.*\)|\1|p"
  (cd "$1" && find boost/config boost/predef -type f)
}

carry_headers() { # <into>
  local library prefix
  for library in nlohmann fmt; do
    prefix=$(prefix_of $library) && cp -rL "$prefix/$library" "$1/" || return
  done
  prefix=$(prefix_of boost) && boost_headers "$prefix" | sort -u > "$1/names" || return
  grep -q boost/uuid "$1/names" || return
  (into=$PWD/$1 && cd "$prefix" && xargs cp -L --parents -t "$into" < "$into/names") && rm "$1/names"
}

# A wheel's CMake runs from any folder that holds bin/ and share/ side by side.
carry_builders() { # <into>
  local package
  package=$(.venv/bin/python -c 'import cmake; print(cmake.__path__[0])' 2>> "$log") &&
    mkdir -p "$1/bin" "$1/share" && cp -p "${package}/data/bin/cmake" .venv/bin/ninja "$1/bin/" &&
    cp -rp "${package}/data/share"/cmake-* "$1/share/" && rm -rf "$1"/share/cmake-*/Help ||
    say "CMake and Ninja are not carried: .venv has none (see $log); that machine must have them"
}

carry_front_end() { # <into>
  local built
  for built in build/bin/labreport build-render/bin/labreport; do
    [ -x $built ] && mkdir -p "$1/bin" && cp -p $built "$1/bin/" && return
  done
  say "the front end is not carried: none is built; call make site first, or that machine needs its libraries"
}

carry() {
  need_debian_packages "compiler worker"
  need_compiler
  is_installed full || need_python_set render
  begin_changes
  rm -rf $carried.new
  mkdir -p $carried.new/include
  carry_headers $carried.new/include >> "$log" 2>&1 || die "cannot copy the worker's headers" "see $log"
  carry_builders $carried.new
  carry_front_end $carried.new
  rm -rf $carried
  mv $carried.new $carried
  say "$carried holds $(du -sm $carried | awk '{ print $1 }') MiB; copy it with the sources"
}

# The newest that was carried: where its libraries are missing, no other can have been built.
take_carried_front_end() {
  [ -x $carried/bin/labreport ] || return
  cmp -s $carried/bin/labreport build/bin/labreport && return
  mkdir -p build/bin && cp -p $carried/bin/labreport build/bin/
}
