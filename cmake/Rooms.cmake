# A room is a folder of sources with its subfolders, built as the library `lr_<name>`; a program is one main file.
#
#   labreport_room(<name> [DIRECTORY <folder>] [LINKS <room or dependency>…])
#   labreport_program(<target> <main.cpp> LINKS <room>…)
#
# A room is built only if a program or a test needs it.
#
# Sources are compiled in batches that read headers once (LABREPORT_UNITY), so names in anonymous
# namespaces must be unique within a room.
#
# LINKS names rooms that were declared before, or dependencies (`deps::<name>`) without the prefix.

# Headers that most sources include are precompiled (lr_headers). Both programs mostly wait for
# GPUs, files and other programs, so -O1 suffices: it builds in two thirds of the time of -O3.

option(LABREPORT_UNITY "Compile sources a batch at a time" ON)
set(LABREPORT_BATCH 12)
set(LABREPORT_COMMON_HEADERS <algorithm> <cmath> <filesystem> <functional> <map> <optional> <set> <string>
                             <string_view> <variant> <vector>)

function(labreport_own_target target scope)
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}
                                                ${PROJECT_BINARY_DIR}/generated)
  if(NOT scope STREQUAL "INTERFACE")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${LABREPORT_UNITY}
                                               UNITY_BUILD_BATCH_SIZE ${LABREPORT_BATCH})
    target_compile_options(${target} PRIVATE -Wall -Wextra)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
      # These compilers report overlapping copies in std::string's own operator+ (GCC bug 105651).
      target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # Clang reports a deprecated call inside libstdc++'s own stable_sort.
      target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
    endif()
  endif()
endfunction()

function(labreport_links target scope)
  foreach(name IN LISTS ARGN)
    if(TARGET lr_${name})
      target_link_libraries(${target} ${scope} lr_${name})
    elseif(TARGET deps::${name})
      target_link_libraries(${target} ${scope} deps::${name})
    else()
      message(FATAL_ERROR "${target} links '${name}', which is neither a room declared before it "
                          "nor a dependency")
    endif()
  endforeach()
endfunction()

function(labreport_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "DIRECTORY" "LINKS")
  if(room_DIRECTORY)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${room_DIRECTORY}/*.cpp)
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  endif()
  if(sources)
    add_library(lr_${name} STATIC EXCLUDE_FROM_ALL ${sources})
    set(scope PUBLIC)
  else()
    add_library(lr_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  labreport_own_target(lr_${name} ${scope})
  labreport_links(lr_${name} ${scope} ${room_LINKS})
  # Rooms that use torch are excluded, because torch has its own {fmt} headers.
  if(sources AND TARGET lr_headers AND NOT "${room_LINKS}" MATCHES "torch|engine|model|measure")
    target_precompile_headers(lr_${name} REUSE_FROM lr_headers)
  endif()
endfunction()

# Precompiles the given headers and the common ones: labreport_headers(LINKS <dependency>… HEADERS
# <header>…)
function(labreport_headers)
  cmake_parse_arguments(PARSE_ARGV 0 common "" "" "LINKS;HEADERS")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/common_headers.cpp CONTENT "")
  add_library(lr_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/common_headers.cpp)
  labreport_own_target(lr_headers PRIVATE)
  labreport_links(lr_headers PRIVATE ${common_LINKS})
  target_precompile_headers(lr_headers PRIVATE ${LABREPORT_COMMON_HEADERS} ${common_HEADERS})
endfunction()

function(labreport_program target main)
  cmake_parse_arguments(PARSE_ARGV 2 program "" "" "LINKS")
  add_executable(${target} EXCLUDE_FROM_ALL ${main})
  labreport_own_target(${target} PRIVATE)
  labreport_links(${target} PRIVATE ${program_LINKS})
  add_dependencies(programs ${target})
endfunction()
