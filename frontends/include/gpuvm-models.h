/*===- gpuvm-models.h - language models and workflows, for applications -----===
 *
 * Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What gpuvm-chat and gpuvm-serve do with a language model (vml_...), and what
 * gpuvm-token does with workflows (vmt_...): docs/language-models.md and
 * docs/token-vm.md say what the words mean.
 *
 *   gpuvm_llm_options options;
 *   gpuvm_llm_question question;
 *   gpuvm_llm *llm;
 *   vml_options_init(&options);
 *   vml_question_init(&question);
 *   options.model = "model.gguf";
 *   options.plan = "model.gvplan";
 *   question.show = printPiece;
 *   if (vml_open(&options, &llm) ||
 *       vml_encode(llm, text, strlen(text), &question.prompt,
 *                  &question.prompt_tokens) ||
 *       vml_answer(llm, &question, NULL))
 *     fprintf(stderr, "%s\n", vml_last_error());
 *   vml_close(llm);
 *
 * Contracts of all functions:
 *  - They return a gpuvm_status of gpuvm.h. On a failure, vml_last_error or
 *    vmt_last_error says in one sentence what is wrong.
 *  - Strings are UTF-8 and end with a zero byte; texts have their bytes next to
 *    them. Data is copied during the call; no pointer of the caller is kept.
 *    Null is an empty string, or no element.
 *  - A struct that is passed by pointer starts with its size, struct_bytes, so
 *    that it can grow; the functions ..._init set it.
 *  - What is given out is valid until this thread's next call with the same
 *    model or the same workflows.
 *  - Nothing is printed, thrown or aborted.
 *
 *===----------------------------------------------------------------------===*/

#ifndef GPUVM_MODELS_H
#define GPUVM_MODELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes only when programs built for an older header no longer run. */
#define GPUVM_MODELS_ABI_VERSION 1

/* "0.1.0", and the GPUVM_MODELS_ABI_VERSION of the library. */
const char *vml_version(void);
uint32_t vml_abi_version(void);

/* Where a plan runs, as gpuvm_options of gpuvm.h says it. */
typedef struct gpuvm_place {
  const char *device;         /* null: a GPU if there is one */
  uint64_t timeout_ms;        /* of an execution; 0: what is fit for it */
  uint64_t vram_budget_bytes; /* 0: what the device has free */
  int validate;
} gpuvm_place;

/*===--- A language model -------------------------------------------------===*/

/* A model, its tokenizer, its chat template and a plan. Several threads may use
 * it. */
typedef struct gpuvm_llm gpuvm_llm;

typedef struct gpuvm_llm_options {
  size_t struct_bytes;
  const char *model; /* a GGUF file */
  const char *plan;  /* of it; null: the one that `compile` makes, which is kept
                        in the user's cache folder */
  uint32_t
      context; /* tokens; 0: what the model was trained with, at most 2048 */
  uint32_t parallel;      /* answers at once; 1 at first */
  uint32_t positions;     /* of all answers together; 0: a context for each */
  const char *cache_type; /* of keys and values: "f16", "f32" or "q8_0" */
  int raw;                /* without the file's chat template */
  const char *regulate;   /* "LOW,HIGH": --llm-regulate; null: not */
  int logprobs;           /* answers can have log probabilities */
  int embeddings;         /* vml_embed works */
  gpuvm_place place;

  /* Called if the model has to be compiled: with the arguments of
   * gpuvm-compile, which write a plan. Not 0, a gpuvm_status, is a failure.
   * `compiler` is a text that is another one for each compiler. */
  int (*compile)(void *user, const char *const *arguments, size_t count);
  void *user;
  const char *compiler;
} gpuvm_llm_options;

void vml_options_init(gpuvm_llm_options *options);

/* On success *llm must be given to vml_close, which takes null, too, and waits
 * for calls of other threads. */
int vml_open(const gpuvm_llm_options *options, gpuvm_llm **llm);
void vml_close(gpuvm_llm *llm);

/* Of this thread's last call; "" if nothing has failed. Never null. */
const char *vml_last_error(void);

typedef struct gpuvm_llm_info {
  size_t struct_bytes;
  const char *architecture; /* "llama", ... */
  const char *device;
  uint32_t context; /* tokens of a conversation */
  uint32_t vocabulary;
  uint32_t layers, width;
  uint32_t parallel;
  int has_template, has_logprobs;
} gpuvm_llm_info;

