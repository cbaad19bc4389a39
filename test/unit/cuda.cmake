k3_unit_test(CudaTest SOURCES CudaTest.cpp DEPS k3_cuda)
