import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { erasedDigest } from "#domain/erasure.ts";
import { mintProgramKey } from "#domain/program-key.ts";
import type { JsonObject } from "../../harness/client.ts";
import { testSecrets } from "../../harness/service.ts";
import type { User } from "../../harness/session.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { filesWith } from "../project/files-with.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { at, daysAgo, hour, inTestMode, programFixture } from "../support/program-fixture.ts";
import { uniqueWord } from "../support/unique-word.ts";

const own = isolatedService();

let owner: User;
let viewer: User;
let stranger: User;
beforeAll(async () => {
  owner = await own.user("Olga");
  viewer = await own.user("Vera");
  stranger = await own.user("Sam");
});

interface Listed extends JsonObject {
  readonly requestId: string;
  readonly outcome: string;
  readonly transactionId?: string;
  readonly keyName?: string;
}
interface Requests {
  readonly data: Listed[];
  readonly meta: { readonly nextCursor: string | null; readonly dropped: number };
}

async function openShop(settings: WorldSettings = {}) {
  const members = [
    { user: owner, role: "owner" },
    { user: viewer, role: "viewer" },
  ] as const;
  const world = await own.world({ partners: [{}, {}], members, ...settings });
  const shop = programFixture(world, own.api());
  const path = `/api/programs/${world.programId}`;
  const ask = (query: JsonObject = {}, user = viewer) =>
    user.get<Requests>(`${path}/requests?${new URLSearchParams(query as Record<string, string>)}`);
  const list = async (query: JsonObject = {}) => {
    const { status, body, text } = await ask(query);
    expect(status, text).toBe(200);
    return body;
  };
  const logged = (count: number, query: JsonObject = {}) =>
    eventually(
      async () => (await list(query)).data,
      (rows) => rows.length >= count,
    );
  const only = async (requestId: string | null) => (await logged(1, { requestId }))[0];
  return { ...shop, path, ask, list, logged, only };
}

const sale = { transaction_id: "t1", amount_cents: 4_900, customer_key: "c1" };

