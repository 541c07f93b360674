import { createHash } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { browserHeaders, type CallOptions, type JsonObject, uniqueIp } from "../../harness/client.ts";
import { callerLocation } from "../../harness/development-service.ts";
import { openClient } from "../../scripts/database/client.ts";
import { isolatedDevelopmentService } from "../support/isolated-service.ts";
import { at, createProgramFixture, daysAgo, type ProgramFixture, programFixture } from "../support/program-fixture.ts";
import { searchedTables } from "../support/searched-tables.ts";
import { uniqueWord } from "../support/unique-word.ts";

const iphone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1";
const agents = { "user-agent": iphone };
const nowhere = { country: null, region: null, city: null };
const noDevice = { device_type: null, os: null, browser: null };

describe("the device and country of a click", () => {
  it.each<[string, JsonObject, CallOptions, JsonObject]>([
    [
      "a browser's own call: the device, and no country if the runtime provides none",
      {},
      { browser: true },
      { source: "browser", device_type: "desktop", os: "macOS", browser: "Chrome", ...nowhere },
    ],
    ["a backend's call: nothing", {}, { headers: agents }, { source: "server", ...noDevice, ...nowhere }],
    [
      "a backend's call with the visitor's user agent: the device",
      { user_agent: iphone },
      {},
      { source: "server", device_type: "mobile", os: "iOS", browser: "Safari", ...nowhere },
    ],
  ])("the device and country of a click are taken from %s", async (_, body, options, expected) => {
    const { visit, all } = await createProgramFixture();
    await visit(body, options);
    expect(await all("clicks")).toMatchObject([{ ...expected, is_bot: 0, is_prefetch: 0 }]);
  });

  describe("the country of a click", () => {
    const own = isolatedDevelopmentService();

    it.each<[string, CallOptions, JsonObject]>([
      ["the country of a browser's call is stored", { browser: true }, callerLocation],
      ["the country of a backend's call is not stored", {}, nowhere],
    ])("if the runtime provides the country, %s", { tags: "soak" }, async (_, options, place) => {
      const { visit, all } = programFixture(await own.world({ partners: [{}, {}] }), own.api());
      await visit({}, options);
      expect(await all("clicks")).toMatchObject([place]);
    });
  });
});

it.each<[string, JsonObject, CallOptions, JsonObject]>([
  ["a bot", {}, { browser: true, headers: { "user-agent": "Googlebot/2.1" } }, { is_bot: 1 }],
  ["a bot reported by a backend", { user_agent: "facebookexternalhit/1.1" }, {}, { is_bot: 1 }],
  ["a prefetch", {}, { browser: true, headers: { "sec-purpose": "prefetch;prerender" } }, { is_prefetch: 1 }],
  ["Safari's prefetch", {}, { browser: true, headers: { purpose: "prefetch" } }, { is_prefetch: 1 }],
])("a click from %s is stored with a flag, can be attributed, and isn't counted", async (...row) => {
  const [, body, options, expected] = row;
  const { visit, lead, all, alice, api, world } = await createProgramFixture();
  const reply = await visit(body, options);
  expect(reply).toMatchObject({ success: true, partner_code: alice.code, cookie_window_days: 60 });
  expect(await all("clicks")).toMatchObject([{ is_bot: 0, is_prefetch: 0, ...expected }]);
  const counts = await world.rows("select * from daily_counts where program_id = ?", world.programId);
  expect(counts).toMatchObject([{ clicks: 0, unique_clicks: 0, uncounted_clicks: 1 }]);
  const none = { counts_24h: { clicks: 0 }, last_event_at: { click: null }, gates: { tracking: { status: "fail" } } };
  expect((await api.readiness({ key: world.key })).body).toMatchObject(none);
  expect(await lead({ click_id: reply.click_id, customer_key: "u" })).toMatchObject({ attributed: true });
});

