// What is selected, in full: with links to all that it names.

import { bytes, count, counted, html, time } from "./dom";
import { codePanel } from "./code";
import { reasonSummary, repeatSummary } from "./commands";
import { windowText, typeText, type Model } from "./model";
import type { Spread } from "./data";
import type { Kind, Selection, State, Store } from "./state";

type Content = Node | string;

export class Detail {
  readonly element = html("aside", { class: "detail", "aria-label": "Details", tabindex: -1 });

  constructor(
    private readonly model: Model,
    private readonly store: Store,
  ) {}

  show(state: State): void {
    const { select } = state;
    this.element.hidden = select === undefined;
    if (!select) return;
    const close = html("button", { type: "button", class: "close", "aria-label": "Close", title: "Close (Escape)", onclick: () => this.store.update({ select: undefined }) }, "×");
    this.element.replaceChildren(close, ...this.contentOf(select));
    this.element.scrollTop = 0;
  }

  private contentOf({ kind, index }: Selection): Node[] {
    switch (kind) {
      case "command":
        return this.command(index);
      case "kernel":
        return this.kernel(index);
      case "stage":
        return this.stage(index);
      case "value":
        return this.value(index);
    }
  }

  private link(kind: Kind, index: number, text: string): HTMLElement {
    return html("button", { type: "button", class: "link-button", onclick: () => this.store.update({ select: { kind, index } }) }, text);
  }

  private commandLink(index: number): HTMLElement {
    return this.link("command", index, `#${index} ${this.model.workName(index)}`);
  }

  private stageLink(index: number): HTMLElement {
    return this.link("stage", index, this.model.plan.stages[index]!.name);
  }

  private head(kind: string, name: string): HTMLElement {
    return html("h2", {}, html("span", { class: "kind" }, kind), " ", name);
  }

  private facts(facts: [string, Content | Content[] | undefined | false][]): HTMLElement {
    const list = html("dl");
    for (const [name, content] of facts) {
      if (!content || (Array.isArray(content) && content.length === 0)) continue;
      list.append(html("dt", {}, name), html("dd", {}, ...(Array.isArray(content) ? content : [content])));
    }
    return list;
  }

  private spread(spread: Spread | undefined): string | undefined {
    return spread && `${time(spread.median)} (p10 ${time(spread.p10)}, p90 ${time(spread.p90)})`;
  }

  private section(title: string, ...content: Node[]): HTMLElement {
    return html("section", {}, html("h3", {}, title), ...content);
  }

  /** A list that shows its beginning until asked for the rest. */
  private longList(items: Node[], most = 40): HTMLElement {
    const list = html("ul", { class: "links" }, ...items.slice(0, most).map((item) => html("li", {}, item)));
    if (items.length > most) {
      const more = html("li", {}, html("button", { type: "button", class: "more", onclick: () => more.replaceWith(...items.slice(most).map((item) => html("li", {}, item))) }, `${count(items.length - most)} more`));
      list.append(more);
    }
    return list;
  }

  private command(index: number): Node[] {
    const { model } = this;
    const command = model.command(index);
    const barrier = model.barrierBefore[index];
    const kernel = command.kernel;
    const facts = this.facts([
      ["kernel", kernel !== undefined && this.link("kernel", kernel, model.plan.kernels[kernel]!.name)],
      ["stages", spaced(command.stages.map((stage) => this.stageLink(stage)))],
      ["source", [...new Set(command.stages.map((stage) => model.plan.stages[stage]!.location).filter((place) => place !== ""))].join(", ")],
      ["workgroups", command.groups?.join(" × ") ?? (command.op === "dispatch_indirect" && `from ${windowText({ region: "control", offset: command.control_offset!, length: 12 })}`)],
      ["repeat", command.op === "repeat" && repeatSummary(model, index)],
      ["rotating", command.rotations?.length ? `${counted(command.rotations.length, "rotation")} of windows` : undefined],
      ["fills with", command.op === "fill" && `0x${command.value!.toString(16).padStart(8, "0")}`],
      ["left out", command.unless && `on devices with ${command.unless}`],
      ["wave", command.op !== "barrier" && String(model.waveOf[index])],
      ["within", spaced(model.repeatsOf[index]!.map((repeat) => this.commandLink(repeat)))],
      ["after", command.op !== "barrier" && barrier !== undefined && barrier !== index && this.link("command", barrier, `barrier #${barrier}: ${reasonSummary(model, barrier)}`)],
      ["time", this.spread(model.timeOf[index])],
      ["calls", model.callsOf[index] !== undefined && model.callsOf[index]! > 1 && count(model.callsOf[index]!)],
    ]);
    const parts = [this.head(command.op.replace("_", " "), kernel === undefined ? `#${index}` : `#${index} ${model.workName(index)}`), facts];
    if (command.op === "barrier") parts.push(this.reasons(index));
    const accesses = model.accesses(index);
    if (accesses.length > 0) parts.push(this.section("Memory", this.accessTable(index)));
    const from = model.edgesTo[index]!;
    const to = model.edgesFrom[index]!;
    if (from.length > 0) parts.push(this.section("Reads what these wrote", this.longList(from.map((edge) => html("span", {}, this.commandLink(edge.from), ` ${bytes(edge.bytes)}`)))));
    if (to.length > 0) parts.push(this.section("Is read by", this.longList(to.map((edge) => html("span", {}, this.commandLink(edge.to), ` ${bytes(edge.bytes)}`)))));
    if (kernel !== undefined) parts.push(codePanel(model, this.store, { kernel, stages: command.stages }));
    return parts;
  }

