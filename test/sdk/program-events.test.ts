import { expect, test } from "vitest";
import { type EventPageResult, TributaryProgram } from "../../sdk/src/program.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { customer, order } from "./integration.ts";
import { apiKey, misbehaving } from "./misbehaving.ts";
import { answer, refusal, serverThat } from "./server-that.ts";

async function integrate() {
  const shop = await createProgramFixture();
  const tributary = new TributaryProgram({ apiKey: shop.world.key, baseUrl: sharedService.url, onError: () => {} });
  return { shop, tributary };
}

const typesOf = ({ data }: EventPageResult) => data?.map(({ type }) => type);

test("the feed is read page by page, beginning with new events, with names in camelCase", async () => {
  const { shop, tributary } = await integrate();
  const before = await tributary.events.list({ limit: 1 });
  const after = before.ok ? before.newestSeq : expect.unreachable();
  await tributary.trackLead({ ...customer, clickId: shop.click(shop.alice) });
  const items = [{ productId: "plan_1", amount: order.amount }];
  await tributary.trackSale({ ...order, items });
  const page = await tributary.events.list({ after });
  expect(typesOf(page)).toEqual(["lead.recorded", "sale.recorded", "commission.created"]);
  expect(page).toMatchObject({ ok: true, status: 200, nextAfter: after + 3, hasMore: false, newestSeq: after + 3 });
  const [, sale, commission] = page.data ?? [];
  const sold = {
    transactionId: order.invoiceId,
    customerKey: customer.customerExternalId,
    partnerCode: shop.alice.code,
  };
  expect(sale?.data.object).toMatchObject({ ...sold, items: [{ productId: "plan_1", amountCents: order.amount }] });
  expect(commission?.type === "commission.created" && commission.data.object.amountCents).toBe(2_000);

  const pages: EventPageResult[] = [];
  for await (const each of tributary.events.pages({ after, limit: 2 })) pages.push(each);
  expect(pages.map(({ data }) => data?.length)).toEqual([2, 1]);
  expect(pages.flatMap(({ data }) => data ?? [])).toEqual(page.data);
  const types = ["sale.recorded", "commission.created:approved"] as const;
  expect(typesOf(await tributary.events.list({ after, types }))).toEqual(["sale.recorded"]);
  await tributary.trackTestSale(order);
  expect(typesOf(await tributary.events.list({ testMode: true }))).toEqual(["sale.recorded"]);
});

test("errors about a restored feed and about deleted events contain the sequence number to continue from", async () => {
  const { shop, tributary } = await integrate();
  const page = await tributary.events.list();
  const newestSeq = page.ok ? page.newestSeq : expect.unreachable();
  expect(await tributary.events.list({ after: newestSeq + 1 })).toMatchObject({
    ok: false,
    status: 409,
    retryable: false,
    error: { details: { code: "feed_restarted", newestSeq } },
  });
  await shop.world.write({
    sql: "update events set at = at - 2592000001 where program_id = ?",
    args: [shop.world.programId],
  });
  // Every sixteenth event of a program deletes old events, so this records sixteen.
  for (let i = 0; i < 16; i += 1) await tributary.trackSale({ ...order, invoiceId: `later-${i}` });
  const last: EventPageResult[] = [];
  for await (const each of tributary.events.pages({ after: 0 })) last.push(each);
  expect(last).toMatchObject([{ ok: false, status: 400, error: { details: { code: "too_old" } } }]);
  const oldestSeq = last[0]?.error?.details.oldestSeq ?? 0;
  expect(await tributary.events.list({ after: oldestSeq - 1, limit: 1 })).toMatchObject({ data: [{ seq: oldestSeq }] });
});

test("a page of events may be larger than other responses", async () => {
  const event = { id: "evt_1_1", seq: 1, data: { object: { name: "x".repeat(60_000) } } };
  const events: unknown[] = Array.from({ length: 10 }, () => event);
  const { url } = await serverThat(answer(200, { events, next_after: 1, has_more: false, newest_seq: 1 }));
  const tributary = new TributaryProgram({ apiKey, baseUrl: url });
  expect((await tributary.events.list()).data?.length).toBe(10);
});

test("unknown arguments and arguments of a wrong type throw, and nothing is sent", async () => {
  const { calls, baseUrl } = await misbehaving(refusal(500, "never asked"));
  const { events } = new TributaryProgram({ apiKey, baseUrl });
  for (const [filter, said] of [
    [{ from: 1 }, "events.from is unknown"],
    [{ after: "1" }, "events.after must be a whole number"],
    [{ after: -1 }, "events.after must be a whole number"],
    [{ limit: 1.5 }, "events.limit must be a whole number"],
    [{ types: "sale.recorded" }, "events.types must be an array"],
    [{ testMode: "true" }, "events.testMode must be true or false"],
  ] as const) {
    expect(() => events.list(filter as never)).toThrow(new TypeError(said));
    expect(() => events.pages(filter as never)).toThrow(new TypeError(said));
  }
  expect(calls).toEqual([]);
});
