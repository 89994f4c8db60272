// The page: reads the plan, makes the views, and shows what its address says.

import { CommandsView } from "./commands";
import type { Data } from "./data";
import { Detail } from "./detail";
import { bytes, counted, html, time } from "./dom";
import { GraphView } from "./graph";
import { serve } from "./layout";
import { MemoryView } from "./memory";
import { Model } from "./model";
import { Search } from "./search";
import { isSame, Store, type State, type ViewName } from "./state";
import { kernelTable, stageTable, TableView } from "./tables";

interface View {
  element: HTMLElement;
  show(state: State, reveal: boolean): void;
}

const titles: Record<ViewName, string> = { graph: "Graph", commands: "Commands", memory: "Memory", kernels: "Kernels", stages: "Stages" };

/** What the plan has not is not selected. */
function corrected(model: Model, state: State): State {
  const lists = { stage: model.plan.stages, command: model.plan.commands, kernel: model.plan.kernels, value: model.data.values };
  const { select } = state;
  const isThere = select !== undefined && select.index < lists[select.kind].length;
  return { ...state, program: Math.min(state.program, model.parts.length - 1), select: isThere ? select : undefined };
}

/** What is selected may be of another program than the one that is shown. */
function programOf(model: Model, { select, program }: State): number {
  if (select?.kind === "command") return model.partOf(select.index).index;
  if (select?.kind === "stage") return model.partOfStage(select.index).index;
  if (select?.kind === "value") return model.data.values[select.index]!.program;
  return program;
}

function summary(model: Model, state: State): string {
  const part = model.parts[state.program]!;
  const range = model.plan.commands.slice(part.firstCommand, part.firstCommand + part.commands);
  const barriers = range.filter((command) => command.op === "barrier").length;
  const total = Object.values(model.plan.regions).reduce((sum, size) => sum + size, 0);
  const facts = [counted(part.stages, "stage"), counted(range.length - barriers, "command"), counted(barriers, "barrier"), `${bytes(total)} of memory`];
  const { profile } = model.data;
  if (profile) facts.push(`${time(profile.total_us.median)} on ${profile.device}`);
  return facts.join("  ·  ");
}

function themeButton(): HTMLElement {
  const root = document.documentElement;
  const isDark = () => (root.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  return html(
    "button",
    {
      type: "button",
      class: "theme",
      title: "Light or dark",
      "aria-label": "Light or dark",
      onclick: () => {
        root.dataset["theme"] = isDark() ? "light" : "dark";
        dispatchEvent(new Event("themechange"));
      },
    },
    "◐",
  );
}

function start(): void {
  const model = new Model(JSON.parse(document.getElementById("data")!.textContent!) as Data);
  const store = new Store((state) => corrected(model, state));
  const views: Record<ViewName, View> = {
    graph: new GraphView(model, store),
    commands: new CommandsView(model, store),
    memory: new MemoryView(model, store),
    kernels: new TableView(model, store, kernelTable(model)),
    stages: new TableView(model, store, stageTable(model)),
  };
  const detail = new Detail(model, store);
  const search = new Search(model, store);
  const facts = html("p", { class: "facts" });
  const tabs = (Object.keys(titles) as ViewName[]).map((view) => {
    const tab = html("button", { type: "button", role: "tab", id: `tab-${view}`, onclick: () => store.update({ view }) }, titles[view]);
    return { view, tab };
  });
  const programs = html("select", { "aria-label": "Program", onchange: () => store.update({ program: Number(programs.value), select: undefined }) }, ...model.parts.map((part) => html("option", { value: part.index }, part.name)));
  const panel = html("div", { class: "panel", role: "tabpanel" });
  document.getElementById("page")!.replaceChildren(
    html(
      "header",
      {},
      html("h1", { title: model.data.file }, model.plan.program),
      model.parts.length > 1 && programs,
      facts,
      search.element,
      themeButton(),
    ),
    html(
      "main",
      {},
      html("div", { class: "views", role: "tablist", "aria-label": "Views" }, ...tabs.map(({ tab }) => tab)),
      html("div", { class: "body" }, panel, detail.element),
    ),
  );

  const show = (state: State, before?: State) => {
    const program = programOf(model, state);
    if (program !== state.program && !isSame(state.select, before?.select)) return store.update({ program });
    const view = views[state.view];
    for (const { view: name, tab } of tabs) tab.setAttribute("aria-selected", String(name === state.view));
    programs.value = String(state.program);
    facts.textContent = summary(model, state);
    if (panel.firstChild !== view.element) panel.replaceChildren(view.element);
    panel.setAttribute("aria-labelledby", `tab-${state.view}`);
    if (!before || !isSame(before.select, state.select)) detail.show(state);
    view.show(state, !isSame(before?.select, state.select) || before?.view !== state.view);
    search.show(state);
  };
  store.listen(show);
  addEventListener("themechange", () => views[store.state.view].show(store.state, false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !(event.target instanceof HTMLInputElement)) store.update({ select: undefined });
  });
  show(store.state);
}

if (typeof document === "undefined") serve();
else start();
