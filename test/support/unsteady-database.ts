import { setTimeout as delay } from "node:timers/promises";
import { type Database, DatabaseError } from "#store/database.ts";
import type { Statement } from "#store/statement.ts";

export interface Passage {
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly fault: "none" | "never arrives" | "answer lost";
}

/** A request succeeds after this many consecutive faults. */
const maxFaults = 2;

/** Wraps a real database. Each request gets the next passage (delays and a fault) in a cycle. */
export function unsteadyDatabase(real: Database, passages: readonly Passage[]): Database {
  let requests = 0;
  let faults = 0;
  const pass = async <T>(send: () => Promise<T>): Promise<T> => {
    const passage = passages[requests % passages.length] ?? { beforeMs: 0, afterMs: 0, fault: "none" };
    requests += 1;
    const fault = faults < maxFaults ? passage.fault : "none";
    faults = fault === "none" ? 0 : faults + 1;
    await delay(passage.beforeMs);
    if (fault === "never arrives") throw new DatabaseError({ kind: "unknown" }, fault);
    const results = await send();
    await delay(passage.afterMs);
    if (fault === "answer lost") throw new DatabaseError({ kind: "unknown" }, fault);
    return results;
  };
  return {
    read: (statements: readonly Statement[]) => pass(() => real.read(statements)),
    write: (statements: readonly Statement[]) => pass(() => real.write(statements)),
    get roundTrips() {
      return real.roundTrips;
    },
  };
}
