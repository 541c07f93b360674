import { expect, test } from "vitest";
import { hourMs } from "#domain/calendar.ts";
import type { JsonObject, Reply } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { embedded, requestToken } from "../support/embedded.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { partnerSide } from "../support/partner-side.ts";
import { programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const api = sharedApi();
const told = ({ status, body }: Reply<unknown>) => [status, body.error?.details];
const user = { external_id: "user-7", name: "Ada", email: "ada@product.example" };
const partnersOf = (world: World) =>
  world.rows(
    "select id, name, email, external_id, details_changed_at, status from partners where program_id = ? and external_id is not null",
    world.programId,
  );
/** Events without the one for the partner that the fixture created. */
const eventsOf = (world: World) =>
  world.rows("select type from events where program_id = ? and subject <> ?", world.programId, world.partner.id);

const settings = {
  origins: ["https://app.example"],
  theme: { accent: "#1F6FEB", radius: 8, font: "serif" },
  show: { commissions: true, payouts: false, claims: true },
};
const save = (world: World, body: JsonObject = settings, by = people.owner) =>
  by.put<{ data: { embedId: string; tokensEndedAt: string | null } }>(`/api/programs/${world.programId}/embed`, body);

test("an owner saves the embedded page's settings, and the page's id never changes", async () => {
  const world = await people.world();
  const path = `/api/programs/${world.programId}/embed`;
  expect((await people.owner.get(path)).body).toEqual({ data: null });
  const saved = await save(world);
  const embedId = expect.stringMatching(/^emb_[0-9a-z]+_[\w-]{22}$/);
  const theme = { accent: "#1f6feb", background: null, text: null, radius: 8, font: "serif" };
  expect(saved.body).toEqual({ data: { ...settings, embedId, theme, tokensEndedAt: null } });
  expect((await save(world)).body).toEqual(saved.body);
  const again = await save(world, { origins: ["http://localhost:3000", "https://App.example:8443/"], show: {} });
  expect(again.body.data).toEqual({
    ...{ embedId, theme, tokensEndedAt: null },
    origins: ["http://localhost:3000", "https://app.example:8443"],
    show: { commissions: true, payouts: true, claims: false },
  });
  expect((await people.owner.get(path)).body).toEqual(again.body);
  const entries = await people.owner.get<{ data: { action: string }[] }>(
    `/api/programs/${world.programId}/audit?kind=embed`,
  );
  expect(entries.body.data.map(({ action }) => action)).toEqual(["embed.saved", "embed.saved"]);
  for (const other of [people.admin, people.viewer]) {
    expect((await other.get(path)).status).toBe(403);
    expect((await save(world, settings, other)).status).toBe(403);
  }
});

test("the embedded page's settings refuse an origin with a path, a wildcard, an IPv6 address, or http on another machine", async () => {
  const world = await people.world();
  for (const origin of [
    "http://app.example",
    "http://localhost",
    "https://app.example/page",
    "https://app.example?x",
    "https://*.example",
    "https://a.example;script-src",
    "https://user@app.example",
    "https://[2001:db8::1]",
    "http://[::1]:3000",
    "ftp://app.example",
    "app.example",
  ]) {
    const refused = await save(world, { origins: [origin] });
    expect([refused.status, invalidFields(refused)], origin).toEqual([400, ["origins"]]);
  }
});

test("invalid settings of the embedded page are refused with the names of their fields", async () => {
  const world = await people.world();
  const of = async (body: JsonObject) => invalidFields(await save(world, { origins: [], ...body }));
  expect(await of({ origins: Array.from({ length: 21 }, (_, i) => `https://a${i}.example`) })).toEqual(["origins"]);
  expect(await of({ theme: { accent: "red", radius: 25, font: "comic" } })).toEqual([
    "theme.accent",
    "theme.radius",
    "theme.font",
  ]);
  expect(await of({ show: { commissions: "yes" } })).toEqual(["show.commissions"]);
});

const settingsIn = (html: string): string =>
  (/<div id="app" data-settings="([^"]+)"><\/div>/.exec(html)?.[1] ?? "").replaceAll("&quot;", '"');