describe("counting unique clicks", () => {
  const [here, there] = [uniqueIp(), uniqueIp()];
  const browserAt = (ip: string, headers: Record<string, string> = {}): CallOptions => ({ ip, browser: true, headers });
  type Sent = [body: JsonObject, options?: CallOptions];

  const countsOf = async ({ world, alice }: ProgramFixture) => {
    const sql =
      "select day, clicks, unique_clicks from daily_counts where program_id = ? and partner_id = ? order by 1";
    return (await world.rows(sql, world.programId, alice.id)).map((row) => [row.clicks, row.unique_clicks]);
  };

  it.each<[string, Sent[], [number, number]]>([
    [
      "counts one visitor with two clicks once",
      [
        [{}, browserAt(here)],
        [{}, browserAt(here)],
      ],
      [2, 1],
    ],
    [
      "counts two IP addresses as two visitors",
      [
        [{}, browserAt(here)],
        [{}, browserAt(there)],
      ],
      [2, 2],
    ],
    [
      "counts two devices at one IP address as two visitors",
      [
        [{}, browserAt(here)],
        [{}, browserAt(here, agents)],
      ],
      [2, 2],
    ],
    [
      "counts one session with several addresses and devices once",
      [[{ session_id: "s" }, browserAt(here)], [{ session_id: "s" }, browserAt(there, agents)], [{ session_id: "s" }]],
      [3, 1],
    ],
    ["counts two sessions as two visitors", [[{ session_id: "s" }], [{ session_id: "t" }]], [2, 2]],
    ["counts each click of a backend that sends no visitor data", [[{}], [{}]], [2, 2]],
    [
      "counts a prefetch and the visit after it once",
      [
        [{}, browserAt(here, { purpose: "prefetch" })],
        [{}, browserAt(here)],
      ],
      [1, 1],
    ],
  ])("the number of unique clicks %s", async (_, sent, counts) => {
    const shop = await createProgramFixture();
    for (const [body, options] of sent) await shop.visit(body, options);
    expect(await countsOf(shop)).toEqual([counts]);
  });

  it("the number of unique clicks counts each visitor once per partner and day", async () => {
    const shop = await createProgramFixture();
    const { visit, bob, world } = shop;
    const session = { session_id: "s" };
    for (const days of [1, 0, 0]) await visit({ ...session, occurred_at: at(daysAgo(days)) }, { key: world.key });
    await visit({ ...session, affiliate_url: bob.landingUrl, occurred_at: at(daysAgo(0)) }, { key: world.key });
    expect(await countsOf(shop)).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(await countsOf({ ...shop, alice: bob })).toEqual([[1, 1]]);
  });

  it("on days whose digest key has expired, every click counts as unique", async () => {
    const shop = await createProgramFixture();
    for (const days of [2, 2]) {
      await shop.visit({ session_id: "s", occurred_at: at(daysAgo(days)) }, { key: shop.world.key });
    }
    expect(await countsOf(shop)).toEqual([[2, 2]]);
    expect(await shop.all("clicks")).toMatchObject([{ visitor: null }, { visitor: null }]);
  });

  it("unique clicks are counted by digests of visitors, whose key changes daily and differs by program", async () => {
    const visitors = [];
    for (const { visit, all, world } of [await createProgramFixture(), await createProgramFixture()]) {
      for (const days of [1, 0]) await visit({ session_id: "s", occurred_at: at(daysAgo(days)) }, { key: world.key });
      visitors.push(...(await all("clicks")).map((row) => row.visitor));
    }
    expect(new Set(visitors).size).toBe(4);
    for (const visitor of visitors) expect(visitor).toMatch(/^[\w-]{12}$/);
  });
});

it("the database contains no visitor's address, user agent or session id, in plain text or as a plain hash", async () => {
  const { visit, world } = await createProgramFixture();
  const [ip, session_id] = [uniqueIp(), crypto.randomUUID()];
  const product = uniqueWord("product");
  const agent = `${browserHeaders["user-agent"]} ${product}/${crypto.randomUUID()}`;
  for (const body of [{}, { session_id }, { user_agent: agent, session_id: null }]) {
    await visit(body, { ip, browser: true, headers: { "user-agent": agent, "true-client-ip": ip } });
  }
  const plain = [ip, session_id, agent, ip + agent];
  const hashes = plain.flatMap((text) =>
    (["hex", "base64url", "base64"] as const).map((form) => createHash("sha256").update(text).digest(form)),
  );
  const tables = await searchedTables(world);
  // Rows of other tests contain integers beyond 2^53, so numbers are read as text.
  const client = openClient({ url: world.databases.url, intMode: "string" });
  onTestFinished(() => client.close());
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(["clicks", "click_event_ids", "daily_counts"]));
  // The rows of all tests exceed the size of one response.
  const atOnce = 1_000;
  for (const { name, where } of tables) {
    for (let from = 0, read = atOnce; read === atOnce; from += atOnce) {
      const { rows } = await client.execute(`select * from ${name} where ${where} limit ${atOnce} offset ${from}`);
      read = rows.length;
      const stored = JSON.stringify(rows);
      for (const raw of [...plain, ...hashes, product]) expect(stored.includes(raw), `${name}: ${raw}`).toBe(false);
    }
  }
});

