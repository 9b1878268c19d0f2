# Writes the definition of build_info() at build time, if it changed. CMakeLists.txt includes this file,
# which adds a build step; that step runs this file as a script.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(LABREPORT_BUILD_INFO ${PROJECT_BINARY_DIR}/generated/build_info.cpp)
  add_custom_target(labreport_build_info
    COMMAND ${CMAKE_COMMAND} -D source=${PROJECT_SOURCE_DIR} -D version=${PROJECT_VERSION}
            -D output=${LABREPORT_BUILD_INFO} -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${LABREPORT_BUILD_INFO}
    COMMENT "" VERBATIM)
  return()
endif()

function(git_output variable)
  execute_process(COMMAND git -C ${source} ${ARGN} OUTPUT_VARIABLE text ERROR_QUIET
                  RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    set(text "")
  endif()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

set(revision "$ENV{LABREPORT_REVISION}")
set(dirty false)
if(NOT revision AND EXISTS ${source}/.deps/bundle/revision)
  file(STRINGS ${source}/.deps/bundle/revision revision LIMIT_COUNT 1)
endif()
if(revision MATCHES "^(.*)-dirty$")
  set(revision ${CMAKE_MATCH_1})
  set(dirty true)
elseif(NOT revision AND EXISTS ${source}/.git)
  git_output(revision rev-parse HEAD)
  # Only files from which the program is built count, so notes, runs and the user's models do not make it dirty.
  git_output(changes status --porcelain -- CMakeLists.txt CMakePresets.json cmake setup src experiments templates site
             ":!site/runs")
  if(changes)
    set(dirty true)
  endif()
endif()
# A revision that is no commit id is refused, because runs with it could not be read.
string(LENGTH "${revision}" digits)
if(NOT revision)
  set(revision unknown)
elseif(NOT digits EQUAL 40 OR NOT revision MATCHES "^[0-9a-f]+$")
  message(FATAL_ERROR "LABREPORT_REVISION=${revision}: give the commit's 40 hexadecimal digits, or nothing")
endif()

set(text "// Made by cmake/BuildInfo.cmake.
#include \"base/build_info.h\"

namespace labreport {

const BuildInfo& build_info() {
  static constexpr BuildInfo kInfo{\"${version}\", \"${revision}\", ${dirty}};
  return kInfo;
}

}  // namespace labreport
")
set(old "")
if(EXISTS ${output})
  file(READ ${output} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${output} "${text}")
endif()
