k3_unit_test(ExecTest
  SOURCES ExecToPackageTest.cpp ExecArenaTest.cpp
  DEPS k3_passes_exec k3_dialect_exec k3_dialect_k3 k3_package)
