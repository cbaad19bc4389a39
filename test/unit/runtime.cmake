# The toy package's grid functions are a real shared object, as the compiler would put into a package.
add_library(k3_toy_kernels MODULE RuntimeToyKernels.c)
set_target_properties(k3_toy_kernels PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
if(K3_SANITIZE)
  target_compile_options(k3_toy_kernels PRIVATE -fno-sanitize=all)
  target_link_options(k3_toy_kernels PRIVATE -fno-sanitize=all)
endif()

function(k3_runtime_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  k3_unit_test(${name} SOURCES ${ARG_SOURCES} RuntimeToy.cpp DEPS ${ARG_DEPS} k3_package k3_safetensors)
  target_compile_definitions(${name} PRIVATE K3_TOY_KERNELS="$<TARGET_FILE:k3_toy_kernels>")
  add_dependencies(${name} k3_toy_kernels)
endfunction()

k3_runtime_test(RuntimeTest
  SOURCES RuntimeDeviceTest.cpp RuntimePackTest.cpp RuntimeContextTest.cpp RuntimeTapsTest.cpp
          RuntimeWeightInitTest.cpp
  DEPS k3_runtime_core)
# Through the shared library, as a user links it.
k3_runtime_test(RuntimeApiTest SOURCES RuntimeApiTest.cpp DEPS k3_runtime)
