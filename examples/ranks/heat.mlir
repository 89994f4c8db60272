// Heat that spreads on a torus, which ranks have in blocks of rows. Every `deep`
// iterations each rank gets as many rows of its neighbours; of the iterations
// between, each computes one row less of them than the one before.
//
//   gpuvm-compile heat.mlir --set ranks=4 --set n=4096 -o heat.gvplan
//   mpirun -n 4 gpuvm-run heat.gvplan --input=start=@start.npy[{rank}/{ranks}] --output=end=@end.{rank}.npy

gpuvm.parameter @n = 64 in 4 to 65536 "rows and columns"
gpuvm.parameter @ranks = 2 in 1 to 64
gpuvm.parameter @deep = 4 in 1 to 64 "rows of neighbours, and iterations between exchanges"
gpuvm.parameter @rounds = 25 in 1 to 1000000 "exchanges"
gpuvm.parameter @rows = @n / ranks@
gpuvm.parameter @most = @rows + 2 * deep - 1@

!block = tensor<@rows@x@n@xf32>
!wide = tensor<@rows + 2 * deep@x@n@xf32>

gpuvm.program @heat(%start: !block) -> (end: !block) ranks(@ranks@) {
  %end = gpuvm.repeat @round up_to @rounds@ (%u = %start : !block) {
    %halo = gpuvm.update_halo %u axis(0) halo(@deep@, @deep@) rotate : !gpuvm.message<!block> -> !wide
    %last = gpuvm.repeat @step up_to @deep@ (%v = %halo : !wide) {
      %next = gpuvm.stage @spread(%old = %v : !gpuvm.message<!wide>) -> !wide {
        %empty = tensor.empty() : !wide
        %new = linalg.generic {indexing_maps = [affine_map<(y, x) -> (y, x)>, affine_map<(y, x) -> (y, x)>],
                               iterator_types = ["parallel", "parallel"]}
            ins(%old : !wide) outs(%empty : !wide) {
        ^bb0(%here: f32, %unused: f32):
          %y = linalg.index 0 : index
          %x = linalg.index 1 : index
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %bottom = arith.constant @most@ : index
          %right = arith.constant @n - 1@ : index
          %y1 = arith.subi %y, %c1 : index
          %y2 = arith.addi %y, %c1 : index
          %above = arith.maxsi %y1, %c0 : index
          %below = arith.minsi %y2, %bottom : index
          %x1 = arith.subi %x, %c1 : index
          %x2 = arith.addi %x, %c1 : index
          %isFirst = arith.cmpi eq, %x, %c0 : index
          %isLast = arith.cmpi eq, %x, %right : index
          %before = arith.select %isFirst, %right, %x1 : index
          %after = arith.select %isLast, %c0, %x2 : index
          %a = tensor.extract %old[%above, %x] : !wide
          %b = tensor.extract %old[%below, %x] : !wide
          %c = tensor.extract %old[%y, %before] : !wide
          %d = tensor.extract %old[%y, %after] : !wide
          %s1 = arith.addf %a, %b : f32
          %s2 = arith.addf %c, %d : f32
          %s = arith.addf %s1, %s2 : f32
          %four = arith.constant 4.0 : f32
          %f = arith.mulf %here, %four : f32
          %flow = arith.subf %s, %f : f32
          %rate = arith.constant 0.125 : f32
          %change = arith.mulf %flow, %rate : f32
          %r = arith.addf %here, %change : f32
          linalg.yield %r : f32
        } -> !wide
        gpuvm.send %new : !wide
      }
      gpuvm.next %next : !gpuvm.message<!wide>
    }
    %own = gpuvm.stage @own(%w = %last : !gpuvm.message<!wide>) -> !block {
      %middle = tensor.extract_slice %w[@deep@, 0] [@rows@, @n@] [1, 1] : !wide to !block
      gpuvm.send %middle : !block
    }
    gpuvm.next %own : !gpuvm.message<!block>
  }
  gpuvm.return %end : !gpuvm.message<!block>
}
