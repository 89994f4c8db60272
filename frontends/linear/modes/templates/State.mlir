    // Of a machine: bits 0 to 23 its IP, 24 to 26 its status, 27 to 29 its fault.
    %es = tensor.empty() : tensor<@machines@x22xf32>
    %em = tensor.empty() : !machines
    %s = linalg.generic {indexing_maps = [#row, #vw], iterator_types = ["parallel", "parallel"]}
        ins(%w : !machines) outs(%es : tensor<@machines@x22xf32>) {
    ^bb0(%where: i32, %o: f32):
      %none = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %last = arith.constant 21 : i32
      %most = arith.constant 19 : i32
      %mask = arith.constant 0xFFFFFF : i32
      %onef = arith.constant 1.0 : f32
      %vi = linalg.index 0 : index
      %ki = linalg.index 1 : index
      %k = arith.index_cast %ki : index to i32
      %isIp = arith.cmpi eq, %k, %none : i32
      %isOne = arith.cmpi eq, %k, %last : i32
      %a0 = arith.subi %k, %one : i32
      %a1 = arith.maxsi %a0, %none : i32
      %a2 = arith.minsi %a1, %most : i32
      %ai = arith.index_cast %a2 : i32 to index
      %value = tensor.extract %x[%vi, %ai] : !registers
      %i = arith.andi %where, %mask : i32
      %f = arith.sitofp %i : i32 to f32
      %r0 = arith.select %isIp, %f, %value : f32
      %r = arith.select %isOne, %onef, %r0 : f32
      linalg.yield %r : f32
    } -> tensor<@machines@x22xf32>
    %status, %fault = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
        ins(%w : !machines) outs(%em, %em : !machines, !machines) {
    ^bb0(%where: i32, %o0: i32, %o1: i32):
      %by = arith.constant 24 : i32
      %more = arith.constant 27 : i32
      %mask = arith.constant 7 : i32
      %h = arith.shrui %where, %by : i32
      %status = arith.andi %h, %mask : i32
      %fault = arith.shrui %where, %more : i32
      linalg.yield %status, %fault : i32, i32
    } -> (!machines, !machines)
