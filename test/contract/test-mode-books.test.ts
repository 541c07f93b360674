import { describe, expect, it } from "vitest";
import { createProgramFixture, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";

const books = [
  ["live", {}, inTestMode],
  ["test", inTestMode, {}],
] as const;

/** All rows of one book (live or test) of a program. */
async function bookOf({ world: { rows, programId } }: ProgramFixture, book: "live" | "test") {
  const tables = await rows(
    "select name from sqlite_master where type = 'table' and name not in ('webhooks', 'removed_clicks', 'unknown_codes', 'tier_books', 'tier_counts', 'tier_steps') and sql like '%`is_test`%' order by name",
  );
  expect(tables.length).toBeGreaterThan(6);
  const held = tables.map(async ({ name }) => [
    name,
    // Partners belong to both books, and their events are in the live feed.
    await rows(
      `select * from ${name} where program_id = ? and is_test = ? ${name === "events" ? "and type not like 'partner.%'" : ""}`,
      programId,
      book === "test" ? 1 : 0,
    ),
  ]);
  return Object.fromEntries(await Promise.all(held)) as Record<string, Record<string, unknown>[]>;
}

/** Sends every kind of event, with the same ids in both books. */
async function trade({ api, world, alice, lead, sale, refund }: ProgramFixture, mode: object) {
  const landing = { affiliate_url: alice.landingUrl, program_id: world.programId, event_id: "event-1" };
  const { click_id } = (await api.click({ ...landing, ...mode })).body;
  await lead({ click_id, customer_key: "u", email: "u@shop.example", ...mode });
  const sold = await sale({ transaction_id: "t", customer_key: "u", ...mode });
  await sale({ transaction_id: "of the same amount", customer_key: "u", ...mode });
  const refunded = await refund({ transaction_id: "t", refund_id: "r", refund_amount_cents: 4_000, ...mode });
  return { click_id, sold, refunded };
}

describe.each(books)("the %s book of a program", (book, mode, otherMode) => {
  const other = book === "live" ? "test" : "live";

  it("the live and the test book each contain every event sent to them, and none sent to the other", async () => {
    const shop = await createProgramFixture();
    await trade(shop, mode);
    for (const [table, rows] of Object.entries(await bookOf(shop, book))) expect(rows, table).not.toEqual([]);
    for (const [table, rows] of Object.entries(await bookOf(shop, other))) expect(rows, table).toEqual([]);
  });

  it("a program's live or test data doesn't change if the same ids are sent in the other mode, where they count as new", async () => {
    const shop = await createProgramFixture();
    const first = await trade(shop, mode);
    const before = await bookOf(shop, book);
    const second = await trade(shop, otherMode);
    expect(await bookOf(shop, book)).toEqual(before);
    expect(second.click_id).not.toBe(first.click_id);
    expect(second.sold).toMatchObject({ attributed: true, commission: { amount_cents: 2_000 } });
    expect(second.sold.sale_id).not.toBe(first.sold.sale_id);
    expect(second.refunded).toMatchObject({ status: "refunded", commission_reversed_cents: 800 });
  });

  it("a call for one book (live or test) doesn't find clicks of the other", async () => {
    const shop = await createProgramFixture();
    const click_id = shop.click(shop.alice, undefined, other === "test");
    const invalid = { attributed: false, reason: "invalid_click_id" };
    expect(await shop.lead({ click_id, customer_key: "u", ...mode })).toMatchObject(invalid);
    expect(await shop.sale({ click_id, customer_key: "v", ...mode })).toMatchObject(invalid);
    expect(await shop.sale({ click_id, ...mode })).toMatchObject(invalid);
  });

  it("a call for one book (live or test) doesn't find customers of the other", async () => {
    const shop = await createProgramFixture();
    await shop.lead({ click_id: shop.click(shop.alice, undefined, other === "test"), customer_key: "u", ...otherMode });
    expect(await shop.sale({ customer_key: "u", ...mode })).toMatchObject({ reason: "customer_not_found" });
    const own = shop.click(shop.bob, undefined, book === "test");
    const settled = { program_id: shop.world.programId, click_id: own, customer_key: "w", ...mode };
    expect(await shop.browserLead(settled)).toMatchObject({ partner_code: shop.bob.code });
    expect(await shop.sale({ customer_key: "w", ...mode })).toMatchObject({ partner_code: shop.bob.code });
  });

  it("a call for one book (live or test) doesn't find sales of the other", async () => {
    const { api, world, sale } = await createProgramFixture();
    await sale({ transaction_id: "t", customer_key: "u", ...otherMode });
    const reply = await api.refund({ transaction_id: "t", ...mode }, { key: world.key });
    expect(reply).toMatchObject({ status: 404, body: { error: { message: "Sale not found for transaction_id" } } });
  });

  it("each book of a program (live or test) accepts each transaction_id once", async () => {
    const { api, world, sale } = await createProgramFixture();
    const body = { transaction_id: "t", amount_cents: 100, customer_key: "u", ...mode };
    const { sale_id } = await sale(body);
    const reply = await api.sale(body, { key: world.key });
    expect(reply).toMatchObject({ status: 409, body: { error: { details: { sale_id, same_request: true } } } });
  });
});

it("test events don't count in the program's reports", async () => {
  const shop = await createProgramFixture();
  await trade(shop, inTestMode);
  expect((await shop.api.readiness({ key: shop.world.key })).body).toMatchObject({
    counts_24h: { clicks: 0, leads: 0, sales: 0 },
    last_event_at: { click: null, lead: null, sale: null },
  });
  expect(await shop.countedLeads(shop.alice)).toBe(0);
});

it("a program that requires leads from a server requires this in both books", async () => {
  const shop = await createProgramFixture({ program: { leadAuth: "server_required" } });
  const body = { click_id: shop.click(shop.alice, undefined, true), program_id: shop.world.programId, ...inTestMode };
  expect(await shop.browserLead(body)).toMatchObject({ success: true, provisional: true, data: { test_mode: true } });
});
