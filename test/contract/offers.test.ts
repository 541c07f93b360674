import { describe, expect, test } from "vitest";
import type { Json, JsonObject, Reply } from "../../harness/client.ts";
import type { World, WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { explained } from "../support/explain.ts";
import { at, clickOf, day, daysAgo, inTestMode, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

const program = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}`;
const friend = {
  ...{ label: "20% off", details: "First year" },
  ...{ couponIds: { stripe: "FRIEND20", lemonSqueezy: "friend20" }, until: null },
};

/** Opens a program in which Alice is in the group Gold and Bob is in no group. Checks the ledger when the test ends. */
async function opened(settings: WorldSettings = {}) {
  const partners = [{ group: 0 }, {}];
  const world = await people.world({ partners, groups: [{ name: "Gold" }], ...settings });
  expectConsistentInTheEnd(world);
  const shop = salesFixture(programFixture(world, sharedApi()));
  const paths = {
    program: `${program(world)}/offer`,
    group: `${program(world)}/groups/${world.groups[0]?.id}/offer`,
  };
  return { shop, world, paths };
}

type Saved = { data: { offer: Json } };
const set = async (path: string, offer: Json) => {
  const { status, text, body } = await people.admin.put<Saved>(path, { offer });
  expect(status, text).toBe(200);
  return body.data.offer;
};
const shown = async (path: string) => (await people.viewer.get<Saved>(path)).body.data.offer;

interface Answer extends JsonObject {
  readonly reason: string | null;
}

const askOf = (key: string, query: Readonly<Record<string, string>>) =>
  sharedApi().request<Answer>("GET", `/api/v1/programs/me/offer?${new URLSearchParams(query)}`, { key });

async function asked({ world }: SalesFixture, query: Readonly<Record<string, string>>): Promise<Answer> {
  const { status, text, body } = await askOf(world.key, query);
  expect(status, text).toBe(200);
  return body;
}

const refused = ({ status, body }: Reply<unknown>) => [
  status,
  (body as { error: { details: JsonObject } }).error.details,
];

describe("the offer of a program or a group", () => {
  test("the offer of a program or a group is set, read and ended, with an entry in the audit trail for each change", async () => {
    const { world, paths } = await opened();
    expect(await shown(paths.program)).toBeNull();
    expect(await set(paths.program, friend)).toEqual(friend);
    expect(await set(paths.program, friend)).toEqual(friend);
    expect(await shown(paths.program)).toEqual(friend);
    const until = at(daysAgo(-3));
    expect(await set(paths.group, { label: " 30% off ", couponIds: {}, until })).toEqual({
      ...{ label: "30% off", details: null, couponIds: {}, until },
    });
    expect(await set(paths.group, { none: true })).toEqual({ none: true });
    expect(await shown(paths.group)).toEqual({ none: true });
    expect(await set(paths.group, null)).toBeNull();
    expect(await set(paths.group, null)).toBeNull();
    const { body } = await people.admin.get<{ data: JsonObject[] }>(`${program(world)}/audit`);
    const group = `group ${world.groups[0]?.id}`;
    const entries = body.data.filter(({ action }) => action === "offer.set");
    expect(entries.map(({ action, subject, after }) => [action, subject, (after as JsonObject).state])).toEqual([
      ["offer.set", group, "inherited"],
      ["offer.set", group, "none"],
      ["offer.set", group, "given"],
      ["offer.set", `program ${world.programId}`, "given"],
    ]);
    expect(entries[1]).toMatchObject({ before: { state: "given", label: "30% off", until: daysAgo(-3) } });
  });

  test.each<[string, Json, string]>([
    ["without a label", { couponIds: {} }, "offer.label"],
    ["with too long a label", { ...friend, label: "x".repeat(81) }, "offer.label"],
    ["with too long details", { ...friend, details: "x".repeat(501) }, "offer.details"],
    ["without coupon ids", { label: "x" }, "offer.couponIds"],
    ["with a coupon id with a space", { ...friend, couponIds: { paddle: "a b" } }, "offer.couponIds.paddle"],
    ["with a placeholder as coupon id", { ...friend, couponIds: { polar: "null" } }, "offer.couponIds.polar"],
    ["with an end that isn't a time", { ...friend, until: "tomorrow" }, "offer.until"],
    ["as a text", "20% off", "offer"],
    ["with none set to false", { none: false }, "offer.none"],
  ])("the offer of a program or a group is refused %s", async (_, offer, field) => {
    const { paths } = await opened();
    expect(invalidFields(await people.admin.put(paths.program, { offer }))).toEqual([field]);
    expect(await shown(paths.program)).toBeNull();
  });

  test("the offer of a program or a group can't be changed by a viewer, in an archived program or for an unknown group", async () => {
    const { world, paths } = await opened();
    expect(await people.viewer.put(paths.program, { offer: null })).toMatchObject({ status: 403 });
    expect(await people.stranger.get(paths.program)).toMatchObject({ status: 403 });
    for (const path of [`${program(world)}/groups/1/offer`, `${program(world)}/groups/x/offer`]) {
      expect(await people.viewer.get(path)).toMatchObject({ status: 404 });
      expect(await people.admin.put(path, { offer: friend })).toMatchObject({ status: 404 });
    }
    await people.owner.patch(program(world), { status: "archived" });
    expect(await people.admin.put(paths.program, { offer: friend })).toMatchObject({ status: 409 });
  });

  test("an offer can't have a coupon id that is the code of a partner's coupon, and a partner's coupon can't have a code that is an offer's coupon id", async () => {
    const { world, paths, shop } = await opened({ coupons: [{ codes: ["Friend20"] }] });
    const taken = { code: "coupon_taken", coupon_id: world.coupons[0]?.id, coupon_code: "Friend20" };
    expect(refused(await people.admin.put(paths.group, { offer: friend }))).toEqual([409, taken]);
    expect(await shown(paths.group)).toBeNull();

    const own = { ...friend, couponIds: { stripe: "Own", other: "own_2" } };
    await set(paths.group, own);
    const coupons = `${program(world)}/coupons`;
    const bobs = { codes: ["OWN"], partnerId: shop.bob.id };
    const ofOffer = { code: "coupon_taken", coupon_code: "Own" };
    expect(refused(await people.admin.post(coupons, bobs))).toEqual([409, ofOffer]);
    const row = { line: 1, code: "oWn", partner_code: shop.bob.code };
    const imported = await people.admin.post<{ data: { rows: JsonObject[] } }>(`${program(world)}/imports/rows`, {
      ...{ kind: "coupons", source: "Elsewhere", rows: [row] },
    });
    expect(imported.body.data.rows).toMatchObject([{ result: "refused", code: "coupon_taken", field: "code" }]);
    await set(paths.group, { none: true });
    expect(await people.admin.post(coupons, bobs)).toMatchObject({ status: 201 });
  });
});

test("the database rejects changes of an offer's versions, and offers of groups that don't exist", async () => {
  const { world, paths } = await opened();
  await set(paths.group, friend);
  const version = `program_id = ${world.programId} and version = 1`;
  const columns = "state, label, details, coupon_ids, until, effective_from, operation_id";
  const copy = (id: number, group: string) => `into offers select program_id, ${id}, ${group}, ${columns} from offers`;
  for (const sql of [
    `update offers set label = 'other' where ${version}`,
    `delete from offers where ${version}`,
    `insert or replace ${copy(1, "group_id")} where ${version}`,
  ]) {
    await expect(world.write(sql), sql).rejects.toThrow("offers are append-only");
  }
  await expect(world.write(`insert ${copy(2, "-1")} where ${version}`)).rejects.toThrow("FOREIGN KEY");
});

describe("the offer for a customer", () => {
  test("the offer for a customer is the offer of the partner's current group, the program's offer, or none", async () => {
    const { shop, paths } = await opened();
    const { alice, bob } = shop;
    const offers = async () => {
      const of = (partner: typeof alice) => asked(shop, { customer_key: "new", click_id: shop.click(partner) });
      return (await Promise.all([of(alice), of(bob)])).map(({ offer, reason, partner_code }) => [
        ...[(offer as JsonObject | null)?.label ?? reason, partner_code],
      ]);
    };
    expect(await offers()).toEqual([
      ["no_offer", alice.code],
      ["no_offer", bob.code],
    ]);
    await set(paths.program, friend);
    expect(await offers()).toEqual([
      ["20% off", alice.code],
      ["20% off", bob.code],
    ]);
    await set(paths.group, { ...friend, label: "30% off" });
    expect((await offers()).map(([label]) => label)).toEqual(["30% off", "20% off"]);
    await set(paths.group, { none: true });
    expect((await offers()).map(([label]) => label)).toEqual(["no_offer", "20% off"]);
    await people.admin.patch(`${program(shop.world)}/partners/${alice.id}`, { groupId: null });
    expect((await offers()).map(([label]) => label)).toEqual(["20% off", "20% off"]);
    await set(paths.program, { ...friend, until: at(daysAgo(1)) });
    expect((await offers()).map(([label]) => label)).toEqual(["offer_over", "offer_over"]);
  });

  test("the offer for a customer is returned for a click in the call or in the customer's lead, until the customer has bought", async () => {
    const { shop, paths } = await opened();
    await set(paths.program, friend);
    const given = {
      offer: { label: "20% off", coupon_ids: { stripe: "FRIEND20", lemon_squeezy: "friend20" } },
      ...{ partner_code: shop.bob.code, reason: null },
    };
    const ofCall = { customer_key: "u1", click_id: shop.click(shop.bob) };
    expect(await asked(shop, ofCall)).toEqual(given);
    expect(await asked(shop, { customer_key: "u1" })).toEqual({
      ...{ offer: null, partner_code: null, reason: "customer_not_found" },
    });
    await shop.lead(ofCall);
    expect(await asked(shop, { customer_key: "u1" })).toEqual(given);
    await shop.sale({ customer_key: "u1", transaction_id: "t" });
    const bought = { offer: null, partner_code: shop.bob.code, reason: "has_bought" };
    expect(await asked(shop, { customer_key: "u1" })).toEqual(bought);
    await shop.sale({ customer_key: "organic", transaction_id: "o", occurred_at: at(daysAgo(3)) });
    expect(await asked(shop, { customer_key: "organic", click_id: shop.click(shop.bob) })).toEqual({
      ...bought,
      partner_code: null,
    });
  });

  test("the offer for a customer isn't returned if a sale now would be unattributed or earn nothing, and the response has the reason", async () => {
    const { shop, world, paths } = await opened({ policies: [{ minSaleCents: 5_000, currency: "EUR" }] });
    await set(paths.program, friend);
    const { bob } = shop;
    const reasonOf = async (click_id: string, customer_key = "new") =>
      (await asked(shop, { customer_key, click_id })).reason;
    expect(await reasonOf("forged")).toBe("invalid_click_id");
    expect(await reasonOf(clickOf(world.programId + 1, bob, daysAgo(1)))).toBe("invalid_click_id");
    expect(await reasonOf(shop.click(bob, daysAgo(1), true))).toBe("invalid_click_id");
    expect(await reasonOf(shop.click(bob, daysAgo(70)))).toBe("attribution_window_expired");
    // The amount isn't known yet, so the policy's minimum doesn't exclude the sale.
    expect(await reasonOf(shop.click(bob))).toBeNull();
    await people.admin.patch(`${program(world)}/partners/${bob.id}`, { status: "paused" });
    expect(await asked(shop, { customer_key: "new", click_id: shop.click(bob) })).toEqual({
      ...{ offer: null, partner_code: bob.code, reason: "partner_inactive" },
    });
    await people.admin.put(`${program(world)}/commission-policy`, { type: "none" });
    expect(await reasonOf(shop.click(shop.alice))).toBe("no_commission_policy");
  });

  test("the offer for a customer is decided by test events in test mode, and a call with a test key must be in test mode", async () => {
    const { shop, world, paths } = await opened({
      keys: [{}, { book: "test", scopes: ["read"] }, { scopes: ["track"] }],
    });
    await set(paths.program, friend);
    await shop.lead({ customer_key: "u1", click_id: shop.click(shop.bob, daysAgo(1), true), ...inTestMode });
    const [live = "", test = "", tracking = ""] = world.keys;
    const inTest = { customer_key: "u1", test_mode: "true" };
    for (const key of [live, test])
      expect((await askOf(key, inTest)).body).toMatchObject({ offer: { label: "20% off" } });
    expect((await askOf(live, { customer_key: "u1" })).body).toMatchObject({ reason: "customer_not_found" });
    expect(refused(await askOf(test, { customer_key: "u1" }))).toMatchObject([403, { code: "test_key" }]);
    expect(refused(await askOf(tracking, inTest))).toMatchObject([403, { code: "insufficient_scope", needed: "read" }]);
    expect(invalidFields(await askOf(live, { click_id: shop.click(shop.bob) }))).toEqual(["customer_key"]);
    expect(refused(await askOf(live, { customer_key: "undefined" }))).toMatchObject([400, { code: "placeholder_id" }]);
  });

  test("the offer for a customer isn't returned if the customer was imported with the time of a first sale", async () => {
    const { shop, world, paths } = await opened();
    await set(paths.program, friend);
    const row = { line: 1, customer_key: "cus_9", partner_code: shop.bob.code };
    const rows = [row, { ...row, line: 2, customer_key: "cus_8", first_sale_at: at(daysAgo(90)) }];
    await people.owner.post(`${program(world)}/imports/rows`, { kind: "customers", source: "Elsewhere", rows });
    expect(await asked(shop, { customer_key: "cus_9" })).toMatchObject({ reason: null, partner_code: shop.bob.code });
    expect(await asked(shop, { customer_key: "cus_8" })).toMatchObject({ offer: null, reason: "has_bought" });
  });
});

describe("the explanation of a sale", () => {
  const stepsOf = async (shop: SalesFixture, transaction_id: string) =>
    (await explained(shop, { transaction_id })).commission?.calculation.map(({ step, text, cents }) => [
      step,
      text,
      cents,
    ]);

  test("the explanation of a sale has an offer step if the sale has a coupon of the offer that applied then, even if the offer has changed since", async () => {
    const { shop, paths } = await opened();
    await set(paths.program, friend);
    await set(paths.group, { ...friend, label: "30% off", couponIds: { paddle: "dsc_30" } });
    const sell = async (transaction_id: string, partner: typeof shop.alice, coupon_codes: string[]) => {
      const click_id = shop.click(partner, Date.now() - day);
      await shop.sale({ transaction_id, customer_key: transaction_id, click_id, amount_cents: 4_900, coupon_codes });
    };
    await sell("alice", shop.alice, ["promo_1", "DSC_30"]);
    await sell("other", shop.alice, ["FRIEND20"]);
    await sell("bob", shop.bob, ["friend20"]);
    await sell("none", shop.bob, ["summer"]);
    await shop.sale({ transaction_id: "organic", customer_key: "o", coupon_codes: ["friend20"] });
    for (const path of Object.values(paths)) await set(path, { none: true });
    await sell("late", shop.bob, ["friend20"]);
    const [base, rate] = [
      ["base", "Sale of €49.00", 4_900],
      ["rate", "20% of €49.00 = €9.80", 980],
    ];
    const step = (label: string, code: string) => [
      "offer",
      `With the discount of the partner's offer "${label}": coupon "${code}"`,
      4_900,
    ];
    expect(await stepsOf(shop, "alice")).toEqual([base, step("30% off", "DSC_30"), rate]);
    expect(await stepsOf(shop, "bob")).toEqual([base, step("20% off", "friend20"), rate]);
    for (const id of ["other", "none", "late"]) expect(await stepsOf(shop, id), id).toEqual([base, rate]);
    expect(await stepsOf(shop, "organic")).toEqual([]);
  });
});
