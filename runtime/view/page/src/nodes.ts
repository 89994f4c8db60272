// What a graph of a program shows: a box for each command that works, with its
// stages, boxes for inputs and outputs, and links with what flows.

import { bytes, time } from "./dom";
import type { Model, Part } from "./model";
import type { Selection } from "./state";

export interface NodeText {
  text: string;
  kind: "title" | "stage" | "note";
  select?: Selection | undefined;
}

export interface GraphNode {
  id: string;
  kind: "dispatch" | "other" | "input" | "output";
  command?: number | undefined;
  select?: Selection | undefined;
  title: string;
  lines: NodeText[];
  share: number; // Of the time of the longest command.
  cluster?: string | undefined;
  width: number;
  height: number;
}

export interface GraphLink {
  from: string;
  to: string;
  bytes: number;
  label: string;
  title: string;
  isCarried: boolean; // To another iteration.
  isMain: boolean;
}

export interface GraphCluster {
  id: string;
  parent?: string | undefined;
  repeat: number;
}

export interface Graph {
  nodes: GraphNode[];
  links: GraphLink[];
  clusters: GraphCluster[];
}

export const lineHeight = 16;
const padding = 10;
const mostStages = 4;
const mostSlots = 24; // Inputs that are drawn; more hide the rest.
const widest = 240;

const context = document.createElement("canvas").getContext("2d")!;

function widthOf(text: string, font: string): number {
  context.font = font;
  return context.measureText(text).width;
}

const family = "ui-sans-serif, system-ui, sans-serif";
export const fonts = { title: `600 12px ${family}`, stage: `11.5px ${family}`, note: `11px ${family}` };

/** `text`, cut in its middle to fit: names differ at both ends. */
function fit(text: string, kind: keyof typeof fonts): string {
  if (widthOf(text, fonts[kind]) <= widest) return text;
  let kept = Math.min(text.length, 120);
  const cut = () => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
  while (kept > 4 && widthOf(cut(), fonts[kind]) > widest) --kept;
  return cut();
}

function sized(node: Omit<GraphNode, "width" | "height">): GraphNode {
  const lines = node.lines.map((line) => ({ ...line, text: fit(line.text, line.kind) }));
  const width = Math.max(56, ...lines.map((line) => widthOf(line.text, fonts[line.kind]))) + 2 * padding;
  return { ...node, lines, width: Math.ceil(width), height: lines.length * lineHeight + padding };
}

export const commandId = (index: number) => `c${index}`;
const repeatId = (index: number) => `r${index}`;

function commandNode(model: Model, index: number): GraphNode {
  const command = model.command(index);
  const name = model.workName(index);
  const stages = command.stages.map((stage): NodeText => ({
    text: model.plan.stages[stage]!.name,
    kind: "stage",
    select: { kind: "stage", index: stage },
  }));
  const lines: NodeText[] = [{ text: name, kind: "title" }, ...stages.slice(0, mostStages)];
  if (stages.length > mostStages) lines.push({ text: `and ${stages.length - mostStages} more`, kind: "note" });
  const us = model.timeOf[index]?.median;
  const groups = command.groups ? command.groups.join("×") : command.op === "dispatch_indirect" ? "indirect" : "";
  const notes = [groups && `${groups} groups`, us !== undefined && time(us)].filter(Boolean);
  if (command.kernel !== undefined) lines.push({ text: `#${index}  ${notes.join(", ")}`, kind: "note" });
  const repeats = model.repeatsOf[index]!;
  return sized({
    id: commandId(index),
    kind: command.kernel === undefined ? "other" : "dispatch",
    command: index,
    select: { kind: "command", index },
    title: `#${index} ${name}\n${model.stageNames(index).join(", ")}`,
    lines,
    share: us !== undefined && model.longest > 0 ? us / model.longest : 0,
    cluster: repeats.length > 0 ? repeatId(repeats[repeats.length - 1]!) : undefined,
  });
}

/** Commands of the part that work. */
export function workOf(model: Model, part: Part): number[] {
  return part.waves.flatMap((wave) => wave.commands).filter((index) => model.command(index).op !== "clock");
}

/** The `most` commands around `center`, in the order in which they run. */
export function near(work: number[], center: number, most: number): number[] {
  const at = Math.max(0, work.indexOf(center));
  const first = Math.max(0, Math.min(at - Math.floor(most / 3), work.length - most));
  return work.slice(first, first + most);
}

