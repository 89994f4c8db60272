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
