import { createHook } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { unsubscribeToken } from "#domain/mail/unsubscribe.ts";
import { mapConcurrent } from "../../dashboard/src/api/map-concurrent.ts";
import { createApi, type Reply, uniqueIp } from "../../harness/client.ts";
import { testSecrets } from "../../harness/service.ts";
import { createSession, signUp, type User } from "../../harness/session.ts";
import { oneOfEach } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { sessionOperations } from "../support/session-operations.ts";
import { withinMinute } from "../support/within-minute.ts";

// Lower than the default limits, so that a test can reach them.
const limits = {
  CLICK_LIMIT: 2,
  CLICK_KEY_LIMIT: 3,
  CLICK_PROGRAM_LIMIT: 3,
  LEAD_PROGRAM_LIMIT: 3,
  USER_WRITE_LIMIT: 4,
  USER_READ_LIMIT: 5,
};
const own = isolatedService({ limits, vars: { HASHES_PER_SECOND: "4", UNSIGNED_EVENTS_PER_DAY: "2" } });

const statuses = (replies: readonly Reply<unknown>[]) => replies.map(({ status }) => status).toSorted();
const policyOf = ({ headers }: Reply<unknown>) => headers.get("ratelimit-policy");
const times = <T>(count: number, send: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, send));
const tooMany = { status: 429, body: { data: null, error: { code: "rate_limited", retry_after_seconds: 60 } } };

async function openShop() {
  const shop = programFixture(await own.world({ partners: [{}, {}] }), own.api());
  const { world, alice } = shop;
  const body = { affiliate_url: alice.landingUrl, program_id: world.programId };
  const pastClick = (key = world.key, ip?: string) =>
    createApi(own.service.url, ip).click({ ...body, occurred_at: new Date().toISOString() }, { key });
  const rowsOf = (table: string) => world.rows(`select id from ${table} where program_id = ?`, world.programId);
  return { ...shop, body, pastClick, rowsOf };
}

describe("clicks without a key", () => {
  it("clicks without a key share a limit per program from any address, and clicks with a key and test clicks don't count toward it", async () => {
    const { shop, replies, others } = await withinMinute(async () => {
      const shop = await openShop();
      const click = (fields = {}) => own.api().click({ ...shop.body, ...fields });
      const replies = await times(5, () => click());
      const test = await click({ additional_data: { test_mode: true } });
      const other = await openShop();
      return { shop, replies, others: [await shop.pastClick(), test, await own.api().click(other.body)] };
    });
    expect(statuses(replies)).toEqual([200, 200, 200, 429, 429]);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused).toMatchObject(tooMany);
    expect(refused && policyOf(refused)).toBe('"programClick";q=3;w=60');
    expect(refused?.headers.get("retry-after")).toBe("60");
    expect(refused?.headers.get("access-control-allow-origin")).toBe("*");
    expect(statuses(others)).toEqual([200, 200, 200]);
    expect(await shop.rowsOf("clicks")).toHaveLength(5);
  });

  it("clicks without an API key and without a program_id share one limit", async () => {
    const replies = await withinMinute(async () => {
      const shops = await Promise.all([openShop(), openShop()]);
      return Promise.all([...shops, ...shops].map(({ alice }) => own.api().click({ affiliate_url: alice.landingUrl })));
    });
    expect(statuses(replies)).toEqual([200, 200, 200, 429]);
  });
});

it("clicks with occurred_at count against the limit of their API key, not against that of their IP address", async () => {
  const { shop, replies, refused, unsigned } = await withinMinute(async () => {
    const shop = await openShop();
    const { ip } = own.api();
    const replies = await times(3, () => shop.pastClick(shop.world.key, ip));
    const refused = await shop.pastClick();
    return { shop, replies, refused, unsigned: await times(3, () => createApi(own.service.url, ip).click(shop.body)) };
  });
  expect(statuses(replies)).toEqual([200, 200, 200]);
  for (const reply of [...replies, refused]) expect(policyOf(reply)).toBe('"keyedClick";q=3;w=60');
  expect(refused).toMatchObject(tooMany);
  expect(statuses(unsigned)).toEqual([200, 200, 429]);
  expect(await shop.rowsOf("clicks")).toHaveLength(5);
});

