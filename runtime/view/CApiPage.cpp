//===- CApiPage.cpp - a plan as a page, from C
//--------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/exec/CHandle.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/view/PlanPage.h"
#include "runtime/view/ProfileFile.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

using vm::Code;
using vm::Plan;
using vm::Result;
using vm::Status;

static Status checkCode(int code) {
  if (code >= 0 && code <= (GPUVM_PAGE_GLSL | GPUVM_PAGE_SPIRV))
    return {};
  return {Code::Usage,
          fmt::format("What a page has of kernels is GPUVM_PAGE_GLSL, "
                      "GPUVM_PAGE_SPIRV, both or 0, not {}.",
                      code)};
}

static Result<std::string> makePage(const Plan &plan, const char *title,
                                    const char *profile, int code) {
  vm::PageOptions options{.title = title && *title ? title : plan.program};
  options.code = {.glsl = (code & GPUVM_PAGE_GLSL) != 0,
                  .spirv = (code & GPUVM_PAGE_SPIRV) != 0};
  if (profile) {
    auto times = vm::readProfile(profile, "profile", plan);
    if (!times.ok())
      return times.status();
    options.profile = std::move(*times);
  }
  return vm::pageHtml(plan, options);
}

/// The caller's own copy, with a zero at its end.
static Status copyOut(const std::string &text, char **html, size_t *size) {
  *html = static_cast<char *>(std::malloc(text.size() + 1));
  if (!*html)
    throw std::bad_alloc();
  std::memcpy(*html, text.c_str(), text.size() + 1);
  if (size)
    *size = text.size();
  return {};
}

int vm_plan_page(const void *plan, size_t bytes, const char *title,
                 const char *profile, int code, char **html, size_t *size) {
  return vm::guard(vm::bootError, [&]() -> Status {
    if (!html)
      return vm::nullPointer("html");
    *html = nullptr;
    VM_RETURN_IF_ERROR(vm::checkData(plan, bytes));
    VM_RETURN_IF_ERROR(checkCode(code));
    Result<Plan> read = vm::readPlan(vm::inBytes(plan, bytes));
    if (!read.ok())
      return read.status();
    Result<std::string> page = makePage(*read, title, profile, code);
    return page.ok() ? copyOut(*page, html, size) : page.status();
  });
}

void vm_page_free(char *html) { std::free(html); }
