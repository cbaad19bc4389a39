k3_unit_test(PackageTest
  SOURCES PackageTest.cpp PackageGpuTest.cpp PackageExprTest.cpp ManifestTest.cpp
  DEPS k3_package)
