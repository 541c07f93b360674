export type Fault =
  | { readonly kind: "delay"; readonly ms: number }
  /** Forwards the request only once the promise has resolved. */
  | { readonly kind: "hold"; readonly until: Promise<void> }
  | { readonly kind: "late"; readonly ms: number }
  /** Cuts the connection before the request arrives. */
  | { readonly kind: "refuse" }
  /** Drops the request and keeps the connection open. */
  | { readonly kind: "hang" }
  /** Cuts the connection after the request was executed, so that the reply of a commit is lost. */
  | { readonly kind: "cut" }
  | { readonly kind: "answer"; readonly status: number; readonly body?: string };

export interface FaultScope {
  /** The requests that have the fault. The default is all. A write is a batch that starts with BEGIN IMMEDIATE. */
  readonly only?: "reads" | "writes";
  /** The number of matching requests before the fault begins. The default is 0. */
  readonly after?: number;
  readonly times?: number;
}

interface Injected {
  readonly fault: Fault;
  readonly only: "reads" | "writes" | undefined;
  after: number;
  times: number;
}

/** The active faults. Of several matching faults, the latest one applies. */
export class Faults {
  #injected: Injected[] = [];

  /** Adds a fault, and returns a function that removes it. */
  readonly inject = (fault: Fault, { only, after = 0, times = Number.POSITIVE_INFINITY }: FaultScope = {}) => {
    const added: Injected = { fault, only, after, times };
    this.#injected.push(added);
    return () => {
      this.#injected = this.#injected.filter((other) => other !== added);
    };
  };

  readonly heal = (): void => {
    this.#injected = [];
  };

  /** Returns the fault for a request, and counts it as used once. */
  take(isWrite: boolean): Fault | undefined {
    for (const candidate of this.#injected.toReversed()) {
      if (candidate.only !== undefined && (candidate.only === "writes") !== isWrite) continue;
      if (candidate.after > 0) {
        candidate.after -= 1;
      } else if (candidate.times > 0) {
        candidate.times -= 1;
        return candidate.fault;
      }
    }
    return undefined;
  }
}
