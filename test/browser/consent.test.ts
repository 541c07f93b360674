import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { openMerchantSite, pageOf } from "../support/merchant-site.ts";

const visitor = isolatedBrowser();
const stored = "[document.cookie, localStorage.length, sessionStorage.length]";

async function openAsking(way: "required" | "Global Privacy Control") {
  const customer = await openMerchantSite(visitor);
  if (way === "required") {
    for (const path of ["/", "/next"]) customer.pages.set(path, pageOf(customer.tag('data-svc-consent="required"')));
  } else {
    await customer.context.addInitScript(
      `Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true })`,
    );
  }
  return customer;
}

test.each(["required", "Global Privacy Control"] as const)(
  "the script stores and sends nothing before consent (%s), and reports the landing after consent is given, even if the page has navigated",
  async (way) => {
    const customer = await openAsking(way);
    await customer.visit(customer.landing());
    await customer.run("svc.signup('customer-1')");
    await customer.run("history.pushState({}, '', '/elsewhere')");
    await customer.run("svc.trackClick()");
    expect(customer.lines()).toEqual([]);
    expect(await customer.run(stored)).toEqual(["", 0, 0]);

    await customer.run("svc.consent(true); svc.trackClick()");
    expect(customer.lines()).toEqual(["POST click", "POST lead"]);
    expect(customer.calls[0]?.body.affiliate_url).toBe(customer.landing());
    expect(await customer.run("!!svc.getClickId()")).toBe(true);

    await customer.visit(customer.landing(customer.world.partners[1]?.code));
    expect(customer.lines()).toEqual(["POST click", "POST lead", "POST click"]);
  },
);

test("refusing consent erases all that the script has stored except the refusal, and stops the script on later pages, even if consent isn't required", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.landing());
  await customer.run("svc.consent(false)");
  expect(await customer.run(stored)).toEqual(["svc_consent=0", 0, 0]);
  expect(await customer.run("svc.getClickId() ?? null")).toBe(null);

  await customer.visit(customer.landing(customer.world.partners[1]?.code));
  await customer.run("svc.signup('customer-1')");
  expect(customer.lines()).toEqual(["POST click"]);
  expect(await customer.run(stored)).toEqual(["svc_consent=0", 0, 0]);
});

test("refusing consent erases unsent landings, and the click id of a response that arrives after the refusal isn't stored", async () => {
  const customer = await openMerchantSite(visitor);
  customer.fault = "cut";
  await customer.visit(customer.landing());
  expect(await customer.run("localStorage.length")).toBe(1);
  await customer.run("svc.consent(false)");
  expect(await customer.run(stored)).toEqual(["svc_consent=0", 0, 0]);

  const late = await openMerchantSite(visitor);
  late.fault = { status: 200, body: '{"success":true,"click_id":"click-1","cookie_window_days":60}', afterMs: 500 };
  await late.page.goto(late.landing());
  await late.page.waitForFunction("window.svc");
  await late.run("svc.consent(false)");
  await late.run("svc.ready");
  expect(await late.run(stored)).toEqual(["svc_consent=0", 0, 0]);
});

test("the script applies consent that was given before it loaded", { tags: "soak" }, async () => {
  const customer = await openMerchantSite(visitor);
  const queue = `<script>window.svcQueue = [["consent", true]]</script>`;
  customer.pages.set("/", pageOf(queue + customer.tag('data-svc-consent="required"')));
  await customer.visit(customer.landing());
  await customer.run("svc.trackClick()");
  expect(customer.lines()).toEqual(["POST click"]);
});

test("the script applies a refusal of consent that was given before it loaded", async () => {
  const customer = await openMerchantSite(visitor);
  customer.pages.set("/", pageOf(`<script>window.svcQueue = [["consent", false]]</script>${customer.tag()}`));
  await customer.visit(customer.landing());
  await customer.run("svc.trackClick()");
  expect(customer.lines()).toEqual([]);
  expect(await customer.run(stored)).toEqual(["svc_consent=0", 0, 0]);
});

test("calling svc.consent(true) again on every page, as a consent banner does, has no further effect", {
  tags: "soak",
}, async () => {
  const customer = await openMerchantSite(visitor);
  const queue = `<script>window.svcQueue = [["consent", true]]</script>`;
  customer.pages.set("/", pageOf(queue + customer.tag('data-svc-consent="required"')));
  await customer.visit(customer.landing());
  await customer.visit(customer.landing(customer.world.partners[1]?.code));
  expect(customer.lines()).toEqual(["POST click", "POST click"]);
  expect(await customer.run("svc.getData().clickIds.length")).toBe(2);
  expect(await customer.cookie("svc_consent")).toMatchObject({ value: "1", domain: ".shop.localhost" });
});
