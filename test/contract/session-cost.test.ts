import { expect, test } from "vitest";
import { createSession } from "../../harness/session.ts";
import { oneOfEach } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { sessionOperations } from "../support/session-operations.ts";

const own = isolatedService();

test("authentication and authorization together take one database request, and a whole read at most three", async () => {
  const user = await own.user();
  const stranger = await own.user();
  const world = await own.world({ members: [{ user, role: "owner" }] });
  const ofMembers = (await sessionOperations(own.service.url)).filter(({ role }) => role !== undefined);
  const operations = oneOfEach(ofMembers, ({ about, isScopedByPath, isWrite, role }) =>
    [about, isScopedByPath, isWrite, role].join(),
  );
  expect(operations.length).toBeGreaterThan(0);
  const cost = async (asked: () => Promise<unknown>) => {
    own.proxy.resetCounts();
    await asked();
    return own.proxy.counts.total;
  };
  for (const { name, isWrite, call } of operations) {
    expect([name, await cost(() => call(createSession(own.service.url), world))]).toEqual([name, 0]);
    expect([name, await cost(() => call(stranger, world))]).toEqual([name, 1]);
    if (!isWrite) expect([name, (await cost(() => call(user, world))) <= 3]).toEqual([name, true]);
  }
});
