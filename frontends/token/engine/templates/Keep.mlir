    gpuvm.next @nextPairs@, %l.more
        : @pairMessages@, !gpuvm.message<!word>
        until %l.done : !gpuvm.message<!flag>
  }
  %end:5 = gpuvm.stage @token.keep(@keepOperands@, %turn_ = %last#@pairs@ : !gpuvm.message<!word>) -> (!streams, !streams, !streams, !streams, !streams) {
@unpackedEnd@
@stores@
//@if recordShown
@recordShown@
//@end
    gpuvm.send %pc, %number, %depth, %status, %pending : !streams, !streams, !streams, !streams, !streams
  }
  gpuvm.return %last#@pairs@, %end#0, %end#1, %end#2, %end#3, %end#4
      : !gpuvm.message<!word>, !gpuvm.message<!streams>, !gpuvm.message<!streams>, !gpuvm.message<!streams>, !gpuvm.message<!streams>, !gpuvm.message<!streams>
}
