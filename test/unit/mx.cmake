k3_unit_test(MxTest SOURCES MxTest.cpp DEPS k3_mx k3_safetensors)
