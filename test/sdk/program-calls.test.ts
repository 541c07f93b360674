import { expect, test } from "vitest";
import { camelCase } from "#http/schema/camel-keys.ts";
import { builtDocument } from "../../harness/openapi.ts";
import type { TrackingProblem, TributaryOptions } from "../../sdk/src/index.ts";
import {
  type EmbedTokenInput,
  type PartnerChanges,
  type PartnerInput,
  TributaryProgram,
} from "../../sdk/src/program.ts";
import { apiKey } from "./misbehaving.ts";
import { answer, type Behaviour, cut, refusal, serverThat } from "./server-that.ts";

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
}

const { schemas } = (builtDocument("tracking") as Document).components;
const partner = { id: 7, code: "anna", external_id: "user-7", destination_url: null };
const made = answer(201, { data: partner });
const page = answer(200, { data: [partner], meta: { next_cursor: null }, found: [], absent: [] });
const anna = { name: "Anna", code: "anna" };

/** Creates a client of a server that responds with each behavior in turn, and then repeats the last one. */
async function clientOf(...behaviours: Behaviour[]) {
  const { url: baseUrl, calls } = await serverThat(...behaviours);
  const problems: TrackingProblem[] = [];
  const onError = (problem: TrackingProblem) => void problems.push(problem);
  const client = (options: TributaryOptions = {}) => new TributaryProgram({ apiKey, baseUrl, onError, ...options });
  const sent = () =>
    calls.map(({ method, path, text }) => `${method} ${path.replace("/api/v1/programs/me", "")} ${text}`);
  return { calls, problems, client, sent };
}

test("arguments are sent under their wire names, and absent arguments aren't sent", async () => {
  const { client, sent } = await clientOf(made, made, made, made, page);
  const { partners, customers, sales, commissions, balances, payouts } = client();
  const full: PartnerInput = {
    ...anna,
    email: "a@b.example",
    externalId: "user-7",
    destinationUrl: "https://b.example",
  };
  expect(await partners.create(full)).toMatchObject({ ok: true, status: 201, data: { externalId: "user-7" } });
  await partners.create({ ...anna, email: null, externalId: "", destinationUrl: undefined });
  const changes: PartnerChanges = { name: "B", status: "paused", email: "", externalId: null, destinationUrl: null };
  await partners.update(7, changes);
  await partners.update(7, { name: undefined });
  await partners.list({ externalId: "a&b", cursor: "c" });
  await partners.list({ externalId: "", cursor: null });
  await customers.list({
    ...{ customerKey: "u 1", partnerCode: "anna", source: "click", attributed: false, hasSale: true, q: "u" },
    ...{ from: new Date(0), to: "2026-02-01T00:00:00+02:00", testMode: true, cursor: "c" },
  });
  await customers.list({ attributed: null, from: undefined, q: "" });
  await sales.list({ from: new Date(0), to: null, testMode: true, cursor: "c" });
  await sales.lookup(["a", "b"], { testMode: true });
  await sales.lookup(["a"]);
  await commissions.list({
    ...{ status: "void", partnerId: 7, currency: "EUR", reason: "no_click" },
    ...{ dateFrom: "2026-01-01", dateTo: "2026-01-31", cursor: "c" },
  });
  await balances.list({ currency: "EUR" });
  await payouts.list();
  await payouts.commissions(7).list({ cursor: "c" });
  const lines = payouts.lines(7);
  await lines.list({ state: "due", cursor: "c" });
  await lines.settle(3, { settlementId: "credit", settledAt: new Date(0) });
  await lines.fail(3, { reason: "closed", partnerNote: "Create an account first", expectedState: "open" });
  expect(sent()).toEqual([
    'POST /partners {"name":"Anna","code":"anna","email":"a@b.example","external_id":"user-7","destination_url":"https://b.example"}',
    'POST /partners {"name":"Anna","code":"anna"}',
    'PATCH /partners/7 {"name":"B","status":"paused","email":"","external_id":null,"destination_url":null}',
    "PATCH /partners/7 {}",
    "GET /partners?external_id=a%26b&cursor=c ",
    "GET /partners? ",
    "GET /customers?customer_key=u+1&partner_code=anna&source=click&attributed=false&has_sale=true&q=u&from=1970-01-01T00%3A00%3A00.000Z&to=2026-02-01T00%3A00%3A00%2B02%3A00&test_mode=true&cursor=c ",
    "GET /customers? ",
    "GET /sales?from=1970-01-01T00%3A00%3A00.000Z&test_mode=true&cursor=c ",
    'POST /sales/lookup {"transaction_ids":["a","b"],"test_mode":true}',
    'POST /sales/lookup {"transaction_ids":["a"]}',
    "GET /commissions?status=void&partner_id=7&currency=EUR&reason=no_click&date_from=2026-01-01&date_to=2026-01-31&cursor=c ",
    "GET /balances?currency=EUR ",
    "GET /payouts? ",
    "GET /payouts/7/commissions?cursor=c ",
    "GET /payouts/7/lines?state=due&cursor=c ",
    'POST /payouts/7/lines/3/settle {"settlement_id":"credit","settled_at":"1970-01-01T00:00:00.000Z"}',
    'POST /payouts/7/lines/3/fail {"reason":"closed","partner_note":"Create an account first","expected_state":"open"}',
  ]);
});

