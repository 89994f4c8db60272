// The view of memory: for each region which bytes are in use from which command to
// which, and how many bytes that is.

import { bytes, html } from "./dom";
import type { Value } from "./data";
import type { Model, Part } from "./model";
import { matcher } from "./search";
import type { State, Store } from "./state";

const kinds = ["input", "output", "symbol", "register", "result"] as const;
type ValueKind = (typeof kinds)[number];

const curveHeight = 56;
const mapHeight = 200;
const gutter = 10;

interface Shown {
  value: Value;
  index: number;
  kind: ValueKind;
}

function kindOf(model: Model, value: Value): ValueKind {
  return model.slotOf(value)?.kind ?? (value.writer === null ? "symbol" : "result");
}

/** Bytes in use at each command: those that several values have count once. */
function usedAt(part: Part, values: Value[]): number[] {
  const change = new Array<number>(part.commands + 1).fill(0);
  const add = (begin: number, end: number, bytes: number) => {
    change[begin - part.firstCommand]! += bytes;
    change[end - part.firstCommand + 1]! -= bytes;
  };
  const bounds = [...new Set(values.flatMap(({ offset, length }) => [offset, offset + length]))].sort((a, b) => a - b);
  const place = new Map(bounds.map((offset, i) => [offset, i]));
  const lives: Value[][] = bounds.map(() => []);
  for (const value of values)
    for (let i = place.get(value.offset)!; bounds[i]! < value.offset + value.length; ++i) lives[i]!.push(value);
  lives.forEach((list, i) => {
    list.sort((a, b) => a.begin - b.begin);
    let until = -1;
    for (const { begin, end } of list) {
      if (end > until) add(Math.max(begin, until + 1), end, bounds[i + 1]! - bounds[i]!);
      until = Math.max(until, end);
    }
  });
  let used = 0;
  return change.slice(0, -1).map((each) => (used += each));
}

/** The picture of one region. */
class RegionMap {
  readonly element: HTMLElement;
  private readonly canvas = html("canvas", { class: "map" });
  private readonly tip: HTMLElement;
  private readonly used: number[];
  private readonly most: number;
  private readonly lowest: number;
  private readonly highest: number;
  private isMatch: ((value: Shown) => boolean) | undefined;
  private selected = -1;

