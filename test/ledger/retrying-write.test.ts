import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Database, DatabaseError, type DatabaseFault } from "#store/database.ts";
import { writeWithRetry } from "#store/retrying-write.ts";

/** A database that fails this many times, then succeeds. A real server can't fail in this way. */
function failing(fault: DatabaseFault, times: number) {
  const database = {
    tries: 0,
    roundTrips: 0,
    read: () => Promise.reject(new Error("nobody reads here")),
    write: async () => {
      database.tries += 1;
      if (database.tries <= times) throw new DatabaseError(fault, undefined);
      return [["done"]];
    },
  } satisfies Database & { tries: number };
  return database;
}

describe("a write outside the Ledger", () => {
  it.each(["busy", "unknown"] as const)(
    "a write outside the Ledger is retried after a transient fault: %s",
    async (kind) => {
      const database = failing({ kind }, 3);
      expect(await writeWithRetry(database, [])).toEqual([["done"]]);
      expect(database.tries).toBe(4);
    },
  );

  it.each<DatabaseFault>([{ kind: "statement", index: 0 }, { kind: "unable" }, { kind: "refused" }])(
    "a write outside the Ledger isn't retried after a $kind fault",
    async (fault) => {
      const database = failing(fault, 1);
      await expect(writeWithRetry(database, [])).rejects.toMatchObject({ fault });
      expect(database.tries).toBe(1);
    },
  );

  it("a write outside the Ledger gives up after two seconds", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const began = Date.now();
    const givenUp = expect(writeWithRetry(failing({ kind: "busy" }, 10_000), [])).rejects.toMatchObject({
      fault: { kind: "busy" },
    });
    await vi.runAllTimersAsync();
    await givenUp;
    const longestPauseMs = 300;
    expect(Date.now() - began).toBeGreaterThan(2_000 - longestPauseMs);
    expect(Date.now() - began).toBeLessThan(2_000 + longestPauseMs);
  });
});
