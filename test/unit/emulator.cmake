k3_unit_test(EmulatorTest
  SOURCES EmulatorMemoryTest.cpp EmulatorBarrierTest.cpp EmulatorAsyncTest.cpp EmulatorGridTest.cpp EmulatorMmaTest.cpp
  DEPS k3_emulator_core)
