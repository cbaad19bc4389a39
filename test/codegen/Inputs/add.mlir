// y[i] = a[i] + b[i] for the first 128 elements: assembles for every architecture.
llvm.func @add(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  %i = nvvm.read.ptx.sreg.tid.x : i32
  %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %u = llvm.load %pa : !llvm.ptr<1> -> f32
  %v = llvm.load %pb : !llvm.ptr<1> -> f32
  %s = arith.addf %u, %v : f32
  llvm.store %s, %py : f32, !llvm.ptr<1>
  llvm.return
}
