import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Reply } from "../../harness/client.ts";
import { eventually } from "../support/isolated-service.ts";
import { at, createProgramFixture, day, daysAgo, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";

const docs = (url: string) => `${url}/docs#key-rotation`;
const headersOf = ({ headers }: Reply<unknown>) => ["deprecation", "sunset", "link"].map((name) => headers.get(name));
const headersFor = (url: string, deadline: number) => [
  `@${Math.floor(deadline / 1_000)}`,
  new Date(deadline).toUTCString(),
  `<${docs(url)}>; rel="deprecation"`,
];

const openRotated = (retiresAt: number) => createProgramFixture({ keys: [{ retiresAt }, {}] });

type Send = (shop: ProgramFixture, key: string) => Promise<Reply<unknown>>;
const sale = { transaction_id: "t", amount_cents: 100, customer_key: "u" };
const pastClick = (shop: ProgramFixture) => ({ affiliate_url: shop.alice.landingUrl, occurred_at: at(daysAgo(1)) });

const calls: [what: string, status: number, send: Send][] = [
  ["a click", 200, (shop, key) => shop.api.click(pastClick(shop), { key })],
  ["a lead", 200, ({ api }, key) => api.lead({ customer_key: "u" }, { key })],
  ["a sale", 200, ({ api }, key) => api.sale({ ...sale, transaction_id: "other" }, { key })],
  ["a refund", 200, ({ api }, key) => api.refund({ transaction_id: "t", refund_amount_cents: 1 }, { key })],
  ["a test sale", 200, ({ api }, key) => api.sale({ transaction_id: "t", ...inTestMode }, { key })],
  ["readiness", 200, ({ api }, key) => api.readiness({ key })],
  ["an invalid click", 400, (shop, key) => shop.api.click({ ...pastClick(shop), affiliate_url: 5 }, { key })],
  ["an invalid lead", 400, ({ api }, key) => api.lead({}, { key })],
  ["a lead without a customer", 400, ({ api }, key) => api.lead({ click_id: "forged" }, { key })],
  ["a malformed sale", 400, ({ api }, key) => api.sale("{", { key })],
  [
    "a sale with another content type",
    415,
    ({ api }, key) => api.sale(sale, { key, headers: { "content-type": "text/plain" } }),
  ],
  ["a sale that is too large", 413, ({ api }, key) => api.sale({ ...sale, x: "x".repeat(70_000) }, { key })],
  ["a repeated sale", 409, ({ api }, key) => api.sale(sale, { key })],
  ["a refund of an unknown sale", 404, ({ api }, key) => api.refund({ transaction_id: "unknown" }, { key })],
];

it("only the last 50 retired keys are recognized and listed", async () => {
  const retired = Array.from({ length: 52 }, (_, i) => ({ retiresAt: daysAgo(60 - i) }));
  const { api, world } = await createProgramFixture({ keys: [{ retiresAt: daysAgo(-1) }, ...retired, {}] });
  const answers = await Promise.all(world.keys.map(async (key) => (await api.readiness({ key })).body.error?.code));
  const expected = [undefined, ...Array(2).fill("invalid_key"), ...Array(50).fill("api_key_rotation_required")];
  expect(answers).toEqual([...expected, undefined]);
});

describe("a retiring key", () => {
  it.each(calls)(
    "a retiring key works until its deadline, which the response announces, for %s with status %i",
    async (_, status, send) => {
      const retiresAt = Math.floor(Date.now() / 1_000) * 1_000 + day + 123;
      const shop = await openRotated(retiresAt);
      const [retiring = "", newest = ""] = shop.world.keys;
      await shop.api.sale(sale, { key: newest });
      const reply = await send(shop, retiring);
      expect(reply.status).toBe(status);
      expect(headersOf(reply)).toEqual(headersFor(shop.api.url, retiresAt));
      expect(reply.body.warnings).toEqual([
        {
          code: "api_key_rotation_required",
          message: `This API key must be replaced by ${at(retiresAt).slice(0, 10)}.`,
          hint: expect.any(String),
          rotate_by: at(retiresAt),
          docs_url: docs(shop.api.url),
        },
      ]);
    },
  );

  it("a retiring key is announced only in its own responses, not in those to a new key", async () => {
    const shop = await openRotated(Date.now() + day);
    const reply = await shop.api.sale(sale, { key: shop.world.keys[1] });
    expect(reply.status).toBe(200);
    expect(headersOf(reply)).toEqual([null, null, null]);
    expect(reply.body).not.toHaveProperty("warnings");
  });
});

describe("a retired key", () => {
  const refused = (url: string, retiredAt: number) => ({
    error: {
      code: "api_key_rotation_required",
      message: `This API key was retired on ${at(retiredAt).slice(0, 10)}.`,
      status: 401,
      hint: expect.any(String),
      docs_url: docs(url),
    },
  });

  it.each(calls)("a retired key is refused with the same error for %s", async (_, _status, send) => {
    const retiredAt = daysAgo(400, 321);
    const shop = await openRotated(retiredAt);
    const [retired = "", newest = ""] = shop.world.keys;
    const reply = await send(shop, retired);
    expect(reply.status).toBe(401);
    expect(reply.body).toEqual(refused(shop.api.url, retiredAt));
    expect(headersOf(reply)).toEqual(headersFor(shop.api.url, retiredAt));
    for (const table of ["clicks", "leads", "sales"] as const) expect(await shop.all(table)).toEqual([]);
    expect((await shop.api.readiness({ key: newest })).status).toBe(200);
  });

  it("a retired API key is refused from its exact deadline on, even if the service has cached the key as valid", async () => {
    const sendTo = ({ api, world }: ProgramFixture, transaction_id: string) =>
      api.sale({ ...sale, transaction_id }, { key: world.key });
    const openAndSell = async (retiresAt: number) => {
      const shop = await openRotated(retiresAt);
      return { shop, retiresAt, before: await sendTo(shop, "before") };
    };
    // Repeated if the key has retired before its first sale was decided.
    const { shop, retiresAt } = await eventually(
      () => openAndSell(Date.now() + 2_500),
      ({ before }) => before.status === 200,
    );
    await delay(retiresAt - Date.now() + 5);
    expect((await sendTo(shop, "after")).body).toEqual(refused(shop.api.url, retiresAt));
    expect(await shop.all("sales")).toHaveLength(1);
  });
});
