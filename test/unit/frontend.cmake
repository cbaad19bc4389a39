k3_unit_test(FrontendTest
  SOURCES FrontendConfigTest.cpp FrontendManifestTest.cpp FrontendImportTest.cpp
  DEPS k3_frontend)
target_compile_definitions(FrontendTest PRIVATE K3_TINY_TEXT="${CMAKE_SOURCE_DIR}/examples/tiny-text")

# For the end-to-end tests: the double-precision model as a command.
add_executable(k3-reference ${CMAKE_SOURCE_DIR}/test/e2e/ReferenceRun.cpp)
target_link_libraries(k3-reference PRIVATE k3_reference_checkpoint)
