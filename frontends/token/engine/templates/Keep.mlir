    gpuvm.next @nextValues@, %l.more
        : @carriedMessages@, !gpuvm.message<!word>
        until %l.done : !gpuvm.message<!flag>
  }
  %end:5 = gpuvm.stage @token.keep(@keepOperands@, %turn_ = %last#@carried@ : !gpuvm.message<!word>) -> (!streams, !streams, !streams, !streams, !streams) {
@stores@
//@if recordShown
@recordShown@
//@end
    gpuvm.send %pc_, %number_, %depth_, %status_, %pending_ : !streams, !streams, !streams, !streams, !streams
  }
  gpuvm.return %last#@carried@, %end#0, %end#1, %end#2, %end#3, %end#4
      : !gpuvm.message<!word>, !gpuvm.message<!streams>, !gpuvm.message<!streams>, !gpuvm.message<!streams>, !gpuvm.message<!streams>, !gpuvm.message<!streams>
}