it("clicks and leads without an API key are stored without texts after they exceed the daily volume", async () => {
  const shop = await withinMinute(async () => {
    const shop = await openShop();
    const { world, alice, body } = shop;
    const texts = {
      ...{ page_url: "https://shop.example/p", referrer_url: "https://blog.example/a", page_title: "Shoes" },
      ...{ language: "nl", timezone: "UTC", screen_resolution: "1x1", viewport_size: "1x1" },
    };
    const click = (more: object, key?: string) =>
      own.api().click({ ...body, ...texts, ...more }, key === undefined ? {} : { key });
    const named = (event_name: string, more = {}) => ({ additional_data: { event_name, ...more } });
    const lead = (event_name: string, key?: string) => {
      const clicks = { click_id: shop.click(alice), click_ids: ["x".repeat(40)] };
      const body = { ...clicks, page_url: texts.page_url, ...named(event_name) };
      return own.api().lead(body, key === undefined ? { browser: true } : { key });
    };
    const replies = [
      await click(named("first")),
      await lead("first"),
      await click({ ...named("beyond"), event_id: "e" }),
      await click({ ...named("keyed"), occurred_at: new Date().toISOString() }, world.key),
      await lead("beyond"),
      await lead("keyed", world.key),
      await click(named("test", { test_mode: true })),
    ];
    expect(statuses(replies)).toEqual(replies.map(() => 200));
    return shop;
  });
  const rows = await shop.world.rows("select * from clicks where program_id = ? order by id", shop.world.programId);
  const kept = { page_url: "https://shop.example/p", page_title: "Shoes", language: "nl", timezone: "UTC" };
  const none = { page_url: null, referrer_url: null, page_title: null, event_name: null };
  expect(rows).toMatchObject([
    { event_name: "first", ...kept },
    { ...none, event_id: "e", language: null, timezone: null, screen_resolution: null, viewport_size: null },
    { event_name: "keyed", ...kept },
    { event_name: "test", ...kept },
  ]);
  const leads = await shop.world.rows("select * from leads where program_id = ? order by id", shop.world.programId);
  const invalid = expect.stringContaining("xxxx");
  expect(leads).toMatchObject([
    { event_name: "first", page_url: kept.page_url, explanation: invalid },
    { event_name: null, page_url: null, explanation: expect.not.stringContaining("xxxx") },
    { event_name: "keyed", page_url: kept.page_url, explanation: invalid },
  ]);
});

it("an Authorization header without a key doesn't bypass the limit of an IP address", async () => {
  const replies = await withinMinute(async () => {
    const { body } = await openShop();
    const api = own.api();
    const options = { headers: { authorization: "Bearer anything" } };
    const occurred_at = new Date().toISOString();
    const first = [await api.click(body, options), await api.click({ ...body, occurred_at }, options)];
    return [...first, await api.click(body, options), await api.click({ ...body, occurred_at }, options)];
  });
  expect(replies.map(({ status }) => status)).toEqual([200, 401, 429, 429]);
});

it("leads without a key share one limit per program, whether the program is named or found by click", async () => {
  const { shop, replies, keyed } = await withinMinute(async () => {
    const shop = await openShop();
    const { alice, click, world } = shop;
    const lead = (fields: object) => own.api().lead({ click_id: click(alice), ...fields }, { browser: true });
    const replies = await Promise.all([{}, { program_id: world.programId }, {}, {}, {}].map(lead));
    return { shop, replies, keyed: await own.api().lead({ customer_key: "u" }, { key: world.key }) };
  });
  expect(statuses(replies)).toEqual([200, 200, 200, 429, 429]);
  const refused = replies.find(({ status }) => status === 429);
  expect(refused && policyOf(refused)).toBe('"programLead";q=3;w=60');
  expect(keyed.status).toBe(200);
  expect(await shop.rowsOf("leads")).toHaveLength(4);
});

