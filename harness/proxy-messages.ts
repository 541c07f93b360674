import type { Fault } from "./faults.ts";

// Messages, as lines of JSON, between a service in one process and the test that started it.

/** Announces a batch before it runs. */
export interface Announced {
  readonly id: number;
  readonly isWrite: boolean;
  readonly statements: number;
}

/** Allows a batch to begin. `fault` is the fault that the batch must have. */
export interface Verdict {
  readonly id: number;
  readonly fault?: Extract<Fault, { kind: "late" | "cut" | "refuse" | "answer" }>;
}

/** The variable with the ports at which the service must ask, by database file. */
export const portsVariable = "TEST_DATABASE_PROXIES";
