k3_unit_test(SafetensorsTest SOURCES SafetensorsTest.cpp DEPS k3_safetensors)
