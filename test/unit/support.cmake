k3_unit_test(SupportTest SOURCES SupportTest.cpp DEPS k3_support)
k3_unit_test(ArchTest SOURCES ArchTest.cpp GpuArchTest.cpp DEPS k3_arch)
