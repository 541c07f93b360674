import { expect, it } from "vitest";
import { createApi, uniqueSite } from "../../harness/client.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { withinMinute } from "../support/within-minute.ts";

// Clients call through a proxy that appends the client's address to X-Forwarded-For.

const limits = { CLICK_LIMIT: 2, CLICK_SITE_LIMIT: 5 };
const own = isolatedService({ limits, vars: { TRUSTED_PROXIES: "127.0.0.1", CLIENT_ADDRESS_HEADER: "" } });

async function openShop() {
  const { world, alice } = programFixture(await own.world({ partners: [{}, {}] }), own.api());
  const body = { affiliate_url: alice.landingUrl, program_id: world.programId };
  return async (forwardedFor: string, headers: Readonly<Record<string, string | undefined>> = {}) => {
    const sent = { "cf-connecting-ip": undefined, "x-forwarded-for": forwardedFor, "x-forwarded-proto": "https" };
    return (await createApi(own.service.url).click(body, { headers: { ...sent, ...headers } })).status;
  };
}

type Click = Awaited<ReturnType<typeof openShop>>;
const statusesOf = (clickFrom: (click: Click) => Promise<readonly number[]>) =>
  withinMinute(async () => clickFrom(await openShop()));
const inTurn = async (click: Click, addresses: readonly string[]) => {
  const statuses: number[] = [];
  for (const address of addresses) statuses.push(await click(address));
  return statuses;
};

it("addresses in the same /64 network share one rate limit", async () => {
  const statuses = await statusesOf((click) => {
    const site = uniqueSite();
    return inTurn(click, [`${site}:1::1`, `${site}:1:ffff::2`, `${site}:1::3`, `[${site}:1::4]:4711`]);
  });
  expect(statuses).toEqual([200, 200, 429, 429]);
});

it("all /64 networks of a /48 share a rate limit, and another /48 has its own", async () => {
  const statuses = await statusesOf((click) => {
    const site = uniqueSite();
    const within = Array.from({ length: 7 }, (_, i) => `${site}:${i + 10}::1`);
    return inTurn(click, [...within, "2001:db9:1:1::1", "2001:db9:2:1::1", "198.51.100.7"]);
  });
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 200, 200, 200]);
});

it("a caller can't change its address for rate limits by X-Forwarded-For or another header", async () => {
  const statuses = await statusesOf(async (click) => {
    const site = uniqueSite();
    const claimed = [`192.0.2.1, ${site}:2::1`, `192.0.2.2, ${site}:2::1`, `nonsense, 192.0.2.3, ${site}:2::1`];
    const other = await click(`${site}:2::1`, { "cf-connecting-ip": "192.0.2.4", "x-real-ip": "192.0.2.5" });
    return [other, ...(await inTurn(click, claimed))];
  });
  expect(statuses).toEqual([200, 200, 429, 429]);
});

it("plain http through the proxy is refused for any client address", async () => {
  const statuses = await statusesOf(async (click) => [
    await click("192.0.2.9", { "x-forwarded-proto": undefined }),
    await click("192.0.2.9", { "x-forwarded-proto": "http" }),
    await click("127.0.0.1", { "x-forwarded-proto": undefined }),
  ]);
  expect(statuses).toEqual([403, 403, 403]);
});
