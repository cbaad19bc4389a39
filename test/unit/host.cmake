k3_unit_test(HostKernelsTest
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/HostRowKernelsTest.cpp
  DEPS k3_codegen k3_host_kernels ${CMAKE_DL_LIBS})
