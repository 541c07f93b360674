import type { Fault } from "./faults.ts";

// Lines of JSON between a service in one process and the test that started it.

/** Announces a batch before it is carried out. */
export interface Announced {
  readonly id: number;
  readonly isWrite: boolean;
  readonly statements: number;
}

/** Allows a batch to begin. `fault` is what happens to it. */
export interface Verdict {
  readonly id: number;
  readonly fault?: Extract<Fault, { kind: "late" | "cut" | "refuse" | "answer" }>;
}

/** The variable that tells the service at which ports to ask, by database file. */
export const portsVariable = "TEST_DATABASE_PROXIES";
