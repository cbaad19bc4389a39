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
  SOURCES RuntimeDeviceTest.cpp RuntimePackTest.cpp RuntimeContextTest.cpp RuntimeTapsTest.cpp RuntimeGraphTest.cpp RuntimeGpuLaunchTest.cpp
          RuntimeWeightInitTest.cpp
  DEPS k3_runtime_core)
# Through the shared library, as a user links it.
k3_runtime_test(RuntimeApiTest SOURCES RuntimeApiTest.cpp DEPS k3_runtime)

# Writes the toy package and a checkpoint for it into a folder, for tests of k3-run.
add_executable(k3-toy-package RuntimeToyMain.cpp RuntimeToy.cpp)
target_link_libraries(k3-toy-package PRIVATE k3_package k3_safetensors)
target_compile_definitions(k3-toy-package PRIVATE K3_TOY_KERNELS="$<TARGET_FILE:k3_toy_kernels>")
add_dependencies(k3-toy-package k3_toy_kernels)

add_subdirectory("${CMAKE_SOURCE_DIR}/examples/c-api" "${CMAKE_BINARY_DIR}/examples/c-api")

k3_unit_test(RunToolTest SOURCES RunToolTest.cpp DEPS k3_safetensors k3_support)
target_compile_definitions(RunToolTest PRIVATE K3_RUN="$<TARGET_FILE:k3-run>" K3_TOY_PACKAGE="$<TARGET_FILE:k3-toy-package>"
                           K3_RUNTIME_LIBRARY="$<TARGET_FILE:k3_runtime>" K3_C_EXAMPLE="$<TARGET_FILE:k3-example-c-api>")
add_dependencies(RunToolTest k3-run k3-toy-package k3_runtime k3-example-c-api)
