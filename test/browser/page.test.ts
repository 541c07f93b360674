import { expect, inject, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { eventually } from "../support/isolated-service.ts";
import { openMerchantSite, pageOf } from "../support/merchant-site.ts";

const visitor = isolatedBrowser();

const hostile = [
  "<img src=x onerror=alert(1)>",
  "x; domain=evil.example",
  "a",
  "x".repeat(65),
  "%00",
  "%ED%A0%80",
  "../../lead",
  "ä",
  "",
];

test("the script sends no click for a malicious value of aff", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.at("/"));
  for (const aff of hostile) {
    await customer.run(`history.pushState({}, "", ${JSON.stringify(`/?aff=${aff}`)})`);
    await customer.run(`svc.trackClick(${JSON.stringify(`https://shop.example/?aff=${aff}`)})`);
  }
  await customer.run("svc.trackClick('http://[')");
  expect(customer.lines()).toEqual([]);
  expect(await customer.run("[document.cookie, localStorage.length]")).toEqual(["", 0]);
});

test("the script ignores invalid cookies, and still stores later clicks", async () => {
  const customer = await openMerchantSite(visitor);
  const { programId } = customer.world;
  await customer.context.addInitScript(`
    if (!document.cookie.includes("svc_aff")) {
      document.cookie = "svc_click_id=<script>alert(1)</script>;path=/";
      document.cookie = "svc_click_ids=good-1." + "x".repeat(97) + ".<b>;path=/";
      document.cookie = "svc_aff=${programId}.somebody;path=/";
      document.cookie = "svc_consent=perhaps;path=/";
      document.cookie = "svc_recent=1;path=/";
    }`);
  await customer.visit(customer.at("/"));
  expect(await customer.run("svc.getClickId() ?? null")).toBe(null);
  await customer.run("svc.signup('customer-1')");
  expect(customer.lines()).toEqual([]);
  await customer.visit(customer.landing());
  const id = await customer.run("svc.getClickId()");
  expect(id).toMatch(/^[\w-]+$/);
  expect(await customer.run("svc.getData().clickIds")).toEqual([id]);
  expect(customer.lines()).toEqual(["POST click"]);
});

const poison = [
  "{",
  "null",
  "5",
  "[null]",
  '[{"event_id":5}]',
  '[{"event_id":"9e99","code":{"a":1},"customer_key":{}}]',
];

test.each(poison)("the script discards invalid values in localStorage: %s", { tags: "soak" }, async (text) => {
  const customer = await openMerchantSite(visitor);
  const place = `svc_pending_${customer.world.programId}`;
  await customer.context.addInitScript(`
    if (!document.cookie) {
      localStorage.setItem("${place}", ${JSON.stringify(text)});
      localStorage.setItem("svc_click_id", "9999999999999 svc_click_id=<b>");
      localStorage.setItem("svc_aff", "<script>");
    }`);
  await customer.visit(customer.landing());
  expect(customer.lines().at(-1)).toBe("POST click");
  expect(await customer.run("!!svc.getClickId()")).toBe(true);
});

test("without cookies the script keeps the click in localStorage, and ignores an expired click", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.context.addInitScript(
    `Object.defineProperty(Document.prototype, "cookie", { get() { throw new Error("no cookies"); }, set() { throw new Error("no cookies"); } });`,
  );
  await customer.visit(customer.landing());
  const id = await customer.run("svc.getClickId()");
  expect(id).toMatch(/^[\w-]+$/);
  await customer.visit(customer.at("/next"));
  expect(await customer.run("svc.getClickId()")).toBe(id);
  await customer.visit(customer.landing());
  expect(customer.lines()).toEqual(["POST click"]);
  await customer.run(
    `for (const name of Object.keys(localStorage)) localStorage[name] = "5" + localStorage[name].slice(5, 13) + " " + localStorage[name].split(" ")[1]`,
  );
  expect(await customer.run("svc.getClickId() ?? null")).toBe(null);
});

test("without cookies and localStorage the script keeps the click until the page unloads", {
  tags: "soak",
}, async () => {
  const customer = await openMerchantSite(visitor);
  customer.pageHeaders["content-security-policy"] = "sandbox allow-scripts";
  await customer.visit(customer.landing());
  expect(await customer.run("!!svc.getClickId()")).toBe(true);
  await customer.run("svc.signup('customer-1')");
  expect(customer.lines()).toEqual(["POST click", "POST lead"]);
});

test("the script runs with subresource integrity, and under a content security policy without inline scripts and eval", async () => {
  const customer = await openMerchantSite(visitor);
  const { hashedFile, integrity } = inject("tracker");
  const tag = customer.tag(`integrity="${integrity}" crossorigin="anonymous"`);
  customer.pages.set("/", pageOf(tag.replace("js/svc-tracker.js", hashedFile)));
  customer.pageHeaders["content-security-policy"] =
    `default-src 'none'; script-src ${customer.api}; connect-src ${customer.api}; require-trusted-types-for 'script'`;
  await customer.page.goto(customer.landing());
  await eventually(
    async () => (await customer.context.cookies()).length,
    (n) => n === 4,
  );
  expect(customer.lines()).toEqual(["POST click"]);
  expect(customer.said).toEqual([]);
});

