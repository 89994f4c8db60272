gpuvm.program @p() -> () {
  gpuvm.return
}
gpuvm.program @p() -> () {
  gpuvm.return
}
