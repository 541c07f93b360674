import { expect, test } from "vitest";
import { payouts } from "#store/schema/payouts.ts";
import type { JsonObject } from "../../harness/client.ts";
import { copiesOf } from "../support/copies.ts";
import type { PayoutReply } from "../support/payouts-fixture.ts";
import { daysAgo, programFixture } from "../support/program-fixture.ts";
import { mcpClient } from "../support/proposing.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import type { Statement } from "../support/statements-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const mostRows = 50;
const mostBytes = 262_144;
const numbers = Array.from({ length: mostRows + 5 }, (_, i) => i);

/** A program with more than 50 rows of everything that the tools list. */
async function manyOfEach() {
  const world = await people.world({
    policies: [{ holdDays: 0 }],
    partners: numbers.map((i) => ({ name: `Partner ${i}` })),
    coupons: numbers.map((partner) => ({ codes: [`CODE${partner}`], partner })),
    groups: numbers.map(() => ({})),
  });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("many");
  await Promise.all(
    numbers.flatMap((i) => [
      shop.sale({ customer_key: `cus_${i}`, transaction_id: `one-${i}`, coupon_codes: [`CODE${i}`] }),
      shop.sale({ customer_key: "many", transaction_id: `many-${i}` }),
    ]),
  );
  await shop.sale({ customer_key: "many", transaction_id: "refunded" });
  const refund = { transaction_id: "refunded", refund_amount_cents: 10 };
  await Promise.all(numbers.map((i) => shop.refund({ ...refund, refund_id: `refund-${i}` })));

  const post = async (path: string, body: JsonObject = {}) => {
    const {
      status,
      text,
      body: sent,
    } = await people.admin.post<PayoutReply>(`/api/programs/${world.programId}/payouts${path}`, body);
    expect(status, text).toBeLessThan(300);
    return sent.data.id;
  };
  const payoutId = await post("", { currency: "EUR" });
  await post(`/${payoutId}/finalize`);
  const ids = `${2 ** 47} + ${world.programId} * 100 + v`;
  await world.write(copiesOf(payouts, payoutId, numbers.length, { id: ids, reference: "'copy-' || v" }));
  return { world, alice: shop.alice, payoutId, client: await mcpClient(sharedService.url, world) };
}

function listsIn(value: unknown, pointer = ""): readonly (readonly [pointer: string, rows: number])[] {
  if (value === null || typeof value !== "object") return [];
  const own = Array.isArray(value) ? [[pointer, value.length] as const] : [];
  return [...own, ...Object.entries(value).flatMap(([name, child]) => listsIn(child, `${pointer}/${name}`))];
}

const dayOf = (daysBack: number): string => new Date(daysAgo(daysBack)).toISOString().slice(0, 10);

test("the MCP tools return at most 50 rows in each list, and say how to get the others", async () => {
  const { world, alice, payoutId, client } = await manyOfEach();
  const partnerId = alice.id;
  const given: Readonly<Record<string, JsonObject>> = {
    explain: { transaction_id: "refunded" },
    get_offer: { customer_key: "many" },
    get_partner_overview: { partnerId, date_from: dayOf(80), date_to: dayOf(0) },
    list_partner_commissions: { partnerId },
    get_partner_statement: { partnerId },
    list_payout_commissions: { payoutId },
    get_performance: { group_by: "partner" },
    list_events: { limit: 500 },
    propose: { action: "reject", filter: {}, reason: "Too many" },
  };
  const call = async (name: string, more: JsonObject = {}) => {
    const { structuredContent, content, isError } = await client.callTool({
      name,
      arguments: { ...given[name], ...more },
    });
    const [{ text = "" } = {}] = content as { text?: string }[];
    return { answer: structuredContent as JsonObject, text, isError };
  };
  await expect
    .poll(async () => listsIn((await call("list_requests")).answer), { interval: 100 })
    .toContainEqual(["/data", mostRows]);

  const { tools } = await client.listTools();
  const full = new Map<string, readonly string[]>();
  const shortened = new Map<string, unknown>();
  for (const { name } of tools) {
    const { answer, text, isError } = await call(name);
    expect(isError, text).toBeUndefined();
    expect(JSON.parse(text)).toEqual(answer);
    expect(Buffer.byteLength(text), name).toBeLessThanOrEqual(mostBytes);
    const lists = listsIn(answer);
    expect(Math.max(0, ...lists.map(([, rows]) => rows)), name).toBeLessThanOrEqual(mostRows);
    full.set(
      name,
      lists.flatMap(([pointer, rows]) => (rows === mostRows ? [pointer] : [])),
    );
    if (answer.shortened !== undefined) shortened.set(name, answer.shortened);
  }
  const withoutLists = ["get_readiness", "get_offer", "propose"];
  expect([...full].flatMap(([name, lists]) => (lists.length === 0 ? [name] : []))).toEqual(withoutLists);
  expect(full.get("explain")).toEqual(["/events", "/commission/calculation", "/commission/entries"]);
  expect(full.get("list_partner_commissions")).toEqual(["/data", "/data/0/changes"]);
  expect(Object.fromEntries(shortened)).toEqual({
    explain: [
      "/commission/calculation has the first 50 of 57 rows. The amount after the last step is the commission's.",
      "/commission/entries has the first 50 of 56 rows. get_partner_statement lists the others.",
    ],
    get_partner_overview: [
      "/data/days has the first 50 of 81 rows. Ask for shorter ranges, with date_from and date_to, to get the others.",
    ],
    list_partner_commissions: ["/data/0/changes has the first 50 of 56 rows. get_partner_statement lists the others."],
    get_partner_statement: [
      "62 more entries follow. Send next_cursor as cursor, with the same period, to get the next ones.",
    ],
  });

  const pages: Statement[] = [];
  let cursor: unknown = null;
  do {
    const { answer } = await call("get_partner_statement", cursor === null ? {} : { cursor: String(cursor) });
    pages.push(answer as unknown as Statement);
    cursor = (answer.meta as JsonObject).next_cursor;
  } while (cursor !== null);
  expect(pages.map((page) => page.data.entries.length)).toEqual([50, 50, 12]);
  const whole = await fetch(new URL(`/api/v1/programs/me/partners/${partnerId}/statement`, sharedService.url), {
    headers: { Authorization: `Bearer ${world.key}` },
  });
  const { data, meta } = (await whole.json()) as { data: JsonObject; meta: JsonObject };
  expect(pages.flatMap((page) => page.data.entries)).toEqual(data.entries);
  for (const page of pages) expect({ ...page.data, entries: [] }).toEqual({ ...data, entries: [] });
  expect(pages[2]?.meta).toEqual({ ...meta, remaining: 0, next_cursor: null });

  const ofAlice = (pages[0]?.meta as unknown as JsonObject | undefined)?.next_cursor;
  const other = { partnerId: world.partners[1]?.id ?? 0, cursor: String(ofAlice) };
  expect(await call("get_partner_statement", other)).toMatchObject({
    isError: true,
    text: expect.stringContaining("cursor must be a next_cursor from a previous page"),
  });
});
