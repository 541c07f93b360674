import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { partnerSide } from "../support/partner-side.ts";
import { programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Commission {
  readonly status: string;
  readonly held: boolean;
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
}

const open = async (settings: WorldSettings = {}): Promise<SalesFixture> =>
  salesFixture(
    programFixture(await people.world({ partners: [{}, {}], policies: [{ holdDays: 0 }], ...settings }), sharedApi()),
  );
const path = ({ world }: SalesFixture) => `/api/programs/${world.programId}`;
const named = (shop: SalesFixture, email: string | null) =>
  people.owner.patch(`${path(shop)}/partners/${shop.alice.id}`, { email });
const lead = (shop: SalesFixture, email: string, customer_key = "c1") =>
  shop.lead({ customer_key, email, click_id: shop.click(shop.alice) });
const sold = async (shop: SalesFixture, body: JsonObject = {}) => (await shop.sell(body)).body;
const judged = async (shop: SalesFixture, id: number) => {
  const { data } = (await people.viewer.get<{ data: Commission }>(`${path(shop)}/commissions/${id}`)).body;
  return [data.status, data.held, ...data.reasons.map(({ code }) => code)];
};
const flagged = ["approved", false, "self_referral_similar"];
const held = ["pending", true, "self_referral"];

test("a sale with the partner's own email address is held, and one with a similar address, such as another +suffix, is flagged", {
  tags: ["finding"],
}, async () => {
  const shop = await open();
  await named(shop, "jo.hn+shop@gmail.com");
  const spellings: readonly (readonly [string, readonly unknown[]])[] = [
    ["jo.hn+shop@gmail.com", held],
    ["JO.HN+SHOP@GMAIL.COM", held],
    [" jo.hn+shop@gmail.com ", held],
    ["jo.hn+other@gmail.com", flagged],
    ["jo.hn@gmail.com", flagged],
    ["john+shop@gmail.com", flagged],
    ["jo.hn+shop@googlemail.com", flagged],
    ["John <jo.hn+shop@gmail.com>", flagged],
    ["jane@gmail.com", ["approved", false]],
  ];
  for (const [i, [email, right]] of spellings.entries()) {
    await lead(shop, email, `c${i}`);
    const { commission_id } = await sold(shop, { customer_key: `c${i}`, amount_cents: 1_000 + i });
    expect([email, await judged(shop, commission_id)]).toEqual([email, right]);
  }
});

describe("a similar email address", () => {
  test("a similar email address is flagged once it is known, by a lead, a change of the partner, or an account that gets access to the partner", async () => {
    const shop = await open();
    await named(shop, "ada+x@example.com");
    await shop.refer("c1");
    const { commission_id: first } = await sold(shop);
    await lead(shop, "ada@example.com");
    expect(await judged(shop, first)).toEqual(flagged);
    await lead(shop, "ada@example.com");
    expect(await judged(shop, first)).toEqual(flagged);
    await lead(shop, "eve@example.com", "c2");
    const { commission_id: second } = await sold(shop, { customer_key: "c2" });
    await named(shop, "eve+1@example.com");
    expect(await judged(shop, second)).toEqual(flagged);
    const account = await sharedUser();
    const [local, domain] = account.email.split("@");
    await lead(shop, `${local}+buyer@${domain}`, "c3");
    const { commission_id: third } = await sold(shop, { customer_key: "c3" });
    await partnerSide(shop.world, account, shop.alice.id);
    expect(await judged(shop, third)).toEqual(flagged);
  });

  test("a similar email address isn't flagged while the signal self_referral is off, and is flagged once the signal is set to flag", async () => {
    const shop = await open();
    await named(shop, "ada@example.com");
    await lead(shop, "ada+x@example.com");
    const signals = { self_referral: "off", duplicate_source: "off", blocked_source: "off" };
    await people.admin.put(`${path(shop)}/risk`, { signals, blockedHosts: [], reviewDays: null });
    expect(await judged(shop, (await sold(shop)).commission_id)).toEqual(["approved", false]);
    const risk = { signals: { ...signals, self_referral: "flag" }, blockedHosts: [], reviewDays: null };
    await people.admin.put(`${path(shop)}/risk`, risk);
    expect(await judged(shop, (await sold(shop)).commission_id)).toEqual(flagged);
    const listed = await people.viewer.get<{ data: object[] }>(`${path(shop)}/commissions?flag=self_referral_similar`);
    expect(listed.body.data).toHaveLength(1);
  });

  test("a similar email address is erased with the customer, and later sales of the customer's subscription are still flagged", async () => {
    const shop = await open();
    await named(shop, "ada@example.com");
    await lead(shop, "ada+x@example.com");
    await sold(shop, { subscription_id: "s" });
    const { status } = await people.owner.post(`${path(shop)}/privacy/erase`, { customerKey: "c1", confirm: true });
    expect(status).toBe(200);
    const hashes = "select email_hash, similar_hash from customers where program_id = ?";
    expect(await shop.world.rows(hashes, shop.world.programId)).toEqual([{ email_hash: null, similar_hash: null }]);
    const renewal = { subscription_id: "s", customer_key: null, amount_cents: 777 };
    expect(await judged(shop, (await sold(shop, renewal)).commission_id)).toEqual(flagged);
    await named(shop, null);
    const ofPartner = "select email_hash, similar_hash from partners where id = ?";
    expect(await shop.world.rows(ofPartner, shop.alice.id)).toEqual([{ email_hash: null, similar_hash: null }]);
  });

  test("a similar email address is compared only within one program, and stored as a digest", async () => {
    const [shop, other] = [await open(), await open()];
    for (const each of [shop, other]) await named(each, "ada@example.com");
    await lead(shop, "ada+x@example.com");
    const similar = async ({ alice, world }: SalesFixture) =>
      (await world.rows("select similar_hash from partners where id = ?", alice.id))[0]?.similar_hash;
    const [own, theirs] = [await similar(shop), await similar(other)];
    expect(own).toMatch(/^[\w-]{43}$/);
    expect(theirs).not.toBe(own);
    const customers = await shop.world.rows("select * from customers where program_id = ?", shop.world.programId);
    expect(customers).toMatchObject([{ similar_hash: own }]);
    expect(JSON.stringify(customers)).not.toMatch(/ada[+@]/i);
  });

  test("a similar email address isn't flagged if the partner's address was stored by a version that didn't compare similar addresses", async () => {
    const shop = await open();
    await named(shop, "ada@example.com");
    await shop.world.change({ sql: "update partners set similar_hash = null where id = ?", args: [shop.alice.id] });
    await people.owner.patch(`${path(shop)}/partners/${shop.alice.id}`, { name: "Ada" });
    await lead(shop, "ada+x@example.com");
    expect(await judged(shop, (await sold(shop)).commission_id)).toEqual(["approved", false]);
  });
});
