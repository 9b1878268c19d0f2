# Defines third-party libraries as `deps::<name>`. They come from the system, or from `.deps/usr`, into
# which setup/install unpacks them without root, and which a bundle contains. All are header-only or
# linked statically, so the front end runs on machines without them.

set(LABREPORT_DEPS_PREFIX ${PROJECT_SOURCE_DIR}/.deps/usr CACHE PATH
    "Where Debian's packages were unpacked without root")
set(labreport_missing_packages "")

# labreport_dependency(<name> PACKAGE <Debian package> HEADER <file> [ARCHIVES <libx.a>…] [DEFINES <macro>…])
function(labreport_dependency name)
  cmake_parse_arguments(PARSE_ARGV 1 dep "" "PACKAGE;HEADER" "ARCHIVES;DEFINES")
  # The search is not cached, because files in .deps may have been removed.
  unset(include)
  find_path(include ${dep_HEADER} HINTS ${LABREPORT_DEPS_PREFIX}/include NO_CACHE)
  set(found ${include})
  set(archives "")
  foreach(archive IN LISTS dep_ARCHIVES)
    unset(library)
    find_library(library ${archive} HINTS ${LABREPORT_DEPS_PREFIX}/lib ${LABREPORT_DEPS_PREFIX}/lib/any
                 PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE} NO_CACHE)
    list(APPEND archives ${library})
    if(NOT library)
      set(found FALSE)
    endif()
  endforeach()
  if(NOT found)
    list(APPEND labreport_missing_packages ${dep_PACKAGE})
    set(labreport_missing_packages ${labreport_missing_packages} PARENT_SCOPE)
    return()
  endif()
  add_library(deps::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(deps::${name} SYSTEM INTERFACE ${include})
  target_link_libraries(deps::${name} INTERFACE ${archives})
  target_compile_definitions(deps::${name} INTERFACE ${dep_DEFINES})
endfunction()

function(labreport_require_packages)
  if(labreport_missing_packages)
    list(REMOVE_DUPLICATES labreport_missing_packages)
    list(JOIN labreport_missing_packages " " packages)
    message(FATAL_ERROR "missing libraries: ${packages}; run setup/install, "
                        "or install these Debian packages")
  endif()
endfunction()

labreport_dependency(nlohmann_json PACKAGE nlohmann-json3-dev HEADER nlohmann/json.hpp)
labreport_dependency(fmt PACKAGE libfmt-dev HEADER fmt/format.h)  # src/base/fmt_library.cpp compiles it.
labreport_dependency(boost PACKAGE libboost-dev HEADER boost/uuid/name_generator_sha1.hpp)
labreport_require_packages()
find_package(Threads REQUIRED)
add_library(deps::threads ALIAS Threads::Threads)
add_library(deps::dl INTERFACE IMPORTED GLOBAL)
target_link_libraries(deps::dl INTERFACE ${CMAKE_DL_LIBS})

if(LABREPORT_FRONTEND)
  labreport_dependency(cli11 PACKAGE libcli11-dev HEADER CLI/CLI.hpp)
  labreport_dependency(mustache PACKAGE libkainjow-mustache-dev HEADER kainjow/mustache.hpp)
  labreport_dependency(cmark_core PACKAGE libcmark-gfm-dev HEADER cmark-gfm.h
                       ARCHIVES libcmark-gfm.a DEFINES CMARK_GFM_STATIC_DEFINE)
  labreport_dependency(cmark PACKAGE libcmark-gfm-extensions-dev
                       HEADER cmark-gfm-core-extensions.h ARCHIVES libcmark-gfm-extensions.a)
  labreport_dependency(sqlite PACKAGE libsqlite3-dev HEADER sqlite3.h ARCHIVES libsqlite3.a)
  labreport_dependency(sodium PACKAGE libsodium-dev HEADER sodium.h ARCHIVES libsodium.a)
  labreport_require_packages()
  target_link_libraries(deps::cmark INTERFACE deps::cmark_core)
endif()