function clustersOf(model: Model, commands: number[]): GraphCluster[] {
  const clusters = new Map<number, GraphCluster>();
  for (const index of commands) {
    const repeats = model.repeatsOf[index]!;
    repeats.forEach((repeat, depth) =>
      clusters.set(repeat, { id: repeatId(repeat), repeat, parent: depth > 0 ? repeatId(repeats[depth - 1]!) : undefined }),
    );
  }
  return [...clusters.values()];
}

/** Inputs and outputs of the commands that are shown, or none if they are too many. */
function slotsOf(model: Model, part: Part, shown: Set<number>): Pick<Graph, "nodes" | "links"> {
  const nodes = new Map<string, GraphNode>();
  const links: GraphLink[] = [];
  model.data.values.forEach((value, index) => {
    if (value.program !== part.index) return;
    const slot = model.slotOf(value);
    const isInput = slot?.kind === "input";
    const isOutput = slot?.kind === "output" && shown.has(value.writer!);
    if (!slot || !(isInput || isOutput)) return;
    const id = `${slot.kind}${slot.index}`;
    const add = (from: string, to: string, size: number) =>
      links.push({ from, to, bytes: size, label: bytes(size), title: `${slot.kind} ${slot.slot.name}: ${bytes(size)}`, isCarried: false, isMain: true });
    const readers = value.readers.filter(([command]) => shown.has(command));
    if (isInput && readers.length === 0) return;
    nodes.set(
      id,
      sized({
        id,
        kind: isInput ? "input" : "output",
        select: { kind: "value", index },
        title: `${slot.kind} ${slot.slot.name}`,
        lines: [{ text: slot.slot.name, kind: "title" }, { text: [...slot.slot.shape, slot.slot.dtype].join("×"), kind: "note" }],
        share: 0,
      }),
    );
    if (isOutput) add(commandId(value.writer!), id, value.length);
    else for (const [command, read] of readers) add(id, commandId(command), read);
  });
  return nodes.size > mostSlots ? { nodes: [], links: [] } : { nodes: [...nodes.values()], links };
}

export function graphOf(model: Model, part: Part, commands: number[]): Graph {
  const shown = new Set(commands);
  const slots = slotsOf(model, part, shown);
  const links = model.edges
    .filter((edge) => shown.has(edge.from) && shown.has(edge.to))
    .map((edge): GraphLink => {
      const names = [...new Set(edge.values.map((value) => model.valueName(model.data.values[value]!)))];
      return {
        from: commandId(edge.from),
        to: commandId(edge.to),
        bytes: edge.bytes,
        label: bytes(edge.bytes),
        title: `${bytes(edge.bytes)}: ${names.slice(0, 8).join(", ")}`,
        isCarried: edge.to < edge.from,
        isMain: edge.to > edge.from,
      };
    });
  const ends = (kind: GraphNode["kind"]) => slots.nodes.filter((node) => node.kind === kind);
  const graph = {
    nodes: [...ends("input"), ...commands.map((index) => commandNode(model, index)), ...ends("output")],
    links: [...slots.links, ...links],
    clusters: clustersOf(model, commands),
  };
  findMainLinks(graph);
  return graph;
}

const fewLinks = 30; // All of so many are drawn.

/** A link is no main one if others lead from its beginning to its end: they show the order. */
function findMainLinks({ nodes, links }: Graph): void {
  if (links.length <= fewLinks) return links.forEach((link) => (link.isMain = true));
  const order = new Map(nodes.map((node, i) => [node.id, i]));
  const words = Math.ceil(nodes.length / 32);
  const reached = nodes.map(() => new Uint32Array(words)); // Along main links, as bits.
  const from: GraphLink[][] = nodes.map(() => []);
  for (const link of links) if (link.isMain) from[order.get(link.from)!]!.push(link);
  for (let i = nodes.length - 1; i >= 0; --i) {
    const own = reached[i]!;
    from[i]!.sort((a, b) => order.get(a.to)! - order.get(b.to)!);
    for (const link of from[i]!) {
      const to = order.get(link.to)!;
      link.isMain = (own[to >> 5]! & (1 << (to & 31))) === 0;
      own[to >> 5]! |= 1 << (to & 31);
      reached[to]!.forEach((bits, word) => (own[word]! |= bits));
    }
  }
}
