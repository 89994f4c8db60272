// Every kind of transfer, of one rank to itself.
plan.module @around regions [1536, 0, 0, 0, 0] instances 0 ranks 1 {
  plan.program @around {
    plan.input "x" : tensor<4xi32> at <registers, 0, 16> on execution
    plan.input "counts" : tensor<1xi32> at <registers, 256, 4> on execution
    plan.output "shifted" : tensor<4xi32> at <registers, 512, 16>
    plan.output "gathered" : tensor<4xi32> at <registers, 768, 16>
    plan.output "sent" : tensor<4xi32> at <registers, 1024, 16>
    plan.output "received" : tensor<1xi32> at <registers, 1280, 4>
    plan.fill <registers, 1024, 16> with 0 for []
    plan.exchange [#plan.transfer<shift_up, <registers, 0, 16> to <registers, 512, 16> offset 1 rotate true>,
                   #plan.transfer<all_gather, <registers, 0, 16> to <registers, 768, 16>>,
                   #plan.transfer<all_to_all, <registers, 0, 16> to <registers, 1024, 16> rows 4 counts <registers, 256, 4> received <registers, 1280, 4>>] for []
    plan.await
  }
}