/* Strings are valid as long as the model. */
int vml_describe(gpuvm_llm *llm, gpuvm_llm_info *info);

/* The tokens of a text that is to be continued; names of control tokens in it
 * are text. */
int vml_encode(gpuvm_llm *llm, const char *text, size_t bytes,
               const int32_t **tokens, size_t *count);

/* The prompt that asks for an answer to the last of some messages, whose roles
 * are "system", "user" or "assistant". Without a template, all contents one
 * after the other. */
int vml_chat(gpuvm_llm *llm, const char *const *roles,
             const char *const *contents, size_t messages,
             const int32_t **tokens, size_t *count);

/* The text that tokens say. */
int vml_decode(gpuvm_llm *llm, const int32_t *tokens, size_t count,
               const char **text, size_t *bytes);

/* What a token adds to a text, which may be a part of a character, or nothing;
 * then `name` is how the file spells it. */
int vml_token(gpuvm_llm *llm, int32_t token, const char **text, size_t *bytes,
              const char **name);

/* A token of an answer with its log probability (natural), before bias,
 * penalties, temperature and filters, and those of the likeliest ones. */
typedef struct gpuvm_llm_token {
  int32_t token;
  float logprob;
  size_t begin;             /* the byte of the answer's text where it begins */
  const int32_t *likeliest; /* the likeliest first */
  const float *likeliest_logprobs;
  size_t num_likeliest;
} gpuvm_llm_token;

/* The next part of an answer's text, which ends between characters, and the
 * tokens that begin in it, if log probabilities are wanted. */
typedef struct gpuvm_llm_piece {
  const char *text;
  size_t text_bytes;
  const gpuvm_llm_token *tokens;
  size_t num_tokens;
} gpuvm_llm_piece;

typedef struct gpuvm_llm_bias {
  int32_t token;
  float bias; /* added to its score; infinities are possible */
} gpuvm_llm_bias;

/* What is to be continued, and how. Names and defaults are llama.cpp's. */
typedef struct gpuvm_llm_question {
  size_t struct_bytes;
  const int32_t *prompt;
  size_t prompt_tokens;
  uint32_t most; /* tokens; UINT32_MAX at first: until the context is full */
  float temperature;
  uint32_t top_k;
  float top_p, min_p;
  uint64_t seed;
  int32_t repeat_last_n;
  float repeat_penalty, presence_penalty, frequency_penalty;
  const gpuvm_llm_bias *biases;
  size_t num_biases;
  const char *const *stops; /* the text ends before the first of them */
  size_t num_stops;
  const char *grammar; /* GBNF that the answer fits; null: any text */
  const char *schema;  /* or a JSON schema; not both */
  int logprobs;        /* of a model with has_logprobs */
  /* Called on the calling thread with the text as it comes. Not 0 ends the
   * answer. Or null. */
  int (*show)(void *user, const gpuvm_llm_piece *piece);
  void *user;
  /* Read while the answer is made, which ends soon after another thread has
   * made it other than 0. Or null. */
  const int *cancel;
} gpuvm_llm_question;

void vml_question_init(gpuvm_llm_question *question);

/* Why an answer ended. */
typedef enum gpuvm_llm_end {
  GPUVM_LLM_END = 1,     /* the model has ended it, or a stop string */
  GPUVM_LLM_LIMIT = 2,   /* `most` tokens */
  GPUVM_LLM_CONTEXT = 3, /* the context is full */
  GPUVM_LLM_CANCELLED = 4
} gpuvm_llm_end;

typedef struct gpuvm_llm_answer {
  size_t struct_bytes; /* sizeof(gpuvm_llm_answer), set by the caller */
  int end;             /* gpuvm_llm_end */
  uint64_t prompt_tokens;
  uint64_t computed_tokens; /* of the prompt, those not in the caches */
  uint64_t tokens;          /* with the one that ended it */
  double prompt_seconds;    /* with the wait for a place */
  double seconds;           /* from the end of the prompt */
} gpuvm_llm_answer;

/* Answers; `answer` may be null. As many threads as `parallel` get answers at
 * once, others wait. */
int vml_answer(gpuvm_llm *llm, const gpuvm_llm_question *question,
               gpuvm_llm_answer *answer);

