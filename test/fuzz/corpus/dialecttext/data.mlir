token.machine vocabulary 257 padding 0 data ["abc", 256] {
  token.workflow "w" {
    token.class 0 "." row 0 ["."]
    token.zone 0 ("s", 0, 0) advance [0] row 0 to 1 data 1 to 3
    token.zone 1 ("s", 0, 0) advance [0] row 0 to end data 0 to 4
    token.test_model weight 0 phrases [["."]] fillers ["."]
  }
}
