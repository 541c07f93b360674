import { expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { at, clickOf, day, hour, inTestMode, minute } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";

const eventsOf = async ({ api, world }: SalesFixture) => {
  const { last_event_at, counts_24h } = (await api.readiness({ key: world.key })).body;
  return { last_event_at, counts_24h };
};

const none = { last_event_at: { click: null, lead: null, sale: null }, counts_24h: { clicks: 0, leads: 0, sales: 0 } };
const ago = (ms: number) => at(Date.now() - ms);

it("the readiness report shows the last live attributed events, and their counts over 24 hours", async () => {
  const { world, ...shop } = await createSalesFixture();
  const { visit, lead, sell } = shop;
  const click_id = clickOf(world.programId, shop.alice, Date.now() - 5 * day);
  const [old, older] = [ago(day + minute), ago(2 * day)];
  const [recent, newest] = [ago(day - minute), ago(minute)];

  for (const occurred_at of [older, newest, old, recent]) await visit({ occurred_at }, { key: world.key });
  for (const [i, occurred_at] of [older, recent].entries())
    await lead({ customer_key: `u${i}`, click_id, occurred_at });
  for (const occurred_at of [recent, old, newest, recent]) await sell({ customer_key: "u0", occurred_at });

  expect(await eventsOf({ ...shop, world })).toEqual({
    last_event_at: { click: newest, lead: recent, sale: newest },
    counts_24h: { clicks: 2, leads: 1, sales: 3 },
  });
});

it("the readiness report counts events of exactly the last 24 hours, including a part of the oldest hour", async () => {
  const { world, ...shop } = await createSalesFixture();
  const hours = Array.from({ length: 50 }, (_, i) => ago(i * hour + minute));
  for (const occurred_at of hours) await shop.visit({ occurred_at }, { key: world.key });
  for (const occurred_at of hours.slice(20, 26)) await shop.sell({ customer_key: "organic", occurred_at });
  expect((await eventsOf({ ...shop, world })).counts_24h).toEqual({ clicks: 24, leads: 0, sales: 0 });
});

it("the readiness report counts a sale attributed by a later lead in the hour when the sale occurred", async () => {
  const { world, ...shop } = await createSalesFixture();
  for (const ms of [minute, 23 * hour, day + minute]) await shop.sell({ customer_key: "late", occurred_at: ago(ms) });
  expect((await eventsOf({ ...shop, world })).counts_24h).toEqual({ clicks: 0, leads: 0, sales: 0 });
  const click_id = clickOf(world.programId, shop.alice, Date.now() - 3 * day);
  await shop.lead({ customer_key: "late", click_id, occurred_at: ago(2 * day) });
  expect((await eventsOf({ ...shop, world })).counts_24h).toEqual({ clicks: 0, leads: 0, sales: 2 });
});

it("the readiness report's counts of the current hour replace those of the hour 48 hours ago, and events of that age don't change any count", async () => {
  const { world, ...shop } = await createSalesFixture();
  await world.write(`
    insert into recent_hours (program_id, is_test, hour, clicks, leads, sales)
    select ${world.programId}, 0, unixepoch() / 3600 - 48, 9, 9, 9`);
  await shop.visit();
  await shop.visit();
  expect(await world.rows("select clicks from recent_hours where program_id = ?", world.programId)).toEqual([
    { clicks: 2 },
  ]);
  expect((await eventsOf({ ...shop, world })).counts_24h).toEqual({ clicks: 2, leads: 0, sales: 0 });
  await shop.visit({ occurred_at: ago(48 * hour - minute) }, { key: world.key });
  await shop.visit({ occurred_at: ago(49 * hour) }, { key: world.key });
  expect((await eventsOf({ ...shop, world })).counts_24h).toEqual({ clicks: 2, leads: 0, sales: 0 });
});

it.each<[string, (shop: SalesFixture) => Promise<unknown>, WorldSettings?]>([
  ["bots", ({ visit }) => visit({ user_agent: "Googlebot/2.1" })],
  ["prefetches", ({ visit }) => visit({}, { browser: true, headers: { "sec-purpose": "prefetch" } })],
  ["leads and sales without a partner", async ({ lead, sell }) => [await lead({ customer_key: "u" }), await sell()]],
  [
    "provisional leads",
    ({ browserLead, click, alice }) => browserLead({ click_id: click(alice), customer_key: "u" }),
    { program: { leadAuth: "server_required" } },
  ],
  ["events of another program", async () => (await createSalesFixture()).visit()],
])("the readiness report doesn't count %s", async (_, send, settings) => {
  const shop = await createSalesFixture(settings);
  await send(shop);
  expect(await eventsOf(shop)).toEqual(none);
});

it("test events change only the tracking gate of the readiness report, and the state and blocker that follow from the gates", async () => {
  const { api, world, visit, lead, sale, refund } = await createSalesFixture();
  const verdict = async () => {
    const { gates, ...others } = (await api.readiness({ key: world.key })).body;
    const { tracking, ...rest } = gates as { [name: string]: JsonObject };
    return { ...others, gates: rest, tracking: { ...tracking, checked_at: null } };
  };
  const { tracking, ...before } = await verdict();
  const { click_id } = await visit(inTestMode, { browser: true });
  await lead({ click_id, customer_key: "u", ...inTestMode });
  expect(await sale({ customer_key: "u", transaction_id: "t", ...inTestMode })).toMatchObject({ attributed: true });
  await refund({ transaction_id: "t", ...inTestMode });
  const after = await verdict();
  expect(tracking).toMatchObject({ detail: null, status: "fail" });
  expect(after.tracking).toMatchObject({ detail: "tracker_installed", status: "pass" });
  expect(after).toEqual({ ...before, tracking: after.tracking, state: "ready", blocker: "live" });
});