/** The client without its types, as called from plain JavaScript. The types reject these arguments. */
type Loose = Readonly<Record<string, Record<string, (...args: unknown[]) => unknown>>>;

test.each<[string, string, unknown[], string]>([
  ["partners", "create", [{}], "partner.name must be text"],
  ["partners", "create", [{ name: " ", code: "anna" }], "partner.name must be text"],
  ["partners", "create", [{ name: "Anna" }], "partner.code must be text"],
  ["partners", "create", [{ ...anna, email: 5 }], "partner.email must be text"],
  ["partners", "create", [{ ...anna, externalId: 5 }], "partner.externalId must be text"],
  ["partners", "create", [{ ...anna, external_id: "5" }], "partner.external_id is unknown"],
  ["coupons", "create", [{ codes: "BEN10", partnerId: 7 }], "coupon.codes must be an array"],
  ["coupons", "create", [{ codes: ["BEN10"] }], "coupon.partnerId must be a positive integer"],
  ["coupons", "create", [{ codes: ["BEN10"], partnerId: 7, valid_from: "x" }], "coupon.valid_from is unknown"],
  ["coupons", "update", [8, { validFrom: new Date(Number.NaN) }], "coupon.validFrom must be text"],
  ["coupons", "update", [8, { codes: ["BEN10"] }], "coupon.codes is unknown"],
  ["coupons", "update", ["8", {}], "couponId must be a positive integer"],
  ["partners", "create", [{ ...anna, status: "paused" }], "partner.status is unknown"],
  ["partners", "update", [0, {}], "partnerId must be a positive integer"],
  ["partners", "update", ["7/x", {}], "partnerId must be a positive integer"],
  ["partners", "update", [7, { code: "bea" }], "partner.code is unknown"],
  ["partners", "list", [{ external_id: "5" }], "partners.external_id is unknown"],
  ["partners", "pages", [{ cursor: 5 }], "partners.cursor must be text"],
  ["customers", "list", [{ attributed: 1 }], "customers.attributed must be text"],
  ["customers", "pages", [{ q: true }], "customers.q must be text"],
  ["customers", "list", [{ partnerId: 7 }], "customers.partnerId is unknown"],
  ["sales", "list", [{ before: "x" }], "sales.before is unknown"],
  ["sales", "lookup", ["in_1"], "sales.lookup needs an array of ids"],
  ["sales", "lookup", [["in_1"], { testMode: "yes" }], "sales.testMode must be true or false"],
  ["commissions", "list", [{ partnerId: "x" }], "commissions.partnerId must be a positive integer"],
  ["commissions", "pages", [{ payoutId: 7 }], "commissions.payoutId is unknown"],
  ["payouts", "commissions", ["7"], "payoutId must be a positive integer"],
  ["payouts", "lines", ["7"], "payoutId must be a positive integer"],
])("%s.%s(%j) throws immediately", async (member, method, args, message) => {
  const { client, calls } = await clientOf(made);
  const { [member]: called } = client() as unknown as Loose;
  expect(() => called?.[method]?.(...args)).toThrow(new TypeError(message));
  expect(calls).toEqual([]);
});

