//===- PlanPage.cpp - a plan as one page of HTML
//------------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/view/PlanPage.h"

#include "PageText.h"
#include "runtime/base/Printable.h"
#include "runtime/plan/ManifestJson.h"
#include "runtime/view/KernelText.h"
#include "runtime/view/Values.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>

namespace vm {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json &json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

/// JSON within a script element: no string of it ends the element.
std::string inScript(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (char character : json)
    if (character == '<')
      text += "\\u003c";
    else
      text += character;
  return text;
}

std::string inHtml(std::string_view text) {
  std::string escaped;
  for (char character : text)
    switch (character) {
    case '<':
      escaped += "&lt;";
      break;
    case '&':
      escaped += "&amp;";
      break;
    default:
      escaped += character;
    }
  return escaped;
}

/// Written value by value: a tree of all of them would take ten times the
/// memory of the text.
void addValue(std::string &text, const Value &value) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, R"({{"region":"{}","offset":{},"length":{},"writer":{},)",
                 toString(value.window.region), value.window.offset,
                 value.window.length,
                 value.writer ? fmt::format("{}", *value.writer) : "null");
  text += "\"readers\":[";
  for (size_t i = 0; i < value.readers.size(); ++i)
    fmt::format_to(out, "{}[{},{}]", i ? "," : "", value.readers[i].command,
                   value.readers[i].bytes);
  fmt::format_to(out, R"(],"kept":{},"program":{},"begin":{},"end":{}}})",
                 value.isKept, value.program, value.begin, value.end);
}

std::string valuesJson(const PlanValues &values) {
  std::string text = "[";
  for (const Value &value : values.values) {
    if (text.size() > 1)
      text += ',';
    addValue(text, value);
  }
  return text + "]";
}

std::string sourcesJson(const PageOptions &options) {
  Json list = Json::array();
  for (const SourceFile &source : options.sources)
    list.push_back({{"name", printableLine(source.name, 1024)},
                    {"text", printableLines(source.text)}});
  return dump(list);
}

std::string codeElement(size_t index, const Kernel &kernel,
                        const PageCode &code) {
  Json json = {{"spirv", nullptr}, {"glsl", nullptr}};
  if (code.spirv)
    json["spirv"] = assemblyOf(kernel);
  if (code.glsl)
    if (Result<std::string> glsl = glslOf(kernel); glsl.ok())
      json["glsl"] = *glsl;
  return fmt::format(
      "<script type=\"application/json\" id=\"code-{}\">{}</script>\n", index,
      inScript(dump(json)));
}

/// Puts `what` where the page says `<!--name-->`.
void replaceMark(std::string &page, std::string_view name,
                 std::string_view what) {
  std::string mark = fmt::format("<!--{}-->", name);
  page.replace(page.find(mark), mark.size(), what);
}

} // namespace

Result<std::string> viewJson(const Plan &plan, const PageOptions &options,
                             const Deadline &deadline) {
  Result<PlanValues> values = findValues(plan, deadline);
  if (!values.ok())
    return values.status();
  return fmt::format(
      R"({{"format":1,"file":{},"plan":{},"values":{},)"
      R"("readers_left_out":{},"module":{},"sources":{},"profile":{}}})",
      dump(printableLine(options.title, 1024)), manifestToJson(plan),
      valuesJson(*values), values->areReadersLeftOut, dump(plan.module),
      sourcesJson(options),
      options.profile ? dump(Json(*options.profile)) : "null");
}

Result<std::string> pageHtml(const Plan &plan, const PageOptions &options,
                             const Deadline &deadline) {
  Result<std::string> data = viewJson(plan, options, deadline);
  if (!data.ok())
    return data;
  std::string code;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    VM_RETURN_IF_ERROR(deadline.check("Writing the kernels as text"));
    code += codeElement(i, plan.kernels[i], options.code);
  }
  std::string page = kPage;
  replaceMark(page, "CODE", code);
  replaceMark(page, "DATA",
              fmt::format("<script type=\"application/json\" id=\"data\">{}"
                          "</script>",
                          inScript(*data)));
  replaceMark(page, "TITLE", inHtml(printableLine(options.title, 200)));
  return page;
}

} // namespace vm