  private reasons(index: number): HTMLElement {
    const { model } = this;
    const words = { RAW: ["writes", "reads"], WAR: ["reads", "writes"], WAW: ["writes", "writes"] } as const;
    const items = (model.command(index).reasons ?? []).map((reason) => {
      const [first, second] = words[reason.kind];
      const stages = (command: number) => model.stageNames(command).slice(0, 3).join("+");
      return html(
        "span",
        { class: "reason" },
        html("b", {}, reason.kind),
        " ",
        this.commandLink(reason.first),
        ` (${stages(reason.first)}) ${first} ${model.windowName(reason, reason.first, reason.kind !== "WAR")}, `,
        this.commandLink(reason.second),
        ` (${stages(reason.second)}) ${second} it: ${bytes(reason.length)}`,
      );
    });
    return this.section(items.length > 0 ? "Reasons" : "No reason is given", this.longList(items));
  }

  private accessTable(index: number): HTMLElement {
    const { model } = this;
    const rows = model.accesses(index).map(({ window, reads, writes, binding }) => {
      const value = model.valueAt(window, index, writes);
      const slot = value === undefined ? undefined : model.slotOf(model.data.values[value]!);
      const name = model.windowName(window, index, writes);
      return html(
        "tr",
        {},
        html("td", {}, reads && writes ? "reads, writes" : reads ? "reads" : writes ? "writes" : "leaves alone"),
        html("td", { title: windowText(window) }, value === undefined ? name : this.link("value", value, name)),
        html("td", {}, slot ? typeText(slot.slot) : ""),
        html("td", { class: "right" }, bytes(window.length)),
        html("td", { class: "right" }, binding ?? ""),
      );
    });
    const head = ["access", "window", "type", "bytes", "binding"].map((title) => html("th", { scope: "col" }, title));
    return html("div", { class: "scroll" }, html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows)));
  }

  private kernel(index: number): Node[] {
    const { model } = this;
    const kernel = model.plan.kernels[index]!;
    const stages = model.plan.stages.flatMap((stage, i) => (stage.kernels.includes(index) ? [i] : []));
    const of = model.plan.kernels.findIndex((each) => each.variants?.includes(index));
    const commands = model.commandsOfKernel[index]!;
    const work = model.data.profile?.kernels.find((each) => each.name === kernel.name);
    return [
      this.head("kernel", kernel.name),
      this.facts([
        ["stages", spaced(stages.map((stage) => this.stageLink(stage)))],
        ["workgroup", `${kernel.local_size.join(" × ")} invocations, ${bytes(kernel.workgroup_memory_bytes)} shared`],
        ["features", kernel.features.join(", ")],
        ["variants", spaced((kernel.variants ?? []).map((variant) => this.link("kernel", variant, model.plan.kernels[variant]!.name)))],
        ["variant of", of >= 0 && this.link("kernel", of, model.plan.kernels[of]!.name)],
        ["devices", kernel.device && `${kernel.device} only`],
        ["time", work && `${this.spread(work.total_us)} in ${counted(work.calls, "call")}`],
      ]),
      ...(commands.length > 0 ? [this.section(counted(commands.length, "command"), this.longList(commands.map((command) => this.commandLink(command)), 12))] : []),
      codePanel(model, this.store, { kernel: index, stages }),
    ];
  }

  private stage(index: number): Node[] {
    const { model } = this;
    const stage = model.plan.stages[index]!;
    const times = model.data.profile?.stages[index];
    const registers = model.plan.registers.filter((register) => register.instance === stage.instance);
    const message = registers.find((register) => register.register === 30);
    return [
      this.head("stage", stage.name),
      this.facts([
        ["source", stage.location],
        ["instance", String(stage.instance)],
        ["message", message ? `${typeText(message)}, ${bytes(message.window.length)} at ${windowText(message.window)}` : "has no place of its own in memory: it is fused with its readers, or there is none"],
        ["operands", registers.filter((register) => register !== message).map((register) => `${typeText(register)} at ${windowText(register.window)}`).join(", ")],
        ["kernels", spaced(stage.kernels.map((kernel) => this.link("kernel", kernel, model.plan.kernels[kernel]!.name)))],
        ["time alone", this.spread(times?.alone_us)],
        ["time fused", this.spread(times?.fused_us)],
      ]),
      this.section(counted(model.commandsOfStage[index]!.length, "command"), this.longList(model.commandsOfStage[index]!.map((command) => this.commandLink(command)), 12)),
      codePanel(model, this.store, { kernel: stage.kernels[0], stages: [index] }),
    ];
  }

  private value(index: number): Node[] {
    const { model } = this;
    const value = model.data.values[index]!;
    const slot = model.slotOf(value);
    return [
      this.head("value", model.valueName(value)),
      this.facts([
        ["bytes", `${bytes(value.length)} (${count(value.length)})`],
        ["window", windowText(value)],
        ["type", slot && typeText(slot.slot)],
        ["written by", value.writer === null ? "there before the first command" : this.commandLink(value.writer)],
        ["in use", `from command ${value.begin} to ${value.end}${value.kept ? ", and after the last one" : ""}`],
      ]),
      this.section(`Read by ${counted(value.readers.length, "command")}`, this.longList(value.readers.map(([command, read]) => html("span", {}, this.commandLink(command), ` ${bytes(read)}`)))),
    ];
  }
}

function spaced(nodes: Node[]): Content[] {
  return nodes.flatMap((node, i) => (i === 0 ? [node] : [", ", node]));
}
