// The view of the graph: draws what nodes.ts finds where layout.ts places it, and
// moves over it.

import { count, counted, html, svg } from "./dom";
import { placeAside, type Placed, type PlacedGraph, type PlacedLink } from "./layout";
import type { Model, Part } from "./model";
import { graphOf, lineHeight, near, workOf, commandId, type Graph, type GraphLink, type GraphNode } from "./nodes";
import { matcher } from "./search";
import { PanZoom } from "./panzoom";
import type { Selection, State, Store } from "./state";

const clusterHead = 12; // The height of a repeat's title.
const mostNear = 90;
const mostDrawn = 160; // More commands are drawn only when asked for.
const mostPlaced = 1200; // dagre needs seconds for these.

/** A smooth line through the points of a link. */
function pathOf({ points }: PlacedLink): string {
  const [first, ...rest] = points;
  let path = `M${first!.x},${first!.y}`;
  for (let i = 0; i + 1 < rest.length; ++i) {
    const a = rest[i]!;
    const b = rest[i + 1]!;
    const isLast = i + 2 === rest.length;
    path += ` Q${a.x},${a.y} ${isLast ? b.x : (a.x + b.x) / 2},${isLast ? b.y : (a.y + b.y) / 2}`;
  }
  return rest.length === 1 ? `${path} L${rest[0]!.x},${rest[0]!.y}` : path;
}

/** A curve from box to box: out at a side if it leads up. */
function curveOf(from: Placed, to: Placed): string {
  if (to.y > from.y) {
    const [a, b] = [from.y + from.height / 2, to.y - to.height / 2];
    const bend = (b - a) / 2;
    return `M${from.x},${a} C${from.x},${a + bend} ${to.x},${b - bend} ${to.x},${b}`;
  }
  const [a, b] = [from.x + from.width / 2, to.x + to.width / 2];
  const out = Math.max(a, b) + 40 + Math.abs(from.y - to.y) / 8;
  return `M${a},${from.y} C${out},${from.y} ${out},${to.y} ${b},${to.y}`;
}

/** With a label if it has a place. */
function drawLink(link: GraphLink, path: string, label?: PlacedLink): SVGElement {
  return svg(
    "g",
    { class: `link${link.isCarried ? " carried" : ""}`, "data-from": link.from, "data-to": link.to },
    svg("title", {}, link.title),
    svg("path", { d: path, "marker-end": "url(#arrow)", "stroke-width": (1 + Math.log2(1 + link.bytes) / 14).toFixed(2) }),
    ...(label ? [svg("text", { x: label.x, y: label.y + 4, "text-anchor": "middle" }, link.label)] : []),
  );
}

export class GraphView {
  readonly element: HTMLElement;
  private readonly picture = svg("svg", { class: "graph", role: "group", "aria-label": "Graph of kernels" });
  private readonly layer = svg("g");
  private readonly extra = svg("g"); // Links that are drawn when an end is selected.
  private readonly note = html("div", { class: "graph-note" });
  private readonly moves: PanZoom;
  private shown: Graph = { nodes: [], links: [], clusters: [] };
  private places = new Map<string, Placed>();
  private shownKey = "";
  private request = 0;

  constructor(
    private readonly model: Model,
    private readonly store: Store,
  ) {
    this.picture.append(
      svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto-start-reverse" }, svg("path", { d: "M0,0.8 L7,4 L0,7.2 z" }))),
      this.layer,
    );
    this.moves = new PanZoom(this.picture, this.layer);
    const button = (text: string, label: string, action: () => void) =>
      html("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    this.element = html(
      "section",
      { class: "view graph-view", "aria-label": "Graph" },
      this.note,
      this.picture,
      html(
        "div",
        { class: "zoom" },
        button("+", "Zoom in", () => this.moves.zoom(1.25)),
        button("−", "Zoom out", () => this.moves.zoom(0.8)),
        button("⤢", "Show all", () => this.moves.fit()),
      ),
    );
  }

