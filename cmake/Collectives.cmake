# Adds NCCL and Gloo to the worker through torch's process groups. Torch's library contains both but lacks
# their headers: NCCL's come with torch's dependencies, and Gloo's are Debian's, possibly of another
# version. If a group does not compile, the worker is built without it, and the rows that need it give
# the reason.

# Removes the folder's trailing slash, because CMake recognizes the system's include folder only without it.
function(labreport_find_folder result)
  unset(include)
  find_path(include ${ARGN} NO_CACHE)
  string(REGEX REPLACE "/+$" "" include "${include}")
  set(${result} "${include}" PARENT_SCOPE)
endfunction()

# Compiles and links one process group; the result is cached for each torch.
function(labreport_try_group result name define include)
  set(key "${LABREPORT_TORCH} ${torch_version} ${include}")
  if(NOT "${LABREPORT_TRIED_${name}}" STREQUAL "${key}")
    set(folder ${CMAKE_BINARY_DIR}/tried/${name})
    file(CONFIGURE OUTPUT ${folder}/group.cpp @ONLY CONTENT
"#define @define@
#include <torch/csrc/distributed/c10d/ProcessGroup@name@.hpp>
int main(int, char** words) {
  c10::intrusive_ptr<c10d::Store> store;
  return words == nullptr ? c10::make_intrusive<c10d::ProcessGroup@name@>(store, 0, 2)->getSize() : 0;
}
")
    set(flags "")
    if(include AND NOT include STREQUAL "/usr/include")
      set(flags "-isystem${include}")
    endif()
    try_compile(works ${folder}/build ${folder}/group.cpp COMPILE_DEFINITIONS ${flags}
                LINK_LIBRARIES deps::torch CXX_STANDARD 20 OUTPUT_VARIABLE words)
    file(WRITE ${folder}/words.txt "${words}")
    set(LABREPORT_TRIED_${name} "${key}" CACHE INTERNAL "")
    set(LABREPORT_HAS_${name} ${works} CACHE INTERNAL "")
  endif()
  set(${result} ${LABREPORT_HAS_${name}} PARENT_SCOPE)
endfunction()

# Compiles `source` with the group, or with the reason why it is missing.
function(labreport_use_group source define include without problem)
  set(file ${PROJECT_SOURCE_DIR}/src/engine/${source})
  set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(problem)
    message(STATUS "${problem}")
    set_source_files_properties(${file} PROPERTIES COMPILE_DEFINITIONS "${without}=\"${problem}\"")
    return()
  endif()
  set_source_files_properties(${file} PROPERTIES COMPILE_DEFINITIONS ${define})
  if(NOT include STREQUAL "/usr/include")
    set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-isystem${include}")
  endif()
endfunction()

function(labreport_find_gloo)
  set(problem "")
  labreport_find_folder(include gloo/rendezvous/store.h HINTS ${LABREPORT_DEPS_PREFIX}/include)
  if(NOT include)
    set(problem "this worker was built without the headers of Gloo, which Debian's libgloo-dev brings")
  else()
    labreport_try_group(works Gloo USE_C10D_GLOO ${include})
    if(NOT works)
      set(problem "the headers of Gloo in ${include} do not fit torch ${torch_version}")
    endif()
  endif()
  labreport_use_group(collectives_gloo.cpp USE_C10D_GLOO "${include}" LABREPORT_NO_GLOO "${problem}")
endfunction()

function(labreport_find_nccl)
  set(problem "")
  cmake_path(GET LABREPORT_TORCH PARENT_PATH beside)
  labreport_find_folder(include nccl.h HINTS ${beside}/nvidia/nccl/include $ENV{CUDA_HOME}/include /usr/local/cuda/include)
  if(NOT EXISTS ${torch_lib}/libtorch_cuda.so)
    set(problem "this torch has no CUDA, and so no NCCL")
  elseif(NOT include)
    set(problem "this worker was built without NCCL's header (nccl.h), which torch's wheels bring along")
  else()
    labreport_try_group(works NCCL USE_C10D_NCCL ${include})
    if(NOT works)
      set(problem "the header of NCCL in ${include} does not fit torch ${torch_version}")
    endif()
  endif()
  labreport_use_group(collectives_nccl.cpp USE_C10D_NCCL "${include}" LABREPORT_NO_NCCL "${problem}")
endfunction()

labreport_find_gloo()
labreport_find_nccl()
