// A kernel as GLSL and SPIR-V, and the lines of the source that it was made of.

import { html } from "./dom";
import type { Model } from "./model";
import type { State, Store } from "./state";

interface Subject {
  kernel: number | undefined;
  stages: number[];
}

interface Excerpt {
  title: string;
  lines: string[];
  line: number; // The place's, from 1.
}

const around = 400; // Lines of a source that are shown on either side of a place.

/** `dir/q6.mlir:12:5` is line 12 of q6.mlir. */
function parsePlace(place: string): { file: string; line: number } | undefined {
  const match = /^(.*):(\d+):(\d+)$/.exec(place);
  return match ? { file: match[1]!, line: Number(match[2]) } : undefined;
}

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

function excerptOf(model: Model, stage: number): Excerpt | undefined {
  const { name, location } = model.plan.stages[stage]!;
  const place = parsePlace(location);
  const source = place && model.data.sources.find((each) => baseName(each.name) === baseName(place.file));
  if (place && source) return { title: location, lines: source.text.split("\n"), line: place.line };
  if (model.data.module === "") return undefined;
  const lines = model.data.module.split("\n");
  const line = lines.findIndex((text) => text.includes(`gpuvm.stage @${name.slice(name.lastIndexOf(".") + 1)}(`));
  return line < 0 ? undefined : { title: `${name} in the module of the plan`, lines, line: line + 1 };
}

function drawExcerpt({ title, lines, line }: Excerpt): HTMLElement {
  const first = Math.max(0, line - 1 - around);
  const text = html("pre", { class: "source", tabindex: 0, "aria-label": title });
  lines.slice(first, line + around).forEach((each, i) => {
    const isPlace = first + i + 1 === line;
    const row = html("span", { class: isPlace ? "line here" : "line" }, html("span", { class: "line-number" }, first + i + 1), `${each}\n`);
    text.append(row);
    if (isPlace) requestAnimationFrame(() => (text.scrollTop = Math.max(0, row.offsetTop - text.offsetTop - 60)));
  });
  return html("div", {}, html("p", { class: "place" }, title), text);
}

function draw(model: Model, tab: State["code"], subject: Subject): HTMLElement {
  if (tab === "source") {
    const excerpts = subject.stages.slice(0, 8).flatMap((stage) => excerptOf(model, stage) ?? []);
    if (excerpts.length > 0) return html("div", {}, ...excerpts.map(drawExcerpt));
    return html("p", { class: "empty" }, "The page has no source: gpuvm-plan html --source=FILE adds it.");
  }
  const code = subject.kernel === undefined ? undefined : model.code(subject.kernel);
  const text = code?.[tab];
  if (!text) return html("p", { class: "empty" }, code ? "The page does not have it: it was left out, or there is no GLSL for the kernel." : "There is no kernel.");
  return html("pre", { class: "code", tabindex: 0, "aria-label": tab }, text);
}

export function codePanel(model: Model, store: Store, subject: Subject): HTMLElement {
  const content = html("div", { class: "code-content", role: "tabpanel" });
  const names: [State["code"], string][] = [
    ["glsl", "GLSL"],
    ["spirv", "SPIR-V"],
    ["source", "Source"],
  ];
  const tabs = names.map(([tab, title]) => {
    const button = html("button", { type: "button", role: "tab", onclick: () => choose(tab) }, title);
    button.dataset["tab"] = tab;
    return button;
  });
  const mark = (tab: State["code"]) => {
    for (const button of tabs) button.setAttribute("aria-selected", String(button.dataset["tab"] === tab));
    content.replaceChildren(draw(model, tab, subject));
  };
  const choose = (tab: State["code"]) => {
    store.update({ code: tab });
    mark(tab);
  };
  mark(store.state.code);
  // The texts of kernels are the last part of the page.
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => mark(store.state.code), { once: true });
  return html("section", { class: "code-panel" }, html("div", { class: "tabs", role: "tablist", "aria-label": "Code" }, ...tabs), content);
}