it("URL path segments that look like an email address, a long number or a token aren't stored", async () => {
  const { visit, lead, all } = await createProgramFixture();
  const page = "https://shop.example/welcome/john.doe%40mail.example/reset/aB3dE5fG7hJ9kL2m?utm_term=j%40mail.example";
  await visit({ page_url: page, referrer_url: "https://mail.example/inbox/1234567/read?utm_source=letter" });
  await lead({ customer_key: "u", page_url: page });
  const kept = "https://shop.example/welcome/*/reset/*";
  const referrer = "https://mail.example/inbox/*/read?utm_source=letter";
  expect(await all("clicks")).toMatchObject([{ page_url: kept, referrer_url: referrer }]);
  expect(await all("leads")).toMatchObject([{ page_url: kept }]);
});

it.each<[string, JsonObject, CallOptions, string | null]>([
  ["not a browser's, by default", {}, { browser: true }, null],
  ["a browser's, if its tag opts in", { additional_data: { page_titles: true } }, { browser: true }, "Title"],
  ["not a browser's, with an invalid opt-in", { additional_data: { page_titles: "true" } }, { browser: true }, null],
  ["a backend's, always", {}, {}, "Title"],
])("the API decides whether to store a page title: %s", async (_, body, options, page_title) => {
  const { visit, all } = await createProgramFixture();
  await visit({ ...body, page_title: "Title" }, options);
  expect(await all("clicks")).toMatchObject([{ page_title }]);
});

it("the API accepts texts of clicks and leads up to the documented length, shortens some of them, and drops malformed ones", async () => {
  const { visit, browserLead, click, alice, all } = await createProgramFixture();
  const [long, page] = ["x".repeat(255), `https://shop.example/${"shoe-".repeat(300)}`];
  const additional_data = { event_name: long };
  const formless = { language: long, timezone: long, screen_resolution: long, viewport_size: "big" };
  await visit({ page_url: page, referrer_url: page, page_title: long, additional_data, ...formless });
  await browserLead({ click_id: click(alice), page_url: page, additional_data });
  const path = `/${"shoe-".repeat(300)}`.slice(0, 512);
  const [page_url, event_name] = [`https://shop.example${path}`, "x".repeat(128)];
  const none = { language: null, timezone: null, screen_resolution: null, viewport_size: null };
  expect(await all("clicks")).toMatchObject([
    { page_url, referrer_url: page_url, page_title: event_name, event_name, ...none },
  ]);
  expect(await all("leads")).toMatchObject([{ page_url, event_name }]);
});

it("only aff, aff_sub and utm_* query parameters of pages and referrers are stored", async () => {
  const { visit, lead, all, alice } = await createProgramFixture();
  const query = `aff=${alice.code}&aff_sub=mail&aff_sub=x&utm_source=a%26b&email=me%40x.example&utm_campaign=c&token=secret`;
  const kept = `aff=${alice.code}&aff_sub=mail&utm_source=a%26b&utm_campaign=c`;
  await visit({ page_url: `https://shop.example/p?${query}#part`, referrer_url: `http://blog.example/?${query}` });
  await visit({ affiliate_url: `https://shop.example/landing?${query}`, referrer_url: "https://blog.example/a?q=me" });
  await lead({ customer_key: "u", page_url: `https://shop.example/welcome?${query}#me` });
  expect(await all("clicks")).toMatchObject([
    { page_url: `https://shop.example/p?${kept}`, referrer_url: `http://blog.example/?${kept}` },
    { page_url: `https://shop.example/landing?${kept}`, referrer_url: "https://blog.example/a" },
  ]);
  expect(await all("leads")).toMatchObject([{ page_url: `https://shop.example/welcome?${kept}` }]);
});
