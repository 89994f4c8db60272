// A list of rows of one height that draws only those that are seen. Arrow keys
// move in it. Screen readers get the number of all rows.

import { html } from "./dom";

export interface ListOptions<Row> {
  label: string;
  rowHeight: number;
  head?: HTMLElement;
  draw(row: Row, index: number): HTMLElement;
  choose(row: Row): void;
}

const beyond = 12; // Rows that are drawn above and below those that are seen.

export class List<Row> {
  readonly element: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly space: HTMLElement;
  private rows: Row[] = [];
  private chosen = -1;
  private drawn: [number, number] = [0, 0];

  constructor(private readonly options: ListOptions<Row>) {
    this.space = html("div", { class: "list-space", role: "presentation" });
    this.scroller = html(
      "div",
      { class: "list-scroller", role: "rowgroup", tabindex: 0, onscroll: () => this.draw(), onkeydown: (event) => this.onKey(event as KeyboardEvent) },
      this.space,
    );
    this.element = html("div", { class: "list", role: "table", "aria-label": options.label }, options.head, this.scroller);
    new ResizeObserver(() => this.draw(true)).observe(this.scroller);
  }

  show(rows: Row[], chosen: number, reveal: boolean): void {
    this.rows = rows;
    this.chosen = chosen;
    this.element.setAttribute("aria-rowcount", String(rows.length));
    this.space.style.height = `${rows.length * this.options.rowHeight}px`;
    if (reveal && chosen >= 0) this.reveal(chosen);
    this.draw(true);
  }

  private reveal(index: number): void {
    const { rowHeight } = this.options;
    const { scrollTop, clientHeight } = this.scroller;
    const top = index * rowHeight;
    if (top < scrollTop + rowHeight || top > scrollTop + clientHeight - 2 * rowHeight)
      this.scroller.scrollTop = Math.max(0, top - clientHeight / 3);
  }

  private draw(anew = false): void {
    const { rowHeight } = this.options;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - beyond);
    const end = Math.min(this.rows.length, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / rowHeight) + beyond);
    if (!anew && this.drawn[0] === first && this.drawn[1] === end) return;
    this.drawn = [first, end];
    const elements: HTMLElement[] = [];
    for (let i = first; i < end; ++i) elements.push(this.row(i));
    this.space.replaceChildren(...elements);
  }

  private row(index: number): HTMLElement {
    const row = this.rows[index]!;
    const element = this.options.draw(row, index);
    element.classList.add("row");
    element.style.top = `${index * this.options.rowHeight}px`;
    element.style.height = `${this.options.rowHeight}px`;
    element.setAttribute("role", "row");
    element.setAttribute("aria-rowindex", String(index + 1));
    if (index === this.chosen) element.setAttribute("aria-current", "true");
    element.addEventListener("click", () => this.options.choose(row));
    return element;
  }

  private onKey(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.options.rowHeight) - 1);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.rows.length, End: this.rows.length };
    const step = steps[event.key];
    if (step === undefined || this.rows.length === 0) return;
    event.preventDefault();
    const next = Math.min(this.rows.length - 1, Math.max(0, this.chosen + step));
    this.reveal(next);
    this.options.choose(this.rows[next]!);
  }
}
