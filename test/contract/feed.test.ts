import { describe, expect, test } from "vitest";
import type { Json, JsonObject, Reply } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { uniqueWord } from "../support/unique-word.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Event {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly seq: number;
  readonly program_id: number;
  readonly test_mode: boolean;
  readonly data: { readonly object: JsonObject; readonly previous?: JsonObject };
}

interface Feed {
  readonly events: Event[];
  readonly next_after: number;
  readonly has_more: boolean;
  readonly newest_seq: number;
}

const path = "/api/v1/programs/me/events";

async function openShop(settings: WorldSettings = {}) {
  const world = await people.world({ partners: [{ code: uniqueWord("anna") }, {}], ...settings });
  expectConsistentInTheEnd(world);
  const shop = salesFixture(programFixture(world, sharedApi()));
  const ask = (query = "", key = world.key): Promise<Reply<Feed>> =>
    sharedApi().request("GET", `${path}${query}`, { key });
  const read = async (query = ""): Promise<Feed> => {
    const { status, text, body } = await ask(query);
    expect(status, text).toBe(200);
    return body;
  };
  /** The events that an action adds to the feed. */
  const told = async (does: () => Promise<unknown>, query = ""): Promise<[string, JsonObject, JsonObject?][]> => {
    const { newest_seq } = await read();
    await does();
    const { events } = await read(`?after=${newest_seq}${query}`);
    return events.map(({ type, data: { object, previous } }) => (previous ? [type, object, previous] : [type, object]));
  };
  return { world, shop, ask, read, told };
}

const typesOf = (events: readonly [string, ...unknown[]][]): string[] => events.map(([type]) => type);

