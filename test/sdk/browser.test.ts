import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { bundled } from "../support/bundled.ts";
import { type MerchantSite, openMerchantSite, pageOf } from "../support/merchant-site.ts";

const visitor = isolatedBrowser();

/** Opens a site whose pages load the tracking script from code, or not at all. */
async function openBundled(script: string, head = ""): Promise<MerchantSite> {
  const customer = await openMerchantSite(visitor);
  customer.pages.set("/", pageOf(head, '<main id="main"></main><script src="/app.js"></script>'));
  customer.pages.set("/app.js", script);
  return customer;
}

const app = await bundled(`
  import { getOffer, loadTracker } from "tributary-sdk/browser";
  Object.assign(window, { getOffer, loadTracker });`);

test("the loader adds the script to the page once, and resolves to its API", async () => {
  const customer = await openBundled(app);
  await customer.page.goto(customer.landing());
  const { programId } = customer.world;
  const src = `${customer.api}/js/svc-tracker.js`;
  const more = { codeParams: ["via", "fpr"], cookieDomain: "shop.localhost", debug: true };
  const options = JSON.stringify({ src, consent: "required", ...more });
  const found = await customer.run(`(async () => {
    const all = await Promise.all([1, 2, 3].map(() => loadTracker(${programId}, ${options})));
    return [all.every((svc) => svc === window.svc), typeof window.svc.getClickId, document.scripts.length];
  })()`);
  expect(found).toEqual([true, "function", 2]);
  expect(await customer.run("document.querySelector('[data-svc-program-id]').outerHTML")).toBe(
    `<script data-svc-program-id="${programId}" data-svc-consent="required" data-svc-params="via fpr" data-svc-cookie-domain="shop.localhost" data-svc-debug="true" src="${src}" async=""></script>`,
  );
  expect(customer.lines()).toEqual([]);
});

test("the loader returns the click id of the landing page", async () => {
  const customer = await openBundled(app);
  await customer.page.goto(customer.landing());
  const src = `${customer.api}/js/svc-tracker.js`;
  const clickId = await customer.run(`(async () => {
    const svc = await loadTracker(${customer.world.programId}, { src: ${JSON.stringify(src)} });
    await svc.ready;
    return svc.getClickId();
  })()`);
  expect(clickId).toMatch(/^[\w-]{20,96}$/);
  expect(customer.lines()).toEqual(["POST click"]);
});

test("the loader uses a script tag that is already on the page", async () => {
  const customer = await openBundled(app);
  customer.pages.set("/", pageOf("", `${customer.tag()}<script src="/app.js"></script>`));
  await customer.page.goto(customer.at("/"));
  const load = "loadTracker(999, { src: '/none.js' }).then((svc) => svc.getData().programId)";
  expect(await customer.run(load)).toBe(String(customer.world.programId));
  expect(await customer.run("document.querySelectorAll('[data-svc-program-id]').length")).toBe(1);
});

test("the loader resolves to undefined if the script is blocked", async () => {
  const customer = await openBundled(app);
  customer.pageHeaders["content-security-policy"] = "script-src 'self'";
  await customer.page.goto(customer.at("/"));
  const src = `${customer.api}/js/svc-tracker.js`;
  expect(await customer.run(`loadTracker(1, { src: ${JSON.stringify(src)} }).then(String)`)).toBe("undefined");
});

test("the loader doesn't load an insecure address, resolves to undefined, and explains this in the console", async () => {
  const customer = await openBundled(app);
  await customer.page.goto(customer.at("/"));
  const src = `${customer.api}/js/svc-tracker.js`;
  for (const options of [{ src: "http://tributary.example/a.js" }, { src, apiBase: "//tributary.example" }])
    expect(
      await customer.run(`(delete window[Symbol.for("tributary.tracker")],
      loadTracker(1, ${JSON.stringify(options)}).then(String))`),
    ).toBe("undefined");
  expect(customer.said).toEqual([
    "error: tributary: http://tributary.example/a.js must be https (http: localhost only)",
    "error: tributary: //tributary.example must be https (http: localhost only)",
  ]);
  expect(await customer.run("document.querySelectorAll('[data-svc-program-id]').length")).toBe(0);
});

test("the loader resolves to undefined if Trusted Types block the script's address", async () => {
  const customer = await openBundled(app);
  customer.pageHeaders["content-security-policy"] = "require-trusted-types-for 'script'";
  await customer.page.goto(customer.at("/"));
  expect(await customer.run("loadTracker(1, { src: '/x.js' }).then(String)")).toBe("undefined");
});

test("getOffer in a page returns the offer of the partner whose link brought the visitor, and null for a visitor without a partner", async () => {
  const customer = await openBundled(app);
  const { world } = customer;
  await world.write(
    `insert into offers values (${world.programId}, 1, null, 'given', '20% off', null, '{}', null, 0, 'o')`,
  );
  customer.pages.set("/", pageOf("", `${customer.tag()}<script src="/app.js"></script>`));
  await customer.page.goto(customer.at("/"));
  expect(await customer.run("getOffer()")).toBeNull();
  expect(customer.lines()).toEqual([]);
  await customer.page.goto(customer.landing());
  expect(await customer.run("getOffer()")).toEqual({ label: "20% off", details: null });
  const clickId = await customer.run("svc.getClickId()");
  expect(customer.lines()).toEqual(["POST click", `GET offer?click_id=${clickId}`]);
  expect(customer.said).toEqual([]);
});

test("getOffer returns null in a page whose script is missing or blocked", async () => {
  const customer = await openBundled(app);
  await customer.page.goto(customer.at("/"));
  expect(await customer.run("getOffer()")).toBeNull();
});

test("useClickId returns nothing at first, and then the visitor's click id", async () => {
  const script = await bundled(`
    import { createElement, StrictMode, useEffect } from "react";
    import { createRoot } from "react-dom/client";
    import { useClickId } from "tributary-sdk/react";
    window.shown = [];
    function SignUp() {
      const clickId = useClickId(window.programId, { src: window.script });
      useEffect(() => { window.shown.push(clickId ?? null) }, [clickId]);
      return createElement("input", { id: "click", readOnly: true, value: clickId ?? "" });
    }
    const root = createRoot(document.getElementById("main"));
    root.render(createElement(StrictMode, null, createElement(SignUp)));
    window.leave = () => root.unmount();`);
  const customer = await openBundled(script);
  const settings = { programId: customer.world.programId, script: `${customer.api}/js/svc-tracker.js` };
  await customer.context.addInitScript(`Object.assign(window, ${JSON.stringify(settings)})`);
  await customer.page.goto(customer.landing());
  await customer.page.waitForFunction("document.getElementById('click')?.value");
  const clickId = await customer.run("svc.getClickId()");
  expect(await customer.run("document.getElementById('click').value")).toBe(clickId);
  expect(new Set(await customer.run<unknown[]>("shown"))).toEqual(new Set([null, clickId]));
  expect(customer.lines()).toEqual(["POST click"]);
  await customer.run("leave()");
  expect(customer.said).toEqual([]);
});