test.each(["create", "update", "list"])("partners.%s(…, null) throws immediately", async (method) => {
  const { client } = await clientOf(made);
  const { partners } = client() as unknown as Loose;
  expect(() => partners?.[method]?.(...(method === "update" ? [7] : []), null)).toThrow(TypeError);
});

const again: readonly [string, Behaviour][] = [
  ["whose connection breaks off", cut],
  ["with 503", refusal(503, "Away.")],
  ["with 429", refusal(429, "Too many requests.")],
];

test.each(again)(
  "the creation of a partner with an external id is sent again after a response %s",
  async (_, behaviour) => {
    const { client, calls, problems } = await clientOf(behaviour, answer(200, { data: partner }));
    expect(await client().partners.create({ ...anna, externalId: "user-7" })).toMatchObject({ ok: true, status: 200 });
    expect(calls.map(({ text }) => text)).toEqual(
      Array(2).fill('{"name":"Anna","code":"anna","external_id":"user-7"}'),
    );
    expect(problems).toEqual([]);
  },
);

test.each(again)(
  "the creation of a partner without an external id is sent once, even after a response %s",
  async (_, behaviour) => {
    const { client, calls, problems } = await clientOf(behaviour, refusal(409, "This code is its own."));
    expect(await client({ retries: 5 }).partners.create(anna, { retries: 3 })).toMatchObject({
      ok: false,
      retryable: true,
    });
    expect(calls).toHaveLength(1);
    expect(problems).toMatchObject([{ source: "partners" }]);
  },
);

test("coupons are sent under their wire names", async () => {
  const { client, sent } = await clientOf(made, made, page);
  const { coupons } = client();
  const validFrom = new Date("2026-01-01T00:00:00Z");
  const terms = { validFrom, validUntil: "2026-02-01T00:00:00+01:00", status: "paused" } as const;
  await coupons.create({ codes: ["BEN10", "promo_1"], partnerId: 7, ...terms });
  await coupons.update(8, { ...terms, validFrom: null, status: undefined });
  await coupons.list({ partnerId: 7, code: "BEN10" });
  expect(sent()).toEqual([
    'POST /coupons {"codes":["BEN10","promo_1"],"partner_id":7,"valid_from":"2026-01-01T00:00:00.000Z","valid_until":"2026-02-01T00:00:00+01:00","status":"paused"}',
    'PATCH /coupons/8 {"valid_from":null,"valid_until":"2026-02-01T00:00:00+01:00"}',
    "GET /coupons?partner_id=7&code=BEN10 ",
  ]);
});

test("createEmbedToken sends the API's field names, and retries after a lost response", async () => {
  const reply = answer(201, {
    data: { token: "t", expires_at: "2026-01-01T00:00:00Z", expires_in: 3_600, partner_id: null },
  });
  const { client, sent } = await clientOf(cut, reply, reply);
  const full = { externalId: "user-7", name: "Anna", email: "a@b.example", group: "Fans", code: "anna" };
  const { data } = await client().createEmbedToken(full);
  expect(data).toEqual({ token: "t", expiresAt: "2026-01-01T00:00:00Z", expiresIn: 3_600, partnerId: null });
  await client().createEmbedToken({ externalId: " user-7", name: null, code: "" });
  const body = '{"external_id":"user-7","name":"Anna","email":"a@b.example","group":"Fans","code":"anna"}';
  expect(sent()).toEqual([
    ...Array(2).fill(`POST /embed/tokens ${body}`),
    'POST /embed/tokens {"external_id":" user-7"}',
  ]);
});

test.each<[object, string]>([
  [{}, "person.externalId must be text"],
  [{ externalId: " " }, "person.externalId must be text"],
  [{ externalId: 7 }, "person.externalId must be text"],
  [{ externalId: "undefined" }, "person.externalId"],
  [{ externalId: "u", external_id: "u" }, "person.external_id is unknown"],
])("createEmbedToken(%j) throws immediately", async (person, message) => {
  const { client, calls } = await clientOf(made);
  expect(() => client().createEmbedToken(person as EmbedTokenInput)).toThrow(message);
  expect(calls).toEqual([]);
});

