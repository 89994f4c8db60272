// What is shown, kept in the fragment of the page's address: a link to it shows the
// same. What is selected gets an entry in the history, so that "back" leads back.

export type ViewName = "graph" | "commands" | "memory" | "kernels" | "stages";
export type Kind = "stage" | "command" | "kernel" | "value";

export interface Selection {
  kind: Kind;
  index: number;
}

export interface State {
  view: ViewName;
  program: number;
  select: Selection | undefined;
  query: string;
  code: "glsl" | "spirv" | "source";
  scope: "near" | "all";
  links: "main" | "all";
}

const views: ViewName[] = ["graph", "commands", "memory", "kernels", "stages"];
const initial: State = { view: "graph", program: 0, select: undefined, query: "", code: "glsl", scope: "near", links: "main" };

function oneOf<T extends string>(text: string | null, allowed: readonly T[], otherwise: T): T {
  return allowed.find((each) => each === text) ?? otherwise;
}

function parseSelection(text: string | null): Selection | undefined {
  const match = /^(stage|command|kernel|value)-(\d{1,9})$/.exec(text ?? "");
  return match ? { kind: match[1] as Kind, index: Number(match[2]) } : undefined;
}

export function parse(fragment: string): State {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  return {
    view: oneOf(fields.get("view"), views, initial.view),
    program: Number(/^\d{1,4}$/.exec(fields.get("program") ?? "")?.[0] ?? 0),
    select: parseSelection(fields.get("select")),
    query: fields.get("q") ?? "",
    code: oneOf(fields.get("code"), ["glsl", "spirv", "source"] as const, initial.code),
    scope: oneOf(fields.get("scope"), ["near", "all"] as const, initial.scope),
    links: oneOf(fields.get("links"), ["main", "all"] as const, initial.links),
  };
}

export function toFragment(state: State): string {
  const fields = new URLSearchParams();
  if (state.view !== initial.view) fields.set("view", state.view);
  if (state.program !== 0) fields.set("program", String(state.program));
  if (state.select) fields.set("select", `${state.select.kind}-${state.select.index}`);
  if (state.query !== "") fields.set("q", state.query);
  if (state.code !== initial.code) fields.set("code", state.code);
  if (state.scope !== initial.scope) fields.set("scope", state.scope);
  if (state.links !== initial.links) fields.set("links", state.links);
  return fields.toString();
}

type Listener = (state: State, before: State) => void;

export class Store {
  state: State;
  private readonly listeners: Listener[] = [];

  /** `correct` makes a state from outside one that the plan has. */
  constructor(private readonly correct: (state: State) => State) {
    this.state = correct(parse(location.hash));
    addEventListener("popstate", () => this.show(correct(parse(location.hash))));
    addEventListener("hashchange", () => this.show(correct(parse(location.hash))));
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  update(change: Partial<State>): void {
    const next = this.correct({ ...this.state, ...change });
    const fragment = toFragment(next);
    if (fragment === toFragment(this.state)) return;
    const isStep = "select" in change || "view" in change || "program" in change;
    this.write(fragment, isStep);
    this.show(next);
  }

  private write(fragment: string, isStep: boolean): void {
    // A page within a frame may have no history of its own.
    try {
      history[isStep ? "pushState" : "replaceState"](null, "", `#${fragment}`);
    } catch {
      location.replace(`#${fragment}`);
    }
  }

  private show(next: State): void {
    const before = this.state;
    if (toFragment(before) === toFragment(next)) return;
    this.state = next;
    for (const listener of this.listeners) listener(next, before);
  }
}

export function isSame(a: Selection | undefined, b: Selection | undefined): boolean {
  return a?.kind === b?.kind && a?.index === b?.index;
}