describe.concurrent("the request log", () => {
  test("the request log contains each call with a key, and its response", async () => {
    const { api, world, alice, only, logged } = await openShop({ keys: [{ name: "Shop" }] });
    const { key } = world;
    const sent = [
      [await api.click({ affiliate_url: alice.landingUrl, occurred_at: at(daysAgo(1)) }, { key }), "recorded", null],
      [await api.lead({ customer_key: "c1" }, { key }), "unattributed", "no_click"],
      [await api.lead({ customer_key: "c1" }, { key }), "unattributed", "no_click"],
      [await api.sale(sale, { key }), "unattributed", "no_click"],
      [await api.sale(sale, { key }), "duplicate", "duplicate_transaction"],
      [await api.sale({ ...sale, amount_cents: 5_000 }, { key }), "conflict", "duplicate_transaction"],
      [await api.sale({ ...sale, amount_cents: 0 }, { key }), "refused", "invalid_input"],
      [await api.sale("{", { key }), "refused", "malformed_json"],
      [await api.refund({ transaction_id: "t1", refund_id: "r1" }, { key }), "recorded", null],
      [await api.refund({ transaction_id: "t1", refund_id: "r1" }, { key }), "duplicate", "duplicate refund_id"],
      [await api.refund({ transaction_id: "unknown" }, { key }), "refused", "sale_not_found"],
    ] as const;
    const rows = await logged(sent.length);
    expect(rows).toHaveLength(sent.length);
    for (const [{ status, headers }, outcome, code] of sent) {
      const row = await only(headers.get("x-request-id"));
      expect(row).toMatchObject({ keyName: "Shop", status, outcome, code, testMode: false });
    }
    expect(rows.map(({ route }) => route)).toEqual(
      [...["click", "lead", "lead"], ...Array(5).fill("sale"), ...Array(3).fill("refund")]
        .reverse()
        .map((event) => `/api/v1/track/${event}`),
    );
    expect(rows.at(0)).not.toHaveProperty("customerKey");
    expect(rows.map(({ transactionId }) => transactionId)).toEqual([
      ...["unknown", "t1", "t1", undefined, "t1", "t1", "t1", "t1"],
      ...[undefined, undefined, undefined],
    ]);
  });

  test("the request log contains the result of an attributed sale and of a repeated lead", async () => {
    const { api, world, click, alice, logged, list } = await openShop();
    const options = { key: world.key };
    const lead = { customer_key: "c1", click_id: click(alice) };
    await api.lead(lead, options);
    await api.lead(lead, options);
    await api.sale(sale, options);
    await api.sale({ transaction_id: "of-test", ...inTestMode }, options);
    const rows = await logged(4);
    expect(rows.map(({ outcome, testMode }) => [outcome, testMode]).slice(1)).toEqual([
      ...[
        ["recorded", false],
        ["duplicate", false],
        ["recorded", false],
      ],
    ]);
    expect(rows[0]).toMatchObject({ testMode: true, transactionId: "of-test" });
    expect((await list()).meta).toEqual({ nextCursor: null, dropped: 0 });
  });

  test("the request log can be searched by each filter", async () => {
    const { api, world, list, logged, ask } = await openShop();
    const options = { key: world.key };
    await api.lead({ customer_key: "c1" }, options);
    await api.sale(sale, { ...options, headers: { "x-request-id": "my-own-request" } });
    await api.sale({ ...sale, transaction_id: "t2", customer_key: "c2" }, options);
    await api.sale({}, options);
    await logged(4);
    const found = async (query: JsonObject) => (await list(query)).data.map(({ transactionId = "" }) => transactionId);
    expect(await found({ requestId: "my-own-request" })).toEqual(["t1"]);
    expect(await found({ transactionId: "t2" })).toEqual(["t2"]);
    expect(await found({ customerKey: "c1" })).toEqual(["t1", ""]);
    expect(await found({ customerKey: "c1", route: "/api/v1/track/sale" })).toEqual(["t1"]);
    expect(await found({ outcome: "refused" })).toEqual([""]);
    expect(await found({ outcome: "conflict" })).toEqual([]);
    expect(await found({ from: at(Date.now() - hour), to: at(Date.now() + hour) })).toHaveLength(4);
    expect(await found({ to: at(Date.now() - hour) })).toEqual([]);
    for (const wrong of [
      { outcome: "lost" },
      { route: "/sale" },
      { from: "yesterday" },
      { from: at(Date.now()), to: at(Date.now() - hour) },
      { cursor: "nonsense" },
    ]) {
      expect((await ask(wrong)).status, JSON.stringify(wrong)).toBe(400);
    }
  });

  test("the request log has pages", async () => {
    const { api, world, list, logged } = await openShop();
    const ids = Array.from({ length: 55 }, (_, i) => `t${i}`);
    for (const transaction_id of ids) await api.sale({ ...sale, transaction_id, amount_cents: 0 }, { key: world.key });
    await eventually(
      async () => (await list({ transactionId: "t54" })).data,
      (rows) => rows.length === 1,
    );
    const first = await list();
    const rest = await list({ cursor: first.meta.nextCursor ?? "" });
    expect([...first.data, ...rest.data].map(({ transactionId }) => transactionId)).toEqual(ids.toReversed());
    expect(rest.meta.nextCursor).toBeNull();
    expect(await logged(50)).toHaveLength(50);
  });

  test("the request log contains calls with a retired key, with the key's name", async () => {
    const { api, world, only } = await openShop({ keys: [{ name: "Old", retiresAt: daysAgo(1) }, { name: "New" }] });
    const [retired = ""] = world.keys;
    const { headers } = await api.sale(sale, { key: retired });
    expect(await only(headers.get("x-request-id"))).toMatchObject({
      ...{ keyName: "Old", status: 401, code: "api_key_rotation_required", outcome: "refused", transactionId: "t1" },
    });
  });

  test("the request log contains up to ten refused calls a minute without a valid key of the program", async () => {
    const { api, world, alice, logged } = await openShop();
    const wrong = mintProgramKey(world.programId, randomBytes(32));
    for (let i = 0; i < 12; i += 1) await api.sale(sale, { key: wrong });
    await api.click({ affiliate_url: 5, program_id: world.programId });
    await api.click({ affiliate_url: alice.landingUrl, program_id: world.programId }, { browser: true });
    await api.sale(sale, { key: world.key });
    const rows = await eventually(
      () => logged(1),
      (found) => found.some(({ outcome }) => outcome === "unattributed"),
    );
    const unsigned = rows.filter((row) => !("keyName" in row));
    expect([unsigned.length, rows.length]).toEqual([10, 11]);
    expect(unsigned[0]).toMatchObject({ status: 401, code: "invalid_key", outcome: "refused" });
  });

  test("the request log can be read only by members of its program", async () => {
    const shop = await openShop();
    const other = await openShop();
    await shop.api.sale(sale, { key: shop.world.key });
    await shop.logged(1);
    expect((await other.list()).data).toEqual([]);
    expect((await shop.ask({}, stranger)).status).toBe(403);
    expect((await other.list({ transactionId: "t1" })).data).toEqual([]);
  });

  test("the request log can be read with an API key of the program", async () => {
    const { api, world, logged } = await openShop({ keys: [{ name: "Shop" }] });
    await api.sale(sale, { key: world.key });
    await logged(1);
    const path = "/api/v1/programs/me/requests?transaction_id=t1&customer_key=c1&route=/api/v1/track/sale";
    const { body } = await api.request("GET", path, { key: world.key });
    expect(body).toMatchObject({
      data: [{ key_name: "Shop", transaction_id: "t1", outcome: "unattributed", test_mode: false }],
      meta: { next_cursor: null, dropped: 0 },
    });
    const refused = await api.request("GET", "/api/v1/programs/me/requests?outcome=lost", { key: world.key });
    expect(refused.status).toBe(400);
  });
});

