import { describe, expect, test } from "vitest";
import type { Json, JsonObject, Reply } from "../../harness/client.ts";
import type { World, WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { explained } from "../support/explain.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { uniqueWord } from "../support/unique-word.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Coupon extends JsonObject {
  readonly id: number;
  readonly codes: string[];
}

const coupons = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}/coupons`;

/** The response's status and error details. */
const refused = ({ status, body }: Reply<unknown>) => [status, (body as { error?: JsonObject }).error?.details];

/** Creates a world whose ledger is checked when the test ends. */
async function openWorld(settings: WorldSettings = {}): Promise<World> {
  const world = await people.world({ partners: [{ code: uniqueWord("anna") }, {}], ...settings });
  expectConsistentInTheEnd(world);
  return world;
}

const shopOf = (world: World): SalesFixture => salesFixture(programFixture(world, sharedApi()));

async function taken<Body>(call: Promise<Reply<Body>>): Promise<Body> {
  const { status, text, body } = await call;
  expect([200, 201], text).toContain(status);
  return body;
}

const create = (world: World, body: Json) => people.admin.post<{ data: Coupon }>(coupons(world), body);
const change = (world: World, id: number, body: Json) =>
  people.admin.patch<{ data: Coupon }>(`${coupons(world)}/${id}`, body);
const listed = async (world: World, query = "") =>
  (await taken(people.viewer.get<{ data: Coupon[] }>(`${coupons(world)}${query}`))).data;

describe("coupons", () => {
  test("coupons are created, listed, paused and limited to a period, and the audit trail has an entry for each change", async () => {
    const world = await openWorld();
    const [anna, ben] = world.partners;
    const made = await create(world, { codes: ["BEN10", "promo_1"], partnerId: ben?.id ?? 0 });
    expect(made.status).toBe(201);
    const { data } = made.body;
    expect(data).toEqual({
      ...{ id: data.id, codes: ["BEN10", "promo_1"], partnerId: ben?.id, partnerCode: ben?.code },
      ...{ partnerName: `Partner ${ben?.code}`, status: "active", validFrom: null, validUntil: null },
      createdAt: expect.any(String),
    });
    const annas = { codes: ["ANNA5"], partnerId: anna?.id ?? 0, status: "paused", validUntil: at(daysAgo(-30)) };
    const { data: other } = await taken(create(world, annas));
    expect(other).toMatchObject({ status: "paused", validUntil: at(daysAgo(-30)) });
    expect(await listed(world)).toEqual([other, data]);
    expect(await listed(world, `?partnerId=${ben?.id}`)).toEqual([data]);
    expect(await listed(world, "?code=anna5")).toEqual([other]);
    expect(await listed(world, `?code=anna5&partnerId=${ben?.id}`)).toEqual([]);
    expect(await listed(world, "?status=paused")).toEqual([other]);
    expect(await listed(world, `?status=active&partnerId=${ben?.id}`)).toEqual([data]);
    expect(await listed(world, `?status=active&partnerId=${anna?.id}`)).toEqual([]);
    expect(await listed(world, "?code=anna5&status=active")).toEqual([]);

    expect((await change(world, data.id, { status: "paused", validFrom: at(daysAgo(3)) })).body.data).toEqual({
      ...{ ...data, status: "paused", validFrom: at(daysAgo(3)) },
    });
    expect((await change(world, data.id, { validFrom: null })).body.data).toMatchObject({ validFrom: null });
    const { data: trail } = await taken(
      people.admin.get<{ data: JsonObject[] }>(`/api/programs/${world.programId}/audit`),
    );
    expect(trail.filter(({ subject }) => subject === `coupon ${data.id}`).map(({ action }) => action)).toEqual([
      ...["coupon.updated", "coupon.updated", "coupon.created"],
    ]);
  });

  test("coupons have codes that are unique, ignoring case and Unicode spelling", async () => {
    const world = await openWorld();
    const partnerId = world.partner.id;
    const { data } = await taken(create(world, { codes: ["Café10"], partnerId }));
    for (const code of ["CAFÉ10", "cafe\u030110", "ｃafé10"]) {
      const taken = { code: "coupon_taken", coupon_id: data.id, coupon_code: "Café10" };
      expect(refused(await create(world, { codes: ["fresh", code], partnerId })), code).toEqual([409, taken]);
    }
    await taken(create(world, { codes: ["CAFE10"], partnerId }));
    for (const codes of [[], ["a", "b", "c", "d"], ["two words"], ["ben\u200b"], [""], ["x".repeat(65)], ["a", "A"]]) {
      const fields = invalidFields(await create(world, { codes, partnerId }));
      expect(fields?.join(), codes.join()).toMatch(/^codes/);
    }
    expect(await listed(world)).toHaveLength(2);
  });

  test("coupons can't be created for another program's partner, with an end before the start, or by a viewer", async () => {
    const world = await openWorld();
    const stranger = await openWorld();
    const partnerId = world.partner.id;
    const { data } = await taken(create(world, { codes: ["BEN10"], partnerId }));
    expect(await create(world, { codes: ["X"], partnerId: stranger.partner.id })).toMatchObject({ status: 404 });
    const never = { validFrom: at(daysAgo(1)), validUntil: at(daysAgo(2)) };
    const neverValid = [400, { code: "never_valid" }];
    expect(refused(await create(world, { codes: ["X"], partnerId, ...never }))).toEqual(neverValid);
    expect(refused(await change(world, data.id, never))).toEqual(neverValid);
    expect(await change(stranger, data.id, { status: "paused" })).toMatchObject({ status: 404 });
    expect(await people.viewer.post(coupons(world), { codes: ["X"], partnerId })).toMatchObject({ status: 403 });
    expect(await listed(world)).toEqual([data]);
  });

  test("coupons without a partner leave the customer with the link's partner, who also takes precedence over a coupon's partner", {
    tags: "finding",
  }, async () => {
    const world = await openWorld();
    const [anna, ben] = world.partners;
    const shop = shopOf(world);
    await taken(create(world, { codes: ["BEN10"], partnerId: ben?.id ?? 0 }));
    await shop.refer("by link");
    await shop.refer("by both");
    const partnerOf = async (customer_key: string, code: string) =>
      (await shop.sell({ transaction_id: customer_key, customer_key, coupon_codes: [code] })).body.partner_code;
    expect(await partnerOf("by link", "HOUSE10")).toBe(anna?.code);
    expect(await partnerOf("by coupon", "BEN10")).toBe(ben?.code);
    expect(await partnerOf("by both", "BEN10")).toBe(anna?.code);
  });

  test("coupons are managed with a program key, with snake_case fields", async () => {
    const world = await openWorld();
    const call = <Body>(method: string, path: string, body?: Json) =>
      sharedApi().request<Body>(method, `/api/v1/programs/me/coupons${path}`, {
        key: world.key,
        ...(body && { body }),
      });
    const made = { codes: ["BEN10"], partner_id: world.partner.id, valid_from: at(daysAgo(1)) };
    const { body, status } = await call<{ data: Coupon }>("POST", "", made);
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ codes: ["BEN10"], partner_code: world.partner.code, valid_from: at(daysAgo(1)) });
    expect(refused(await call("POST", "", made))).toMatchObject([409, { coupon_id: body.data.id }]);
    const paused = { status: "paused", valid_from: null };
    expect(await call("PATCH", `/${body.data.id}`, paused)).toMatchObject({ status: 200, body: { data: paused } });
    expect(await call("GET", "?code=BEN10")).toMatchObject({
      body: { data: [{ id: body.data.id, status: "paused" }], meta: { next_cursor: null } },
    });
  });
});

describe("a sale with coupons", () => {
  test("a sale with coupons is attributed by a coupon, deduplicated, and explained with its coupons", async () => {
    const world = await openWorld({ coupons: [{ codes: ["BEN10"], partner: 1 }] });
    const shop = shopOf(world);
    const [, ben] = world.partners;
    const sold = { customer_key: "c", transaction_id: "t", amount_cents: 4_900, coupon_codes: ["nobody’s", " ben10 "] };
    expect(await shop.sale(sold)).toMatchObject({
      ...{ attributed: true, partner_code: ben?.code, source: "coupon", commission: { amount_cents: 980 } },
    });
    const { coupon_codes: _, ...without } = sold;
    for (const same of [sold, without]) {
      expect(refused(await shop.sell(same))).toMatchObject([409, { same_request: true }]);
    }
    const other = await shop.sell({ ...sold, coupon_codes: ["BEN10"] });
    expect(refused(other)).toMatchObject([409, { same_request: false, differences: ["coupon_codes"] }]);
    const story = await explained(shop, { transaction_id: "t" });
    expect(story).toMatchObject({
      coupons: [
        { code: "nobody’s", partner_code: null, outcome: "unknown" },
        { code: "ben10", partner_code: ben?.code, outcome: "chosen" },
      ],
      commission: { source: "coupon" },
      ...{ candidates: [], missing: [] },
    });
    const ofCustomer = await explained(shop, { customer_key: "c" });
    expect(ofCustomer.verdict.message).toContain(`belongs to partner ${ben?.code}, by a coupon, from `);
    expect(ofCustomer.coupons).toEqual([]);
  });

  test("a sale with coupons isn't attributed by a coupon if the customer has bought before, and its explanation says so", async () => {
    const world = await openWorld({ coupons: [{ codes: ["BEN10"], partner: 1 }] });
    const shop = shopOf(world);
    await shop.sale({ customer_key: "c", occurred_at: at(daysAgo(3)) });
    const late = await shop.sale({ customer_key: "c", transaction_id: "t", coupon_codes: ["BEN10"] });
    expect(late).toMatchObject({ attributed: false, reason: "existing_customer" });
    const story = await explained(shop, { transaction_id: "t" });
    expect(story.coupons).toMatchObject([{ outcome: "existing_customer" }]);
    expect(story.verdict.message).toMatch(/had already bought before this sale, which came with a coupon\.$/);
  });

  test("the explanation of a sale names its paused, expired or unknown coupon first, and says what to do about it", async () => {
    const world = await openWorld({
      coupons: [
        { codes: ["BEN10"], partner: 1, status: "paused" },
        { codes: ["OLD"], partner: 1, validUntil: daysAgo(30) },
      ],
    });
    const shop = shopOf(world);
    const [, ben] = world.partners;
    const of = async (transaction_id: string, sale: JsonObject) => {
      const { reason } = await shop.sale({ transaction_id, ...sale });
      const { verdict, missing } = await explained(shop, { transaction_id });
      return [reason, verdict.message, missing[0]?.remedy];
    };
    expect(await of("paused", { customer_key: "c", coupon_codes: ["HOUSE", "BEN10", "OLD"] })).toEqual([
      "customer_not_found",
      `No partner earned a commission on this sale: coupon "BEN10" of partner ${ben?.code} didn't count, because it or the partner was paused, and neither a lead nor a click identified the customer.`,
      "Resume the coupon, or the partner, so that the coupon counts for later sales. This sale doesn't change: if it should earn, assign its customer to the partner.",
    ]);
    expect(await of("unknown", { customer_key: "u", coupon_codes: ["NOSUCH", "HOUSE"] })).toEqual([
      "customer_not_found",
      'No partner earned a commission on this sale: no partner has the coupon "NOSUCH", and neither a lead nor a click identified the customer.',
      expect.stringMatching(
        /^If a partner gave out this code, create the coupon\. It counts for later sales\. Send the customer's lead /,
      ),
    ]);
    await shop.lead({ customer_key: "d" });
    expect(await of("old", { customer_key: "d", coupon_codes: ["OLD"] })).toEqual([
      "no_click",
      `No partner earned a commission on this sale: coupon "OLD" of partner ${ben?.code} wasn't valid at the time of the sale, and no partner's click was reported for the customer.`,
      "Change when the coupon is valid, so that the coupon counts for later sales. This sale doesn't change: if it should earn, assign its customer to the partner.",
    ]);
  });

  test("a sale with coupons accepts up to ten codes, and ignores texts that can't be coupons", async () => {
    const world = await openWorld({ coupons: [{ codes: ["😀".repeat(64)] }] });
    const shop = shopOf(world);
    for (const coupon_codes of [Array.from({ length: 20 }, (_, i) => `c${i}`), ["x".repeat(256)], "BEN10", [1]]) {
      expect((await shop.sell({ customer_key: "c", coupon_codes })).status).toBe(400);
    }
    const entered = ["", " ", "x".repeat(65), "two words", "be\u200bn"];
    expect(await shop.sale({ customer_key: "c", coupon_codes: entered, transaction_id: "t" })).toMatchObject({
      attributed: false,
    });
    const { coupons } = await explained(shop, { transaction_id: "t" });
    expect(coupons.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 3 }, () => "unknown"));
    const longest = await shop.sale({ customer_key: "d", coupon_codes: ["😀".repeat(64)] });
    expect(longest).toMatchObject({ attributed: true, source: "coupon" });
  });

  test("a sale with a coupon and without a customer_key is attributed to the coupon's partner, and affects no other customer", async () => {
    const world = await openWorld({ coupons: [{ codes: ["BEN10"], partner: 1 }] });
    const shop = shopOf(world);
    const guest = { click_id: "forged", coupon_codes: ["BEN10"], customer_key: undefined };
    for (const transaction_id of ["g1", "g2"]) {
      expect(await shop.sale({ ...guest, transaction_id })).toMatchObject({ attributed: true, source: "coupon" });
    }
    const [found] = await world.rows("select count(*) as n from customers where program_id = ?", world.programId);
    expect(found?.n).toBe(2);
  });
});
