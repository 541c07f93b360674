import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { history } from "./commands.ts";
import { replay } from "./replay.ts";
import { services } from "./service.ts";

const { next, close, broken } = services();
afterAll(close);

const numRuns = Number(process.env.PROGRAM_HISTORIES ?? 60);
const seed = process.env.PROGRAM_SEED === undefined ? {} : { seed: Number(process.env.PROGRAM_SEED) };

test("a program's answers, commissions, balances and payouts are those of contract and docs, in any order of calls", async () => {
  const property = fc.asyncProperty(history, async (given) => {
    const differences = await replay(await next(), given);
    // The second time it is compared after each call, to show which one is wrong.
    const shown = differences.length === 0 ? [] : await replay(await next(), given, true);
    expect([...shown, ...differences]).toEqual([]);
  });
  await fc.assert(property, { numRuns, ...seed });
  await close();
  expect(broken, "what the audit finds").toEqual([]);
});