test("only pages of the saved origins can frame the embedded page, and the browser doesn't cache it", async () => {
  const world = await people.world();
  const open = (embedId: string) => api.request("GET", `/embed/${embedId}`, { checked: false });
  const { embedId } = (await save(world)).body.data;
  const { status, text, headers } = await open(embedId);
  expect(status).toBe(200);
  expect(headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; .*; frame-ancestors https:\/\/app\.example$/,
  );
  expect(headers.get("x-frame-options")).toBeNull();
  expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  expect(headers.get("cross-origin-embedder-policy")).toBe("require-corp");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(JSON.parse(settingsIn(text))).toMatchObject({ embedId, origins: settings.origins });
  await save(world, { origins: [] });
  expect((await open(embedId)).headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect((await open(`${embedId.slice(0, -4)}AAAA`)).status).toBe(404);
  expect((await people.owner.patch(`/api/programs/${world.programId}`, { status: "archived" })).status).toBe(200);
  expect((await open(embedId)).status).toBe(404);
});

test.each([
  [undefined, true],
  ["none", true],
  ["same-origin", true],
  ["same-site", false],
  ["cross-site", false],
])("the embedded page opened with Sec-Fetch-Site %s takes a token from its URL: %s", async (site, takesFragment) => {
  const world = await people.world();
  const { embedId } = (await save(world)).body.data;
  const headers = site === undefined ? {} : { "sec-fetch-site": site };
  const { text } = await api.request("GET", `/embed/${embedId}`, { headers, checked: false });
  expect(JSON.parse(settingsIn(text))).toMatchObject({ takesFragment });
});

test("requesting an embed token writes no row, and returns whether the user is a partner", async () => {
  const world = await people.world();
  const counts = async () => [await partnersOf(world), await eventsOf(world)];
  const { status, body } = await requestToken(api, world, user);
  expect(status).toBe(201);
  expect(body.data).toEqual({
    token: expect.stringMatching(/^svct_/),
    expires_at: expect.stringMatching(/Z$/),
    expires_in: 3600,
    partner_id: null,
  });
  expect(Date.parse(body.data.expires_at) - Date.now()).toBeLessThanOrEqual(hourMs);
  expect(body.data.token).not.toContain("user-7");
  expect(await counts()).toEqual([[], []]);
});

test("an embed token isn't issued for an invalid body, an unknown group, or an API key without the scope manage", async () => {
  const world = await people.world({ keys: [{}, { scopes: ["track", "read"] }] });
  const of = (body: JsonObject, key = world.key) => requestToken(api, { key }, body);
  expect(invalidFields(await of({ name: "a\tb", email: "ada" }))).toEqual(["external_id", "name", "email"]);
  expect(invalidFields(await of({ external_id: "u", code: "-x-" }))).toEqual(["code"]);
  expect(told(await of({ external_id: "undefined" }))).toEqual([400, { code: "placeholder_id", field: "external_id" }]);
  expect(told(await of({ external_id: "u", group: "Gold" }))).toEqual([400, { code: "unknown_group" }]);
  expect(told(await of(user, world.keys[1]))).toMatchObject([403, { code: "insufficient_scope" }]);
});

test("the embedded page shows only the terms of the token's group before the user creates a link", async () => {
  const world = await people.world({ groups: [{ name: "Gold", policies: [{ rateBps: 3_000 }] }] });
  const page = await embedded(api, world, { ...user, group: "gold" });
  const { status, body } = await page.get<{ data: JsonObject }>("overview");
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ status: "none", offer: null, terms: "30% of each sale", balances: [] });
  expect(body.data.totals).toEqual({ clicks: 0, uniqueClicks: 0, leads: 0, sales: 0, commissionCents: 0 });
  expect((body.data.days as unknown[]).length).toBe(7);
  for (const list of ["links", "commissions", "payouts"]) expect((await page.get(list)).body.data).toEqual([]);
  expect(await partnersOf(world)).toEqual([]);
  const ungrouped = await (await embedded(api, world)).get<{ data: JsonObject }>("overview");
  expect(ungrouped.body.data).toMatchObject({ terms: "20% of each sale", commission: "20% of each sale" });
});