  constructor(
    private readonly model: Model,
    private readonly store: Store,
    private readonly part: Part,
    region: string,
    private readonly values: Shown[],
  ) {
    this.used = usedAt(part, values.map((each) => each.value));
    this.most = Math.max(1, ...this.used);
    this.lowest = Math.min(...values.map(({ value }) => value.offset));
    this.highest = Math.max(...values.map(({ value }) => value.offset + value.length));
    this.tip = html("div", { class: "tip", hidden: true });
    const size = model.plan.regions[region] ?? 0;
    const caption = html(
      "figcaption",
      {},
      html("b", {}, region),
      ` ${bytes(size)} in all, at most ${bytes(this.most)} in use at once by this program`,
    );
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${caption.textContent}: ${values.length} values`);
    this.element = html("figure", { class: "region", "data-region": region }, caption, html("div", { class: "map-frame" }, this.canvas, this.tip));
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("click", (event) => {
      const found = this.find(event);
      if (found) this.store.update({ select: { kind: "value", index: found.index } });
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(selected: number, isMatch: ((value: Shown) => boolean) | undefined): void {
    this.selected = selected;
    this.isMatch = isMatch;
    this.draw();
  }

  private box({ value }: Shown, width: number) {
    const step = width / Math.max(1, this.part.commands);
    const scale = mapHeight / Math.max(1, this.highest - this.lowest);
    return {
      x: (value.begin - this.part.firstCommand) * step,
      y: curveHeight + gutter + (value.offset - this.lowest) * scale,
      width: Math.max(1, (value.end - value.begin + 1) * step),
      height: Math.max(1, value.length * scale),
    };
  }

  private draw(): void {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    const height = curveHeight + gutter + mapHeight;
    this.canvas.width = Math.round(width * devicePixelRatio);
    this.canvas.height = Math.round(height * devicePixelRatio);
    const context = this.canvas.getContext("2d")!;
    context.scale(devicePixelRatio, devicePixelRatio);
    const style = getComputedStyle(this.canvas);
    const color = (name: string) => style.getPropertyValue(`--${name}`);
    this.drawCurve(context, width, color("curve"), color("line"));
    context.fillStyle = color("map");
    context.fillRect(0, curveHeight + gutter, width, mapHeight);
    for (const shown of this.values) {
      const box = this.box(shown, width);
      context.globalAlpha = this.isMatch && !this.isMatch(shown) ? 0.15 : 0.85;
      context.fillStyle = color(shown.kind);
      context.fillRect(box.x, box.y, box.width, box.height);
      if (box.width > 3 && box.height > 3) {
        context.strokeStyle = color("map");
        context.lineWidth = 1;
        context.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
      }
    }
    context.globalAlpha = 1;
    const chosen = this.values.find(({ index }) => index === this.selected);
    if (!chosen) return;
    const box = this.box(chosen, width);
    context.strokeStyle = color("text");
    context.lineWidth = 2;
    context.strokeRect(box.x, box.y, Math.max(3, box.width), Math.max(3, box.height));
  }

  private drawCurve(context: CanvasRenderingContext2D, width: number, fill: string, line: string): void {
    const step = width / Math.max(1, this.used.length);
    context.beginPath();
    context.moveTo(0, curveHeight);
    this.used.forEach((used, i) => {
      const y = curveHeight - (used / this.most) * (curveHeight - 4);
      context.lineTo(i * step, y);
      context.lineTo((i + 1) * step, y);
    });
    context.lineTo(width, curveHeight);
    context.fillStyle = fill;
    context.fill();
    context.strokeStyle = line;
    context.stroke();
  }

  private find(event: MouseEvent): Shown | undefined {
    const width = this.canvas.clientWidth;
    const within = (from: number, size: number, at: number) => at >= from - 1 && at <= from + Math.max(2, size) + 1;
    let best: Shown | undefined;
    for (const shown of this.values) {
      const box = this.box(shown, width);
      const isHit = within(box.x, box.width, event.offsetX) && within(box.y, box.height, event.offsetY);
      if (isHit && (!best || shown.value.length < best.value.length)) best = shown;
    }
    return best;
  }

  private point(event: PointerEvent): void {
    const step = this.canvas.clientWidth / Math.max(1, this.part.commands);
    const command = Math.min(this.part.commands - 1, Math.max(0, Math.floor(event.offsetX / step)));
    const found = event.offsetY > curveHeight ? this.find(event) : undefined;
    const place = `#${this.part.firstCommand + command}: ${bytes(this.used[command] ?? 0)} in use`;
    this.tip.textContent = found ? `${this.model.valueName(found.value)}, ${bytes(found.value.length)}` : place;
    this.tip.hidden = false;
    this.tip.style.left = `${Math.min(event.offsetX + 12, this.canvas.clientWidth - this.tip.offsetWidth)}px`;
    this.tip.style.top = `${event.offsetY + 14}px`;
    this.canvas.classList.toggle("over", found !== undefined);
  }
}

export class MemoryView {
  readonly element = html("section", { class: "view memory-view", "aria-label": "Memory", tabindex: 0 });
  private maps: RegionMap[] = [];
  private part: Part | undefined;

  constructor(
    private readonly model: Model,
    private readonly store: Store,
  ) {}

  show(state: State): void {
    const part = this.model.parts[state.program]!;
    if (this.part !== part) this.load(part);
    this.part = part;
    const selected = state.select?.kind === "value" ? state.select.index : -1;
    const matches = state.query === "" ? undefined : matcher(this.model, state.query);
    const query = state.query.toLowerCase();
    const isMatch = matches && (({ value }: Shown) => (value.writer !== null && matches.command(value.writer)) || this.model.valueName(value).toLowerCase().includes(query));
    for (const map of this.maps) map.show(selected, isMatch);
  }

  private load(part: Part): void {
    const byRegion = new Map<string, Shown[]>();
    this.model.data.values.forEach((value, index) => {
      if (value.program !== part.index) return;
      const list = byRegion.get(value.region) ?? [];
      list.push({ value, index, kind: kindOf(this.model, value) });
      byRegion.set(value.region, list);
    });
    this.maps = Object.keys(this.model.plan.regions).flatMap((region) => {
      const values = byRegion.get(region);
      return values && part.commands > 0 ? [new RegionMap(this.model, this.store, part, region, values)] : [];
    });
    const legend = html("p", { class: "legend" }, ...kinds.map((kind) => html("span", { class: `key ${kind}` }, kind === "register" ? "message" : kind === "result" ? "other result" : kind)), html("span", { class: "axis" }, "right: commands, down: bytes"));
    this.element.replaceChildren(legend, ...(this.maps.length > 0 ? this.maps.map((map) => map.element) : [html("p", { class: "empty" }, "This program keeps nothing in memory.")]));
  }
}
