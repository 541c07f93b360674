/** @module-tag soak */
import { expect, it } from "vitest";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { at, day, daysAgo, programFixture } from "../support/program-fixture.ts";

const own = isolatedService();

it("maintenance ends holds on time, one after another, even under continuous calls", async () => {
  const world = await own.world({ partners: [{}, {}], policies: [{ holdDays: 1 }] });
  const { sale, click, visit, alice, all } = programFixture(world, own.api());
  const endIn = (ms: number) =>
    sale({ customer_key: `${ms}`, click_id: click(alice, daysAgo(2)), occurred_at: at(Date.now() - day + ms) });
  await Promise.all([endIn(2_000), endIn(5_000)]);

  // Delays make sure that calls are always waiting for the current round.
  own.proxy.inject({ kind: "delay", ms: 50 });
  let isOver = false;
  const callers = Array.from({ length: 32 }, async () => {
    while (!isOver) await visit();
  });
  try {
    const statuses = async () => (await all("commissions")).map(({ status }) => status);
    await eventually(statuses, (found) => found.every((status) => status === "approved"), 12_000);
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
  expect(await all("commissions")).toHaveLength(2);
});
