k3_unit_test(SupportTest SOURCES SupportTest.cpp DEPS k3_support)
