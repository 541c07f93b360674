import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { createSalesFixture, type SalesFixture } from "../support/sales-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const finding = { tags: ["finding"] };
const open = () => createSalesFixture({ members: people.members() });
const path = (shop: SalesFixture) => `/api/programs/${shop.world.programId}`;

/**
 * Sends a lead with the key for each address, all for one customer. Two addresses have the same stored digest in 1 of
 * 4,096 cases, so the tests send one address more than needed.
 */
async function tell(shop: SalesFixture, emails: readonly string[], customer_key = "guest"): Promise<void> {
  for (const email of emails) await shop.lead({ customer_key, email: `${email}@mail.example` });
}

const reviewOf = async (shop: SalesFixture, id: number) => {
  const { body } = await people.viewer.get<{ data: { held: boolean; reasons: { code: string; text: string }[] } }>(
    `${path(shop)}/commissions/${id}`,
  );
  return { held: body.data.held, codes: body.data.reasons.map(({ code }) => code) };
};

const set = (shop: SalesFixture, many_sources: string) =>
  people.admin.put(`${path(shop)}/risk`, {
    signals: { self_referral: "hold", duplicate_source: "off", blocked_source: "hold", many_sources },
    blockedHosts: [],
    reviewDays: null,
  } satisfies JsonObject);

/** A customer referred by Alice, whose sales are too far apart to be flagged as duplicates. */
async function shopOfGuests() {
  const shop = await open();
  await shop.refer("guest");
  let sales = 0;
  const sell = async () => {
    sales += 1;
    return (
      await shop.sell({ customer_key: "guest", occurred_at: new Date(daysAgo(0.9, sales * 3_600_000)).toISOString() })
    ).body.commission_id;
  };
  return { shop, sell };
}

describe("a customer with more than three email addresses", finding, () => {
  test("all sales of a customer with more than three email addresses are flagged as many_sources, including the sales before the fourth address", async () => {
    const { shop, sell } = await shopOfGuests();
    const before = await sell();
    await tell(shop, ["a", "b", "c"]);
    const amid = await sell();
    expect(await reviewOf(shop, amid)).toEqual({ held: false, codes: [] });
    await tell(shop, ["d", "f"]);
    const after = await sell();
    for (const id of [before, amid, after]) {
      expect(await reviewOf(shop, id)).toEqual({ held: false, codes: ["many_sources"] });
    }
    await tell(shop, ["e"]);
    expect(await reviewOf(shop, after)).toEqual({ held: false, codes: ["many_sources"] });
  });

  test("with many_sources set to hold, sales of a customer with more than three email addresses are held, and with off they aren't flagged", async () => {
    const { shop, sell } = await shopOfGuests();
    expect((await set(shop, "hold")).status).toBe(200);
    const before = await sell();
    await tell(shop, ["a", "b", "c", "d", "e"]);
    for (const id of [before, await sell()]) {
      expect(await reviewOf(shop, id)).toEqual({ held: true, codes: ["many_sources"] });
    }
    await set(shop, "off");
    expect(await reviewOf(shop, await sell())).toEqual({ held: false, codes: [] });
  });

  test("a customer with three email addresses, sent repeatedly in any order and case, isn't flagged as many_sources", async () => {
    const { shop, sell } = await shopOfGuests();
    await tell(shop, ["a", "b", "A", "c", "b", "a", "C"]);
    expect(await reviewOf(shop, await sell())).toEqual({ held: false, codes: [] });
  });

  test("a customer with more than three email addresses is recognized by short digests of them, and an erasure removes the digests", async () => {
    const { shop } = await shopOfGuests();
    await tell(shop, ["a", "b", "c", "d", "e"]);
    const marks = async () => (await shop.all("customers")).map(({ address_marks }) => address_marks);
    expect(await marks()).toEqual([expect.stringMatching(/^[\w-]{2}( [\w-]{2}){3}$/)]);
    const erased = await people.owner.post(`${path(shop)}/privacy/erase`, { customerKey: "guest", confirm: true });
    expect(erased.status, erased.text).toBeLessThan(300);
    await expect.poll(marks).toEqual([null]);
  });
});

test("the setting many_sources is flag by default, and a call that changes the settings without it leaves it as it is", async () => {
  const shop = await open();
  const read = async () =>
    (await people.viewer.get<{ data: { signals: JsonObject } }>(`${path(shop)}/risk`)).body.data.signals.many_sources;
  expect(await read()).toBe("flag");
  await set(shop, "hold");
  const signals = { self_referral: "hold", duplicate_source: "hold", blocked_source: "hold" };
  await people.admin.put(`${path(shop)}/risk`, { signals, blockedHosts: [], reviewDays: null });
  expect(await read()).toBe("hold");
});