test("creating the first link makes the user a partner in the token's group, and the link works immediately", async () => {
  const world = await people.world({ groups: [{ name: "Gold" }] });
  const page = await embedded(api, world, { ...user, group: "Gold" });
  const made = await page.createLink();
  expect(made.status).toBe(201);
  const { code } = made.body.data;
  expect(code).toMatch(/^[a-z2-7]{8}$/);
  expect(made.body.data).toMatchObject({ link: `https://shop.example/?aff=${code}`, madeBy: "owner" });
  const [partner, ...others] = await partnersOf(world);
  expect(others).toEqual([]);
  // An address that the token sets at creation doesn't count as a change.
  expect(partner).toMatchObject({ name: "Ada", email: user.email, external_id: "user-7", details_changed_at: null });
  const visit = { affiliate_url: `https://shop.example/?aff=${code}`, program_id: world.programId };
  expect((await api.click(visit)).body.partner_code).toBe(code);
  const again = await page.createLink();
  expect([again.status, again.body]).toEqual([200, made.body]);
  const token = await requestToken(api, world, { external_id: "user-7" });
  expect(token.body.data.partner_id).toBe(partner?.id);
  expect((await page.get<{ data: JsonObject }>("overview")).body.data.status).toBe("active");
  expect((await eventsOf(world)).filter(({ type }) => type === "partner.created")).toHaveLength(1);
  const seen = await people.owner.get<{ data: { groupId: number } }>(
    `/api/programs/${world.programId}/partners/${partner?.id}`,
  );
  expect(seen.body.data.groupId).toBe(world.groups[0]?.id);
  const audit = await people.owner.get<{ data: { action: string; actorName: string }[] }>(
    `/api/programs/${world.programId}/audit?kind=partner`,
  );
  expect(audit.body.data[0]).toMatchObject({
    action: "partner.created",
    actorName: "Referral page, with a token of First key",
  });
  await expectLedgerConsistent(world);
});

test("100 concurrent calls for a first link create one partner with one link and one event", async () => {
  const world = await people.world();
  const page = await embedded(api, world);
  const replies = await Promise.all(Array.from({ length: 100 }, () => page.createLink()));
  expect(new Set(replies.map(({ body }) => body.data.code)).size).toBe(1);
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(99);
  expect(await partnersOf(world)).toHaveLength(1);
  const links = await world.rows("select id from referral_links where program_id = ?", world.programId);
  expect(links).toHaveLength(2);
  expect(await eventsOf(world)).toHaveLength(1);
});

test("a user of the embedded page can choose the code of the first link, and create five more links with chosen codes", async () => {
  const world = await people.world();
  const page = await embedded(api, world, { ...user, code: "from-token" });
  expect(told(await page.createLink({ code: world.partner.code }))).toEqual([409, { code: "code_taken" }]);
  for (const code of ["_x", "None"]) expect(invalidFields(await page.createLink({ code }))).toEqual(["code"]);
  const first = await page.createLink({ code: "Chosen" });
  expect([first.status, first.body.data]).toMatchObject([201, { code: "Chosen", madeBy: "partner" }]);
  for (const code of ["own-1", "own-2", "own-3", "own-4", "own-5"]) {
    expect((await page.createLink({ code })).status).toBe(201);
  }
  expect(told(await page.createLink({ code: "own-6" }))).toEqual([409, { code: "links_full", limit: 5 }]);
  const repeated = await page.createLink({ code: "OWN-5" });
  expect([repeated.status, repeated.body.data.code]).toEqual([200, "own-5"]);
  const { body } = await page.get<{ data: { code: string }[] }>("links");
  expect(body.data.map(({ code }) => code)).toEqual(["Chosen", "own-1", "own-2", "own-3", "own-4", "own-5"]);
});

