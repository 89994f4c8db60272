// RUN: gpuvm-opt %s | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --mlir-print-op-generic | gpuvm-opt | FileCheck %s
// RUN: gpuvm-opt %s --emit-bytecode | gpuvm-opt | FileCheck %s

// Numbers go on through the machine; a class may have rows anywhere.
// CHECK: token.machine vocabulary 300 padding 256 tokenizer "greedy, 43 pieces, 0" tools ["calc", "sea\22rch"] {
token.machine vocabulary 300 padding 256 tokenizer "greedy, 43 pieces, 0" tools ["calc", "sea\22rch"] {
  // CHECK-NEXT: token.workflow "ask" tags ["Said", "Final"] {
  token.workflow "ask" tags ["Said", "Final"] {
    // A text stands for its bytes.
    // CHECK-NEXT: token.class 0 "[P]" row 0 ["[P]"] row 3 ["<p>\00", 257, "\C3\A4", 256]
    token.class 0 "[P]" row 0 ["[P]"] row 3 [60, "p>", 0, 257, "ä", 256]
    token.class 1 "\0A" row 1 ["\0A"]
    // CHECK: token.zone 0 ("ask", 0, 0) advance [0] row 0 to 1 open [1] close [0, 1] output 1 timeout 20
    token.zone 0 ("ask", 0, 0) advance [0] row 0 to 1 open [1] close [0, 1] output 1 timeout 20
    // CHECK-NEXT: token.zone 1 ("ask", 0, 1) advance [0, 1] row 3 to 1 jump [1] to end input live timeout 20 tags [0, 1] prompt ["Say \22it\22", 299]
    token.zone 1 ("ask", 0, 1) advance [0, 1] row 3 to 1 jump [1] to end input live timeout 20 tags [0, 1] prompt ["Say \"it\"", 299]
    // CHECK-NEXT: token.extract "all" ["Said", "Final"]{{$}}
    token.extract "all" ["Said", "Final"]
    // CHECK-NEXT: token.extract "none" [] without_forced without_patterns
    token.extract "none" [] without_forced without_patterns
    // CHECK-NEXT: token.test_model weight 256 phrases {{\[}}["a", 257], ["\0A"]] fillers ["bc"]
    token.test_model weight 256 phrases [["a", 257], ["\0A"]] fillers [98, "c"]
  }
  // CHECK: token.workflow "" {
  token.workflow "" {
    token.class 2 "." row 2 ["."]
    // CHECK-NEXT: token.class 2
    // CHECK-NEXT: token.zone 2 ("s", 0, 0) advance [2] row 2 to 3 jump off [0, 2] to 0
    token.zone 2 ("s", 0, 0) advance [2] row 2 to 3 jump off [0, 2] to 0
    // CHECK-NEXT: token.zone 3 ("s", 1, 7) advance off [2] row 2 to end jump [0] to end
    token.zone 3 ("s", 1, 7) advance off [2] row 2 to end jump [0] to end
    token.test_model weight 0 phrases [["."]] fillers [46]
  }
}

// Prompts that are places in the data.
// CHECK: token.machine vocabulary 257 padding 0 data ["abc", 256] {
token.machine vocabulary 257 padding 0 data ["abc", 256] {
  token.workflow "w" {
    token.class 0 "." row 0 ["."]
    // CHECK: advance [0] row 0 to 1 data 1 to 3
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 data 1 to 3
    // CHECK: advance [0] row 0 to end data 0 to 4
    token.zone 1 ("s", 0, 0) advance [0] row 0 to end data 0 to 4
    token.test_model weight 0 phrases [["."]] fillers ["."]
  }
}

// The examples of the reference.
// CHECK: token.machine vocabulary 257 padding 256 {
token.machine vocabulary 257 padding 256 {
  token.workflow "talk" tags ["Said"] {
    token.class 0 "[A]" row 0 ["[A]"]
    token.class 1 "[E]" row 1 ["[E]"]
    token.zone 0 ("talk", 0, 0) advance [0] row 0 to 1 timeout 11 prompt ["Talk to me.[A]"]
    token.zone 1 ("talk", 0, 0) advance [1] row 1 to end timeout 20 tags [0]
    token.extract "said" ["Said"] without_patterns
    token.test_model weight 64 phrases [["[A]"], ["[E]"]] fillers ["abcd"]
  }
}
token.machine vocabulary 257 padding 256 {
  token.workflow "talk" {
    token.class 0 "." row 0 ["."]
    token.zone 0 ("talk", 0, 0) advance [0] row 0 to end
    token.test_model weight 64 phrases [["."]] fillers ["ab"]
  }
}
token.machine vocabulary 257 padding 256 tools ["calc"] {
  token.workflow "ask" tags ["Said", "Final"] {
    token.class 0 "[P]" row 0 ["[P]"]
    token.class 1 "[A]" row 1 ["[A]"] row 2 ["<a>"]
    token.class 2 "[E]" row 3 ["[E]"]
    token.class 3 "[J]" row 4 ["[J]"]
    token.class 4 "[<]" row 5 ["[<]"]
    token.class 5 "[>]" row 6 ["[>]"]
    token.zone 0 ("ask", 0, 0) advance [0] row 0 to 1
    token.zone 1 ("ask", 0, 0) advance [1] row 1 to 2
    token.zone 2 ("ask", 0, 1) advance [1] row 1 to 3 jump [3] to end open [4] close [5] output 0 timeout 64 tags [0] prompt ["Q: "]
    token.zone 3 ("ask", 0, 1) advance [2] row 3 to end
    token.extract "said" ["Said", "Final"] without_forced without_patterns
    token.test_model weight 64 phrases [["[A]"], ["[E]"]] fillers ["abcd"]
  }
}
