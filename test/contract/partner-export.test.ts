import { expect, test } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { copyCommission } from "../support/many-commissions.ts";
import { giveAccess, partnerPath } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

type Exported = Readonly<Record<string, Json>> & { readonly commissions: readonly { readonly ref: string }[] };

async function download(user: User, path: string, query = "") {
  const { status, text, body, headers } = await user.get<{ data: Exported }>(`${path}/export${query}`);
  expect(status, text).toBe(200);
  return { data: body.data, text, headers };
}
const list = async (user: User, path: string) => (await user.get<{ data: Json }>(path)).body.data;
const instant = expect.stringMatching(/Z$/);

/** A partner who joined by an application, and a second account with the role view. */
async function openShop() {
  const shop = await payoutsFixture(people, { program: { name: "Northwind" } });
  const { programId } = shop.world;
  const program = `/api/programs/${programId}`;
  const applicant = await sharedUser();
  const questions = [{ id: "where", label: "Where will you write about us?", required: true }];
  const page = { mode: "approval", slug: `north-${programId}`, headline: "", description: "", questions };
  await people.admin.put(`${program}/join`, page);
  await people.admin.post(`${program}/terms`, { text: "Be kind." });
  const form = { name: "Ada", website: "https://ada.example", answers: { where: "On my blog" }, termsVersion: 1 };
  await applicant.post(`/api/join/${page.slug}`, form);
  const [application] = (await list(people.admin, `${program}/applications`)) as { id: number }[];
  const approved = await people.admin.post<{ data: { partnerId: number } }>(
    `${program}/applications/${application?.id}/approve`,
    { code: `ada-${programId}` },
  );
  const { partnerId } = approved.body.data;
  await giveAccess(shop.world, { user: people.stranger, partnerId, role: "view", termsVersion: 1 });
  const path = partnerPath(shop.world, partnerId);
  await applicant.post(`${path}/terms/accept`, { version: 1 });
  return { shop, partnerId, applicant, path, program };
}

test("a partner downloads everything stored about them and their account", async () => {
  const { shop, partnerId, applicant, path, program } = await openShop();
  await people.admin.post(`${program}/partners/${partnerId}/adjustments`, {
    ...{ amountCents: 700, currency: "EUR", reason: "for her patience", partnerNote: "Thanks", reference: "bonus" },
  });
  await people.admin.post(`${program}/coupons`, { codes: ["ADA10"], partnerId });
  await shop.confirm((await shop.create({ reference: "2026-01" })).body.data.id);
  await people.admin.patch(`${program}/partners/${partnerId}`, { email: "ada@blogs.example" });
  const payment = { method: "paypal", account: "ada@pay.example", holder: "Ada L", password: applicant.password };
  expect((await applicant.put(`${path}/payment`, payment)).status).toBe(200);
  expect((await applicant.post(`${path}/claims`, { day: dateUtc(Date.now()), note: "By phone" })).status).toBe(201);
  const { data, text, headers } = await download(applicant, path);
  expect(headers.get("Content-Disposition")).toBe('attachment; filename="tributary-northwind-own-data.json"');
  expect(headers.get("Content-Type")).toBe("application/json");
  const visit = { device: null, place: null };
  const listed = (await applicant.get<{ data: readonly JsonObject[] }>(`${path}/links`)).body.data;
  const own = ["code", "link", "status", "madeBy", "createdAt"];
  expect(data).toEqual({
    exportedAt: instant,
    programName: "Northwind",
    partner: { name: "Ada", email: "ada@blogs.example", status: "active", createdAt: instant },
    payment: {
      ...{ method: "paypal", last4: expect.any(String), setAt: instant },
      details: { account: "ada@pay.example", holder: "Ada L", country: null, taxId: null, address: null },
    },
    codes: listed.map((code) => Object.fromEntries(own.map((name) => [name, code[name]]))),
    access: [
      { role: "manage", since: instant, email: applicant.email },
      { role: "view", since: instant, email: null },
    ],
    account: {
      ...{ name: applicant.name, email: applicant.email, twoFactor: false, createdAt: instant },
      sessions: [{ createdAt: instant, lastUsedOn: expect.any(String), ...visit }],
      activity: expect.any(Array),
    },
    application: {
      ...{ name: "Ada", website: "https://ada.example", answers: { where: "On my blog" }, termsVersion: 1 },
      ...{ status: "approved", partnerNote: null, decidedAt: instant, openedOn: null, createdAt: instant },
    },
    balances: [
      { currency: "EUR", pendingCents: 0, payableCents: 0, inPayoutCents: 0, carriedCents: 0, paidCents: 700 },
    ],
    acceptedTerms: [{ version: 1, text: "Be kind.", acceptedAt: instant }],
    statements: [(await applicant.get(`${path}/statement`)).body],
    coupons: [{ codes: ["ADA10"], status: "active", validFrom: null, validUntil: null }],
    payouts: await list(applicant, `${path}/payouts`),
    claims: [expect.objectContaining({ status: "open", partnerNote: null })],
    commissions: [],
  });
  for (const secret of [people.stranger.email, people.stranger.userId, "for her patience"])
    expect(text).not.toContain(secret);
  const ofOther = await download(people.stranger, path);
  expect(ofOther.data.payment).toMatchObject({ method: "paypal", details: null });
  expect(ofOther.text).not.toContain("ada@pay.example");
});

test("an owner's view of a partner's export contains the program's data, but no accounts, email addresses or payment details", async () => {
  const { path, applicant, partnerId, program } = await openShop();
  await people.admin.patch(`${program}/partners/${partnerId}`, { email: "ada@blogs.example" });
  const { data, text } = await download(people.owner, path, "?as=owner");
  expect(data).toMatchObject({ account: null, application: null, payment: null, acceptedTerms: [] });
  expect(data.partner).toMatchObject({ name: "Ada", email: null });
  expect(data.access).toEqual([
    { role: "manage", since: instant, email: null },
    { role: "view", since: instant, email: null },
  ]);
  for (const email of [applicant.email, people.owner.email, "ada@blogs.example"]) expect(text).not.toContain(email);
});

test("an export of many commissions contains each once, in the order of the list", { tags: "soak" }, async () => {
  const world = await people.world({ partners: [{}, {}] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  const { body } = await shop.sell({ transaction_id: "first" });
  const count = 10_000;
  await copyCommission(shop, body, count);
  await giveAccess(world, { user: people.stranger, partnerId: shop.alice.id });
  const path = partnerPath(world, shop.alice.id);
  const reply = await people.stranger.get<{ data: Exported }>(`${path}/export`, { checked: false });
  expect(reply.status, reply.text).toBe(200);
  const { commissions } = reply.body.data;
  expect(commissions).toHaveLength(count);
  expect(new Set(commissions.map(({ ref }) => ref)).size).toBe(count);
  expect(commissions.slice(0, 50)).toEqual(await list(people.stranger, `${path}/commissions`));
});
