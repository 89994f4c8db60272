/*===- models_c_abi.c - language models and workflows through C
 * ---------------===
 *
 * Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   gpuvm_models_c_abi answer MODEL PLAN TEXT TOKENS   the likeliest ones
 *   gpuvm_models_c_abi workflow PLAN TOOL              its streams' texts
 *   gpuvm_models_c_abi edges                           calls that make no sense
 *
 * Exits with the status, and prints the sentence of a failure.
 *===----------------------------------------------------------------------===*/

#include "frontends/include/gpuvm-models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what) {
  fprintf(stderr, "gpuvm_models_c_abi: %s\n", what);
  exit(1);
}

static int print(void *user, const gpuvm_llm_piece *piece) {
  (void)user;
  if (piece->num_tokens != 0 || piece->text[piece->text_bytes] != 0)
    fail("a piece has tokens that are not wanted, or no end");
  fwrite(piece->text, 1, piece->text_bytes, stdout);
  return 0;
}

static int answer(const char *model, const char *plan, const char *text,
                  unsigned most) {
  gpuvm_llm_options options;
  gpuvm_llm_question question;
  gpuvm_llm_answer made = {.struct_bytes = sizeof made};
  gpuvm_llm *llm = NULL;
  const char *roles[] = {"user"};
  vml_options_init(&options);
  vml_question_init(&question);
  options.model = model;
  options.plan = plan;
  question.temperature = 0;
  question.most = most;
  question.show = print;
  int status = vml_open(&options, &llm);
  if (!status)
    status = vml_chat(llm, roles, &text, 1, &question.prompt,
                      &question.prompt_tokens);
  if (!status)
    status = vml_answer(llm, &question, &made);
  if (status)
    fprintf(stderr, "%s\n", vml_last_error());
  else if (made.prompt_tokens != question.prompt_tokens || made.tokens > most ||
           made.end != GPUVM_LLM_LIMIT)
    fail("the answer's numbers are wrong");
  putchar('\n');
  vml_close(llm);
  return status;
}

/* Says back what it is asked. */
static int echo(void *user, const char *text, size_t bytes,
                gpuvm_tool_reply *reply) {
  (void)user;
  vmt_reply(reply, text, bytes);
  return 0;
}

static int looks;

static int look(void *user) {
  gpuvm_stream_state state = {.struct_bytes = sizeof state};
  if (vmt_stream(user, 0, &state) || strlen(state.text) != state.text_bytes)
    fail("a stream cannot be looked at");
  ++looks;
  return 0;
}

static int workflow(const char *plan, const char *tool) {
  gpuvm_workflow_options options;
  gpuvm_workflows *flow = NULL;
  gpuvm_stream_state state = {.struct_bytes = sizeof state};
  const char *report = "";
  vmt_options_init(&options);
  options.plan = plan;
  int status = vmt_open(&options, &flow);
  if (!status && (!vmt_tool(flow, 0) || strcmp(vmt_tool(flow, 0), tool) != 0 ||
                  vmt_tool(flow, 1)))
    fail("the tools are not those of the workflow");
  if (!status)
    status = vmt_add_tool(flow, tool, echo, NULL);
  if (!status)
    status = vmt_run(flow, look, flow, &report);
  if (status)
    fprintf(stderr, "%s\n", vmt_last_error());
  if (!status && (looks < 2 || vmt_failure(flow, 0)))
    fail("the run was not looked at, or a tool fails");
  for (int i = 0; !status && vmt_stream(flow, i, &state) == 0; ++i)
    printf("%s %s\n", state.status, state.text);
  vmt_close(flow);
  return status;
}

static void refuse(int status) {
  if (status != 2)
    fail("a call is not refused");
  puts(vml_last_error());
}

static int edges(void) {
  gpuvm_llm_options options = {0};
  gpuvm_workflow_options other = {0};
  gpuvm_llm *llm;
  gpuvm_workflows *flow;
  const int32_t *tokens;
  const char *report;
  size_t count;
  refuse(vml_open(NULL, &llm));
  refuse(vml_open(&options, &llm)); /* struct_bytes is 0. */
  vml_options_init(&options);
  refuse(vml_open(&options, NULL));
  refuse(vml_encode(NULL, "", 0, &tokens, &count));
  refuse(vml_answer(NULL, NULL, NULL));
  vmt_options_init(&other);
  refuse(vmt_open(&other, &flow)); /* Neither a plan nor workflows. */
  other.streams = -1;
  refuse(vmt_open(&other, &flow));
  refuse(vmt_run(NULL, NULL, NULL, &report));
  vml_close(NULL);
  vmt_close(NULL);
  vmt_cancel(NULL);
  if (vmt_tool(NULL, 0) || vmt_failure(NULL, 0) || *vmt_warnings(NULL) ||
      vml_abi_version() != GPUVM_MODELS_ABI_VERSION)
    fail("null has something");
  printf("version %s\n", vml_version());
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 6 && strcmp(argv[1], "answer") == 0)
    return answer(argv[2], argv[3], argv[4], (unsigned)atoi(argv[5]));
  if (argc == 4 && strcmp(argv[1], "workflow") == 0)
    return workflow(argv[2], argv[3]);
  if (argc == 2 && strcmp(argv[1], "edges") == 0)
    return edges();
  return 2;
}
