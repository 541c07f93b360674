import { beforeAll, expect, test } from "vitest";
import { type KeyBook, type KeyScope, keyBooks, keyScopes } from "#domain/program-key.ts";
import { openApiDocument } from "#routes/openapi/document.ts";
import type { Api, JsonObject, Reply } from "../../harness/client.ts";
import { isWhole } from "../support/breadth.ts";
import { askExplain } from "../support/explain.ts";
import { at, createProgramFixture, daysAgo, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

type Mode = "live" | "test";

interface KeyedRoute {
  /** A key needs one of these scopes. */
  readonly scopes: readonly [KeyScope, ...KeyScope[]];
  /** `always`: the call has only a test mode. */
  readonly testMode: "on request" | "always" | "never";
  /** Sends a valid call, which succeeds if the key permits it. */
  call(shop: ProgramFixture, key: string, mode: Mode): Promise<Reply<unknown>>;
}

let calls = 0;
const nextId = () => {
  calls += 1;
  return `call-${calls}`;
};
const modeOf = (mode: Mode): JsonObject => (mode === "test" ? inTestMode : {});

const send = (api: Api, key: string, method: string, path: string, body?: JsonObject) =>
  api.request(method, `/api/v1/programs/me/${path}`, { key, body });
const ask = (api: Api, key: string, path: string) => send(api, key, "GET", path);

let payoutId = 0;
/** A payout that is settled by API, and two of its lines. Repeated calls about them succeed. */
let settling = { payoutId: 0, settledId: 0, failedId: 0 };

const ofPartner = (report: string): KeyedRoute => ({
  scopes: ["read"],
  testMode: "never",
  call: ({ api, alice }, key) => ask(api, key, `partners/${alice.id}/${report}`),
});

/** A read of live or test data. `path` ends in `?` or `&`. */
const inMode = (path: string): KeyedRoute => ({
  scopes: ["read"],
  testMode: "on request",
  call: ({ api }, key, mode) => ask(api, key, `${path}test_mode=${mode === "test"}`),
});

const routes: Readonly<Record<string, KeyedRoute>> = {
  trackClick: {
    scopes: ["track"],
    testMode: "on request",
    call: ({ api, alice, world: { programId } }, key, mode) =>
      api.click(
        { affiliate_url: alice.landingUrl, program_id: programId, occurred_at: at(daysAgo(2)), ...modeOf(mode) },
        { key },
      ),
  },
  trackLead: {
    scopes: ["track"],
    testMode: "on request",
    call: ({ api }, key, mode) => api.lead({ customer_key: nextId(), ...modeOf(mode) }, { key }),
  },
  trackSale: {
    scopes: ["track"],
    testMode: "on request",
    call: ({ api }, key, mode) =>
      api.sale({ transaction_id: nextId(), customer_key: "c", amount_cents: 100, ...modeOf(mode) }, { key }),
  },
  trackRefund: {
    scopes: ["track"],
    testMode: "on request",
    call: ({ api }, key, mode) =>
      api.refund({ transaction_id: "sold", refund_id: nextId(), refund_amount_cents: 1, ...modeOf(mode) }, { key }),
  },
  runVerification: {
    scopes: ["track"],
    testMode: "always",
    call: ({ api }, key) => api.verification({ key }),
  },
  getReadiness: { scopes: ["read"], testMode: "never", call: ({ api }, key) => api.readiness({ key }) },
  explain: {
    scopes: ["read"],
    testMode: "on request",
    call: ({ api }, key, mode) => askExplain(api, { transaction_id: "sold", test_mode: mode === "test" }, { key }),
  },
  listEvents: inMode("events?"),
  listRequests: { scopes: ["read"], testMode: "never", call: ({ api }, key) => ask(api, key, "requests") },
  listPartners: { scopes: ["read", "manage"], testMode: "never", call: ({ api }, key) => ask(api, key, "partners") },
  createPartner: {
    scopes: ["manage"],
    testMode: "never",
    call: ({ api }, key) => send(api, key, "POST", "partners", { name: "P", code: nextId() }),
  },
  updatePartner: {
    scopes: ["manage"],
    testMode: "never",
    call: ({ api, bob }, key) => send(api, key, "PATCH", `partners/${bob.id}`, { name: nextId() }),
  },
  listUnits: { scopes: ["read", "manage"], testMode: "never", call: ({ api }, key) => ask(api, key, "units") },
  listCoupons: { scopes: ["manage"], testMode: "never", call: ({ api }, key) => ask(api, key, "coupons") },
  createCoupon: {
    scopes: ["manage"],
    testMode: "never",
    call: ({ api, bob }, key) => send(api, key, "POST", "coupons", { codes: [nextId()], partner_id: bob.id }),
  },
  updateCoupon: {
    scopes: ["manage"],
    testMode: "never",
    call: ({ api, world }, key) => send(api, key, "PATCH", `coupons/${world.coupons[0]?.id}`, { status: "paused" }),
  },
  importRows: {
    scopes: ["manage"],
    testMode: "never",
    call: ({ api }, key) => {
      const rows = [{ line: 1, name: "P", code: nextId() }];
      return send(api, key, "POST", "imports/rows", { kind: "partners", source: "Elsewhere", rows });
    },
  },
  exportRows: {
    scopes: ["manage"],
    testMode: "never",
    call: ({ api }, key) => ask(api, key, "export?kind=customers"),
  },
  getOffer: inMode("offer?customer_key=c&"),
  createEmbedToken: {
    scopes: ["manage"],
    testMode: "never",
    call: ({ api }, key) => send(api, key, "POST", "embed/tokens", { external_id: nextId() }),
  },
  listCustomers: inMode("customers?"),
  listSales: inMode("sales?"),
  lookupSales: {
    scopes: ["read"],
    testMode: "on request",
    call: ({ api }, key, mode) =>
      send(api, key, "POST", "sales/lookup", { transaction_ids: ["sold"], test_mode: mode === "test" }),
  },
  reportReconciliation: {
    scopes: ["track"],
    testMode: "never",
    call: ({ api }, key) => {
      const counts = { matched: 1, missing: 0, unexpected: 0, differs: 0 };
      const span = { from: at(daysAgo(2)), to: at(daysAgo(1)) };
      return send(api, key, "POST", "reconciliations", { processor: "stripe", ...span, ...counts });
    },
  },
  listCommissions: { scopes: ["read"], testMode: "never", call: ({ api }, key) => ask(api, key, "commissions") },
  getPerformance: {
    scopes: ["read"],
    testMode: "never",
    call: ({ api }, key) => ask(api, key, "performance?group_by=partner"),
  },
  listBalances: { scopes: ["read"], testMode: "never", call: ({ api }, key) => ask(api, key, "balances") },
  listPayouts: { scopes: ["read"], testMode: "never", call: ({ api }, key) => ask(api, key, "payouts") },
  listPayoutCommissions: {
    scopes: ["read"],
    testMode: "never",
    call: ({ api }, key) => ask(api, key, `payouts/${payoutId}/commissions`),
  },
  listPayoutLines: {
    scopes: ["read"],
    testMode: "never",
    call: ({ api }, key) => ask(api, key, `payouts/${settling.payoutId}/lines`),
  },
  settlePayoutLine: {
    scopes: ["settle"],
    testMode: "never",
    call: ({ api }, key) => {
      const line = `payouts/${settling.payoutId}/lines/${settling.settledId}`;
      return send(api, key, "POST", `${line}/settle`, { settlement_id: "credit-1" });
    },
  },
  failPayoutLine: {
    scopes: ["settle"],
    testMode: "never",
    call: ({ api }, key) => {
      const line = `payouts/${settling.payoutId}/lines/${settling.failedId}`;
      return send(api, key, "POST", `${line}/fail`, { reason: "The account is closed" });
    },
  },
  getPartnerOverview: ofPartner("overview"),
  listPartnerCommissions: ofPartner("commissions"),
  getPartnerStatement: ofPartner("statement"),
};

const documented = Object.values(openApiDocument().paths)
  .flatMap((path) => Object.values(path))
  .filter(({ security = [] }) => security.some((scheme) => "programKey" in scheme));

test("every documented operation with an API key has a test in this file, and documents the scopes that it requires", () => {
  const scopesOf = ({ security = [] }: (typeof documented)[number]) =>
    security.flatMap((scheme) => scheme.programKey ?? []);
  expect(Object.fromEntries(documented.map((each) => [each.operationId, scopesOf(each)]))).toEqual(
    Object.fromEntries(Object.entries(routes).map(([name, { scopes }]) => [name, scopes])),
  );
});

interface Grant {
  readonly scopes: readonly KeyScope[];
  readonly book: KeyBook;
}
const grants: readonly Grant[] = keyBooks.flatMap((book) =>
  [...keyScopes.map((scope) => [scope]), keyScopes]
    .map((scopes) => (book === "test" ? scopes.filter((scope) => scope !== "manage" && scope !== "settle") : scopes))
    .filter((scopes) => scopes.length > 0)
    .map((scopes) => ({ scopes, book })),
);

let shop: ProgramFixture;

const people = usersOfFile();

beforeAll(async () => {
  shop = await createProgramFixture({
    members: people.members(),
    coupons: [{ codes: ["known"] }],
    keys: [{}, ...grants.map((grant) => ({ name: "Tried", ...grant }))],
  });
  for (const mode of [{}, inTestMode]) {
    await shop.sale({ transaction_id: "sold", customer_key: "c", amount_cents: 100_000, ...mode });
  }
  payoutId = await draftPayout();
  settling = await payoutByApi();
});

async function payoutByApi(): Promise<typeof settling> {
  const { programId, partners, rows } = shop.world;
  const program = `/api/programs/${programId}`;
  for (const { id } of partners) {
    const bonus = { amountCents: 500, currency: "USD", reason: "Bonus", reference: "usd" };
    await people.owner.post(`${program}/partners/${id}/adjustments`, bonus);
  }
  const body = { currency: "USD", settledBy: "api", partnerIds: partners.map(({ id }) => id) };
  const { data } = (await people.owner.post<{ data: { id: number } }>(`${program}/payouts`, body)).body;
  const finalized = await people.owner.post(`${program}/payouts/${data.id}/finalize`, {});
  expect(finalized.status, finalized.text).toBe(200);
  const [settled, failed] = await rows(
    "select id from payout_lines where program_id = ? and currency = 'USD'",
    programId,
  );
  return { payoutId: data.id, settledId: Number(settled?.id), failedId: Number(failed?.id) };
}

async function draftPayout(): Promise<number> {
  const { programId, partner } = shop.world;
  const program = `/api/programs/${programId}`;
  const bonus = { amountCents: 500, currency: "EUR", reason: "Bonus", reference: "b" };
  await people.owner.post(`${program}/partners/${partner.id}/adjustments`, bonus);
  const created = await people.owner.post<{ data: { id: number } }>(`${program}/payouts`, {
    currency: "EUR",
    reference: "p",
  });
  expect(created.status, created.text).toBe(201);
  return created.body.data.id;
}

function expected({ scopes, testMode }: KeyedRoute, grant: Grant, mode: Mode) {
  if (!scopes.some((scope) => grant.scopes.includes(scope))) {
    return { status: 403, details: { code: "insufficient_scope", needed: scopes[0] } };
  }
  const isTest = testMode === "always" || (testMode === "on request" && mode === "test");
  return grant.book === "test" && !isTest ? { status: 403, details: { code: "test_key" } } : { status: 200 };
}

const liveRows = async () => {
  const { rows, programId } = shop.world;
  const tables = await rows("select name from sqlite_master where type = 'table' and sql like '%`is_test`%'");
  const counts = tables.map(async ({ name }) => [
    name,
    await rows(`select * from ${name} where program_id = ? and is_test = 0`, programId),
  ]);
  return Object.fromEntries(await Promise.all(counts)) as Record<string, unknown>;
};

const named = ({ scopes, book }: Grant) => `${scopes.join(" ")}, ${book}`;

// A quick run tries only keys for both books (live and test) with one scope, and test keys with several.
const tried = grants
  .map((grant, i) => [named(grant), grant, i + 1] as const)
  .filter(([, { scopes, book }]) => isWhole || (book === "both" ? scopes.length === 1 : scopes.length > 1));

test.each(tried)("a key can make exactly the calls that its scopes allow: %s", async (_, grant, index) => {
  const key = shop.world.keys[index] ?? "";
  const before = await liveRows();
  for (const [name, route] of Object.entries(routes)) {
    for (const mode of ["live", "test"] as const) {
      const { status: code, body } = await route.call(shop, key, mode);
      const status = code === 201 ? 200 : code;
      const told = status === 403 ? { status, details: detailsOf(name, body.error) } : { status };
      expect(told, `${name}, ${mode}`).toEqual(expected(route, grant, mode));
    }
  }
  if (grant.book === "test") expect(await liveRows()).toEqual(before);
});

/** Readiness has its own error envelope, with the same codes. */
const detailsOf = (name: string, { details, code, ...error }: Reply["body"]["error"]) =>
  name === "getReadiness" ? { code, ...("needed" in error && { needed: error.needed }) } : details;

test("a key without permission is refused before its body is checked", async () => {
  const keys = Object.fromEntries(grants.map((grant, i) => [named(grant), shop.world.keys[i + 1]]));
  const sell = async (key: string | undefined, body: JsonObject) => {
    const { status, body: told } = await shop.api.sale(body, { key });
    return [status, told.error.details.code];
  };
  expect(await sell(keys["read, both"], {})).toEqual([403, "insufficient_scope"]);
  expect(await sell(keys["track, test"], {})).toEqual([403, "test_key"]);
  expect(await sell(keys["track, test"], { amount_cents: -1, ...inTestMode })).toEqual([400, undefined]);
});

test("a click and a lead can be sent without a key", async () => {
  const { api, alice, world } = shop;
  const { status, body } = await api.click({ affiliate_url: alice.landingUrl, program_id: world.programId });
  expect(status).toBe(200);
  expect((await api.lead({ click_id: body.click_id, customer_key: nextId() }, { browser: true })).status).toBe(200);
});

test("a test click can be 400 days old, and a test sale's commission depends on the sale's own date", async () => {
  const { api, alice, world } = shop;
  const click = (days: number, mode: Mode) =>
    api.click(
      { affiliate_url: alice.landingUrl, program_id: world.programId, occurred_at: at(daysAgo(days)), ...modeOf(mode) },
      { key: world.key },
    );
  expect((await click(31, "live")).body.error.message).toBe("occurred_at is more than 30 days ago");
  expect((await click(401, "test")).status).toBe(400);
  const { click_id } = (await click(399, "test")).body;
  const born = (transaction_id: string, days: number) =>
    shop.sale({ transaction_id, customer_key: "aged", click_id, occurred_at: at(daysAgo(days)), ...inTestMode });
  expect(await born("aged-1", 398)).toMatchObject({ attributed: true, commission: { status: "approved" } });
  expect(await born("aged-2", 16)).toMatchObject({ attributed: true, commission: { status: "approved" } });
  expect(await born("aged-3", 14)).toMatchObject({ attributed: true, commission: { status: "pending" } });
});

test("a test key reads no live data, not even with an invalid query", async () => {
  await shop.lead({ customer_key: "live-only" });
  const key = shop.world.keys[grants.findIndex((grant) => named(grant) === "read, test") + 1];
  const explain = async (of: string | undefined) => {
    const query = { customer_key: "live-only", test_mode: true };
    return (await askExplain(shop.api, query, { key: of })).body.error.message;
  };
  expect(await explain(key)).toBe("No test customer has this customer_key.");
  expect(await explain(shop.world.key)).toContain("A live customer has");
  const { status, body } = await ask(shop.api, key ?? "", "commissions?status=gone");
  expect([status, body.error.details.code]).toEqual([403, "test_key"]);
});
