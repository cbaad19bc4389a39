k3_unit_test(LayoutTest SOURCES LayoutTest.cpp DEPS k3_layout)
