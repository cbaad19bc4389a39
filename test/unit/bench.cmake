k3_unit_test(BenchTest SOURCES BenchTest.cpp "${CMAKE_SOURCE_DIR}/tools/bench/Report.cpp" "${CMAKE_SOURCE_DIR}/tools/bench/Tune.cpp"
             DEPS k3_bench_check benchmark::benchmark)
target_include_directories(BenchTest SYSTEM PRIVATE "${K3_JSON_INCLUDE}")

# Writes a small GPU package in PTX, two of its three kernels with a planted fault.
add_executable(k3-bench-toy BenchToyMain.cpp)
target_link_libraries(k3-bench-toy PRIVATE k3_package)