describe.concurrent("the request log about a customer", () => {
  const zebra = uniqueWord("zebra");
  const email = `${zebra}@mail.example`;
  const key = `${zebra}-key`;

  async function openWithCustomer() {
    const shop = await openShop();
    const options = { key: shop.world.key };
    await shop.api.lead({ customer_key: key, email }, options);
    await shop.api.sale({ ...sale, customer_key: key, transaction_id: `order ${key}` }, options);
    await shop.api.sale({ ...sale, customer_key: "other", transaction_id: `of ${email}` }, options);
    await shop.logged(3);
    const post = (to: string, body: JsonObject) => owner.post<{ data: JsonObject }>(`${shop.path}/privacy/${to}`, body);
    return { ...shop, options, post };
  }

  test("the request log stores email addresses and customer keys encrypted, and is part of the customer's export", async () => {
    const { logged, list, post } = await openWithCustomer();
    expect(await logged(2, { customerKey: key })).toHaveLength(2);
    expect((await list({ transactionId: `of ${email}` })).data).toMatchObject([
      { transactionId: expect.stringMatching(/^erased_/), outcome: "unattributed" },
    ]);
    const files = (await filesWith(own.service.objects, email)).filter((name) => name.includes("RequestLog"));
    expect(files).toEqual([]);
    const { text } = await post("export", { customerKey: key });
    const rows = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly of: string; readonly transactionId?: string });
    expect(rows.filter(({ of }) => of === "requests").map(({ transactionId }) => transactionId)).toEqual(
      expect.arrayContaining([undefined, `order ${key}`]),
    );
  });

  test("the request log's entries about a customer are erased with the customer, and ids in later calls about the customer are pseudonymized", async () => {
    const { api, options, list, logged, post } = await openWithCustomer();
    const erased = await post("erase", { customerKey: key, confirm: true });
    expect(erased.status, erased.text).toBe(200);
    expect((await list({ customerKey: key })).data).toEqual([]);
    const [row] = (await list({ transactionId: `order ${key}` })).data;
    expect(row).toMatchObject({ outcome: "unattributed", transactionId: expect.stringMatching(/^erased_/) });
    await api.refund({ transaction_id: `order ${key}`, refund_amount_cents: 0 }, options);
    await api.sale({ ...sale, transaction_id: `later-${key}`, customer_key: key, amount_cents: 0 }, options);
    const later = await logged(5);
    expect(JSON.stringify(later)).not.toContain(zebra);
    expect((await list({ transactionId: `later-${key}` })).data).toMatchObject([{ outcome: "refused" }]);
    expect((await list({ customerKey: key })).data).toEqual([]);
  });

  test("the request log pseudonymizes ids of customers who were erased before the log existed", async () => {
    const { api, world, list, logged } = await openShop();
    const { programId } = world;
    const digest = erasedDigest({ programId, hashSecret: testSecrets.HASH_SECRET }, key);
    await world.write(
      {
        sql: `insert into erasures (id, program_id, subject, requested_by, requested_at, erased_at, rows, before, after)
          values (?, ?, 'customer', 'owner', 1, 1, '{}', '{}', '{}')`,
        args: [`earlier ${programId}`, programId],
      },
      {
        sql: "insert into erased_identifiers (program_id, digest, erasure_id) values (?, ?, ?)",
        args: [programId, digest, `earlier ${programId}`],
      },
    );
    const called = { ...sale, amount_cents: 0, transaction_id: `order ${key}`, customer_key: key };
    await api.sale(called, { key: world.key });
    expect(await logged(1)).toMatchObject([{ transactionId: expect.stringMatching(/^erased_/) }]);
    expect((await list({ transactionId: `order ${key}` })).data).toHaveLength(1);
    expect((await list({ customerKey: key })).data).toEqual([]);
  });

  test("the request log about a customer is erased even if no other data of the customer is stored", async () => {
    const { api, options, list, logged, post } = await openWithCustomer();
    await api.sale({ ...sale, customer_key: "nobody-else", amount_cents: 0 }, options);
    await logged(1, { customerKey: "nobody-else" });
    expect((await post("erase", { customerKey: "nobody-else", confirm: true })).status).toBe(404);
    expect((await list({ customerKey: "nobody-else" })).data).toEqual([]);
  });
});

// Not concurrent, because the outage affects every test in this file.
describe("the request log during an outage", () => {
  test("the request log contains calls received while the database was unreachable", async () => {
    const { api, world, logged, list } = await openShop();
    const options = { key: world.key };
    await api.sale(sale, options);
    await logged(1);
    await own.proxy.disconnect();
    const { status } = await api.sale({ ...sale, transaction_id: "t2" }, options);
    await own.proxy.connect();
    expect(status).toBe(503);
    await logged(2);
    expect((await list({ transactionId: "t2" })).data).toMatchObject([
      { status: 503, outcome: "unavailable", code: "service_unavailable" },
    ]);
    await eventually(
      () => api.sale(sale, options),
      ({ status }) => status !== 503,
    );
  });
});
