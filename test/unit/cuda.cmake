k3_unit_test(CudaTest SOURCES CudaTest.cpp DEPS k3_cuda)
k3_unit_test(CudaDeviceTest SOURCES CudaDeviceTest.cpp DEPS k3_runtime_core)
