k3_unit_test(FrontendTest
  SOURCES FrontendConfigTest.cpp FrontendManifestTest.cpp FrontendImportTest.cpp
  DEPS k3_frontend)
target_compile_definitions(FrontendTest PRIVATE K3_TINY_TEXT="${CMAKE_SOURCE_DIR}/examples/tiny-text")
