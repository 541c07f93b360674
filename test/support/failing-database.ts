import { setTimeout as delay } from "node:timers/promises";
import { probeTimeoutMs } from "#engine/outage.ts";
import { type Database, DatabaseError } from "#store/database.ts";
import type { Statement } from "#store/statement.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { daysAgo } from "./program-fixture.ts";

export type Sent = (statements: readonly Statement[]) => boolean;

/** Wraps a real database so that requests or replies can be lost. Its clock advances without real waiting. */
export function failingDatabase(url: string, takesMs = 0) {
  let now = daysAgo(0);
  const tick = (ms: number) => {
    now += ms;
  };
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      tick(ms);
      if (ms === probeTimeoutMs) await delay(ms);
    },
    random: () => 0.5,
  };
  const real = databaseAt(url);
  const never: Sent = () => false;
  const fails = { read: never, write: never, answer: never, refused: never };
  const asked = (mode: "read" | "write") => async (statements: readonly Statement[]) => {
    if (fails[mode](statements)) {
      tick(takesMs);
      throw new DatabaseError({ kind: "unknown" }, "it does not arrive");
    }
    if (fails.refused(statements)) throw new DatabaseError({ kind: "refused" }, "it is too large");
    const isLost = mode === "write" && fails.answer(statements);
    const results = await real[mode](statements);
    if (isLost) throw new DatabaseError({ kind: "unknown" }, "its answer is lost");
    return results;
  };
  const database: Database = { read: asked("read"), write: asked("write"), roundTrips: 0 };
  return { database, clock, tick, fails };
}
