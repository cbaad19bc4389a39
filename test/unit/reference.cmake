k3_unit_test(ReferenceTest SOURCES ReferenceTest.cpp DEPS k3_reference k3_safetensors)
