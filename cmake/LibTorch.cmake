# Defines `deps::torch` from the torch package or LibTorch that setup/find-torch names, with the
# headers of the CUDA runtime, CUPTI and NVTX from torch's own dependencies. If torch has no CUDA,
# only the CPU is available. find_package(Torch) is not used, because it requires nvcc, an
# architecture list and changes to the package.

# A torch that an earlier configure found is checked again, because another version may have replaced it.
set(torch_given $ENV{LIBTORCH})
if(LABREPORT_TORCH)
  set(torch_given ${LABREPORT_TORCH})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env LIBTORCH=${torch_given} ${PROJECT_SOURCE_DIR}/setup/find-torch
                OUTPUT_VARIABLE torch_found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status
                ERROR_VARIABLE torch_words ERROR_STRIP_TRAILING_WHITESPACE)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "no torch for the worker; run setup/install report, or set LIBTORCH to a LibTorch folder "
                      "or TORCH_PYTHON to a Python that has torch\n${torch_words}")
endif()
set(LABREPORT_TORCH ${torch_found} CACHE PATH "The folder with LibTorch's lib and include")
message(STATUS "LibTorch: ${LABREPORT_TORCH}")
set(torch_lib ${LABREPORT_TORCH}/lib)

file(STRINGS ${torch_lib}/libc10.so new_abi REGEX "__cxx11" LIMIT_COUNT 1)
if(NOT new_abi)
  message(FATAL_ERROR "${LABREPORT_TORCH} was built with the C++ library's old ABI; "
                      "use the LibTorch with the cxx11 ABI")
endif()

# The first of these files that exists has the version; the second may only include the first.
find_file(torch_version_header NAMES torch/headeronly/version.h torch/version.h
          PATHS ${LABREPORT_TORCH}/include ${LABREPORT_TORCH}/include/torch/csrc/api/include
          NO_CACHE NO_DEFAULT_PATH REQUIRED)
file(READ ${torch_version_header} torch_version)
string(REGEX REPLACE ".*TORCH_VERSION[ \\\n]+\"([0-9.]+)\".*" "\\1" torch_version "${torch_version}")

add_library(deps::torch INTERFACE IMPORTED GLOBAL)
target_include_directories(deps::torch SYSTEM INTERFACE
  ${LABREPORT_TORCH}/include ${LABREPORT_TORCH}/include/torch/csrc/api/include)
# No symbol refers to the registrations inside libtorch_cuda, so it needs --no-as-needed.
target_link_libraries(deps::torch INTERFACE ${torch_lib}/libtorch_cpu.so ${torch_lib}/libc10.so)
# LibTorch and labreport must share one C++ library, even if the compiler would link its own
# statically: two of them free each other's locales.
target_link_libraries(deps::torch INTERFACE -l:libstdc++.so.6)
# Separate operator headers compile ten times as fast as all of them. FMT_HEADER_ONLY is needed
# because torch's include folder has its own {fmt} headers, which no linked library was built from.
# The version is a definition so that everything is recompiled if torch changes, even if its headers
# have old times.
target_compile_definitions(deps::torch INTERFACE AT_PER_OPERATOR_HEADERS FMT_HEADER_ONLY
                                                 LABREPORT_TORCH_VERSION=${torch_version})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 14)
  # These compilers report an uninitialized value in torch's own VirtualGuardImpl.h.
  target_compile_options(deps::torch INTERFACE -Wno-maybe-uninitialized)
endif()
set(torch_rpath ${torch_lib})
# Most sources of the worker include these.
set(LABREPORT_TORCH_HEADERS <ATen/Context.h> <ATen/TensorOperators.h> <ATen/core/Tensor.h> <c10/core/GradMode.h>)

