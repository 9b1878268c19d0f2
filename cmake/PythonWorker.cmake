# Builds labreport-model-worker: a Python program, and the worker's code as an extension of the Python
# that has the worker's torch. If it cannot be built, its description gives the reason, and everything
# else works.

# This Python also runs the reference implementation of the tests, in plain PyTorch.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/setup/find-torch --python
                OUTPUT_VARIABLE LABREPORT_TORCH_PYTHON OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(LABREPORT_TORCH_PYTHON)
  execute_process(
    COMMAND ${LABREPORT_TORCH_PYTHON} -c "import importlib.util, platform, sysconfig; print(sysconfig.get_path('include'), \
sysconfig.get_config_var('EXT_SUFFIX'), platform.python_version(), importlib.util.find_spec('torch').submodule_search_locations[0], sep=';')"
    OUTPUT_VARIABLE facts OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(POP_FRONT facts python_include python_suffix python_version python_torch)
  string(REGEX MATCH "^[0-9]+[.][0-9]+" python_minor "${python_version}")
endif()

# Debian's python3-dev may be unpacked into .deps, where Triton and torch.compile find its headers by CPATH. A glob makes
# the next build notice newly installed headers.
set(python_includes ${python_include})
set(more_environment "")
file(GLOB python_header CONFIGURE_DEPENDS ${python_include}/Python.h)
if(NOT python_header)
  cmake_path(GET python_include FILENAME folder)
  set(python_includes ${LABREPORT_DEPS_PREFIX}/include/${folder} ${LABREPORT_DEPS_PREFIX}/include)
  file(GLOB python_header CONFIGURE_DEPENDS ${LABREPORT_DEPS_PREFIX}/include/${folder}/Python.h)
  list(JOIN python_includes ":" path)
  set(more_environment "export CPATH='${path}'\${CPATH:+:\$CPATH}\n")
endif()

set(problem "")
if(NOT python_torch STREQUAL LABREPORT_TORCH)
  set(problem "the worker was built with a LibTorch that belongs to no Python; name a Python with torch in TORCH_PYTHON and \
run `make report` again")
elseif(NOT python_header)
  set(problem "the headers of Python ${python_minor} (Python.h) are not in ${python_include}; install \
python${python_minor}-dev and run `make report` again")
elseif(NOT EXISTS ${python_torch}/include/pybind11/pybind11.h OR NOT EXISTS ${python_torch}/lib/libtorch_python.so)
  set(problem "this torch brings no pybind11; install its wheel and run `make report` again")
endif()

set(model_worker ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/labreport-model-worker)
labreport_describe_worker(labreport-model-worker ", \"python\": \"${python_version}\", \"problem\": \"${problem}\"")
if(problem)
  message(STATUS "No worker for models in Python: ${problem}")
  file(REMOVE ${model_worker})
  return()
endif()

set(python_folder ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/python)
add_library(labreport_engine MODULE ${PROJECT_SOURCE_DIR}/src/python/engine.cpp)
labreport_own_target(labreport_engine PRIVATE)
labreport_links(labreport_engine PRIVATE worker)
target_include_directories(labreport_engine SYSTEM PRIVATE ${python_includes})
# The worker's symbols are hidden, because torch's own code is in the same process.
target_link_libraries(labreport_engine PRIVATE ${python_torch}/lib/libtorch_python.so -Wl,--exclude-libs,ALL)
set_target_properties(labreport_engine PROPERTIES PREFIX "" SUFFIX "${python_suffix}" CXX_VISIBILITY_PRESET hidden
                                                  LIBRARY_OUTPUT_DIRECTORY ${python_folder})
foreach(name labreport_worker labreport_source labreport_step labreport_hooks labreport_ranks labreport_flops labreport_honesty
             labreport_settings labreport_transformer labreport_leaderboard labreport_part labreport_part_check labreport_parts
             labreport_course labreport_attention)
  configure_file(${PROJECT_SOURCE_DIR}/src/python/${name}.py ${python_folder}/${name}.py COPYONLY)
endforeach()
file(CONFIGURE OUTPUT ${model_worker} @ONLY CONTENT
"#!/bin/sh
# Made by cmake/PythonWorker.cmake.
@more_environment@exec '@LABREPORT_TORCH_PYTHON@' -B \"\${0%/*}/python/labreport_worker.py\" \"$@\"
")
file(CHMOD ${model_worker} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
add_dependencies(programs labreport_engine)
