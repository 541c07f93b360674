import { expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { eventually } from "../support/isolated-service.ts";
import { type Fault, openMerchantSite, pageOf } from "../support/merchant-site.ts";

const visitor = isolatedBrowser();

const passing: [string, Fault][] = [
  ["a cut connection", "cut"],
  ["429", { status: 429 }],
  ["500", { status: 500 }],
  ["HTML", { status: 200, body: "<!doctype html>", type: "text/html" }],
  ["nothing", { status: 200, body: "" }],
  ["an empty JSON object", { status: 200, body: "{}" }],
  ["null", { status: 200, body: "null" }],
  ["an invalid click id", { status: 200, body: '{"success":true,"click_id":"x; domain=evil.example"}' }],
];

test.each(sampled(passing))(
  "after a response of %s the next page resends the landing, which is counted once",
  async (_, fault) => {
    const customer = await openMerchantSite(visitor);
    customer.fault = fault;
    await customer.visit(customer.landing());
    expect(await customer.context.cookies()).toEqual([]);
    const sent = customer.calls.length;
    expect(sent).toBeGreaterThan(0);

    customer.fault = undefined;
    await customer.visit(customer.at("/next"));
    expect(await customer.run("!!svc.getClickId()")).toBe(true);
    const [first, ...others] = customer.calls.map(({ body }) => body.event_id);
    expect(new Set(others)).toEqual(new Set([first]));
    expect(customer.calls.at(-1)?.body.affiliate_url).toBe(customer.landing());
    await customer.visit(customer.at("/third"));
    expect(customer.lines().filter((line) => line !== "POST click")).toEqual([]);
    const clicks = await customer.world.rows("select 1 from clicks where program_id = ?", customer.world.programId);
    expect(clicks).toHaveLength(1);
  },
);

test("if the API fails, the same page resends the landing after a delay", async () => {
  const customer = await openMerchantSite(visitor);
  customer.fault = { status: 503 };
  await customer.visit(customer.landing());
  expect(customer.lines()).toEqual(["POST click"]);
  customer.fault = undefined;
  await eventually(() => customer.run("svc.getClickId()"), Boolean);
  expect(customer.lines()).toEqual(["POST click", "POST click"]);
  expect(customer.calls[1]?.body.event_id).toBe(customer.calls[0]?.body.event_id);
});

const final: [string, Fault][] = [
  ["400", { status: 400 }],
  ["404 with HTML", { status: 404, body: "<html>", type: "text/html" }],
  ["success:false", { status: 200, body: '{"success":false,"message":"Referral link is inactive"}' }],
];

test.each(sampled(final))("the script doesn't resend a landing that was refused with %s", async (_, fault) => {
  const customer = await openMerchantSite(visitor);
  await customer.page.clock.install();
  customer.fault = fault;
  await customer.visit(customer.landing());
  customer.fault = undefined;
  await customer.page.clock.runFor(60_000);
  await customer.visit(customer.at("/next"));
  await customer.page.clock.runFor(60_000);
  await customer.arrived();
  expect(customer.lines()).toEqual(["POST click"]);
  expect(await customer.run("[document.cookie, localStorage.length]")).toEqual(["", 0]);
});

test("the script sends a click with an unknown code or a paused partner's code once, and doesn't resend it", async () => {
  const customer = await openMerchantSite(visitor, { worldSettings: { partners: [{}, { status: "paused" }] } });
  await customer.visit(customer.landing("nobody-knows"));
  await customer.visit(customer.landing(customer.world.partners[1]?.code));
  await customer.visit(customer.at("/next"));
  expect(customer.lines()).toEqual(["POST click", "POST click"]);
  expect(await customer.context.cookies()).toEqual([]);
});

test("an API that hangs for 30 seconds delays calls of svc functions by five seconds, and doesn't delay the page", {
  tags: "soak",
}, async () => {
  const customer = await openMerchantSite(visitor);
  customer.fault = { status: 503, afterMs: 30_000 };
  await customer.page.goto(customer.landing());
  await customer.page.waitForFunction("window.svc");
  const calls = "Promise.all([svc.ready, svc.signup('customer-1'), svc.trackClick()])";
  const apiAnswers = "new Promise((_, fail) => setTimeout(fail, 29_000, new Error('waited for the API')))";
  await customer.run(`Promise.race([${calls}, ${apiAnswers}])`);
  expect(customer.lines()).toEqual(["POST click"]);

  // The next page sends the click and the lead.
  customer.fault = undefined;
  await customer.visit(customer.at("/next"));
  expect(customer.lines()).toEqual(["POST click", "POST click", "POST lead"]);
});

test("a visitor who leaves the page immediately is counted, and receives the click id on the next page", async () => {
  const customer = await openMerchantSite(visitor);
  customer.fault = { status: 500, afterMs: 1_000 };
  await customer.page.goto(customer.landing());
  await eventually(
    async () => customer.calls.length,
    (n) => n === 1,
  );
  customer.fault = undefined;
  await customer.visit(customer.at("/next"));
  expect(await customer.run("!!svc.getClickId()")).toBe(true);
  expect(customer.lines()).toEqual(["POST click", "POST click"]);
  expect(customer.calls[1]?.body.event_id).toBe(customer.calls[0]?.body.event_id);
});

test("the script resends two landings that it couldn't send, in the order in which they happened", {
  tags: "soak",
}, async () => {
  const customer = await openMerchantSite(visitor);
  const [alice, bob] = customer.world.partners;
  customer.fault = "cut";
  await customer.visit(customer.landing(alice?.code));
  await customer.visit(customer.landing(bob?.code));
  customer.fault = undefined;
  const failed = customer.calls.length;
  await customer.visit(customer.at("/next"));
  expect(customer.calls.slice(failed).map(({ body }) => body.code)).toEqual([
    alice?.code.toLowerCase(),
    bob?.code.toLowerCase(),
  ]);
  expect(await customer.run("svc.getData().partnerCode")).toBe(bob?.code.toLowerCase());
});

test("on a page without fetch the script sends nothing and logs no error", { tags: "soak" }, async () => {
  const customer = await openMerchantSite(visitor);
  await customer.context.addInitScript("delete window.fetch");
  await customer.visit(customer.landing());
  await customer.run("svc.signup('customer-1')");
  expect(customer.lines()).toEqual([]);
  expect(customer.said).toEqual([]);
});

test("a script tag without a valid program id logs one error and does nothing", async () => {
  const customer = await openMerchantSite(visitor);
  for (const program of ["", "x1", "0"]) {
    customer.pages.set("/", pageOf(customer.tag().replace(/program-id="\d+"/, `program-id="${program}"`)));
    await customer.page.goto(customer.landing());
    await eventually(
      async () => customer.said.length,
      (n) => n > 0,
    );
    expect(customer.said).toEqual(["error: [svc] no data-svc-program-id"]);
    expect(await customer.run("[typeof svc, typeof svcQueue, document.cookie]")).toEqual([
      "undefined",
      "undefined",
      "",
    ]);
    (customer.said as string[]).length = 0;
  }
  expect(customer.lines()).toEqual([]);
});

test("two script tags on one page send the click once", { tags: "soak" }, async () => {
  const customer = await openMerchantSite(visitor);
  customer.pages.set("/", pageOf(customer.tag() + customer.tag()));
  await customer.visit(customer.landing());
  await customer.page.waitForLoadState("networkidle");
  await customer.run("svc.ready");
  expect(customer.lines()).toEqual(["POST click"]);
});
