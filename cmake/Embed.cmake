# Embeds text files in a room's library, byte for byte.
#
#   labreport_embed(<room> <file>…)      # paths relative to the project's root
#
# makes "embedded/<room>.h", which declares `labreport::embedded::<room>()`:
#
#   #include "embedded/writers.h"
#   std::string_view page = embedded::writers().at("templates/page.html");
#   for (const EmbeddedFile& file : embedded::writers()) …
#
# The assembler reads the files (.incbin), so they may have any size and content. Each object
# depends on its files: editing a template rebuilds it. An empty list makes an empty table.

function(labreport_embed room)
  set(declarations "")
  set(rows "")
  set(index 0)
  set(paths "")
  foreach(file IN LISTS ARGN)
    set(path ${PROJECT_SOURCE_DIR}/${file})
    set(symbol lr_embedded_${room}_${index})
    string(APPEND declarations
      "extern \"C\" const char ${symbol}_begin[] __attribute__((visibility(\"hidden\")));\n"
      "extern \"C\" const char ${symbol}_end[] __attribute__((visibility(\"hidden\")));\n"
      "asm(\".pushsection .rodata\\n\"\n"
      "    \".globl ${symbol}_begin\\n.hidden ${symbol}_begin\\n${symbol}_begin:\\n\"\n"
      "    \".incbin \\\"${path}\\\"\\n\"\n"
      "    \".globl ${symbol}_end\\n.hidden ${symbol}_end\\n${symbol}_end:\\n.byte 0\\n\"\n"
      "    \".popsection\\n\");\n")
    string(APPEND rows "    {\"${file}\", ${symbol}_begin, ${symbol}_end},\n")
    list(APPEND paths ${path})
    math(EXPR index "${index} + 1")
  endforeach()
  set(folder ${PROJECT_BINARY_DIR}/generated/embedded)
  file(CONFIGURE OUTPUT ${folder}/${room}.h @ONLY CONTENT
"// Made by cmake/Embed.cmake.
#pragma once
#include \"base/embedded.h\"
namespace labreport::embedded {
EmbeddedFiles @room@();
}
")
  file(CONFIGURE OUTPUT ${folder}/${room}.cpp @ONLY CONTENT
"// Made by cmake/Embed.cmake.
#include \"embedded/@room@.h\"
@declarations@
namespace labreport::embedded {
static constexpr std::array<EmbeddedFile, @index@> kFiles = {{
@rows@}};
EmbeddedFiles @room@() { return EmbeddedFiles(kFiles.data(), kFiles.size()); }
}  // namespace labreport::embedded
")
  get_target_property(type lr_${room} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    return()
  endif()
  # In a unity batch, a changed template would recompile the whole batch.
  set_source_files_properties(${folder}/${room}.cpp PROPERTIES OBJECT_DEPENDS "${paths}"
                                                               SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(lr_${room} PRIVATE ${folder}/${room}.cpp)
endfunction()

# Returns the project's files that match the patterns, relative to its root and sorted.
function(labreport_glob variable)
  set(found "")
  foreach(pattern IN LISTS ARGN)
    file(GLOB files RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
         ${PROJECT_SOURCE_DIR}/${pattern})
    list(APPEND found ${files})
  endforeach()
  list(SORT found)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