  show(state: State): void {
    const part = this.model.parts[state.program]!;
    const commands = this.commandsToShow(part, state);
    const key = `${part.index}:${commands.length}:${commands[0]}:${commands[commands.length - 1]}:${commands.length < mostDrawn || state.scope}:${state.links}`;
    const isNew = key !== this.shownKey;
    if (isNew) void this.load(part, key, commands);
    else this.mark();
    const notes = this.noteOf(part, state, commands.length);
    this.note.replaceChildren(...notes);
    this.note.hidden = notes.length === 0;
  }

  /** Those of the selection in the part, or undefined. */
  private center(part: Part, select: Selection | undefined): number | undefined {
    const isOfPart = (index: number | null | undefined) =>
      index !== undefined && index !== null && index >= part.firstCommand && index < part.firstCommand + part.commands;
    const of = this.selected(select).find(isOfPart);
    if (of === undefined || this.model.command(of).op !== "barrier") return of;
    return this.model.command(of).reasons?.[0]?.second;
  }

  private commandsToShow(part: Part, state: State): number[] {
    const work = workOf(this.model, part);
    if (work.length <= mostDrawn || (state.scope === "all" && work.length <= mostPlaced)) return work;
    const wanted = this.center(part, state.select);
    const isShown = wanted !== undefined && this.shownKey.startsWith(`${part.index}:`) && this.shown.nodes.some((node) => node.command === wanted);
    if (isShown || (wanted === undefined && this.shownKey.startsWith(`${part.index}:`)))
      return this.shown.nodes.flatMap((node) => (node.command === undefined ? [] : [node.command]));
    const longest = work.reduce((best, index) => ((this.model.timeOf[index]?.median ?? 0) > (this.model.timeOf[best]?.median ?? 0) ? index : best), work[0]!);
    return near(work, wanted ?? longest, mostNear);
  }

  private noteOf(part: Part, state: State, drawn: number): Node[] {
    const all = workOf(this.model, part).length;
    const toggle = (text: string, change: Partial<State>) => html("button", { type: "button", onclick: () => this.store.update(change) }, text);
    const notes: Node[] = [];
    if (drawn < all) notes.push(html("span", {}, `${count(drawn)} of ${count(all)} commands, around what is selected`));
    if (all > mostDrawn && all <= mostPlaced) {
      const isAll = state.scope === "all";
      notes.push(toggle(isAll ? "Show fewer" : "Show all", { scope: isAll ? "near" : "all" }));
    }
    const hidden = this.shown.links.filter((link) => !link.isMain).length;
    if (hidden > 0) {
      const isAll = state.links === "all";
      notes.push(
        html("span", { title: "They lead where other links lead, too, or to the next iteration. Those of what is selected are drawn." }, isAll ? "All links" : `${counted(hidden, "link")} left out`),
        toggle(isAll ? "Leave out those that others imply" : "Show all", { links: isAll ? "main" : "all" }),
      );
    }
    return notes;
  }

  private async load(part: Part, key: string, commands: number[]): Promise<void> {
    this.shownKey = key;
    const request = ++this.request;
    const graph = graphOf(this.model, part, commands);
    const links = graph.links.filter((link) => link.isMain || this.store.state.links === "all");
    this.shown = graph;
    this.element.setAttribute("aria-busy", "true");
    const placed = await placeAside({
      boxes: graph.nodes.map(({ id, width, height, cluster }) => ({ id, width, height, cluster })),
      clusters: graph.clusters,
      links: links.map(({ from, to, label, bytes }) => ({ from, to, labelWidth: 7 * label.length, weight: 1 + Math.log2(1 + bytes) / 8 })),
    });
    if (request !== this.request) return;
    this.places = new Map(graph.nodes.map(({ id }, i) => [id, placed.boxes[i]!]));
    this.draw(graph, links, placed);
    this.moves.setSize(placed.width, placed.height);
    this.element.removeAttribute("aria-busy");
    this.mark();
  }