# Results are not cached, because the next configure may name another torch.
function(labreport_find_cuda)
  cmake_path(GET LABREPORT_TORCH PARENT_PATH beside)
  # CUDA 13 has one folder for all libraries; earlier versions have one for each.
  file(GLOB wheels LIST_DIRECTORIES true ${beside}/nvidia/cu[0-9]* ${beside}/nvidia/cuda_runtime
       ${beside}/nvidia/cuda_cupti ${beside}/nvidia/nvtx ${beside}/nvidia/cublas
       ${beside}/nvidia/cusparse ${beside}/nvidia/cusolver)
  set(roots ${wheels} $ENV{CUDA_HOME} /usr/local/cuda /usr/lib/cuda)
  list(TRANSFORM roots APPEND /include OUTPUT_VARIABLE includes)
  # The runtime's wheel has no crt/ folder; Triton, another dependency of torch, has it.
  list(APPEND includes /usr/local/cuda/extras/CUPTI/include
       ${beside}/triton/backends/nvidia/include)
  # No dependency of torch has <nv/target>, so cmake/host provides it if CUDA's is missing.
  list(APPEND includes ${beside}/nvidia/cuda_cccl/include ${PROJECT_SOURCE_DIR}/cmake/host)
  set(found_includes "")
  foreach(header cuda_runtime_api.h cuda.h cupti.h nvtx3/nvToolsExt.h cublas_v2.h
                 crt/host_defines.h nv/target)
    find_path(folder ${header} PATHS ${includes} NO_CACHE NO_DEFAULT_PATH)
    if(NOT folder)
      find_path(folder ${header} NO_CACHE)
    endif()
    if(NOT folder)
      message(FATAL_ERROR "torch has CUDA, but its header ${header} is nowhere beside "
                          "${LABREPORT_TORCH} nor under CUDA_HOME; install that CUDA package")
    endif()
    list(APPEND found_includes ${folder})
    unset(folder)
  endforeach()
  # These headers identify the matrix library's workspaces; some LibTorch packages lack them.
  foreach(header cusparse.h cusolverDn.h)
    find_path(folder ${header} PATHS ${includes} NO_CACHE NO_DEFAULT_PATH)
    if(folder)
      list(APPEND found_includes ${folder})
    endif()
    unset(folder)
  endforeach()
  list(REMOVE_DUPLICATES found_includes)

  list(TRANSFORM roots APPEND /lib OUTPUT_VARIABLE libs)
  list(TRANSFORM roots APPEND /lib64 OUTPUT_VARIABLE libs64)
  list(APPEND libs ${torch_lib} ${libs64} /usr/local/cuda/extras/CUPTI/lib64)
  set(found_libs "")
  foreach(name cudart cupti)
    set(candidates "")
    foreach(folder IN LISTS libs)
      file(GLOB files ${folder}/lib${name}.so.[0-9]* ${folder}/lib${name}-*.so.[0-9]*)
      list(APPEND candidates ${files})
    endforeach()
    if(NOT candidates)
      message(FATAL_ERROR "torch has CUDA, but lib${name} is nowhere beside ${LABREPORT_TORCH}; "
                          "install that CUDA package")
    endif()
    list(GET candidates 0 file)
    list(APPEND found_libs ${file})
    cmake_path(GET file PARENT_PATH folder)
    list(APPEND torch_rpath ${folder})
  endforeach()
  list(REMOVE_DUPLICATES torch_rpath)
  set(cuda_includes ${found_includes} PARENT_SCOPE)
  set(cuda_libs ${found_libs} PARENT_SCOPE)
  set(torch_rpath ${torch_rpath} PARENT_SCOPE)
endfunction()

if(EXISTS ${torch_lib}/libtorch_cuda.so)
  labreport_find_cuda()
  target_include_directories(deps::torch SYSTEM INTERFACE ${cuda_includes})
  target_compile_definitions(deps::torch INTERFACE LABREPORT_HAS_CUDA)
  target_link_libraries(deps::torch INTERFACE ${torch_lib}/libc10_cuda.so
    -Wl,--push-state,--no-as-needed ${torch_lib}/libtorch_cuda.so -Wl,--pop-state ${cuda_libs})
endif()
# Torch's libraries find their own dependencies when they are loaded.
target_link_options(deps::torch INTERFACE -Wl,--allow-shlib-undefined)
foreach(folder IN LISTS torch_rpath)
  target_link_options(deps::torch INTERFACE -Wl,-rpath,${folder})
endforeach()

# Writes labreport-worker.json beside the worker: {"torch": "2.11.0", "cuda": "13.0" or null,
# "architectures": ["sm_75", …]} plus ${ARGN}, which starts with a comma. The front end uses it
# to judge a device before it starts one.
function(labreport_describe_worker worker)
  set(cuda null)
  set(architectures "")
  if(cuda_includes)
    list(GET cuda_includes 0 folder)
    file(STRINGS ${folder}/cuda_runtime_api.h number REGEX "define CUDART_VERSION +[0-9]+")
    string(REGEX REPLACE ".* ([0-9]+)$" "\\1" number "${number}")
    math(EXPR major "${number} / 1000")
    math(EXPR minor "${number} % 1000 / 10")
    set(cuda "\"${major}.${minor}\"")
    # The library contains the flags as text; asking torch would require a driver.
    execute_process(COMMAND grep -aom1 "gencode;arch=[-a-z_0-9;,=]*" ${torch_lib}/libtorch_cuda.so
                    OUTPUT_VARIABLE flags)
    string(REGEX MATCHALL "code=[a-z]+_[0-9]+[a-z]?" codes "${flags}")
    list(TRANSFORM codes REPLACE "code=(.*)" "\"\\1\"")
    list(JOIN codes ", " architectures)
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${worker}.json @ONLY
       CONTENT "{\"torch\": \"@torch_version@\", \"cuda\": @cuda@, \"architectures\": [@architectures@]@ARGN@}\n")
endfunction()
