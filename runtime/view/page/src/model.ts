// The plan as the views ask for it: commands in waves, what flows between them,
// names of windows, times.

import type { Code, Command, Data, Program, Slot, Spread, Value, Window } from "./data";

export interface Wave {
  number: number;
  commands: number[]; // Those that work, in order.
}

export interface Edge {
  from: number;
  to: number;
  bytes: number;
  values: number[];
}

/** One program of the plan: its part of the lists. */
export interface Part extends Program {
  index: number;
  firstCommand: number;
  firstStage: number;
  waves: Wave[];
}

export interface NamedSlot {
  kind: "input" | "output" | "symbol" | "register";
  index: number;
  slot: Slot;
}

const outbox = 30; // The register of a stage's message.

function keyOf(window: Window): string {
  return `${window.region}:${window.offset}`;
}

export class Model {
  readonly parts: Part[] = [];
  /** By command: the wave it is in, the repeats around it (outer first), its barrier. */
  readonly waveOf: number[];
  readonly repeatsOf: number[][];
  readonly barrierBefore: (number | undefined)[];
  readonly edges: Edge[] = [];
  readonly edgesFrom: Edge[][];
  readonly edgesTo: Edge[][];
  readonly valuesWritten: number[][];
  readonly valuesRead: number[][];
  readonly commandsOfKernel: number[][];
  readonly commandsOfStage: number[][];
  readonly timeOf: (Spread | undefined)[];
  readonly callsOf: (number | undefined)[];
  readonly longest: number;
  private readonly slots = new Map<string, NamedSlot[]>();
  private readonly stageOfInstance = new Map<number, number>();

  constructor(readonly data: Data) {
    const { plan } = data;
    const lists = () => plan.commands.map(() => []);
    this.waveOf = plan.commands.map(() => 0);
    this.repeatsOf = lists();
    this.barrierBefore = plan.commands.map(() => undefined);
    this.edgesFrom = lists();
    this.edgesTo = lists();
    this.valuesWritten = lists();
    this.valuesRead = lists();
    this.commandsOfKernel = plan.kernels.map(() => []);
    this.commandsOfStage = plan.stages.map(() => []);
    this.timeOf = plan.commands.map(() => undefined);
    this.callsOf = plan.commands.map(() => undefined);
    for (const command of data.profile?.commands ?? []) {
      this.timeOf[command.index] = command.total_us;
      this.callsOf[command.index] = command.calls;
    }
    this.longest = Math.max(0, ...this.timeOf.map((spread) => spread?.median ?? 0));
    this.addParts();
    this.addRepeats();
    this.addSlots();
    this.addEdges();
  }

  get plan() {
    return this.data.plan;
  }

  command(index: number): Command {
    return this.plan.commands[index]!;
  }

  private addParts(): void {
    const { plan } = this;
    const all = (list: unknown[]) => list.map((_, i) => i);
    const programs: Program[] = plan.programs ?? [
      {
        name: plan.program,
        inputs: all(plan.inputs),
        outputs: all(plan.outputs),
        symbols: all(plan.symbols),
        stages: plan.stages.length,
        commands: plan.commands.length,
      },
    ];
    let firstCommand = 0;
    let firstStage = 0;
    programs.forEach((program, index) => {
      this.parts.push({ ...program, index, firstCommand, firstStage, waves: this.wavesOf(firstCommand, program.commands) });
      firstCommand += program.commands;
      firstStage += program.stages;
    });
    plan.stages.forEach((stage, index) => this.stageOfInstance.set(stage.instance, index));
    plan.commands.forEach((command, index) => {
      if (command.kernel !== undefined) this.commandsOfKernel[command.kernel]!.push(index);
      for (const stage of command.stages) this.commandsOfStage[stage]!.push(index);
    });
  }

  private wavesOf(first: number, commands: number): Wave[] {
    const waves: Wave[] = [{ number: 0, commands: [] }];
    let barrier: number | undefined;
    for (let i = first; i < first + commands; ++i) {
      if (this.command(i).op === "barrier") {
        barrier = i;
        waves.push({ number: waves.length, commands: [] });
      } else if (this.command(i).op !== "repeat") waves[waves.length - 1]!.commands.push(i);
      this.waveOf[i] = waves.length - 1;
      this.barrierBefore[i] = barrier;
    }
    return waves;
  }

  private addRepeats(): void {
    const open: { index: number; end: number }[] = [];
    this.plan.commands.forEach((command, index) => {
      while (open.length > 0 && open[open.length - 1]!.end <= index) open.pop();
      this.repeatsOf[index] = open.map((repeat) => repeat.index);
      if (command.op === "repeat") open.push({ index, end: index + 1 + command.commands! });
    });
  }

  private addSlots(): void {
    const { plan } = this;
    const add = (kind: NamedSlot["kind"], list: Slot[]) =>
      list.forEach((slot, index) => {
        const key = keyOf(slot.window);
        const there = this.slots.get(key);
        if (there) there.push({ kind, index, slot });
        else this.slots.set(key, [{ kind, index, slot }]);
      });
    add("input", plan.inputs);
    add("output", plan.outputs);
    add("symbol", plan.symbols);
    add("register", plan.registers);
  }