  private draw(graph: Graph, drawn: GraphLink[], placed: PlacedGraph): void {
    const clusters = graph.clusters.map((cluster, i) => {
      const { x, y, width, height } = placed.clusters[i]!;
      const { times, while: condition } = this.model.command(cluster.repeat);
      return svg(
        "g",
        { class: "cluster", onclick: () => this.store.update({ select: { kind: "command", index: cluster.repeat } }) },
        svg("rect", { x: x - width / 2, y: y - height / 2 - clusterHead, width, height: height + clusterHead, rx: 8 }),
        svg("text", { x: x - width / 2 + 10, y: y - height / 2 + 13 - clusterHead }, `repeat ${count(times!)}×${condition ? " while" : ""}`),
      );
    });
    const links = drawn.map((link, i) => drawLink(link, pathOf(placed.links[i]!), placed.links[i]));
    const nodes = graph.nodes.map((node, i) => this.drawNode(node, placed.boxes[i]!.x, placed.boxes[i]!.y));
    this.layer.replaceChildren(...clusters, ...links, this.extra, ...nodes);
  }

  private drawNode(node: GraphNode, x: number, y: number): SVGElement {
    const choose = (select: Selection | undefined) => (event: Event) => {
      event.stopPropagation();
      if (select) this.store.update({ select });
    };
    const left = -node.width / 2;
    const top = -node.height / 2;
    const group = svg(
      "g",
      {
        class: `node ${node.kind}`,
        id: `node-${node.id}`,
        transform: `translate(${x},${y})`,
        tabindex: 0,
        role: "button",
        onclick: choose(node.select),
        onkeydown: (event) => {
          if ((event as KeyboardEvent).key === "Enter") choose(node.select)(event);
        },
      },
      svg("title", {}, node.title),
      svg("rect", { class: "box", x: left, y: top, width: node.width, height: node.height, rx: node.kind === "dispatch" ? 5 : node.height / 2 }),
    );
    if (node.share > 0)
      group.append(svg("rect", { class: "heat", x: left + 1, y: top + node.height - 4, width: Math.max(1, (node.width - 2) * node.share), height: 3 }));
    node.lines.forEach((line, i) => {
      const attributes = { class: line.kind, x: 0, y: top + lineHeight * (i + 1), "text-anchor": "middle" };
      group.append(svg("text", line.select ? { ...attributes, onclick: choose(line.select) } : attributes, line.text));
    });
    return group;
  }

  private selected(select: Selection | undefined): number[] {
    if (!select) return [];
    const { model } = this;
    switch (select.kind) {
      case "command":
        return [select.index];
      case "kernel":
        return model.commandsOfKernel[select.index]!;
      case "stage":
        return model.commandsOfStage[select.index]!;
      case "value": {
        const value = model.data.values[select.index]!;
        return [...(value.writer === null ? [] : [value.writer]), ...value.readers.map(([reader]) => reader)];
      }
    }
  }

  private drawExtra(chosen: Set<string>, state: State): void {
    const isExtra = (link: GraphLink) => !link.isMain && state.links === "main" && (chosen.has(link.from) || chosen.has(link.to));
    const drawn = this.shown.links.filter(isExtra).map((link) => {
      const from = this.places.get(link.from)!;
      const to = this.places.get(link.to)!;
      return drawLink(link, curveOf(from, to));
    });
    this.extra.replaceChildren(...drawn);
  }

  /** Shows what is selected, what it is linked to, and what a query finds. */
  private mark(): void {
    const { state } = this.store;
    const chosen = new Set(this.selected(state.select).map(commandId));
    const isMatch = state.query === "" ? undefined : matcher(this.model, state.query);
    for (const node of this.shown.nodes) {
      const element = this.layer.querySelector(`#node-${node.id}`);
      element?.classList.toggle("selected", chosen.has(node.id));
      element?.classList.toggle("dim", isMatch !== undefined && !(node.command !== undefined && isMatch.command(node.command)));
    }
    this.drawExtra(chosen, state);
    for (const link of this.layer.querySelectorAll<SVGElement>(".link"))
      link.classList.toggle("selected", chosen.has(link.dataset["from"]!) || chosen.has(link.dataset["to"]!));
    const first = [...chosen].map((id) => this.layer.querySelector<SVGGElement>(`#node-${id}`)).find((element) => element !== null);
    if (first) this.moves.reveal(first);
  }
}
