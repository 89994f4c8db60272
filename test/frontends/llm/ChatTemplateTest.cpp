//===- ChatTemplateTest.cpp - the prompt of a conversation ----------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected are the renderings of Jinja (chat_templates.py compares many more).
//
//===----------------------------------------------------------------------===//

#include "frontends/llm/chat/ChatTemplate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace vm;
using namespace vm::llm;

static const char *const kSmolLm2 =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != "
    "'system' %}{{ '<|im_start|>system\nYou are a helpful AI assistant named "
    "SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}"
    "{{ '<|im_start|>assistant\n' }}{% endif %}";

static const char *const kGemma =
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for message in messages %}{% if (message['role'] == 'user') != "
    "(loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must "
    "alternate user/assistant/user/assistant/...') }}{% endif %}{% if "
    "(message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}"
    "{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + "
    "'\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{'<start_of_turn>model\n'}}{% endif %}";

static const char *const kLlama2 =
    "{% if messages[0]['role'] == 'system' %}{% set loop_messages = "
    "messages[1:] %}{% set system_message = messages[0]['content'] %}{% else "
    "%}{% set loop_messages = messages %}{% set system_message = false %}"
    "{% endif %}{% for message in loop_messages %}{% if loop.index0 == 0 and "
    "system_message != false %}{% set content = '<<SYS>>\\n' + system_message "
    "+ '\\n<</SYS>>\\n\\n' + message['content'] %}{% else %}{% set content = "
    "message['content'] %}{% endif %}{% if message['role'] == 'user' %}"
    "{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}{% elif "
    "message['role'] == 'assistant' %}{{ ' ' + content.strip() + ' ' + "
    "eos_token }}{% endif %}{% endfor %}";

static ChatTemplate recognize(std::string_view jinja) {
  Result<ChatTemplate> found = ChatTemplate::recognize(jinja, "<s>", "</s>");
  EXPECT_TRUE(found.ok()) << found.status().message();
  return *found;
}

/// The prompt, with contents of messages in [ ].
static std::string render(const ChatTemplate &chat,
                          const std::vector<ChatMessage> &messages) {
  Result<std::vector<TextPiece>> pieces = chat.render(messages);
  if (!pieces.ok())
    return pieces.status().message();
  std::string text;
  for (const TextPiece &piece : *pieces)
    text += piece.isTemplate ? piece.text : "[" + piece.text + "]";
  return text;
}

TEST(LlmChatTemplate, KeepsContentsApart) {
  ChatTemplate chat = recognize(kSmolLm2);
  EXPECT_EQ(chat.family(), "chatml");
  EXPECT_EQ(render(chat, {{"system", "S"},
                          {"user", "<|im_end|>"},
                          {"assistant", " B "},
                          {"user", "{bos}"}}),
            "<|im_start|>system\n[S]<|im_end|>\n"
            "<|im_start|>user\n[<|im_end|>]<|im_end|>\n"
            "<|im_start|>assistant\n[ B ]<|im_end|>\n"
            "<|im_start|>user\n[{bos}]<|im_end|>\n<|im_start|>assistant\n");
}

TEST(LlmChatTemplate, FindsTheSystemMessageOfTheTemplate) {
  EXPECT_EQ(render(recognize(kSmolLm2), {{"user", "A"}}),
            "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, "
            "trained by Hugging Face<|im_end|>\n"
            "<|im_start|>user\n[A]<|im_end|>\n<|im_start|>assistant\n");
}

TEST(LlmChatTemplate, PutsTheSystemMessageIntoTheUsersTurn) {
  ChatTemplate chat = recognize(kLlama2);
  EXPECT_EQ(chat.family(), "llama2");
  EXPECT_EQ(render(chat, {{"system", "S"},
                          {"user", " A "},
                          {"assistant", "B"},
                          {"user", " C "}}),
            "<s>[INST] <<SYS>>\n[S]\n<</SYS>>\n\n[ A] [/INST] [B] </s>"
            "<s>[INST] [C] [/INST]");
}

TEST(LlmChatTemplate, RefusesASystemMessageThatTheTemplateRefuses) {
  ChatTemplate chat = recognize(kGemma);
  EXPECT_EQ(render(chat, {{"user", " A "}}),
            "<s><start_of_turn>user\n[A]<end_of_turn>\n<start_of_turn>model\n");
  EXPECT_EQ(render(chat, {{"system", "S"}, {"user", "A"}}),
            "Chat templates of the family gemma take no system message.");
}

TEST(LlmChatTemplate, RefusesRolesOutOfTurn) {
  ChatTemplate chat = recognize(kSmolLm2);
  EXPECT_EQ(render(chat, {}), "The conversation has no message of a user.");
  EXPECT_EQ(render(chat, {{"system", "S"}}),
            "The conversation has no message of a user.");
  EXPECT_EQ(render(chat, {{"user", "A"}, {"user", "B"}}),
            "Message 1 after the system's is of the role \"user\", where "
            "\"assistant\" is due.");
  EXPECT_EQ(render(chat, {{"user", "A"}, {"assistant", "B"}}),
            "The last message is the assistant's, so there is nothing to "
            "answer.");
}

TEST(LlmChatTemplate, RefusesATemplateOfNoKnownFamily) {
  Result<ChatTemplate> found =
      ChatTemplate::recognize("{{ messages }}", "<s>", "</s>");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().message(),
            "The chat template of 14 bytes that begins with \"{{ messages }}\" "
            "is of no known family.");
}

TEST(LlmChatTemplate, RefusesASystemMessageItDoesNotUnderstand) {
  std::string jinja = kSmolLm2;
  jinja.insert(jinja.find("SmolLM"), "' + name + '");
  EXPECT_FALSE(ChatTemplate::recognize(jinja, "<s>", "</s>").ok());
}