/* A vector of length 1 for a text of at least one token. */
int vml_embed(gpuvm_llm *llm, const int32_t *tokens, size_t count,
              const float **vector, size_t *width);

/*===--- Workflows --------------------------------------------------------===*/

/* Workflows of the token-stream VM on a device, or on the reference. For one
 * thread at a time, but for vmt_cancel. */
typedef struct gpuvm_workflows gpuvm_workflows;

typedef struct gpuvm_workflow_options {
  size_t struct_bytes;
  const char *plan; /* PLAN.token.json lies next to it; null: the reference,
                       with the model for tests */
  const char *const *inputs; /* workflows, tensors, wire forms: others than
                                those that the plan was made of; of the
                                reference, all */
  size_t num_inputs;
  const char *const *arguments; /* NAME=VALUE, of the inputs */
  size_t num_arguments;
  const char *tokenizer; /* of inputs that name none */
  int allow_outside;     /* inputs may name files outside of their folders */
  const char *model;     /* the GGUF file that the plan was made with */
  uint64_t seed;         /* of what lists draw */
  uint32_t model_seed;   /* of the model for tests */
  int32_t streams;       /* 0: as the plan; of the reference, one a workflow */
  int32_t budget;        /* tokens of a stream; 0: as the plan, or 4096 */
  int32_t capture_tokens, answer_tokens; /* of the reference; 0: its own */
  uint32_t tool_timeout_ms;              /* 30,000 at first */
  gpuvm_place place;
} gpuvm_workflow_options;

void vmt_options_init(gpuvm_workflow_options *options);

/* On success *workflows must be given to vmt_close, which takes null, too, and
 * waits for a run of another thread. */
int vmt_open(const gpuvm_workflow_options *options,
             gpuvm_workflows **workflows);
void vmt_close(gpuvm_workflows *workflows);

/* Of this thread's last call; "" if nothing has failed. Never null. */
const char *vmt_last_error(void);

/* What inputs were warned of, a line each; "" if of nothing. */
const char *vmt_warnings(gpuvm_workflows *workflows);

/* The names of the tools that the workflows ask: `index` counts from 0; null
 * past the end. */
const char *vmt_tool(gpuvm_workflows *workflows, size_t index);

/* A tool's answer to what a stream says: calls vmt_reply once, and returns 0,
 * or not 0 if the text is why there is none. Called on several threads at once;
 * after tool_timeout_ms its answer is no longer waited for, but its end is, by
 * vmt_close. */
typedef struct gpuvm_tool_reply gpuvm_tool_reply;
typedef int (*gpuvm_tool_function)(void *user, const char *text, size_t bytes,
                                   gpuvm_tool_reply *reply);
void vmt_reply(gpuvm_tool_reply *reply, const char *text, size_t bytes);

/* A function as a tool, or a command that reads and writes lines of JSON. */
int vmt_add_tool(gpuvm_workflows *workflows, const char *name,
                 gpuvm_tool_function function, void *user);
int vmt_add_command(gpuvm_workflows *workflows, const char *name,
                    const char *command);

/* What a stream has done so far. */
typedef struct gpuvm_stream_state {
  size_t struct_bytes; /* sizeof(gpuvm_stream_state), set by the caller */
  const char *status;  /* "RUNNING", "WAITING", "DONE", ... */
  int32_t zone, token_number;
  const char *text; /* all that was fed and said */
  size_t text_bytes;
} gpuvm_stream_state;

/* Runs all streams from their entries to their final states, and gives the
 * report (docs/token-vm.md), a JSON text. `look`, which may be null, is called
 * between executions, and may ask vmt_stream; not 0 ends the run: streams are
 * reported as far as they came. */
int vmt_run(gpuvm_workflows *workflows, int (*look)(void *user), void *user,
            const char **report);

/* Ends a run, if there is one, between two executions, or the execution that it
 * is at, which gives the device up: GPUVM_ERROR_DEVICE_LOST of vmt_run, after
 * which only vmt_close makes sense. May be called on any thread. */
void vmt_cancel(gpuvm_workflows *workflows);

/* Within `look`, or after a run. */
int vmt_stream(gpuvm_workflows *workflows, int32_t stream,
               gpuvm_stream_state *state);

/* Why streams are TOOL_FAILED in the last run: `index` counts from 0; null past
 * the end. */
const char *vmt_failure(gpuvm_workflows *workflows, size_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GPUVM_MODELS_H */
