# Assemblers of CUDA are looked for when the tests run; without one those tests are skipped.
k3_unit_test(CodegenCacheTest
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/CodegenCacheTest.cpp
  DEPS k3_cubin)

k3_unit_test(CodegenGpuTest
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/CodegenCubinTest.cpp
    ${CMAKE_CURRENT_LIST_DIR}/CodegenGpuTest.cpp
  DEPS k3_codegen)
target_compile_definitions(CodegenGpuTest PRIVATE K3_CODEGEN_INPUTS="${CMAKE_SOURCE_DIR}/test/codegen/Inputs")
