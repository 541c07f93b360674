import { expect, test } from "vitest";
import { type Counter, countAttempts, releaseAttempts } from "#store/accounts/rate-limits.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";

const at = Date.UTC(2026, 0, 1);

const own = isolatedDatabase({ engine: "file" });

// Like a sign-in: each attempt is counted for the account and the address before the password is checked. The count is
// released if the password is right.
test.each([1, 2, 3])(
  "concurrent sign-in attempts, some of them with the right password, can't exceed the limit of wrong passwords: seed %i",
  async (seed) => {
    const counters: readonly Counter[] = [
      { who: `address ${seed}`, windowMs: 900_000, max: 10 },
      { who: `account ${seed}`, windowMs: 900_000, max: 12 },
    ];
    const database = databaseAt(own.server.url);
    let wrong = 0;
    const attempt = async (i: number): Promise<void> => {
      const counts = await countAttempts(database, counters, at);
      if (counters.some(({ max }, n) => (counts[n] ?? 0) > max)) return;
      if ((i * seed) % 3 === 0) wrong += 1;
      else await releaseAttempts(database, counters, at);
    };
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(Array.from({ length: 30 }, (_, i) => attempt(round * 30 + i)));
    }
    expect(wrong).toBeGreaterThan(0);
    expect(wrong).toBeLessThanOrEqual(10);
  },
);