describe("the event feed", () => {
  test("the event feed has events for a lead, a sale, its approval and its refund, with previous values", async () => {
    const { world, shop, read, told } = await openShop({ policies: [{ rateBps: 2_000 }] });
    const { code, id: annasId } = world.partners[0] ?? { code: "", id: 0 };
    const anna = { partner_id: annasId, partner_code: code };
    const recorded = await told(async () => {
      await shop.refer("c1");
      await shop.sell({ transaction_id: "t1", amount_cents: 4_900 });
    });
    expect(typesOf(recorded)).toEqual(["lead.recorded", "sale.recorded", "commission.created"]);
    const [[, lead], [, sale], [, created]] = recorded as [
      [string, JsonObject],
      [string, JsonObject],
      [string, JsonObject],
    ];
    expect(lead).toMatchObject({ lead_id: expect.any(Number), customer_key: "c1", ...anna });
    const ofSale = { sale_id: sale.sale_id, transaction_id: "t1", customer_key: "c1" };
    expect(sale).toMatchObject({ ...ofSale, amount_cents: 4_900, source: "click", items: null, ...anna });
    const commission = {
      ...ofSale,
      ...{ commission_id: created.commission_id, currency: "EUR", ...anna, amount_cents: 980, status: "pending" },
      ...{ unconfirmed: false, held: false, hold_until: expect.stringMatching(/Z$/) },
    };
    expect(created).toEqual(commission);

    const path = `/api/programs/${world.programId}/commissions/${created.commission_id}/approve`;
    expect(await told(() => people.admin.post(path, {}))).toEqual([
      ["commission.updated", { ...commission, status: "approved" }, { status: "pending" }],
    ]);
    const refunded = await told(() => shop.giveBack("t1", { refund_id: "r1" }));
    expect(refunded).toEqual([
      [
        "refund.recorded",
        {
          ...{ refund_id: "r1", ...ofSale, refunded_cents: 4_900, refunded_total_cents: 4_900, currency: "EUR" },
          ...{ occurred_at: expect.any(String), status: "reversed", ...anna },
        },
      ],
      [
        "commission.updated",
        { ...commission, status: "reversed", amount_cents: 0 },
        { status: "approved", amount_cents: 980 },
      ],
    ]);
    const back = await told(() => shop.giveBack("t1", { refund_id: "r1", cancel: true }));
    expect(typesOf(back)).toEqual(["refund.updated", "commission.updated"]);

    const { events, newest_seq } = await read();
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: newest_seq }, (_, i) => i + 1));
    expect(events.at(-1)).toMatchObject({ id: `evt_${world.programId}_${newest_seq}`, program_id: world.programId });
  });

  test("the event feed has a sale's items with the field names of the API call", async () => {
    const { shop, told } = await openShop();
    const items = [{ item_id: "i1", product_id: "p1", amount_cents: 500, quantity: 2 }];
    const [recorded] = await told(() => shop.sell({ customer_key: "nobody", amount_cents: 500, items }));
    expect(recorded?.[1].items).toEqual(items);
  });

  test("the event feed can be paged, and filtered by type and status, and returns the newest sequence number", async () => {
    const { world, shop, ask, read } = await openShop();
    await shop.refer("c1");
    for (const transaction_id of ["t1", "t2", "t3"]) await shop.sell({ transaction_id });
    const all = await read();
    expect(all).toMatchObject({ has_more: false, next_after: all.newest_seq });
    const first = await read("?limit=2");
    expect(first).toMatchObject({ events: all.events.slice(0, 2), next_after: 2, has_more: true });
    expect((await read(`?after=2&limit=500`)).events).toEqual(all.events.slice(2));
    const sales = await read("?types=sale.recorded,commission.updated:approved&limit=2");
    expect(typesOf(sales.events.map(({ type }) => [type]))).toEqual(["sale.recorded", "sale.recorded"]);
    const rest = await read(`?types=sale.recorded&after=${sales.next_after}`);
    expect(rest).toMatchObject({ has_more: false, next_after: all.newest_seq });
    expect(rest.events).toHaveLength(1);
    const approved = await read("?types=commission.created:approved");
    expect(approved.events).toEqual([]);

    const beyond = await ask(`?after=${all.newest_seq + 1}`);
    expect([beyond.status, beyond.body.error.details]).toEqual([
      409,
      { code: "feed_restarted", newest_seq: all.newest_seq },
    ]);
    for (const query of [
      "?after=-1",
      "?limit=501",
      "?types=sales",
      "?types=sale.recorded:approved",
      "?types=commission.updated:paid",
      "?test_mode=yes",
    ]) {
      expect((await ask(query)).status, query).toBe(400);
    }
    const own = await people.viewer.get<{ data: Feed }>(`/api/programs/${world.programId}/feed`);
    expect(own.body.data).toEqual(all);
    const empty = await read("?test_mode=true");
    expect(empty).toEqual({ events: [], next_after: 0, has_more: false, newest_seq: 0 });
  });

  test("the event feed deletes events older than 30 days, and reports the oldest sequence number", async () => {
    const { world, shop, ask, read } = await openShop();
    await shop.refer("c1");
    const { newest_seq } = await read();
    await world.write({ sql: "update events set at = at - 2592000001 where program_id = ?", args: [world.programId] });
    // Old events are deleted with every sixteenth new event of a book (live or test).
    for (let sale = 0; sale < 8; sale += 1) await shop.sell({ transaction_id: `t${sale}` });
    const { events } = await read();
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 16 }, (_, n) => newest_seq + n + 1));
    const late = await ask("?after=0");
    expect([late.status, late.body.error.details]).toEqual([400, { code: "too_old", oldest_seq: newest_seq + 1 }]);
  });

  test("the event feed shows a commission in a payout line as approved until the line fails, even if its sale is refunded", async () => {
    const { world, shop, told } = await openShop({ policies: [{ holdDays: 0, rateBps: 1_000 }] });
    const base = `/api/programs/${world.programId}`;
    const payouts = `${base}/payouts`;
    const post = async (path: string, body: Json = {}) => {
      const { status, text, body: reply } = await people.admin.post<{ data: { id: number } }>(path, body);
      expect([200, 201], text).toContain(status);
      return reply.data.id;
    };
    await shop.refer("c1");
    const ids: number[] = [];
    for (const transaction_id of ["t1", "t2", "t3"]) {
      ids.push(Number((await shop.sell({ transaction_id, amount_cents: 5_000 })).body.commission_id));
    }
    const listed = async () => {
      const { body } = await people.admin.get<{ data: { id: number; status: string }[] }>(`${base}/commissions`);
      return ids.map((id) => body.data.find((each) => each.id === id)?.status);
    };
    const payout = await post(payouts, { currency: "EUR" });
    await post(`${payouts}/${payout}/finalize`);
    await post(`${payouts}/${payout}/confirm`);
    for (const transaction_id of ["t1", "t2"]) {
      const refunded = await told(
        () => shop.giveBack(transaction_id, { refund_id: transaction_id }),
        "&types=commission.updated",
      );
      expect(refunded).toEqual([
        ["commission.updated", expect.objectContaining({ status: "approved", amount_cents: 0 }), { amount_cents: 500 }],
      ]);
    }
    const back = await told(() => shop.giveBack("t2", { refund_id: "t2", cancel: true }), "&types=commission.updated");
    expect(back).toEqual([
      ["commission.updated", expect.objectContaining({ status: "approved", amount_cents: 500 }), { amount_cents: 0 }],
    ]);
    await shop.giveBack("t2", { refund_id: "again" });
    expect(await listed()).toEqual(["paid", "paid", "paid"]);
    const ended = await told(
      () => post(`${payouts}/${payout}/lines/${shop.alice.id}/fail`, { reason: "account closed" }),
      "&types=commission.updated",
    );
    expect(ended).toEqual(
      ids
        .slice(0, 2)
        .map((commission_id) => [
          "commission.updated",
          expect.objectContaining({ commission_id, status: "reversed", amount_cents: 0 }),
          { status: "approved" },
        ]),
    );
    expect(await listed()).toEqual(["reversed", "reversed", "approved"]);
  });

  test("the event feed has one event each for a lead, a sale and a commission that move to another partner", async () => {
    const { shop, told } = await openShop();
    const { alice: anna, bob: ben } = shop;
    await shop.browserLead({ customer_key: "c1", click_id: (await shop.visit()).click_id });
    await shop.sell({ transaction_id: "t1" });
    const moved = await told(() => shop.refer("c1", { partner: ben, clickAt: daysAgo(0) }));
    const previous = { partner_id: anna.id };
    expect(typesOf(moved).toSorted()).toEqual(["commission.updated", "lead.moved", "sale.updated"]);
    for (const [, object, before] of moved) {
      expect(object).toMatchObject({ partner_id: ben.id, partner_code: ben.code });
      expect(before).toMatchObject(previous);
    }
  });

  test("the event feed has events for changed partners, without payment details", async () => {
    const { world, told } = await openShop();
    const [anna] = world.partners;
    const change = (body: Json) => people.admin.patch(`/api/programs/${world.programId}/partners/${anna?.id}`, body);
    expect(await told(() => change({ status: "paused" }))).toEqual([
      ["partner.updated", expect.objectContaining({ partner_id: anna?.id, status: "paused" }), { status: "active" }],
    ]);
    expect(await told(() => change({ name: "Anna B." }))).toEqual([
      ["partner.updated", expect.objectContaining({ name: "Anna B." }), {}],
    ]);
  });
});
