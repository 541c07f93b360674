import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type History, history } from "./commands.ts";
import { fixed } from "./fixed.ts";
import { replay } from "./replay.ts";
import { services } from "./service.ts";

const { next, close, broken } = services();
afterAll(close);

const { PROGRAM_HISTORIES: histories, PROGRAM_SEED: given } = process.env;
const numRuns = Number(histories ?? 60);

test("a program's responses, commissions, balances and payouts match the contract and the docs, in any order of calls", async () => {
  const property = fc.asyncProperty(history, async (commands) => {
    const differences = await replay(await next(), commands);
    // Plays the history again and compares the books after each call, to show which call is wrong.
    const shown = differences.length === 0 ? [] : await replay(await next(), commands, true);
    expect([...shown, ...differences]).toEqual([]);
  });
  const examples = fixed.map((each): [History] => [each]);
  const params = { examples, numRuns: examples.length + numRuns };
  await fc.assert(property, { ...params, ...(given !== undefined && { seed: Number(given) }) });
  await close();
  expect(broken, "what the audit finds").toEqual([]);
});