test.each([
  ["NewPartner", "create", "partners", {}],
  ["PartnerChanges", "update", "partners", {}],
  ["NewCoupon", "create", "coupons", { codes: ["BEN10"], partnerId: 7 }],
  ["CouponChanges", "update", "coupons", {}],
] as const)("each field of %s is sent by %s of %s", async (name, method, resource, required) => {
  const { client, calls } = await clientOf(made);
  const fields = Object.keys(schemas[name]?.properties ?? {});
  const texts = Object.fromEntries(fields.map((field) => [camelCase(field), "x"]));
  const input: object = { ...texts, ...required };
  const change: object = client()[resource];
  await Reflect.get(change, method).apply(change, method === "create" ? [input] : [8, input]);
  expect(Object.keys(JSON.parse(calls[0]?.text ?? "")).toSorted()).toEqual(fields.toSorted());
});

test.each(again)("the creation of a coupon is sent once, even after a response %s", async (_, behaviour) => {
  const { client, calls } = await clientOf(behaviour, made);
  const { coupons } = client({ retries: 5 });
  const created = await coupons.create({ codes: ["BEN10"], partnerId: 7 }, { retries: 3 });
  expect(created).toMatchObject({ ok: false, retryable: true });
  expect(calls).toHaveLength(1);
});

test("updates and lists of partners are sent again after a failure, within the call's own limit of retries", async () => {
  const { client, sent } = await clientOf(cut, made, cut, page, cut);
  expect(await client().partners.update(7, { name: "B" })).toMatchObject({ ok: true });
  expect(await client().partners.list()).toMatchObject({ ok: true });
  expect(await client().partners.list({}, { retries: 0 })).toMatchObject({ ok: false, status: 0 });
  expect(sent()).toEqual([...Array(2).fill('PATCH /partners/7 {"name":"B"}'), ...Array(3).fill("GET /partners? ")]);
});

test("an aborted call and a call to a server that never responds return a retryable failure", async () => {
  const { client, calls } = await clientOf(() => {});
  const { partners } = client();
  const ended = { ok: false, status: 0, retryable: true, error: { name: "NetworkError" } };
  expect(await partners.create(anna, { signal: AbortSignal.abort() })).toMatchObject(ended);
  const controller = new AbortController();
  const pages = partners.pages({}, { signal: controller.signal })[Symbol.asyncIterator]();
  const first = pages.next();
  controller.abort();
  expect(await first).toMatchObject({ value: ended });
  expect(await pages.next()).toMatchObject({ done: true });
  expect(await partners.update(7, {}, { timeoutMs: 20, retries: 0 })).toMatchObject(ended);
  expect(calls.length).toBeLessThanOrEqual(2);
});

test.each<[string, Behaviour]>([
  ["a page", answer(200, "<h1>Hello</h1>", { "content-type": "text/html" })],
  ["other JSON", answer(200, { items: [] })],
  ["a path that doesn't exist", refusal(404, "Not found")],
])("%s instead of the service's response is a retryable failure", async (_, behaviour) => {
  const { client } = await clientOf(behaviour);
  const { partners } = client({ retries: 0 });
  const unreadable = { ok: false, retryable: true, error: { message: expect.stringContaining("Check baseUrl.") } };
  expect(await partners.create(anna)).toMatchObject(unreadable);
  expect(await partners.list()).toMatchObject(unreadable);
});

test("a failure is passed to the call's own onError, with the name of the call", async () => {
  const { client, problems } = await clientOf(refusal(400, "No."));
  const heard: TrackingProblem[] = [];
  await client().balances.list({}, { onError: (problem) => void heard.push(problem) });
  await client().payouts.commissions(7).list();
  expect(heard).toMatchObject([{ source: "balances", message: "No.", failure: { status: 400 } }]);
  expect(problems).toMatchObject([{ source: "payouts" }]);
});
