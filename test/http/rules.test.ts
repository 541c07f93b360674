import { describe, expect, test } from "vitest";
import { digest, maskedEmail } from "#http/keyed-digest.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import { codeOf, isWebUrl, storedUrl, subIdOf } from "#http/schema/web-url.ts";
import { type VisitFields, type Visitor, visitOf } from "#routes/track/visit.ts";

describe("parsing an instant", () => {
  test.each([
    ["2026-03-01T12:00:00Z", Date.UTC(2026, 2, 1, 12)],
    ["2026-03-01T12:00Z", Date.UTC(2026, 2, 1, 12)],
    ["2026-03-01T12:00:00.5Z", Date.UTC(2026, 2, 1, 12, 0, 0, 500)],
    ["2026-03-01T12:00:00,123456789Z", Date.UTC(2026, 2, 1, 12, 0, 0, 123)],
    ["2026-03-01T12:00:00+02:00", Date.UTC(2026, 2, 1, 10)],
    ["2026-03-01T12:00:00-0530", Date.UTC(2026, 2, 1, 17, 30)],
    ["2026-03-01T00:30:00+01", Date.UTC(2026, 1, 28, 23, 30)],
    ["2024-02-29T23:59:59.999Z", Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
    ["0001-01-01T00:00:00Z", Date.parse("0001-01-01T00:00:00Z")],
  ])("the instant %s is valid", (text, at) => {
    expect(parseTimestamp(text)).toBe(at);
  });

  test("the parsed time of an instant keeps its milliseconds", () => {
    for (let ms = 0; ms < 1000; ms++) {
      expect(parseTimestamp(`1970-01-01T00:00:00.${String(ms).padStart(3, "0")}Z`)).toBe(ms);
    }
  });

  test.each([
    ...["", "now", "1740000000", "2026-03-01", "2026-03-01T12:00:00", "2026-03-01 12:00:00Z", "2026-03-01T12Z"],
    ...["2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-10T00:00:00Z", "2026-03-01T24:00:00Z"],
    ...["2026-03-01T12:60:00Z", "2026-03-01T12:00:60Z", "2026-03-01T12:00:00+24:00", "2026-03-01T12:00:00+02:60"],
    ...["+002026-03-01T12:00:00Z", " 2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z\n", "2026-03-01T12:00:00.Z"],
  ])("the instant %j is invalid", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});

describe("parsing a page URL", () => {
  test.each(["https://x.example", "http://localhost:3000/p?q#f", "HTTPS://X.example/ü", "https://[::1]/"])(
    "the page URL %s is valid",
    (url) => {
      expect(isWebUrl(url)).toBe(true);
    },
  );

  test.each([
    ...[
      "",
      "x",
      "//x.example",
      "mailto:a@x.example",
      "data:text/html,x",
      "file:///etc/passwd",
      "blob:https://x.example/1",
    ],
    ...["https://a@x.example", "https://:b@x.example", "https://", `https://x.example/${"x".repeat(2048)}`],
  ])("the page URL %s is invalid", (url) => {
    expect(isWebUrl(url)).toBe(false);
  });

  test.each([
    ["https://x.example/?aff=a&aff=b", "a"],
    ["https://x.example/?x=1&aff=%C3%BC#aff=c", "ü"],
    ["https://x.example/?aff=+a+", "a"],
    ["https://x.example/?AFF=a", "a"],
    ["https://x.example/?aff=", null],
  ])("the referral code in the page URL %s is %s", (url, code) => {
    expect(codeOf(url, null)).toEqual({ code, codeParam: null });
  });

  test.each([
    ["https://x.example/?aff=a&via=b", "a", null],
    ["https://x.example/?aff=+&via=+b+", "b", "via"],
    ["https://x.example/?via=b&via=c", "b", "via"],
    ["https://x.example/?fpr=b", null, null],
    ["https://x.example/?via=", null, null],
  ])(
    "the referral code in the page URL %s is %s if the program also reads codes from the parameter via",
    (url, code, codeParam) => {
      expect(codeOf(url, "via")).toEqual({ code, codeParam });
    },
  );

  test.each([
    ["https://x.example/?aff=a&aff_sub=News.1_b-2", "News.1_b-2"],
    [`https://x.example/?aff=a&aff_sub=${"x".repeat(64)}`, "x".repeat(64)],
    [`https://x.example/?aff=a&aff_sub=${"x".repeat(65)}`, null],
    ["https://x.example/?aff_sub=&aff_sub=a+b&aff_sub=%C3%BC&aff_sub=c&aff_sub=d", "c"],
    ["https://x.example/?aff=a&aff_sub=a%0A", null],
    ["https://x.example/?AFF_SUB=a#aff_sub=b", "a"],
    ["not one", null],
    [null, null],
  ])("a page URL's sub-id is found in %s: %s", (url, sub) => {
    expect(subIdOf(url)).toBe(sub);
  });

  test.each([
    ["https://x.example/p?token=1&utm_source=a%26b&aff=c&sid=2#part", "https://x.example/p?utm_source=a%26b&aff=c"],
    ["https://x.example?x=1", "https://x.example/"],
    ["not one", null],
    [null, null],
  ])("a page URL is stored with only its known parameters: %s as %s", (url, stored) => {
    expect(storedUrl(url)).toBe(stored);
  });
});

describe("email addresses", () => {
  test("an email address has the same digest in upper and lower case, and a different digest with another secret", () => {
    const email = maskedEmail("s1", " Jane@Example.com");
    expect(email).toEqual(maskedEmail("s1", "jane@example.com"));
    expect(email?.mask).toBe("j•••@e•••.com");
    expect(email?.digest).not.toBe(maskedEmail("s2", "jane@example.com")?.digest);
  });

  test("a digest of two texts differs from the digest of two other texts that are the same when joined", () => {
    expect(digest("s", "ab", "c")).not.toBe(digest("s", "a", "bc"));
  });
});

describe("a visit", () => {
  const chrome = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36";
  const iphone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1";
  const location = { country: "DE", region: "Berlin", city: "Berlin" };
  const nowhere = { country: null, region: null, city: null };
  const visitor = (headers: Record<string, string>, address = "192.0.2.1"): Visitor => ({
    headers: new Headers(headers),
    address,
    location,
  });
  const browser = { "Sec-Fetch-Site": "cross-site", "User-Agent": chrome };
  const secret = "s";
  const noFields = {
    ...{
      affiliate_url: null,
      code_param: null,
      page_url: null,
      referrer_url: null,
      page_title: null,
      additional_data: null,
    },
    ...{ session_id: null, user_agent: null, screen_resolution: null, viewport_size: null },
    ...{ language: null, timezone: null },
  };
  const visitBy = (of: Visitor, fields: Partial<VisitFields>, key: string) =>
    visitOf(of, { ...noFields, ...fields }, key);

  test("a visit has a device and location if a browser sends its click", async () => {
    expect(await visitBy(visitor(browser), {}, secret)).toMatchObject({
      ...{ source: "browser", isBot: false, isPrefetch: false, ...location },
      ...{ deviceType: "desktop", os: "macOS", browser: "Chrome" },
    });
  });

  test("a visit has no device or location if a server sends its click, and isn't counted as a bot", async () => {
    expect(await visitBy(visitor({ "User-Agent": "node" }), {}, secret)).toMatchObject({
      ...{ source: "server", isBot: false, ...nowhere, visitorDigest: null },
      ...{ deviceType: null, os: null, browser: null },
    });
  });

  test("a visit has a device if a server sends its click with the visitor's user agent", async () => {
    expect(await visitBy(visitor({ "User-Agent": "node" }), { user_agent: iphone }, secret)).toMatchObject({
      ...{ source: "server", ...nowhere, visitorDigest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ...{ deviceType: "mobile", os: "iOS", browser: "Safari" },
    });
  });

  test("a visit has the device type other with an unknown user agent", async () => {
    const unknown = { deviceType: "other", os: null, browser: null };
    expect(await visitBy(visitor({}), { user_agent: "toaster" }, secret)).toMatchObject(unknown);
  });

  test.each(["Annas-Phone-4711/3.1 (private) x/2", "Annas-Phone/1.0 Gecko", "Mozilla/5.0 annas-phone/1.2 (x)"])(
    "a visit doesn't contain an unknown user agent: %s",
    async (user_agent) => {
      const visit = await visitBy(visitor({}), { user_agent }, secret);
      expect(visit).toMatchObject({ deviceType: "other", browser: null });
      expect(JSON.stringify(visit).toLowerCase()).not.toContain("annas-phone");
    },
  );

  test.each([
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0", "Windows", "Firefox"],
    ["Opera/9.80 (Windows NT 6.1) Presto/2.12 Version/12.16", "Windows", "Opera"],
    ["Mozilla/5.0 (Linux; U; Android 13; M2101K6G) Chrome/100.0 Mobile XiaoMi/MiuiBrowser/13.2.1", "Android", "Miui"],
  ])("a visit has the operating system and browser of %s", async (user_agent, os, browser) => {
    expect(await visitBy(visitor({}), { user_agent }, secret)).toMatchObject({ os, browser });
  });

  test("a visit from a browser without a user agent isn't counted as a bot", async () => {
    const visit = await visitBy(visitor({ "Sec-Fetch-Site": "none" }), {}, secret);
    expect(visit).toMatchObject({ source: "browser", isBot: false, deviceType: null });
    expect(visit.visitorDigest).toBeDefined();
  });

  test.each(["Googlebot/2.1 (+http://www.google.com/bot.html)", "WhatsApp/2.23", "facebookexternalhit/1.1"])(
    "a visit is a bot's with the user agent %s",
    async (user_agent) => {
      expect((await visitBy(visitor(browser), { user_agent }, secret)).isBot).toBe(true);
    },
  );

  test.each([
    [{ "Sec-Purpose": "prefetch" }, true],
    [{ "Sec-Purpose": "prefetch;prerender" }, true],
    [{ Purpose: "prefetch" }, true],
    [{ Purpose: "preview" }, false],
    [{}, false],
  ])("a visit with the headers %j is a prefetch: %s", async (headers, isPrefetch) => {
    expect((await visitBy(visitor({ ...browser, ...headers }), {}, secret)).isPrefetch).toBe(isPrefetch);
  });

  const digestOf = async (headers: Record<string, string>, address: string, fields = {}, key = secret) =>
    (await visitBy(visitor(headers, address), fields, key)).visitorDigest;

  test("a visit's visitor digest is made from the address and user agent, or from the session", async () => {
    const one = await digestOf(browser, "192.0.2.1");
    expect(await digestOf(browser, "192.0.2.1")).toBe(one);
    expect(await digestOf(browser, "192.0.2.2")).not.toBe(one);
    expect(await digestOf({ ...browser, "User-Agent": iphone }, "192.0.2.1")).not.toBe(one);
    expect(await digestOf(browser, "192.0.2.1", {}, "another secret")).not.toBe(one);
    const session = await digestOf(browser, "192.0.2.1", { session_id: "s1" });
    expect(await digestOf({}, "192.0.2.2", { session_id: "s1" })).toBe(session);
    expect(session).not.toBe(one);
  });

  test("a visit contains neither the address, the user agent nor the session id", async () => {
    const visit = JSON.stringify(
      await visitBy(visitor(browser, "192.0.2.1"), { user_agent: iphone, session_id: "s1" }, secret),
    );
    for (const raw of ["192.0.2.1", "iPhone", "s1"]) expect(visit).not.toContain(raw);
  });
});
