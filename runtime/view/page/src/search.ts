// What a query finds: every word of it occurs in a name, or is a command's number.

import { html } from "./dom";
import type { Model } from "./model";
import type { Selection, State, Store } from "./state";

export interface Matcher {
  stage(index: number): boolean;
  kernel(index: number): boolean;
  command(index: number): boolean;
}

export function matcher(model: Model, query: string): Matcher {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const has = (text: string) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
  const stage = (index: number) => has(`${model.plan.stages[index]!.name} ${model.plan.stages[index]!.location}`);
  return {
    stage,
    kernel: (index) => has(model.plan.kernels[index]!.name),
    command: (index) =>
      words.length === 0 || query.trim() === `#${index}` || query.trim() === String(index) ||
      has(`${model.workName(index)} ${model.stageNames(index).join(" ")} ${model.command(index).op}`),
  };
}

interface Found extends Selection {
  name: string;
  note: string;
}

const shown = 12;

function find(model: Model, query: string): Found[] {
  if (query.trim() === "") return [];
  const isMatch = matcher(model, query);
  const found: Found[] = [];
  const add = (kind: Selection["kind"], count: number, is: (index: number) => boolean, describe: (index: number) => [string, string]) => {
    for (let i = 0, n = 0; i < count && n < shown / 3; ++i)
      if (is(i)) {
        const [name, note] = describe(i);
        found.push({ kind, index: i, name, note });
        ++n;
      }
  };
  const { plan } = model;
  add("stage", plan.stages.length, isMatch.stage, (i) => [plan.stages[i]!.name, plan.stages[i]!.location]);
  add("kernel", plan.kernels.length, isMatch.kernel, (i) => [plan.kernels[i]!.name, ""]);
  add("command", plan.commands.length, isMatch.command, (i) => [`#${i} ${model.workName(i)}`, model.stageNames(i).slice(0, 4).join(", ")]);
  return found;
}

/** The field with its list of results. */
export class Search {
  readonly element: HTMLElement;
  private readonly field: HTMLInputElement;
  private readonly results: HTMLElement;
  private found: Found[] = [];
  private active = -1;

  constructor(
    private readonly model: Model,
    private readonly store: Store,
  ) {
    this.results = html("ul", { class: "results", id: "results", role: "listbox", "aria-label": "Results", hidden: true });
    this.field = html("input", {
      type: "search",
      placeholder: "Search stages, kernels, commands  ( / )",
      "aria-label": "Search",
      role: "combobox",
      "aria-controls": "results",
      "aria-expanded": "false",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.store.update({ query: this.field.value }),
      onfocus: () => this.open(),
      onblur: () => this.close(),
      onkeydown: (event) => this.onKey(event as KeyboardEvent),
    });
    this.element = html("div", { class: "search" }, this.field, this.results);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      this.field.focus();
      this.field.select();
    });
  }

  show(state: State): void {
    if (this.field.value !== state.query) this.field.value = state.query;
    if (document.activeElement === this.field) this.open();
  }

  private open(): void {
    this.found = find(this.model, this.field.value);
    this.active = -1;
    this.draw();
  }

  private close(): void {
    this.found = [];
    this.draw();
  }

  private draw(): void {
    this.results.hidden = this.found.length === 0;
    this.field.setAttribute("aria-expanded", String(this.found.length > 0));
    this.field.setAttribute("aria-activedescendant", this.active >= 0 ? `result-${this.active}` : "");
    this.results.replaceChildren(
      ...this.found.map((each, i) =>
        html(
          "li",
          {
            id: `result-${i}`,
            role: "option",
            "aria-selected": String(i === this.active),
            // The field keeps the focus until the click has been handled.
            onmousedown: (event) => event.preventDefault(),
            onclick: () => this.choose(each),
          },
          html("span", { class: "kind" }, each.kind),
          html("span", { class: "name" }, each.name),
          html("span", { class: "note" }, each.note),
        ),
      ),
    );
  }

  private choose({ kind, index }: Found): void {
    this.store.update({ select: { kind, index } });
    this.field.blur();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      this.store.update({ query: "" });
      this.field.blur();
    } else if (event.key === "Enter" && this.found.length > 0) this.choose(this.found[Math.max(0, this.active)]!);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.active = Math.min(this.found.length - 1, Math.max(0, this.active + step));
      this.draw();
    }
  }
}
