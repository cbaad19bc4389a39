// RUN: k3-opt %s --k3-host-lower-grid-abi --split-input-file --verify-diagnostics | FileCheck %s

// The exported function reads {data, rows, row stride} of each buffer; the body keeps its name with a suffix.
// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %[[ARGS:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK:         %[[TABLE:.*]] = llvm.load {{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK:         llvm.getelementptr %[[TABLE]][16]
// CHECK:         builtin.unrealized_conversion_cast {{.*}} to memref<?x8xf32, strided<[?, 1]>>
// CHECK:         %[[FROM:.*]] = arith.index_cast %[[BEGIN]]
// CHECK:         %[[TO:.*]] = arith.index_cast %[[END]]
// CHECK:         call @add.body({{.*}}, %[[FROM]], %[[TO]])
// CHECK:       func.func private @add.body(
// CHECK-NOT:     k3.grid
func.func @add(%a: memref<?x8xf32, strided<[?, 1]>>, %scratch: memref<?xi8>, %begin: index, %end: index)
    attributes {k3.grid, k3.scratch = 64 : i64} {
  return
}

// -----

// expected-error@+1 {{argument 0 has type 'memref<?x?x4xf32, strided<[?, ?, 1]>>': the grid ABI describes only dimension 0 at run time; make dimension 1 static}}
func.func @f(%a: memref<?x?x4xf32, strided<[?, ?, 1]>>, %scratch: memref<?xi8>, %begin: index, %end: index)
    attributes {k3.grid} {
  return
}

// -----

// expected-error@+1 {{argument 0 is not a memref: a grid function takes buffers, then scratch, begin and end}}
func.func @f(%a: f32, %scratch: memref<?xi8>, %begin: index, %end: index) attributes {k3.grid} {
  return
}
