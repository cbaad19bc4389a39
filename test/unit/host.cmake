k3_unit_test(HostKernelsTest
  SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/HostAttnResTest.cpp
    ${CMAKE_CURRENT_LIST_DIR}/HostCodegenTest.cpp
    ${CMAKE_CURRENT_LIST_DIR}/HostExpertsTest.cpp
    ${CMAKE_CURRENT_LIST_DIR}/HostGoldenTest.cpp
    ${CMAKE_CURRENT_LIST_DIR}/HostKdaCoreTest.cpp
    ${CMAKE_CURRENT_LIST_DIR}/HostMlaTest.cpp
    ${CMAKE_CURRENT_LIST_DIR}/HostRowKernelsTest.cpp
    ${CMAKE_CURRENT_LIST_DIR}/HostShortConvTest.cpp
  DEPS k3_codegen k3_host_kernels k3_reference k3_safetensors ${CMAKE_DL_LIBS})
