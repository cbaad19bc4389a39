k3_unit_test(PackageTest
  SOURCES PackageTest.cpp PackageExprTest.cpp ManifestTest.cpp
  DEPS k3_package)