test("a user's first link has the embed token's code if the user chooses no other code", async () => {
  const world = await people.world();
  const page = await embedded(api, world, { ...user, code: "Ada" });
  expect((await page.createLink()).body.data).toMatchObject({ code: "Ada", madeBy: "owner" });
  const other = await embedded(api, world, { external_id: "user-8", code: "ada" });
  expect(told(await other.createLink())).toEqual([409, { code: "code_taken" }]);
  expect((await other.createLink({ code: "Bea" })).status).toBe(201);
});

test("the partner of an embed token is found by external id, never by email address", async () => {
  const world = await people.world();
  const path = `/api/programs/${world.programId}/partners/${world.partner.id}`;
  expect((await people.admin.patch(path, { email: user.email })).status).toBe(200);
  expect((await requestToken(api, world, user)).body.data.partner_id).toBeNull();
  expect((await people.admin.patch(path, { externalId: "user-7" })).status).toBe(200);
  expect((await requestToken(api, world, { external_id: " user-7 " })).body.data.partner_id).toBe(world.partner.id);
  const page = await embedded(api, world);
  expect((await page.createLink()).body.data.code).toBe(world.partner.code);
});

test("the embedded page shows a partner the same figures, commissions and payouts as the partner app", async () => {
  const world = await people.world({ partners: [{}, {}], policies: [{ holdDays: 0 }] });
  const shop = programFixture(world, api);
  const path = `/api/programs/${world.programId}`;
  await people.admin.patch(`${path}/partners/${world.partner.id}`, { externalId: "user-7" });
  const side = await partnerSide(world, people.stranger, world.partner.id);
  for (const [i, currency] of ["EUR", "USD", "EUR"].entries()) {
    await shop.lead({ customer_key: `c${i}`, click_id: shop.click(shop.alice) });
    await shop.sale({ transaction_id: `t${i}`, customer_key: `c${i}`, currency, amount_cents: 1_000 * (i + 1) });
  }
  const payout = await people.owner.post<{ data: { id: number } }>(`${path}/payouts`, { currency: "EUR" });
  expect((await people.owner.post(`${path}/payouts/${payout.body.data.id}/finalize`, {})).status).toBe(200);
  await shop.lead({ customer_key: "late", click_id: shop.click(shop.alice) });
  const page = await embedded(api, world);
  const own = await people.stranger.get<{ data: object; meta: object }>(`${side}/overview`);
  const { body } = await page.get<{ data: JsonObject; meta: object }>("overview");
  const { status, offer, terms, ...data } = body.data;
  expect([data, body.meta]).toEqual([own.body.data, own.body.meta]);
  expect([status, offer, terms]).toEqual(["active", null, "20% of each sale"]);
  const dollars = await page.get<{ data: JsonObject }>("overview?currency=usd");
  expect(dollars.body.data.totals).toMatchObject({ commissionCents: 400, sales: 3 });
  expect(invalidFields(await page.get("overview?currency=WEEKS"))).toEqual(["currency"]);
  for (const list of ["links", "commissions", "payouts"]) {
    expect((await page.get(list)).body.data, list).toEqual((await people.stranger.get(`${side}/${list}`)).body.data);
  }
});

