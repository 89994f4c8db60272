// The view of commands: waves, what works in each, and the barriers between them
// with their reasons.

import { bytes, count, counted, html, time } from "./dom";
import { List } from "./list";
import type { Window } from "./data";
import { windowText, type Model, type Part } from "./model";
import { matcher } from "./search";
import { isSame, type State, type Store } from "./state";

type Row = { kind: "wave"; wave: number; commands: number; us: number | undefined } | { kind: "command"; index: number };

function allRows(model: Model, part: Part): Row[] {
  const rows: Row[] = [];
  let wave = -1;
  for (let i = part.firstCommand; i < part.firstCommand + part.commands; ++i) {
    const isBarrier = model.command(i).op === "barrier";
    if (isBarrier) rows.push({ kind: "command", index: i });
    if (model.waveOf[i] !== wave) {
      wave = model.waveOf[i]!;
      const { commands } = part.waves[wave]!;
      const us = model.data.profile ? commands.reduce((sum, each) => sum + (model.timeOf[each]?.median ?? 0), 0) : undefined;
      rows.push({ kind: "wave", wave, commands: commands.length, us });
    }
    if (!isBarrier) rows.push({ kind: "command", index: i });
  }
  return rows;
}

/** `RAW filter → revenue, 4 KiB`, and how many more. */
export function reasonSummary(model: Model, index: number): string {
  const reasons = model.command(index).reasons ?? [];
  const first = reasons[0];
  if (!first) return "no reason is given";
  const stages = (command: number) => model.stageNames(command).slice(0, 3).join("+") || model.workName(command);
  const more = reasons.length > 1 ? `, ${count(reasons.length - 1)} more` : "";
  return `${first.kind} ${stages(first.first)} → ${stages(first.second)}, ${bytes(first.length)}${more}`;
}

/** What the last command of a repeat that writes its condition writes there. */
function conditionName(model: Model, index: number, condition: Window): string {
  for (let i = index + model.command(index).commands!; i > index; --i)
    if (model.valueAt(condition, i, true) !== undefined) return model.windowName(condition, i, true);
  return windowText(condition);
}

export function repeatSummary(model: Model, index: number): string {
  const command = model.command(index);
  const condition = command.while ? ` while ${conditionName(model, index, command.while)}` : "";
  return `${counted(command.commands!, "command")}, ${count(command.times!)} times${condition}`;
}

function timeBar(model: Model, index: number): HTMLElement {
  const spread = model.timeOf[index];
  if (!spread) return html("span", { class: "time" });
  const share = model.longest > 0 ? spread.median / model.longest : 0;
  return html(
    "span",
    { class: "time", title: `p10 ${time(spread.p10)}, p90 ${time(spread.p90)}` },
    html("span", { class: "bar", style: `width:${(100 * share).toFixed(1)}%` }),
    html("span", { class: "number" }, time(spread.median)),
  );
}

export class CommandsView {
  readonly element: HTMLElement;
  private readonly list: List<Row>;
  private rows: Row[] = [];
  private part: Part | undefined;

  constructor(
    private readonly model: Model,
    store: Store,
  ) {
    const titles = ["#", "kernel or operation", "stages", "workgroups", "reads", "writes", model.data.profile ? "time" : ""];
    this.list = new List<Row>({
      label: "Commands",
      rowHeight: 28,
      head: html("div", { class: "list-head command-row", role: "row" }, ...titles.map((title) => html("span", { role: "columnheader" }, title))),
      draw: (row) => (row.kind === "wave" ? this.drawWave(row) : this.drawCommand(row.index)),
      choose: (row) => row.kind === "command" && store.update({ select: { kind: "command", index: row.index } }),
    });
    this.element = html("section", { class: "view commands-view", "aria-label": "Commands" }, this.list.element);
    if (!model.data.profile) this.element.classList.add("no-times");
  }

  show(state: State, reveal: boolean): void {
    const part = this.model.parts[state.program]!;
    if (this.part !== part) this.rows = allRows(this.model, part);
    this.part = part;
    const isMatch = matcher(this.model, state.query);
    const rows = state.query === "" ? this.rows : this.rows.filter((row) => row.kind === "command" && isMatch.command(row.index));
    const chosen = rows.findIndex((row) => row.kind === "command" && isSame(state.select, { kind: "command", index: row.index }));
    this.list.show(rows, chosen, reveal);
  }

  private drawWave(row: Row & { kind: "wave" }): HTMLElement {
    return html(
      "div",
      { class: "wave-row" },
      html("span", { role: "cell" }, html("b", {}, `Wave ${row.wave}`), ` ${counted(row.commands, "command")}`, row.us !== undefined && `, ${time(row.us)}`),
    );
  }

  private drawCommand(index: number): HTMLElement {
    const command = this.model.command(index);
    if (command.op === "barrier") return this.drawWide(index, "barrier", reasonSummary(this.model, index));
    if (command.op === "repeat") return this.drawWide(index, "repeat", repeatSummary(this.model, index));
    const { read, written } = this.model.traffic(index);
    const cell = (...content: (Node | string)[]) => html("span", { role: "cell" }, ...content);
    const groups = command.groups ? command.groups.join("×") : command.op === "dispatch_indirect" ? "from Control" : "";
    return html(
      "div",
      { class: "command-row" },
      cell(String(index)),
      html("span", { role: "cell", class: "work", style: this.indent(index) }, this.model.workName(index)),
      cell(this.model.stageNames(index).join(", ")),
      cell(groups),
      cell(read ? bytes(read) : ""),
      cell(written ? bytes(written) : ""),
      timeBar(this.model, index),
    );
  }

  private drawWide(index: number, kind: string, text: string): HTMLElement {
    return html(
      "div",
      { class: `command-row ${kind}-row` },
      html("span", { role: "cell" }, index),
      html("span", { role: "cell", class: "wide", style: this.indent(index), title: text }, html("b", {}, kind), ` ${text}`),
      timeBar(this.model, index),
    );
  }

  private indent(index: number): string {
    return `padding-left:${16 * this.model.repeatsOf[index]!.length}px`;
  }
}
