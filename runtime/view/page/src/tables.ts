// The views of kernels and of stages: tables that are sorted by a column.

import { bytes, count, html, percent, time } from "./dom";
import { List } from "./list";
import type { Model, Part } from "./model";
import { matcher } from "./search";
import { isSame, type Kind, type State, type Store } from "./state";

interface Column {
  title: string;
  text(index: number): string;
  order(index: number): number | string;
}

export interface TableOptions {
  kind: Kind & ("kernel" | "stage");
  label: string;
  columns: Column[];
  indices(part: Part): number[];
}

export class TableView {
  readonly element: HTMLElement;
  private readonly list: List<number>;
  private sortedBy = 0;
  private isDown = false;
  private readonly heads: HTMLElement[];

  constructor(
    private readonly model: Model,
    private readonly store: Store,
    private readonly options: TableOptions,
  ) {
    this.heads = options.columns.map((column, i) =>
      html("span", { role: "columnheader" }, html("button", { type: "button", onclick: () => this.sort(i) }, column.title)),
    );
    const kind = `${options.kind}-row`;
    this.list = new List<number>({
      label: options.label,
      rowHeight: 28,
      head: html("div", { class: `list-head table-row ${kind}`, role: "row" }, ...this.heads),
      draw: (index) => html("div", { class: `table-row ${kind}` }, ...options.columns.map((column) => html("span", { role: "cell", title: column.text(index) }, column.text(index)))),
      choose: (index) => store.update({ select: { kind: options.kind, index } }),
    });
    this.element = html("section", { class: `view ${options.kind}s-view`, "aria-label": options.label }, this.list.element);
  }

  show(state: State, reveal: boolean): void {
    const isMatch = matcher(this.model, state.query)[this.options.kind];
    const { order } = this.options.columns[this.sortedBy]!;
    const sign = this.isDown ? -1 : 1;
    const compare = (a: number, b: number) => {
      const [x, y] = [order(a), order(b)];
      return sign * (x < y ? -1 : x > y ? 1 : 0) || a - b;
    };
    const rows = this.options.indices(this.model.parts[state.program]!).filter(isMatch).sort(compare);
    this.heads.forEach((head, i) => head.setAttribute("aria-sort", i !== this.sortedBy ? "none" : this.isDown ? "descending" : "ascending"));
    this.list.show(rows, rows.findIndex((index) => isSame(state.select, { kind: this.options.kind, index })), reveal);
  }

  private sort(column: number): void {
    this.isDown = column === this.sortedBy ? !this.isDown : typeof this.options.columns[column]!.order(0) === "number";
    this.sortedBy = column;
    this.show(this.store.state, false);
  }
}

const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((total, each) => total + (each ?? 0), 0);

export function kernelTable(model: Model): TableOptions {
  const { kernels } = model.plan;
  const variantOf = new Map<number, number>();
  kernels.forEach((kernel, index) => kernel.variants?.forEach((variant) => variantOf.set(variant, index)));
  const calls = (index: number) => model.commandsOfKernel[index]!.length;
  const us = (index: number) => sum(model.commandsOfKernel[index]!.map((command) => model.timeOf[command]?.median));
  const total = model.data.profile?.total_us.median ?? 0;
  const columns: Column[] = [
    { title: "kernel", text: (i) => kernels[i]!.name, order: (i) => i },
    { title: "commands", text: (i) => (variantOf.has(i) ? `for ${kernels[variantOf.get(i)!]!.name}` : count(calls(i))), order: calls },
    { title: "workgroup", text: (i) => kernels[i]!.local_size.join("×"), order: (i) => kernels[i]!.local_size.reduce((a, b) => a * b, 1) },
    { title: "shared", text: (i) => bytes(kernels[i]!.workgroup_memory_bytes), order: (i) => kernels[i]!.workgroup_memory_bytes },
  ];
  if (model.data.profile)
    columns.push(
      { title: "time", text: (i) => (calls(i) > 0 ? time(us(i)) : ""), order: us },
      { title: "share", text: (i) => (calls(i) > 0 && total > 0 ? percent(us(i) / total) : ""), order: us },
    );
  return { kind: "kernel", label: "Kernels", columns, indices: (part) => indicesOfKernels(model, part, variantOf) };
}

/** The kernels of a program, each with its variants after it. */
function indicesOfKernels(model: Model, part: Part, variantOf: Map<number, number>): number[] {
  const isUsed = (index: number) =>
    model.commandsOfKernel[index]!.some((command) => command >= part.firstCommand && command < part.firstCommand + part.commands);
  return model.plan.kernels.flatMap((_, index) => (isUsed(variantOf.get(index) ?? index) ? [index] : []));
}

export function stageTable(model: Model): TableOptions {
  const { stages, kernels } = model.plan;
  const alone = (i: number) => model.data.profile?.stages[i]?.alone_us.median ?? 0;
  const fused = (i: number) => model.data.profile?.stages[i]?.fused_us.median ?? 0;
  const columns: Column[] = [
    { title: "stage", text: (i) => stages[i]!.name, order: (i) => i },
    { title: "source", text: (i) => stages[i]!.location, order: (i) => stages[i]!.location },
    { title: "kernels", text: (i) => stages[i]!.kernels.map((kernel) => kernels[kernel]!.name).join(", ") || "none", order: (i) => stages[i]!.kernels.length },
  ];
  if (model.data.profile)
    columns.push({ title: "time alone", text: (i) => time(alone(i)), order: alone }, { title: "time fused", text: (i) => time(fused(i)), order: fused });
  return {
    kind: "stage",
    label: "Stages",
    columns,
    indices: (part) => Array.from({ length: part.stages }, (_, i) => part.firstStage + i),
  };
}
