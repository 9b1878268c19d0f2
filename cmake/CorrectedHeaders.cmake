# Third-party headers with a line that is wrong, or that only some compilers pass over: a copy with
# that line corrected lies in `generated/`, which stands before the libraries' own folders. Where a
# release has corrected it, the copy is the header.

# labreport_correct_header(<include folder> <header> [<wrong> <right>]…)
function(labreport_correct_header folder header)
  set(source ${folder}/${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  set(at 2)  # Not ARGN: it would be split at semicolons.
  while(at LESS ARGC)
    math(EXPR next "${at} + 1")
    string(REPLACE "${ARGV${at}}" "${ARGV${next}}" text "${text}")
    math(EXPR at "${at} + 2")
  endwhile()
  # What it includes lies beside the original.
  get_filename_component(own_folder ${header} DIRECTORY)
  string(REGEX REPLACE "#include \"([^\"]+)\"" "#include <${own_folder}/\\1>" text "${text}")
  # No compiler or linter warns of it, as of other headers from the system.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${header} @ONLY
       CONTENT "// See cmake/CorrectedHeaders.cmake.\n#pragma GCC system_header\n@text@")
endfunction()

# RapidJSON 1.1.0 assigns to constants in a template that nobody uses; GCC 14 and Clang refuse it.
labreport_correct_header(
  ${rapidjson_INCLUDE} rapidjson/document.h
  "GenericStringRef& operator=(const GenericStringRef& rhs) { s = rhs.s; length = rhs.length; }"
  "GenericStringRef& operator=(const GenericStringRef&) = delete;")
# Of 0e99, whose digits have no highest bit, it asks for that bit; rounding 18446744073709551615.7
# overflows. Its fast paths are right and unchanged. reader.h is copied to include it.
labreport_correct_header(${rapidjson_INCLUDE} rapidjson/internal/strtod.h
                         "if (StrtodFast(d, p, &result))"
                         "if (d == 0) return 0;\n    if (StrtodFast(d, p, &result))"
                         "decimals[i] > '5'" "decimals[i] >= '5'")
labreport_correct_header(${rapidjson_INCLUDE} rapidjson/reader.h)
if(LABREPORT_FRONTEND)
  # Valijson's iterators miss their own member; Clang refuses it.
  labreport_correct_header(${valijson_INCLUDE} valijson/adapters/rapidjson_adapter.hpp
                           "other.itr)" "other.m_itr)")
endif()
