/** @module-tag soak */
import { expect, it } from "vitest";
import { maxWaitMs } from "#engine/fallback.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";

const own = isolatedService();
it("calls above the queue's limit get 503 at once, and each of the other calls is recorded once", async () => {
  const { api, world, sale, all } = programFixture(await own.world({ partners: [{}, {}] }), own.api());
  await sale({ customer_key: "warm" });
  own.proxy.inject({ kind: "delay", ms: 1_500 }, { only: "reads", times: 1 });
  const send = async (i: number) => {
    const { status, headers } = await api.lead({ customer_key: `u${i}` }, { key: world.key });
    return { status, retryAfter: Number(headers.get("retry-after")) };
  };
  const sentAt = performance.now();
  const replies = await Promise.all(Array.from({ length: 1_150 }, (_, i) => send(i)));
  const refused = replies.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  // On a busy machine, some queued calls wait too long and are refused later.
  if (performance.now() - sentAt < maxWaitMs) expect(refused.length).toBeLessThanOrEqual(150);
  for (const { retryAfter } of refused) expect(retryAfter).toBeGreaterThan(0);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1_150 - refused.length);
  expect(await all("leads")).toHaveLength(1_150 - refused.length);
});
