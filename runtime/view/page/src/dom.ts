// Elements, and numbers as text. Everything that a plan says becomes a text node
// or an attribute's value, never markup.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
}

/** An element of HTML; `onclick` and the like are listeners. */
export function html<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  fill(element, attributes, children);
  return element;
}

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(element, attributes, children);
  return element;
}

const whole = new Intl.NumberFormat("en-US");

export function count(number: number): string {
  return whole.format(number);
}

/** `1 command`, `2 commands` */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

function scaled(value: number, step: number, units: string[]): string {
  let unit = 0;
  while (value >= step && unit + 1 < units.length) {
    value /= step;
    ++unit;
  }
  const digits = unit === 0 && Number.isInteger(value) ? 0 : value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

export function bytes(number: number): string {
  return scaled(number, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
}

/** Microseconds as a text. */
export function time(us: number): string {
  return us === 0 ? "0 µs" : scaled(us, 1000, ["µs", "ms", "s"]);
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}
