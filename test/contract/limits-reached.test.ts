import { describe, expect, it } from "vitest";
import { createApi, type Reply } from "../../harness/client.ts";
import { createSession, signUp } from "../../harness/session.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { sessionOperations } from "../support/session-operations.ts";
import { withinMinute } from "../support/within-minute.ts";

// Lower than real limits, so that a test can reach them.
const limits = {
  CLICK_LIMIT: 2,
  CLICK_KEY_LIMIT: 3,
  CLICK_PROGRAM_LIMIT: 3,
  LEAD_PROGRAM_LIMIT: 3,
  USER_WRITE_LIMIT: 4,
  USER_READ_LIMIT: 5,
};
const own = isolatedService({ limits });

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
  it("have a limit of their program, wherever they come from; keyed ones and the test book don't count", async () => {
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

  it("that name no program share one limit", async () => {
    const replies = await withinMinute(async () => {
      const shops = await Promise.all([openShop(), openShop()]);
      return Promise.all([...shops, ...shops].map(({ alice }) => own.api().click({ affiliate_url: alice.landingUrl })));
    });
    expect(statuses(replies)).toEqual([200, 200, 200, 429]);
  });
});

it("clicks of the past count against their key, and not against their address", async () => {
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

it("a header that holds no key lets no address past its limit", async () => {
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

it("leads without a key have a limit of their program, by their click too; keyed ones don't count", async () => {
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

  it("reads 5 times and writes 4 times, on all routes together, and is refused by each from then on", async () => {
    const operations = await sessionOperations(own.service.url);
    expect(operations.length).toBeGreaterThan(20);
    const replies = await withinMinute(async () => {
      const user = await signUp(own.service.url);
      const place = await own.world({ members: [{ user, role: "owner" }] });
      // Calls from another site don't use up the user's limit.
      await times(10, () => user.post("/api/workspaces", {}, elsewhere));
      const reads = await times(5, () => user.get("/api/workspaces"));
      const writes = await times(4, () => user.post("/api/workspaces", {}));
      const refused = await Promise.all(
        operations.map(async ({ name, isWrite, call }) => ({ name, isWrite, reply: await call(user, place) })),
      );
      const nowhere = { programId: 999_999_999_999, workspaceId: "nowhere" };
      const nowhereFound = await Promise.all(operations.map(({ call }) => call(user, nowhere)));
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

  it("leaves others theirs, and can sign out all the same", async () => {
    const { refused, other, nobody, signedOut } = await withinMinute(async () => {
      const leaving = await signUp(own.service.url);
      const reads = await times(6, () => leaving.get("/api/workspaces"));
      return {
        refused: reads.filter(({ status }) => status === 429),
        other: await (await signUp(own.service.url)).get("/api/workspaces"),
        nobody: await createSession(own.service.url).get("/api/auth/get-session"),
        signedOut: await leaving.post("/api/auth/sign-out"),
      };
    });
    expect(refused).toHaveLength(1);
    expect([other.status, nobody.status, signedOut.status]).toEqual([200, 200, 200]);
  });
});
