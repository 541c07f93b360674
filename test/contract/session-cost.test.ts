import { expect, test } from "vitest";
import { createSession } from "../../harness/session.ts";
import { oneOfEach } from "../support/breadth.ts";
import { embedded } from "../support/embedded.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { partnerSide } from "../support/partner-side.ts";
import { sessionOperations } from "../support/session-operations.ts";

const own = isolatedService();

test("checking a member's session and role takes one database request, and a read takes at most three in total", async () => {
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
  // Repeated until no duty of the Ledger reads at the same time.
  for (const { name, isWrite, call } of operations) {
    await expect.poll(() => cost(() => call(createSession(own.service.url), world)), { message: name }).toBe(0);
    await expect.poll(() => cost(() => call(stranger, world)), { message: name }).toBe(1);
    if (!isWrite) await expect.poll(() => cost(() => call(user, world)), { message: name }).toBeLessThanOrEqual(3);
  }
});

test("calculating an estimate and showing a join page take two database requests each, and write nothing", async () => {
  const [owner, user] = [await own.user(), await own.user()];
  const world = await own.world({ members: [{ user: owner, role: "owner" }], partners: [{}] });
  const page = { mode: "approval", slug: "shop", headline: "", description: "", questions: [] };
  expect((await owner.put(`/api/programs/${world.programId}/join`, page)).status).toBe(200);
  const path = await partnerSide(world, user, world.partner.id);
  const { estimate } = await embedded(own.api(), world);
  const asked = { amountCents: 4_900, currency: "EUR", interval: "monthly", months: 60 };
  const calls = [
    () => user.post(`${path}/estimate`, asked),
    () => estimate(asked),
    () => createSession(own.service.url).post("/api/join/shop/estimate", asked),
    () => createSession(own.service.url).get("/api/join/shop"),
  ];
  const cost = async (call: (typeof calls)[number]) => {
    own.proxy.resetCounts();
    expect((await call()).status).toBe(200);
    return own.proxy.counts;
  };
  // Repeated until no duty of the Ledger reads at the same time. Saving the join page has started the Ledger.
  for (const call of calls) await expect.poll(() => cost(call)).toMatchObject({ total: 2, writes: 0 });
});
