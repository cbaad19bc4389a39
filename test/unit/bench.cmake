k3_unit_test(BenchTest SOURCES BenchTest.cpp DEPS k3_bench_check)
