k3_unit_test(BenchTest SOURCES BenchTest.cpp DEPS k3_bench_check)

# Writes a small GPU package in PTX, two of its three kernels with a planted fault.
add_executable(k3-bench-toy BenchToyMain.cpp)
target_link_libraries(k3-bench-toy PRIVATE k3_package)
