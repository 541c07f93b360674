import type { Fault } from "./faults.ts";

// Lines of JSON between a service in one process and the test that started it.

/** Before a batch is carried out. */
export interface Announced {
  readonly id: number;
  readonly isWrite: boolean;
  readonly statements: number;
}

/** The batch may begin. `fault`: what becomes of it. */
export interface Verdict {
  readonly id: number;
  readonly fault?: Extract<Fault, { kind: "late" | "cut" | "refuse" | "answer" }>;
}

/** In the environment of the service: the ports to ask at, by database file. */
export const portsVariable = "TEST_DATABASE_PROXIES";
