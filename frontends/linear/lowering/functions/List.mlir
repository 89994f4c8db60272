// How many of each list there are, and each machine's place in the one list.
func.func private @list(%class_: !machines, %old: !machines) -> (!sizes, !machines, !machines) {
  %em = tensor.empty() : !machines
  %is:4 = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%class_ : !machines) outs(%em, %em, %em, %em : !machines, !machines, !machines, !machines) {
  ^bb0(%k: i32, %o0: i32, %o1: i32, %o2: i32, %o3: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %b0 = arith.cmpi eq, %k, %c0 : i32
    %b1 = arith.cmpi eq, %k, %c1 : i32
    %b2 = arith.cmpi eq, %k, %c2 : i32
    %b3 = arith.cmpi eq, %k, %c3 : i32
    %r0 = arith.extui %b0 : i1 to i32
    %r1 = arith.extui %b1 : i1 to i32
    %r2 = arith.extui %b2 : i1 to i32
    %r3 = arith.extui %b3 : i1 to i32
    linalg.yield %r0, %r1, %r2, %r3 : i32, i32, i32, i32
  } -> (!machines, !machines, !machines, !machines)
  %n:4 = gpuvm.scan %is#0, %is#1, %is#2, %is#3 dimension 0 : (!machines, !machines, !machines, !machines) -> (!machines, !machines, !machines, !machines) {
  ^bb0(%a0: i32, %a1: i32, %a2: i32, %a3: i32, %b0: i32, %b1: i32, %b2: i32, %b3: i32):
    %s0 = arith.addi %a0, %b0 : i32
    %s1 = arith.addi %a1, %b1 : i32
    %s2 = arith.addi %a2, %b2 : i32
    %s3 = arith.addi %a3, %b3 : i32
    gpuvm.yield %s0, %s1, %s2, %s3 : i32, i32, i32, i32
  }
  %last = arith.constant @lastMachine@ : index
  %n0 = tensor.extract %n#0[%last] : !machines
  %n1 = tensor.extract %n#1[%last] : !machines
  %n2 = tensor.extract %n#2[%last] : !machines
  %n3 = tensor.extract %n#3[%last] : !machines
  %sizes = tensor.from_elements %n0, %n1, %n2, %n3 : !sizes
  %place, %id = linalg.generic {indexing_maps = [#v, #v, #v, #v, #v, #v, #v], iterator_types = ["parallel"]}
      ins(%class_, %n#0, %n#1, %n#2, %n#3 : !machines, !machines, !machines, !machines, !machines) outs(%em, %em : !machines, !machines) {
  ^bb0(%k: i32, %p0: i32, %p1: i32, %p2: i32, %p3: i32, %o0: i32, %o1: i32):
    %not = arith.constant -1 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %vi = linalg.index 0 : index
    %v = arith.index_cast %vi : index to i32
    %begin1 = tensor.extract %n#0[%last] : !machines
    %size1 = tensor.extract %n#1[%last] : !machines
    %size2 = tensor.extract %n#2[%last] : !machines
    %begin2 = arith.addi %begin1, %size1 : i32
    %begin3 = arith.addi %begin2, %size2 : i32
    %q1 = arith.addi %p1, %begin1 : i32
    %q2 = arith.addi %p2, %begin2 : i32
    %q3 = arith.addi %p3, %begin3 : i32
    %is0 = arith.cmpi eq, %k, %c0 : i32
    %is1 = arith.cmpi eq, %k, %c1 : i32
    %is2 = arith.cmpi eq, %k, %c2 : i32
    %is3 = arith.cmpi eq, %k, %c3 : i32
    %r3 = arith.select %is3, %q3, %c0 : i32
    %r2 = arith.select %is2, %q2, %r3 : i32
    %r1 = arith.select %is1, %q1, %r2 : i32
    %r0 = arith.select %is0, %p0, %r1 : i32
    %r = arith.addi %r0, %not : i32
    linalg.yield %r, %v : i32, i32
  } -> (!machines, !machines)
  %order = gpuvm.scatter last %id at %place into %old {distinct} : (!machines, !machines, !machines) -> !machines
  func.return %sizes, %place, %order : !sizes, !machines, !machines
}
