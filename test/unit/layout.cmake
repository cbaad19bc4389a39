k3_unit_test(LayoutTest
  SOURCES LayoutTest.cpp LayoutAccessTest.cpp LayoutConvertTest.cpp LayoutTextTest.cpp FragmentTest.cpp
          DescriptorTest.cpp
  DEPS k3_layout)