test("the embedded page shows the offer of the group, or of the program, until the offer ends", async () => {
  const world = await people.world({ groups: [{ name: "Gold" }] });
  const path = `/api/programs/${world.programId}`;
  const offer = { label: "20% off", details: "First year", couponIds: { stripe: "SECRETCOUPON" } };
  expect((await people.admin.put(`${path}/offer`, { offer })).status).toBe(200);
  const gold = { ...offer, label: "30% off", couponIds: {} };
  const ofGroup = `${path}/groups/${world.groups[0]?.id}/offer`;
  expect((await people.admin.put(ofGroup, { offer: gold })).status).toBe(200);
  const [page, member] = [await embedded(api, world), await embedded(api, world, { external_id: "g", group: "Gold" })];
  const shown = async (each: typeof page) => (await each.get<{ data: JsonObject }>("overview")).body.data.offer;
  const both = [
    { label: "20% off", details: "First year" },
    { label: "30% off", details: "First year" },
  ];
  expect([await shown(page), await shown(member)]).toEqual(both);
  for (const each of [page, member]) expect((await each.createLink()).status).toBe(201);
  expect([await shown(page), await shown(member)]).toEqual(both);
  expect((await page.get("overview")).text).not.toContain("SECRETCOUPON");
  const over = { ...gold, until: new Date(Date.now() - 1_000).toISOString() };
  expect((await people.admin.put(ofGroup, { offer: over })).status).toBe(200);
  expect([await shown(page), await shown(member)]).toEqual([both[0], null]);
});

test("a paused partner, or a partner of a paused program, can read the embedded page but can't create a link", async () => {
  const world = await people.world();
  const path = `/api/programs/${world.programId}`;
  await people.admin.patch(`${path}/partners/${world.partner.id}`, { externalId: "user-7", status: "paused" });
  const [paused, newcomer] = [await embedded(api, world), await embedded(api, world, { external_id: "new" })];
  expect(told(await paused.createLink())).toEqual([409, { code: "inactive" }]);
  expect((await paused.get<{ data: JsonObject }>("overview")).body.data.status).toBe("paused");
  await people.admin.patch(path, { status: "paused" });
  expect(told(await newcomer.createLink())).toEqual([409, { code: "inactive" }]);
  expect((await newcomer.get<{ data: JsonObject }>("overview")).body.data.status).toBe("paused");
});

test("reading a part of the embedded page that the owner hides returns 404", async () => {
  const world = await people.world();
  await save(world, { origins: [], show: { commissions: false, payouts: true } });
  const page = await embedded(api, world);
  expect((await page.get("commissions")).status).toBe(404);
  expect((await page.get("payouts")).status).toBe(200);
  await save(world, { origins: [], show: { commissions: true, payouts: false } });
  expect((await page.get("commissions")).status).toBe(200);
  expect((await page.get("payouts")).status).toBe(404);
});

test("a sale to the partner is a self-referral, even if the partner's external id is set after the sale", async () => {
  const world = await people.world({ partners: [{}, {}], policies: [{ holdDays: 0 }] });
  const shop = programFixture(world, api);
  const page = await embedded(api, world);
  const { code } = (await page.createLink()).body.data;
  const visit = await shop.visit({ affiliate_url: `https://shop.example/?aff=${code}` });
  const flags = async (commissionId: number) =>
    (await world.rows("select code from commission_signals where commission_id = ?", commissionId)).map(
      (row) => row.code,
    );
  const own = await shop.sale({ transaction_id: "own", customer_key: "user-7", click_id: visit.click_id });
  expect(own.commission).toMatchObject({ status: "pending", held: true });
  expect(await flags(own.commission_id)).toEqual(["self_referral"]);
  const other = await shop.visit({ affiliate_url: `https://shop.example/?aff=${code}` });
  const sold = await shop.sale({ transaction_id: "other", customer_key: "user-8", click_id: other.click_id });
  expect(sold.commission).toMatchObject({ status: "approved", held: false });

  await shop.lead({ customer_key: "user-9", click_id: shop.click(shop.bob) });
  const early = await shop.sale({ transaction_id: "early", customer_key: "user-9" });
  expect(early.commission.status).toBe("approved");
  const path = `/api/programs/${world.programId}/partners/${shop.bob.id}`;
  expect((await people.admin.patch(path, { externalId: "user-9" })).status).toBe(200);
  expect(await flags(early.commission_id)).toEqual(["self_referral"]);
  await expectLedgerConsistent(world);
});
