//===- Picture.cpp - workflows as pictures --------------------------------===//
//
// Part of gpuvm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/token/forms/Picture.h"

#include "frontends/Utf8.h"
#include "frontends/token/forms/PictureLayout.h"

#include <fmt/format.h>

#include <algorithm>

using namespace vm;
using namespace vm::token;

namespace {

//===--- Text in XML ------------------------------------------------------===//

bool beginsCharacter(char byte) { return (byte & 0xC0) != 0x80; }

/// The first characters of a text that is UTF-8.
std::string_view firstCharacters(std::string_view text, size_t count) {
  size_t at = 0;
  for (; at < text.size(); ++at)
    if (beginsCharacter(text[at]) && count-- == 0)
      break;
  return text.substr(0, at);
}

/// As content or an attribute. What XML has no characters for is U+FFFD.
std::string escape(std::string_view bytes) {
  std::string text;
  for (char c : toUtf8(bytes)) {
    if (c == '&')
      text += "&amp;";
    else if (c == '<')
      text += "&lt;";
    else if (c == '>')
      text += "&gt;";
    else if (c == '"')
      text += "&quot;";
    else if (c == '\n' || c == '\t' || c == '\r')
      text += fmt::format("&#{};", int(c));
    else if (c >= 0 && c < 0x20)
      text += "\xEF\xBF\xBD";
    else
      text += c;
  }
  for (std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (size_t at = 0; (at = text.find(none, at)) != text.npos;)
      text.replace(at, none.size(), "\xEF\xBF\xBD");
  return text;
}

/// The first characters of a text, escaped.
std::string brief(const std::string &text, size_t characters) {
  return escape(firstCharacters(toUtf8(text), characters));
}

//===--- Sizes ------------------------------------------------------------===//

constexpr int kWidth = 320; ///< Of a zone: 40 characters of 7.2 pixels.
constexpr int kHeight = 88;
constexpr int kColumnGap = 40;
constexpr int kLayerGap = 72;
constexpr int kLaneGap = 14;
constexpr int kMargin = 24;
constexpr int kHead = 56; ///< Of the title and the legend.
constexpr size_t kLineCharacters = 42;
constexpr size_t kTextCharacters = 40;

constexpr const char *kStyle =
    "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2933;"
    "white-space:pre}"
    ".title{font-size:16px;font-weight:bold}.number{font-weight:bold}"
    ".tags{fill:#52606d}.tool{fill:#7b341e;font-weight:bold}"
    ".zone rect{fill:#f5f7fa;stroke:#7b8794}"
    ".capture rect{fill:#fff3e0;stroke:#c05621}"
    ".feed rect{fill:#e6f6ec;stroke:#2f855a}"
    ".end rect{fill:#1f2933;stroke:#1f2933}.end text{fill:#ffffff}"
    ".edge{fill:none;stroke-width:1.6;stroke-linejoin:round}"
    ".next{stroke:#2b6cb0}.jump{stroke:#c53030;stroke-dasharray:6 3}";

constexpr const char *kMarkers =
    "<defs>\n"
    "<marker id=\"head-next\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
    "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\" "
    "markerUnits=\"userSpaceOnUse\"><path d=\"M0 0L8 4L0 8z\" "
    "fill=\"#2b6cb0\"/></marker>\n"
    "<marker id=\"head-jump\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
    "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\" "
    "markerUnits=\"userSpaceOnUse\"><path d=\"M0 0L8 4L0 8z\" "
    "fill=\"#c53030\"/></marker>\n"
    "</defs>\n";

class Painter {
public:
  explicit Painter(const SampledWorkflow &workflow)
      : workflow_(workflow), layout_(layOut(workflow)) {}

  std::string paint();

private:
  size_t end() const { return workflow_.zones.size(); }
  int64_t gridLeft() const {
    return kMargin + int64_t(kLaneGap) * (layout_.leftLanes + 1);
  }
  int64_t gridRight() const {
    return gridLeft() + int64_t(layout_.columns) * (kWidth + kColumnGap) -
           kColumnGap;
  }
  int64_t leftOf(size_t zone) const {
    return gridLeft() +
           int64_t(layout_.cells[zone].column) * (kWidth + kColumnGap);
  }
  int64_t topOf(size_t zone) const {
    return kHead + kLayerGap +
           int64_t(layout_.cells[zone].layer) * (kHeight + kLayerGap);
  }

  void paintHead();
  void paintZone(size_t number);
  void paintEnd();
  void paintEdge(const PictureEdge &edge);
  std::string direct(int64_t fromX, int64_t fromY, int64_t toX,
                     int64_t toY) const;
  std::string around(const PictureEdge &edge, int64_t fromX, int64_t fromY,
                     int64_t toX, int64_t toY) const;

  const SampledWorkflow &workflow_;
  PictureLayout layout_;
  std::string out_;
};

//===--- Zones ------------------------------------------------------------===//

std::string tagsOf(const SampledZone &zone) {
  return zone.tags.empty()
             ? ""
             : fmt::format("tags: {}", fmt::join(zone.tags, ", "));
}

std::string toolOf(const SampledZone &zone) {
  std::string text;
  if (zone.output)
    text = "tool: " + zone.tool;
  if (zone.input)
    text += text.empty() ? "feed" : ", feed";
  return text;
}

void Painter::paintZone(size_t number) {
  const SampledZone &zone = workflow_.zones[number];
  int64_t x = leftOf(number), y = topOf(number);
  const char *kind = zone.output ? " capture" : zone.input ? " feed" : "";
  out_ += fmt::format("<g id=\"zone-{}\" class=\"zone{}\">\n", number, kind);
  out_ += fmt::format(
      "<title>{}</title>\n",
      brief(fmt::format("{}\nadvances on {}\nat most {} tokens "
                        "generated",
                        zone.text, zone.advancePattern, zone.timeout),
            1000));
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
                      "rx=\"6\"/>\n",
                      x, y, kWidth, kHeight);
  int64_t line = y;
  auto text = [&](const char *name, const std::string &content) {
    line += 20;
    if (!content.empty())
      out_ += fmt::format("<text class=\"{}\" xml:space=\"preserve\" x=\"{}\" "
                          "y=\"{}\">{}</text>\n",
                          name, x + 12, line, content);
  };
  text("number",
       brief(fmt::format("{}  {}.{}", number, zone.sequence, zone.block),
             kLineCharacters));
  text("text", brief(zone.text, kTextCharacters));
  text("tags", brief(tagsOf(zone), kLineCharacters));
  text("tool", brief(toolOf(zone), kLineCharacters));
  out_ += "</g>\n";
}

void Painter::paintEnd() {
  int64_t x = leftOf(end()), y = topOf(end());
  out_ += fmt::format("<g id=\"zone-end\" class=\"end\">\n"
                      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"32\" "
                      "rx=\"16\"/>\n"
                      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">END"
                      "</text>\n</g>\n",
                      x + kWidth / 4, y, kWidth / 2, x + kWidth / 2, y + 20);
}

//===--- Edges ------------------------------------------------------------===//

std::string Painter::direct(int64_t fromX, int64_t fromY, int64_t toX,
                            int64_t toY) const {
  if (toY - fromY > kLayerGap)
    return fmt::format("M{} {}L{} {}", fromX, fromY, toX, toY);
  int64_t bend = (toY - fromY) / 2;
  return fmt::format("M{} {}C{} {} {} {} {} {}", fromX, fromY, fromX,
                     fromY + bend, toX, toY - bend, toX, toY);
}

/// Down to the gap below its layer, along it to the lane, along that to the gap
/// above the target's layer, and back.
std::string Painter::around(const PictureEdge &edge, int64_t fromX,
                            int64_t fromY, int64_t toX, int64_t toY) const {
  bool isRight = edge.way == PictureEdge::Way::Right;
  int64_t beside = int64_t(kLaneGap) * (edge.lane + 1);
  int64_t laneX = isRight ? gridRight() + beside : gridLeft() - beside;
  // Lanes spread over a part of the gap, so that few share a line there.
  int64_t spread = 14 + edge.lane % 5 * 5 + (isRight ? 2 : 0);
  return fmt::format("M{} {}V{}H{}V{}H{}V{}", fromX, fromY, fromY + spread,
                     laneX, toY - spread - 4, toX, toY);
}

void Painter::paintEdge(const PictureEdge &edge) {
  const char *kind = edge.isJump ? "jump" : "next";
  // Both edges of a zone leave it, and come to one, side by side.
  int64_t shift = edge.isJump ? 24 : -24;
  int64_t fromX = leftOf(edge.from) + kWidth / 2 + shift;
  int64_t toX = leftOf(edge.to) + kWidth / 2 + shift;
  int64_t fromY = topOf(edge.from) + kHeight, toY = topOf(edge.to);
  std::string path = edge.way == PictureEdge::Way::Direct
                         ? direct(fromX, fromY, toX, toY)
                         : around(edge, fromX, fromY, toX, toY);
  out_ +=
      fmt::format("<path id=\"edge-{}-{}-{}\" class=\"edge {}\" "
                  "marker-end=\"url(#head-{})\" d=\"{}\"/>\n",
                  edge.from, edge.to == end() ? "end" : std::to_string(edge.to),
                  kind, kind, kind, path);
}

//===--- The picture ------------------------------------------------------===//

void Painter::paintHead() {
  int64_t width =
      gridRight() + int64_t(kLaneGap) * (layout_.rightLanes + 1) + kMargin;
  int64_t height = kHead + kLayerGap + kMargin +
                   int64_t(layout_.layers) * (kHeight + kLayerGap) - kLayerGap;
  out_ += fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                      "viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                      "height=\"{1}\">\n<style>{2}</style>\n{3}"
                      "<rect width=\"{0}\" height=\"{1}\" "
                      "fill=\"#ffffff\"/>\n",
                      width, height, kStyle, kMarkers);
  out_ += fmt::format("<text class=\"title\" x=\"{}\" y=\"28\">{}</text>\n",
                      kMargin, brief(workflow_.name, kTextCharacters));
  auto key = [&](int64_t x, const char *kind, const char *text) {
    out_ +=
        fmt::format("<path class=\"edge {0}\" marker-end=\"url(#head-{0})\" "
                    "d=\"M{1} 46H{2}\"/><text x=\"{3}\" y=\"50\">{4}"
                    "</text>\n",
                    kind, x, x + 36, x + 44, text);
  };
  key(kMargin, "next", "next");
  key(kMargin + 110, "jump", "jump");
}

std::string Painter::paint() {
  paintHead();
  for (const PictureEdge &edge : layout_.edges)
    paintEdge(edge);
  for (size_t number = 0; number < end(); ++number)
    paintZone(number);
  paintEnd();
  return out_ + "</svg>\n";
}

} // namespace

std::string vm::token::drawWorkflow(const SampledWorkflow &workflow) {
  return Painter(workflow).paint();
}
