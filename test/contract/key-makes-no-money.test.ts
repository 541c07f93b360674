import { expect, test } from "vitest";
import type { JsonObject, Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { giveAccess, partnerPath } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { sharedApi, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Imported {
  readonly data: { readonly rows: readonly { result: string; code?: string; field?: string }[] };
}

const balance = { line: 1, partner_code: "anna", currency: "EUR", amount: "98765.43", reference: "r1" };
const past = { line: 1, customer_key: "organic", partner_code: "anna", since: at(daysAgo(9)), pay_past: "true" };
const told = ({ body: { data } }: Reply<Imported>) =>
  data.rows.map(({ result, code, field }) => [result, code, field].filter(Boolean).join(" "));

async function openShop() {
  const shop = await payoutsFixture(people, { partners: [{ code: "anna" }, {}] });
  const { programId, key } = shop.world;
  const v1 = (method: string, path: string, body: JsonObject) =>
    sharedApi().request<{ data: { id: number } }>(method, `/api/v1/programs/me/${path}`, { key, body });
  return {
    ...shop,
    byKey: async (kind: string, row: JsonObject, more: JsonObject = {}) =>
      told(
        (await v1("POST", "imports/rows", { kind, source: "x", rows: [row], ...more })) as unknown as Reply<Imported>,
      ),
    by: async (user: User, kind: string, row: JsonObject) =>
      told(await user.post<Imported>(`/api/programs/${programId}/imports/rows`, { kind, source: "x", rows: [row] })),
    create: async (name: string, email?: string) => {
      const { status, body, text } = await v1("POST", "partners", { name, code: name, ...(email && { email }) });
      expect(status, text).toBe(201);
      return body.data.id;
    },
    patch: (id: number, body: JsonObject) => v1("PATCH", `partners/${id}`, body),
    /** Adds a bonus and finalizes a payout. Returns "paid", or the details of the refusal. */
    paid: async (partnerId: number) => {
      const bonus = { amountCents: 500, currency: "EUR", reason: "r", reference: "b" };
      await people.owner.post(`/api/programs/${programId}/partners/${partnerId}/adjustments`, bonus);
      const { id } = (await shop.create({ partnerIds: [partnerId] })).body.data;
      const { status, body } = await shop.finalize(id);
      await shop.cancel(id);
      return status === 200 ? "paid" : JSON.stringify(body.error?.details);
    },
  };
}

test("only an owner can import balances and past sales, also in a dry run", async () => {
  const shop = await openShop();
  await shop.sell({ customer_key: "organic", occurred_at: at(daysAgo(3)) });
  for (const more of [{}, { dry_run: true }]) {
    expect(await shop.byKey("balances", balance, more)).toEqual(["refused owner_only amount"]);
    expect(await shop.byKey("customers", past, more)).toEqual(["refused owner_only pay_past"]);
  }
  expect(await shop.by(people.admin, "balances", balance)).toEqual(["refused owner_only amount"]);
  expect(await shop.by(people.admin, "customers", past)).toEqual(["refused owner_only pay_past"]);
  expect(await shop.balances()).toEqual([]);
  expect(await shop.byKey("customers", { ...past, pay_past: "false", since: "" })).toEqual(["created"]);
  expect(await shop.by(people.owner, "balances", balance)).toEqual(["created"]);
});

test("only an owner can assign a customer with commissions for earlier sales", async () => {
  const shop = await openShop();
  const assign = (user: User, more: JsonObject = {}) =>
    user.post(`/api/programs/${shop.world.programId}/customers/assign`, {
      ...{ customerKey: "organic", partnerId: shop.alice.id, reason: "r", ...more },
    });
  const { status, body } = await assign(people.admin, { since: past.since, payPast: true });
  expect([status, body.error]).toMatchObject([403, { details: { code: "owner_only" } }]);
  expect((await assign(people.owner, { since: past.since, payPast: true })).status).toBe(200);
});

test("an email address set by an API key counts as changed details, even a partner's first address, and a first address set by a member doesn't", async () => {
  const shop = await openShop();
  const withAddress = await shop.create("made", "evil@evil.example");
  expect(await shop.paid(withAddress)).toContain("details_changed");

  const without = await shop.create("bare");
  expect(await shop.paid(without)).toBe("paid");
  await shop.patch(without, { email: "evil@evil.example" });
  expect(await shop.paid(without)).toContain("details_changed");

  const imported = { line: 1, name: "New", code: "new", email: "evil@evil.example" };
  expect(await shop.byKey("partners", imported)).toEqual(["created"]);
  const [row] = await shop.world.rows("select partner_id as id from referral_links where code = 'new'");
  expect(await shop.paid(Number(row?.id))).toContain("details_changed");

  const known = await shop.create("known");
  await shop.setEmail(known, "known@partners.example");
  expect(await shop.paid(known)).toBe("paid");
});

async function openSide() {
  const shop = await openShop();
  const user = await sharedUser();
  const side = partnerPath(shop.world, shop.alice.id);
  const { password } = user;
  return {
    ...shop,
    access: () => giveAccess(shop.world, { user, partnerId: shop.alice.id }),
    setPayment: async () => {
      const details = { method: "paypal", account: "new@partners.example", holder: "N", password };
      expect((await user.put(`${side}/payment`, details)).status).toBe(200);
    },
    setAddress: async () =>
      expect((await user.patch(`${side}/profile`, { email: "new@partners.example", password })).status).toBe(200),
    earned: async () => {
      await shop.earn(1_000);
    },
  };
}

test.each(["setPayment", "setAddress"] as const)(
  "a partner's first payment details or address set by an account (%s) count as changed only if the account's access is newer than the first commission",
  async (set) => {
    const late = await openSide();
    await late.earned();
    await late.access();
    await late[set]();
    expect(await late.paid(late.alice.id)).toContain("details_changed");

    const early = await openSide();
    await early.access();
    await early.earned();
    await early[set]();
    expect(await early.paid(early.alice.id)).toBe("paid");
  },
);
