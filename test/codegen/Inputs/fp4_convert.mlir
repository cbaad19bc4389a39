// Two floats to one byte of fp4: from sm_100a on. On sm_90a the back end has no such instruction.
llvm.func @copy(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %in : !llvm.ptr<1> -> f32
  llvm.store %x, %out : f32, !llvm.ptr<1>
  llvm.return
}
llvm.func @fp4_convert(%out: !llvm.ptr<1>, %x: f32, %y: f32) attributes {nvvm.kernel} {
  %packed = nvvm.convert.f32x2.to.f4x2 %x, %y : i8 (f4E2M1FN)
  llvm.store %packed, %out : i8, !llvm.ptr<1>
  llvm.return
}
