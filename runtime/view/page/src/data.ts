// What gpuvm-plan puts into the page: docs/looking-at-plans.md, docs/plan-format.md
// and docs/profiling.md have the meaning of each field.

export interface Window {
  region: string;
  offset: number;
  length: number;
}

export interface BoundWindow extends Window {
  binding: number;
}

export interface Reason extends Window {
  kind: "RAW" | "WAR" | "WAW";
  first: number;
  second: number;
}

export interface Command {
  op: "dispatch" | "dispatch_indirect" | "barrier" | "copy" | "fill" | "repeat" | "clock";
  stages: number[];
  unless?: string;
  kernel?: number;
  windows?: BoundWindow[];
  groups?: number[];
  control_offset?: number;
  reasons?: Reason[];
  source?: Window;
  destination?: Window;
  window?: Window;
  value?: number;
  commands?: number;
  times?: number;
  while?: Window;
  rotations?: { windows: Window[] }[];
  phase?: number;
}

export interface Slot {
  name: string;
  dtype: string;
  shape: number[];
  window: Window;
}

export interface Input extends Slot {
  residency: "execution" | "load";
}

export interface Register extends Slot {
  instance: number;
  register: number;
}

export interface Stage {
  name: string;
  instance: number;
  location: string;
  kernels: number[];
}

export interface Kernel {
  name: string;
  local_size: number[];
  workgroup_memory_bytes: number;
  features: string[];
  bindings: { binding: number; reads: boolean; writes: boolean }[];
  variants?: number[];
  device?: string;
  groups?: number;
}

export interface Program {
  name: string;
  inputs: number[];
  outputs: number[];
  symbols: number[];
  stages: number;
  commands: number;
}

export interface Manifest {
  program: string;
  regions: Record<string, number>;
  instances: number;
  inputs: Input[];
  outputs: (Slot & { rows?: string })[];
  symbols: (Slot & { bound?: number })[];
  registers: Register[];
  stages: Stage[];
  kernels: Kernel[];
  commands: Command[];
  programs?: Program[];
}

export interface Value extends Window {
  writer: number | null;
  readers: [command: number, bytes: number][];
  kept: boolean;
  program: number;
  begin: number;
  end: number;
}

export interface Spread {
  median: number;
  p10: number;
  p90: number;
}

export interface Work {
  name: string;
  calls: number;
  total_us: Spread;
  share: number;
  bytes: number;
}

export interface Profile {
  program: string;
  device: string;
  driver: string;
  executions: number;
  total_us: Spread;
  kernels: Work[];
  stages: { name: string; alone_us: Spread; fused_us: Spread }[];
  commands: { index: number; name: string; calls: number; total_us: Spread; bytes: number }[];
}

export interface Data {
  format: 1;
  file: string;
  plan: Manifest;
  values: Value[];
  readers_left_out: boolean;
  module: string;
  sources: { name: string; text: string }[];
  profile: Profile | null;
}

export interface Code {
  spirv: string | null;
  glsl: string | null;
}
