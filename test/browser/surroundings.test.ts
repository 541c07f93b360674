import { describe, expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { eventually } from "../support/isolated-service.ts";
import { type MerchantSite, openMerchantSite, pageOf } from "../support/merchant-site.ts";

const visitor = isolatedBrowser();

const elsewhere = "elsewhere.localhost";

/** Opens a landing page with `before` ahead of the tag, and waits for the click. */
async function land(customer: MerchantSite, before: string): Promise<void> {
  customer.pages.set("/", `<!doctype html><title>Shop</title><body>${before}${customer.tag()}`);
  customer.pages.set("/empty", pageOf(""));
  await customer.page.goto(customer.landing());
  await eventually(() => customer.run("typeof svc?.getClickId === 'function' && svc.getClickId()"), Boolean);
  expect(customer.lines()).toEqual(["POST click"]);
}

/** Navigates to another partner's link with the history API, and waits for the click. */
async function navigate(customer: MerchantSite): Promise<void> {
  const code = customer.world.partners[1]?.code;
  await customer.run(`history.pushState({}, "", "/?aff=${code}")`);
  await eventually(
    () => customer.run("svc.getData().partnerCode"),
    (seen) => seen === code?.toLowerCase(),
  );
  expect(customer.lines()).toEqual(["POST click", "POST click"]);
}

describe("a global name that the page already uses", () => {
  test.each(
    sampled([
      ["an element", `<div id="svc"></div>`],
      ["two elements", `<a id="svc"></a><a id="svc"></a>`],
      ["a form with a field", `<form id="svc"><input name="getClickId"></form>`],
      ["a form with an object", `<form id="svc"><object name="getClickId"></object></form>`],
      ["a frame", `<iframe name="svc" src="/empty"></iframe>`],
      ["a frame of another site", `<iframe name="svc" src="http://${elsewhere}:PORT/empty"></iframe>`],
      ["a variable", `<script>var svc = {};</script>`],
    ]),
  )("the script replaces svc if it is %s", async (_, before) => {
    const customer = await openMerchantSite(visitor);
    await land(customer, before.replace("PORT", new URL(customer.api).port));
    expect(customer.said).toEqual([]);
  });

  test.each([
    ["an element", `<div id="svcQueue"></div>`],
    ["two elements", `<a id="svcQueue"></a><a id="svcQueue"></a>`],
    ["a frame of another site", `<iframe name="svcQueue" src="http://${elsewhere}:PORT/empty"></iframe>`],
  ])("the script replaces svcQueue if it is %s", { tags: "soak" }, async (_, before) => {
    const customer = await openMerchantSite(visitor);
    await land(customer, before.replace("PORT", new URL(customer.api).port));
    await customer.run(`svcQueue.push(["signup", "customer-1"]); svc.trackClick()`);
    expect(customer.lines()).toEqual(["POST click", "POST lead"]);
  });

  test.each([
    ["an element", `<nav id="navigation"></nav>`],
    ["a form with a field", `<form id="navigation"><input name="currentEntry"></form>`],
    ["a frame of another site", `<iframe name="navigation" src="http://${elsewhere}:PORT/empty"></iframe>`],
  ])(
    "the script detects navigation without the Navigation API if window.navigation is %s",
    { tags: "soak" },
    async (_, before) => {
      const customer = await openMerchantSite(visitor);
      await customer.context.addInitScript("delete window.navigation");
      await land(customer, before.replace("PORT", new URL(customer.api).port));
      await navigate(customer);
    },
  );

  const read = ["cookie", "title", "referrer", "prerendering", "currentScript", "querySelector", "addEventListener"];
  test.each(
    sampled([
      ["images", (name: string) => `<img name="${name}" src="/empty">`],
      ["forms", (name: string) => `<form name="${name}" data-svc-program-id="7"></form>`],
      ["frames", (name: string) => `<iframe name="${name}" src="http://${elsewhere}:PORT/empty"></iframe>`],
    ]),
  )(
    "the script reads the document's properties even if %s on the page have the properties' names",
    async (_, element) => {
      const customer = await openMerchantSite(visitor);
      const before = read.map((name) => element(name)).join("");
      await land(customer, before.replaceAll("PORT", new URL(customer.api).port));
      expect(customer.calls[0]?.body).not.toHaveProperty("referrer_url");
      expect(await customer.run("svc.ready.then(() => 'ready')")).toBe("ready");
    },
  );

  test("elements named like functions of the window don't hide those functions from the script", {
    tags: "soak",
  }, async () => {
    const customer = await openMerchantSite(visitor);
    await customer.context.addInitScript("delete window.navigation");
    await land(customer, ["addEventListener", "fetch", "history", "JSON"].map((id) => `<a id="${id}"></a>`).join(""));
    await navigate(customer);
    expect(await customer.run("svc.ready.then(() => 'ready')")).toBe("ready");
  });
});

describe("reading the tag's settings", () => {
  const foreign = (customer: MerchantSite, type: string) =>
    `<script type="${type}" data-svc-program-id="7" data-svc-api-base="${customer.api}/under/own/name"></script>`;

  test.each(sampled(["text/plain", "application/json", "module", ""]))(
    "the script ignores the settings in an earlier tag of another script with type '%s'",
    async (type) => {
      const customer = await openMerchantSite(visitor);
      await land(customer, foreign(customer, type));
      expect(customer.calls[0]).toMatchObject({
        path: "/api/v1/track/click",
        body: { program_id: String(customer.world.programId) },
      });
    },
  );

  test("the script loaded with type=module can't read its tag, logs an error, and sends nothing", {
    tags: "soak",
  }, async () => {
    const customer = await openMerchantSite(visitor, { isQuiet: false });
    const tag = customer.tag(`type="module" crossorigin="anonymous"`);
    const refused = `<script type="module" nomodule data-svc-program-id="7" data-svc-api-base="${customer.api}/evil"></script>`;
    customer.pages.set("/", pageOf(refused + tag));
    await customer.page.goto(customer.landing(), { waitUntil: "networkidle" });
    expect(customer.calls).toEqual([]);
    expect(customer.said).toContain("error: [svc] no data-svc-program-id");
  });

  test("the script reads a tag inserted by a tag manager", async () => {
    const customer = await openMerchantSite(visitor);
    customer.pages.set(
      "/",
      pageOf(`<script>
        const script = document.createElement("script");
        script.src = "${customer.api}/js/svc-tracker.js";
        script.setAttribute("data-svc-program-id", "${customer.world.programId}");
        document.head.append(script);
      </script>`),
    );
    await customer.page.goto(customer.landing());
    await eventually(() => customer.run("window.svc && svc.getClickId()"), Boolean);
    expect(customer.lines()).toEqual(["POST click"]);
  });

  test("the script ignores settings on a polluted Object.prototype", async () => {
    const customer = await openMerchantSite(visitor);
    await land(
      customer,
      `<script>Object.assign(Object.prototype, {
        svcApiBase: "${customer.api}/under/own/name", svcProgramId: "7", svcConsent: "required", svcDebug: "true",
      })</script>`,
    );
    expect(customer.calls[0]?.path).toBe("/api/v1/track/click");
  });
});

describe("in a frame", () => {
  /** Opens a page on `host` whose frame is a landing on the shop's site. Waits for the frame's script. */
  async function openFramed(host: string, attributes = "") {
    const customer = await openMerchantSite(visitor);
    const debug = customer.tag(attributes);
    customer.pages.set("/framed", pageOf(debug));
    customer.pages.set("/", pageOf("", `<iframe src="${customer.landing(undefined, "/framed")}"></iframe>`));
    await customer.page.goto(customer.at("/", host));
    const frame = customer.page.frames()[1];
    if (frame === undefined) throw new Error("the page has no frame");
    await frame.waitForFunction("window.svc");
    return { customer, run: <T>(expression: string) => frame.evaluate<T>(expression) };
  }

  test("in a frame on another site's page, the script sends and stores nothing", async () => {
    const { customer, run } = await openFramed(elsewhere);
    await run("svc.ready.then(() => svc.trackClick())");
    await run("svc.signup('customer-1')");
    await run("svc.consent(true)");
    await run("svc.trackClick()");
    expect(await run("svc.getClickId() ?? null")).toBe(null);
    expect(customer.lines()).toEqual([]);
    expect(await run("[document.cookie, localStorage.length, sessionStorage.length]")).toEqual(["", 0, 0]);
    expect(await customer.context.cookies()).toEqual([]);
    expect(customer.said).toEqual([]);
  });

  test("in a frame on another site's page, the script logs in debug mode that the frame is cross-site", {
    tags: "soak",
  }, async () => {
    const { customer, run } = await openFramed(elsewhere, 'data-svc-debug="true"');
    await run("svc.ready");
    expect(customer.lines()).toEqual([]);
    expect(customer.said).toContain("log: [svc] cross-site frame");
  });

  test("in a frame without an origin, or nested in another site's page, the script sends and stores nothing", {
    tags: "soak",
  }, async () => {
    const customer = await openMerchantSite(visitor);
    customer.pages.set("/framed", pageOf(customer.tag()));
    customer.pages.set("/between", pageOf("", `<iframe src="${customer.landing(undefined, "/framed")}"></iframe>`));
    customer.pages.set(
      "/",
      pageOf(
        "",
        `<iframe sandbox="allow-scripts" src="/framed?aff=${customer.world.partner.code}"></iframe>
        <iframe src="${customer.at("/between", elsewhere)}"></iframe>`,
      ),
    );
    await customer.page.goto(customer.at("/"), { waitUntil: "load" });
    const frames = customer.page.frames().filter((frame) => frame.url().includes("/framed"));
    expect(frames).toHaveLength(2);
    for (const frame of frames) {
      await frame.waitForFunction("window.svc");
      await frame.evaluate("svc.ready.then(() => svc.signup('customer-1'))");
    }
    expect(customer.lines()).toEqual([]);
    expect(await customer.context.cookies()).toEqual([]);
  });

  test.each(sampled(["www.shop.localhost", "app.shop.localhost"]))(
    "in a frame on a page of the same site, the script works: %s",
    async (host) => {
      const { customer, run } = await openFramed(host);
      await run("svc.ready");
      const id = await run("svc.getClickId()");
      expect(id).toMatch(/^[\w-]+$/);
      await run("svc.signup('customer-1')");
      expect(customer.lines()).toEqual(["POST click", "POST lead"]);
      await customer.visit(customer.at("/next", host));
      expect(await customer.run("svc.getClickId()")).toBe(id);
    },
  );

  test("in a frame on a page of the same site, the script waits for consent", { tags: "soak" }, async () => {
    const { customer, run } = await openFramed("app.shop.localhost", 'data-svc-consent="required"');
    await run("svc.ready");
    expect(customer.lines()).toEqual([]);
    expect(await customer.context.cookies()).toEqual([]);
    await run("svc.consent(true); svc.trackClick()");
    expect(customer.lines()).toEqual(["POST click"]);
  });
});
