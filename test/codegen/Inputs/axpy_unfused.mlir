// a * x + y in two roundings: no fma may come out.
llvm.func @axpy(%p: !llvm.ptr<1>, %a: f32, %x: f32, %y: f32) attributes {nvvm.kernel} {
  %m = llvm.fmul %a, %x : f32
  %s = llvm.fadd %m, %y : f32
  llvm.store %s, %p : f32, !llvm.ptr<1>
  llvm.return
}