  private addEdges(): void {
    const known = new Map<string, Edge>();
    this.data.values.forEach((value, index) => {
      if (value.writer !== null) this.valuesWritten[value.writer]!.push(index);
      for (const [reader, read] of value.readers) {
        this.valuesRead[reader]!.push(index);
        if (value.writer === null || value.writer === reader) continue;
        const key = `${value.writer}:${reader}`;
        let edge = known.get(key);
        if (!edge) {
          edge = { from: value.writer, to: reader, bytes: 0, values: [] };
          known.set(key, edge);
          this.edges.push(edge);
          this.edgesFrom[edge.from]!.push(edge);
          this.edgesTo[edge.to]!.push(edge);
        }
        edge.bytes += read;
        edge.values.push(index);
      }
    });
  }

  partOf(command: number): Part {
    return this.parts.find((part) => command < part.firstCommand + part.commands) ?? this.parts[0]!;
  }

  partOfStage(stage: number): Part {
    return this.parts.find((part) => stage < part.firstStage + part.stages) ?? this.parts[0]!;
  }

  /** The slot that a value is in, if it is one of what writes or reads it. */
  slotOf(value: Value): NamedSlot | undefined {
    const part = this.parts[value.program]!;
    const readers = value.readers.map(([reader]) => reader);
    const isOf = ({ kind, index }: NamedSlot): boolean => {
      if (kind === "symbol") return part.symbols.includes(index);
      if (kind === "input") return value.writer === null && part.inputs.includes(index);
      if (kind === "output") return value.writer !== null && value.kept && part.outputs.includes(index);
      const { instance, register } = this.plan.registers[index]!;
      const stage = this.stageOfInstance.get(instance);
      if (stage === undefined || value.writer === null) return false;
      const commands = register === outbox ? [value.writer] : readers;
      return commands.some((command) => this.command(command).stages.includes(stage));
    };
    const found = (this.slots.get(keyOf(value)) ?? []).filter(isOf);
    return found.find(({ kind, index }) => kind !== "register" || this.plan.registers[index]!.register === outbox) ?? found[0];
  }

  /** What a command reads or writes in a window. */
  valueAt(window: Window, command: number, isWritten: boolean): number | undefined {
    return (isWritten ? this.valuesWritten : this.valuesRead)[command]!.find((index) => overlaps(this.data.values[index]!, window));
  }

  valueName(value: Value): string {
    const found = this.slotOf(value);
    if (found && found.kind !== "register") return `${found.kind} ${found.slot.name}`;
    if (!found) return value.writer === null ? windowText(value) : `result of ${this.workName(value.writer)}`;
    const { instance, register } = this.plan.registers[found.index]!;
    const { name } = this.plan.stages[this.stageOfInstance.get(instance)!]!;
    return register === outbox ? `message of ${name}` : `operand of ${name}`;
  }

  /** The value that a command has in a window, or the bytes. */
  windowName(window: Window, command: number, isWritten = false): string {
    const value = this.valueAt(window, command, isWritten);
    return value === undefined ? windowText(window) : this.valueName(this.data.values[value]!);
  }

  /** The kernel, or the operation. */
  workName(index: number): string {
    const command = this.command(index);
    return command.kernel === undefined ? command.op : this.plan.kernels[command.kernel]!.name;
  }

  stageNames(index: number): string[] {
    return this.command(index).stages.map((stage) => this.plan.stages[stage]!.name);
  }

  /** Bytes that the command reads and writes. */
  traffic(index: number): { read: number; written: number } {
    const traffic = { read: 0, written: 0 };
    for (const access of this.accesses(index)) {
      if (access.reads) traffic.read += access.window.length;
      if (access.writes) traffic.written += access.window.length;
    }
    return traffic;
  }

  accesses(index: number): { window: Window; reads: boolean; writes: boolean; binding?: number }[] {
    const command = this.command(index);
    if (command.windows) {
      const kernel = this.plan.kernels[command.kernel!]!;
      const all = [kernel, ...(kernel.variants ?? []).map((variant) => this.plan.kernels[variant]!)];
      const bindings = all.flatMap((each) => each.bindings);
      return command.windows.map((window) => {
        const same = bindings.filter((each) => each.binding === window.binding);
        return {
          window,
          reads: same.some((each) => each.reads),
          writes: same.some((each) => each.writes),
          binding: window.binding,
        };
      });
    }
    if (command.op === "copy")
      return [
        { window: command.source!, reads: true, writes: false },
        { window: command.destination!, reads: false, writes: true },
      ];
    return command.window ? [{ window: command.window, reads: false, writes: true }] : [];
  }

  code(kernel: number): Code | undefined {
    const text = document.getElementById(`code-${kernel}`)?.textContent;
    return text ? (JSON.parse(text) as Code) : undefined;
  }
}

export function overlaps(a: Window, b: Window): boolean {
  return a.region === b.region && a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

export function windowText(window: Window): string {
  return `${window.region}[${window.offset}..${window.offset + window.length})`;
}

export function typeText(slot: Slot): string {
  return [...slot.shape, slot.dtype].join("x");
}
