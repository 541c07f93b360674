import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { mintProgramKey } from "#domain/program-key.ts";
import { createApi, type Reply, uniqueIp, uniqueSite } from "../../harness/client.ts";
import { createProgramFixture, day, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { withinMinute } from "../support/within-minute.ts";

const times = <T>(count: number, send: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => send(i)));
const countOf = (replies: readonly Reply<unknown>[], status: number) =>
  replies.filter((reply) => reply.status === status).length;

const headersOf = ({ headers }: Reply<unknown>) =>
  ["ratelimit-policy", "x-ratelimit-limit", "retry-after"].map((name) => headers.get(name));
const tooMany = { status: 429, body: { data: null, error: { name: "TooManyRequestsError", code: "rate_limited" } } };

const clickFrom = ({ alice, world }: ProgramFixture, ip: string) =>
  createApi(sharedService.url, ip).click({ affiliate_url: alice.landingUrl, program_id: world.programId });
const browserLead = ({ click, alice }: ProgramFixture, ip: string) =>
  createApi(sharedService.url, ip).lead({ click_id: click(alice) }, { browser: true });

const ownNetwork = () => `${uniqueSite()}:1`;

describe("the limit of 300 clicks a minute", () => {
  it("the limit of 300 clicks a minute applies per IP address: the next click isn't recorded, and any origin can read the refusal", async () => {
    const { shop, replies, refused, other } = await withinMinute(async () => {
      const shop = await createProgramFixture();
      const ip = uniqueIp();
      const replies = await times(300, () => clickFrom(shop, ip));
      return { shop, replies, refused: await clickFrom(shop, ip), other: await clickFrom(shop, uniqueIp()) };
    });
    expect(countOf(replies, 200)).toBe(300);
    expect(headersOf(replies[0] ?? refused)).toEqual(['"click";q=300;w=60', "300", null]);
    expect(refused).toMatchObject(tooMany);
    expect(refused.body.error).toMatchObject({ message: "Too many requests.", retry_after_seconds: 60 });
    expect(refused.body.error.details).toEqual({ retry_after_seconds: 60 });
    expect(headersOf(refused)).toEqual(['"click";q=300;w=60', "300", "60"]);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect(refused.headers.get("access-control-expose-headers")).toContain("Retry-After");
    expect(other.status).toBe(200);
    expect(await shop.all("clicks")).toHaveLength(301);
  });

  it("the limit of 300 clicks a minute applies per IPv6 network of 64 bits", { tags: "soak" }, async () => {
    const { replies, refused, other } = await withinMinute(async () => {
      const [shop, network] = [await createProgramFixture(), ownNetwork()];
      const replies = await times(300, (i) => clickFrom(shop, `${network}:${i.toString(16)}::${i}`));
      return { replies, refused: await clickFrom(shop, `${network}::1`), other: await clickFrom(shop, ownNetwork()) };
    });
    expect(countOf(replies, 200)).toBe(300);
    expect(refused).toMatchObject(tooMany);
    expect(other.status).toBe(200);
  });
});

describe("leads", () => {
  it("leads without an API key are limited to 60 a minute per IP address", async () => {
    const { shop, replies, refused, click, keyed } = await withinMinute(async () => {
      const shop = await createProgramFixture();
      const ip = uniqueIp();
      const replies = await times(60, () => browserLead(shop, ip));
      const refused = await browserLead(shop, ip);
      const keyed = await createApi(sharedService.url, ip).lead({ customer_key: "u" }, { key: shop.world.key });
      return { shop, replies, refused, keyed, click: await clickFrom(shop, ip) };
    });
    expect(countOf(replies, 200)).toBe(60);
    expect(refused).toMatchObject(tooMany);
    expect(headersOf(refused)).toEqual(['"lead";q=60;w=60', "60", "60"]);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect([keyed.status, click.status]).toEqual([200, 200]);
    expect(await shop.all("leads")).toHaveLength(61);
  });

  it("leads with an API key have no limit per IP address", async () => {
    const { api, world } = await createProgramFixture();
    const replies = await times(70, (i) => api.lead({ customer_key: `u${i}` }, { key: world.key }));
    expect(countOf(replies, 200)).toBe(70);
    for (const reply of replies) expect(headersOf(reply)).toEqual(['"keyedLead";q=6000;w=60', "6000", null]);
  });
});

it("responses to sales and refunds have the key's limit of 6,000 in their headers", async () => {
  const { api, world } = await createProgramFixture();
  const sale = { transaction_id: "t", amount_cents: 100, customer_key: "u" };
  for (const key of [world.key, "nonsense", undefined]) {
    expect(headersOf(await api.sale(sale, { key }))).toEqual(['"sale";q=6000;w=60', "6000", null]);
    expect(headersOf(await api.refund(sale, { key }))).toEqual(['"sale";q=6000;w=60', "6000", null]);
  }
});

it("readiness calls are limited to 60 a minute per key from any IP address, and the refusal doesn't reveal if the key is valid", async () => {
  const { replies, refused, newer } = await withinMinute(async () => {
    const { world } = await createProgramFixture({ keys: [{ retiresAt: Date.now() + day }, {}] });
    const ask = (key: string | undefined) => createApi(sharedService.url).readiness({ key });
    const [older, newest] = world.keys;
    return { replies: await times(60, () => ask(older)), refused: await ask(older), newer: await ask(newest) };
  });
  expect(countOf(replies, 200)).toBe(60);
  for (const { headers } of replies) expect(headers.has("deprecation")).toBe(true);
  expect([refused.status, newer.status]).toEqual([429, 200]);
  expect(refused.body).toEqual({
    error: { code: "rate_limited", message: "Too many requests.", status: 429, retry_after_seconds: 60 },
  });
  expect(headersOf(refused)).toEqual(['"readiness";q=60;w=60', "60", "60"]);
  expect(refused.headers.has("deprecation")).toBe(false);
});

it("calls with wrong API keys are limited to 60 a minute per IP address over all endpoints, and known valid keys keep working", async () => {
  const { used, replies, refused, right, elsewhere } = await withinMinute(async () => {
    const { world } = await createProgramFixture();
    const api = createApi(sharedService.url, uniqueIp());
    const guess = (i: number, by = api): Promise<Reply<unknown>> => {
      const key = i % 2 === 0 ? mintProgramKey(world.programId, randomBytes(32)) : "nonsense";
      if (i % 3 === 0) return by.readiness({ key });
      if (i % 3 === 1) return by.lead({ customer_key: "u" }, { key });
      return by.refund({ transaction_id: "t" }, { key });
    };
    const used = await api.lead({ customer_key: "u" }, { key: world.key });
    const replies = await times(60, (i) => guess(i));
    const refused = await times(6, (i) => guess(i));
    return {
      used,
      replies,
      refused,
      right: await api.lead({ customer_key: "u" }, { key: world.key }),
      elsewhere: await guess(0, createApi(sharedService.url)),
    };
  });
  expect(countOf(replies, 401)).toBe(60);
  expect(countOf(refused, 429)).toBe(6);
  expect([used.status, right.status, elsewhere.status]).toEqual([200, 200, 401]);
});