test("the script takes the API's base URL from the script's own URL, or from data-svc-api-base", async () => {
  const customer = await openMerchantSite(visitor);
  customer.pages.set("/", pageOf(customer.tag().replace("/js/svc-tracker.js", "/under/own/name/js/own.js")));
  await customer.visit(customer.landing());
  expect(await customer.run("!!svc.getClickId()")).toBe(true);
  expect(customer.calls.map(({ path }) => path)).toEqual(["/under/own/name/api/v1/track/click"]);

  const other = await openMerchantSite(visitor);
  other.pages.set("/", pageOf(other.tag(`data-svc-api-base="${other.api}/under/own/name/"`)));
  await other.visit(other.landing());
  expect(await other.run("!!svc.getClickId()")).toBe(true);
  expect(other.calls.map(({ path }) => path)).toEqual(["/under/own/name/api/v1/track/click"]);
});

test("calls queued before the script loads run as soon as it has loaded, and later calls run immediately", async () => {
  const customer = await openMerchantSite(visitor);
  const queue = `<script>window.svcQueue = window.svcQueue || []; svcQueue.push(["signup", "customer-1", "a@b.example"], 5, ["nope"], null);</script>`;
  customer.pages.set("/", pageOf(queue + customer.tag()));
  await customer.visit(customer.landing());
  await eventually(
    async () => customer.calls.length,
    (n) => n === 2,
  );
  expect(customer.lines()).toEqual(["POST click", "POST lead"]);
  const id = await customer.run("svc.getClickId()");
  expect(customer.calls[1]?.body).toMatchObject({
    click_id: id,
    click_ids: [id],
    customer_key: "customer-1",
    email: "a@b.example",
  });
  expect(customer.calls[1]?.headers["content-type"]).toMatch(/^text\/plain/);

  await customer.run(`svcQueue.push(["signup", "customer-2"], 5); svc.ready`);
  await eventually(
    async () => customer.calls.length,
    (n) => n === 3,
  );
  expect(customer.calls[2]?.body).toMatchObject({ customer_key: "customer-2" });
});

test("svc.signup without a click or without a customer_key sends nothing, and resolves", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.at("/"));
  expect(await customer.run("svc.signup('customer-1').then(() => 'resolved')")).toBe("resolved");
  await customer.visit(customer.landing());
  expect(await customer.run("svc.signup().then(() => 'resolved')")).toBe("resolved");
  expect(customer.lines()).toEqual(["POST click"]);
});

test("trackClick records the given URL, and resolves to the click id", { tags: "soak" }, async () => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.at("/"));
  const id = await customer.run(`svc.trackClick("https://shop.example/p?aff=${customer.world.partner.code}&x=1")`);
  expect(id).toBe(await customer.run("svc.getClickId()"));
  expect(customer.calls[0]?.body).toMatchObject({
    affiliate_url: `https://shop.example/p?aff=${customer.world.partner.code}`,
    page_url: customer.at("/?"),
  });
  expect(await customer.run("svc.trackClick()")).toBe(id);
  expect(customer.lines()).toEqual(["POST click"]);
});

test("debug mode logs every step and sends a test click and a test lead, and a landing with aff also sends a live click", async () => {
  const customer = await openMerchantSite(visitor);
  const { rows, programId } = customer.world;
  customer.pages.set("/", pageOf(customer.tag('data-svc-debug="true"')));
  await customer.visit(customer.at("/"));
  await customer.run("svc.signup('customer-1')");
  expect(customer.lines()).toEqual(["POST click", "POST lead"]);
  expect(customer.calls.map(({ body }) => body.additional_data)).toEqual([{ test_mode: true }, { test_mode: true }]);
  expect(await customer.run("svc.getClickId() ?? null")).toBe(null);
  expect(customer.said.length).toBeGreaterThan(0);
  expect(customer.said.filter((line) => !line.startsWith("log: [svc] "))).toEqual([]);

  await customer.visit(customer.landing());
  expect(customer.lines().slice(2)).toEqual(["POST click", "POST click"]);
  expect(await rows("select is_test from clicks where program_id = ? order by id", programId)).toMatchObject([
    { is_test: 1 },
    { is_test: 1 },
    { is_test: 0 },
  ]);
  expect(await rows("select is_test from leads where program_id = ?", programId)).toMatchObject([{ is_test: 1 }]);
});

test("the test measures how long the script occupies the page's main thread", { tags: "soak" }, async () => {
  const measure = async (hasCode: boolean) => {
    const customer = await openMerchantSite(visitor);
    const session = await customer.context.newCDPSession(customer.page);
    await session.send("Performance.enable");
    // Don't evaluate anything in the page before the measurement: that would add to the measured script time.
    await customer.page.goto(hasCode ? customer.landing() : customer.at("/"));
    if (hasCode) await expect.poll(() => customer.cookie("svc_click_id")).toBeDefined();
    const { metrics } = await session.send("Performance.getMetrics");
    await customer.run("svc.ready");
    await customer.arrived();
    expect(customer.calls.length).toBe(hasCode ? 1 : 0);
    const seconds = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return (seconds("ScriptDuration") + seconds("V8CompileDuration")) * 1000;
  };
  const times = async (hasCode: boolean) => {
    const all: number[] = [];
    for (let i = 0; i < 5; i += 1) all.push(await measure(hasCode));
    return all.toSorted((a, b) => a - b);
  };
  const [loading = Number.NaN, , usual = Number.NaN] = await times(false);
  const [landing = Number.NaN] = await times(true);
  // Other tests run concurrently, so the minimum is closest to the real cost.
  console.log(
    `Tracker, main thread: a page ${loading.toFixed(1)} ms (median ${usual.toFixed(1)}), a landing ${landing.toFixed(1)} ms`,
  );
  expect(loading).toBeGreaterThan(0);
});