describe("a user", () => {
  const elsewhere = { headers: { origin: "https://evil.example" } };

  it("a user has one limit for reads and a separate one for writes, each over all routes (here 5 and 4 a minute)", async () => {
    // Imports have a separate limit.
    const limited = (await sessionOperations(own.service.url)).filter(({ name }) => !/imports|importRows/.test(name));
    expect(limited.length).toBeGreaterThan(20);
    const operations = oneOfEach(limited, ({ about, isScopedByPath, isWrite }) =>
      [about, isScopedByPath, isWrite].join(),
    );
    const replies = await withinMinute(async () => {
      const user = await own.user();
      const place = await own.world({ members: [{ user, role: "owner" }] });
      // Calls from another site don't use up the user's limit.
      await times(10, () => user.post("/api/workspaces", {}, elsewhere));
      const reads = await times(5, () => user.get("/api/workspaces"));
      const writes = await times(4, () => user.post("/api/workspaces", {}));
      const refused = await mapConcurrent(operations, 20, async ({ name, isWrite, call }) => {
        return { name, isWrite, reply: await call(user, place) };
      });
      const nowhere = { programId: 999_999_999_999, workspaceId: "nowhere" };
      const nowhereFound = await mapConcurrent(operations, 20, ({ call }) => call(user, nowhere));
      return { reads, writes, refused, nowhereFound, session: await user.get("/api/auth/get-session") };
    });
    expect(statuses(replies.reads)).toEqual(Array(5).fill(200));
    expect(statuses(replies.writes)).toEqual(Array(4).fill(400));
    for (const { name, isWrite, reply } of replies.refused) {
      expect(reply, name).toMatchObject(tooMany);
      expect(reply.headers.get("retry-after"), name).toBe("60");
      expect(policyOf(reply), name).toBe(isWrite ? '"userWrite";q=4;w=60' : '"userRead";q=5;w=60');
      expect(reply.headers.get("x-ratelimit-limit"), name).toBe(isWrite ? "4" : "5");
    }
    expect(new Set(statuses(replies.nowhereFound))).toEqual(new Set([429]));
    expect(replies.session.status).toBe(429);
  });

  it("a user can't be locked out by calls with the link that stops their mails", async () => {
    const { stops, read, write } = await withinMinute(async () => {
      const user = await own.user();
      const link = `/api/mail/unsubscribe/${unsubscribeToken(testSecrets.AUTH_SECRET, user.userId)}`;
      const stops = await times(6, () => fetch(new URL(link, own.service.url), { method: "POST" }));
      return { stops, read: await user.get("/api/workspaces"), write: await user.post("/api/workspaces", {}) };
    });
    expect(stops.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 429, 429]);
    expect([read.status, write.status]).toEqual([200, 400]);
  });

  it("a user who reaches a limit doesn't use up another user's limit, and can still sign out", async () => {
    const { refused, other, nobody, signedOut } = await withinMinute(async () => {
      const leaving = await own.user();
      const reads = await times(6, () => leaving.get("/api/workspaces"));
      return {
        refused: reads.filter(({ status }) => status === 429),
        other: await (await own.user()).get("/api/workspaces"),
        nobody: await createSession(own.service.url).get("/api/auth/get-session"),
        signedOut: await leaving.post("/api/auth/sign-out"),
      };
    });
    expect(refused).toHaveLength(1);
    expect([other.status, nobody.status, signedOut.status]).toEqual([200, 200, 200]);
  });
});

describe("password hashes", () => {
  const signIn = (email: string, password = "a guess") =>
    createSession(own.service.url, uniqueIp()).post("/api/auth/sign-in/email", { email, password });

  /** Counts the password hashes computed in this process, which supervises the service. */
  function countHashes(): { count: number } {
    const hashes = { count: 0 };
    const hook = createHook({
      init: (_, type) => {
        if (type === "SCRYPTREQUEST") hashes.count += 1;
      },
    });
    hook.enable();
    onTestFinished(() => void hook.disable());
    return hashes;
  }

  it("password hashes are computed outside the runtime, once for a wrong password and once for an unknown address", async () => {
    const user = await own.user();
    const hashes = countHashes();
    expect((await signIn(user.email)).status).toBe(401);
    expect(hashes.count).toBe(1);
    expect((await signIn("nobody@people.example")).status).toBe(401);
    expect(hashes.count).toBe(2);
  });

  it("password hashes have a limit for unknown browsers, which doesn't affect known browsers and counts only computed hashes", async () => {
    const user = await signUp(own.service.url);
    const hashes = countHashes();
    const [known, ...guesses] = await Promise.all([
      user.post("/api/auth/sign-in/email", { email: user.email, password: user.password }),
      ...Array.from({ length: 60 }, () => signIn(user.email)),
    ]);
    expect(known.status).toBe(200);
    const judged = guesses.filter(({ status }) => status === 401).length;
    const refused = guesses.filter(({ status }) => status === 429);
    expect([judged + refused.length, refused.length > 0]).toEqual([60, true]);
    expect(hashes.count).toBe(1 + judged);
    expect(refused[0]?.headers.get("Retry-After")).toBe("1");
    const world = await own.world();
    const counted = await world.rows("select count from rate_limits where count = ?", judged);
    expect(counted.length).toBeGreaterThan(0);
  });

  it("each user who confirms a password has a separate limit of password hashes", { tags: "soak" }, async () => {
    const world = await own.world();
    const { refused, other } = await withinMinute(async () => {
      const users: User[] = [];
      for (let i = 0; i < 5; i += 1) users.push(await own.user());
      const user = await own.user();
      const guess = (guesser: User) => guesser.post("/api/auth/reauthenticate", { password: "a guess" });
      const before = await world.rows("select key from rate_limits");
      for (const guesser of users) {
        expect((await guess(guesser)).status).toBe(400);
        await setTimeout(300);
      }
      const known = before.map(({ key }) => `'${String(key)}'`).join();
      await world.write(`update rate_limits set count = 10 where key not in (${known})`);
      const refused = await Promise.all([...users, ...users, ...users].map(guess));
      return { refused, other: await user.post("/api/auth/reauthenticate", { password: user.password }) };
    });
    expect(statuses(refused)).toEqual(Array(15).fill(429));
    expect(new Set(refused.map(policyOf))).toEqual(new Set(['"confirmation";q=10;w=900']));
    expect(other.status).toBe(200);
  });
});
