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

# Headers that most sources include are precompiled: lr_headers for the front end, lr_torch_headers
# for the worker, lr_test_headers for the tests of the front end. Both programs mostly wait for GPUs,
# files and other programs, so -O1 suffices: it builds in two thirds of the time of -O3.

option(LABREPORT_UNITY "Compile sources a batch at a time" ON)
set(LABREPORT_BATCH 12)  # About so many sources are a batch: the batches of a target are equally long.
set(LABREPORT_COMMON_HEADERS <algorithm> <cmath> <filesystem> <functional> <map> <optional> <set> <string>
                             <string_view> <variant> <vector>)

function(labreport_own_target target scope)
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}
                                                ${PROJECT_BINARY_DIR}/generated)
  if(NOT scope STREQUAL "INTERFACE")
    # A last batch of one or two sources would read all headers for them alone.
    get_target_property(sources ${target} SOURCES)
    list(LENGTH sources count)
    math(EXPR batches "(${count} + ${LABREPORT_BATCH} / 2) / ${LABREPORT_BATCH}")
    if(batches EQUAL 0)
      set(batches 1)
    endif()
    math(EXPR batch "(${count} + ${batches} - 1) / ${batches}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${LABREPORT_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
    target_compile_options(${target} PRIVATE -Wall -Wextra)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # This compiler collects garbage from 128 MB on, which takes a sixth of its time.
      target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=1048576)
    endif()
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
  if(sources)
    # Torch has its own {fmt} headers.
    if("${room_LINKS}" MATCHES "torch|engine|model|measure")
      labreport_use_headers(lr_${name} lr_torch_headers)
    else()
      labreport_use_headers(lr_${name} lr_headers)
    endif()
  endif()
endfunction()

# Precompiles the given headers and the common ones:
# labreport_headers(<target> [OPTIONS <flag>…] LINKS <dependency>… HEADERS <header>…)
function(labreport_headers target)
  cmake_parse_arguments(PARSE_ARGV 1 common "" "" "OPTIONS;LINKS;HEADERS")
  if(NOT LABREPORT_UNITY)
    return()
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/common_headers.cpp CONTENT "")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/common_headers.cpp)
  labreport_own_target(${target} PRIVATE)
  labreport_links(${target} PRIVATE ${common_LINKS})
  target_compile_options(${target} PRIVATE ${common_OPTIONS})
  target_precompile_headers(${target} PRIVATE ${LABREPORT_COMMON_HEADERS} ${common_HEADERS})
endfunction()

# Lets a target of the same options use what labreport_headers precompiled.
function(labreport_use_headers target headers)
  if(TARGET ${headers})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      # Programs are compiled by -fPIE, which the precompiled headers do not fit.
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

function(labreport_program target main)
  cmake_parse_arguments(PARSE_ARGV 2 program "" "" "LINKS")
  add_executable(${target} EXCLUDE_FROM_ALL ${main})
  labreport_own_target(${target} PRIVATE)
  labreport_links(${target} PRIVATE ${program_LINKS})
  add_dependencies(programs ${target})
endfunction()
