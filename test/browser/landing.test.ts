import { expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { eventually } from "../support/isolated-service.ts";
import { openMerchantSite, pageOf } from "../support/merchant-site.ts";
import { sharedService } from "../support/shared-service.ts";

const visitor = isolatedBrowser();
const day = 86_400;

test("a landing sends one request without a preflight, and stores the click in the browser", async () => {
  const customer = await openMerchantSite(visitor);
  const { world, calls } = customer;
  await customer.visit(`${customer.landing()}&utm_source=blog&aff_sub=mail&aff_subs=x&token=secret#part`);

  expect(customer.lines()).toEqual(["POST click"]);
  expect(calls[0]?.headers["content-type"]).toMatch(/^text\/plain/);
  expect(calls[0]?.headers).not.toHaveProperty("cookie");
  const address = `${customer.at("/")}?aff=${world.partner.code}&aff_sub=mail&utm_source=blog`;
  expect(calls[0]?.body).toEqual({
    program_id: String(world.programId),
    event_id: expect.stringMatching(/^\d{13}\.\d{16}$/),
    affiliate_url: address,
    page_url: address,
    additional_data: {},
    code: world.partner.code.toLowerCase(),
  });

  const id = await customer.run<string>("svc.getClickId()");
  expect(id).toMatch(/^[\w-]{1,96}$/);
  const stored = await world.rows("select click_id, is_bot, sub from clicks where program_id = ?", world.programId);
  expect(stored).toMatchObject([{ click_id: id, is_bot: 0, sub: "mail" }]);
  expect(await customer.run("svc.getData()")).toEqual({
    programId: String(world.programId),
    partnerCode: world.partner.code.toLowerCase(),
    clickId: id,
    clickIds: [id],
  });
  const now = Date.now() / 1000;
  const code = world.partner.code.toLowerCase();
  for (const [name, value, days] of [
    ["svc_click_id", id, 60],
    ["svc_click_ids", id, 60],
    ["svc_aff", `${world.programId}.${code}`, 60],
    ["svc_recent", "1", 1],
  ] as const) {
    const cookie = await customer.cookie(name);
    expect(cookie).toMatchObject({ value, path: "/", sameSite: "Lax", secure: false, domain: ".shop.localhost" });
    expect(Math.abs((cookie?.expires ?? 0) - now - days * day)).toBeLessThan(60);
  }
});

test("the script sends no click for a URL without aff, for a second page, or for another landing with the same partner's code within a day", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.at("/"));
  expect(customer.lines()).toEqual([]);
  expect(await customer.run("svc.getClickId() === undefined")).toBe(true);
  expect(await customer.context.cookies()).toEqual([]);

  await customer.visit(customer.landing());
  const id = await customer.run("svc.getClickId()");
  await Promise.all([customer.page.waitForEvent("load"), customer.page.click("#next")]);
  expect(await customer.run("svc.getClickId()")).toBe(id);
  await customer.visit(customer.landing(customer.world.partner.code.toUpperCase()));
  await customer.page.reload();
  await customer.run("svc.ready");
  expect(customer.lines()).toEqual(["POST click"]);
});

test("a landing on another partner's link sends a new click with the previous click's id, and the script keeps the ids of both clicks", async () => {
  const customer = await openMerchantSite(visitor);
  const [alice, bob] = customer.world.partners;
  await customer.visit(customer.landing(alice?.code));
  const first = await customer.run<string>("svc.getClickId()");
  await customer.visit(customer.landing(bob?.code));
  const second = await customer.run<string>("svc.getClickId()");
  expect(customer.lines()).toEqual(["POST click", "POST click"]);
  expect(customer.calls[1]?.body).toMatchObject({ existing_click_id: first, code: bob?.code.toLowerCase() });
  expect(second).not.toBe(first);
  expect(await customer.run("svc.getData()")).toMatchObject({ clickIds: [first, second] });
});

test("a landing on the same partner's link after a day is a new click", { tags: "soak" }, async () => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.landing());
  // The cookie expires after a day.
  await customer.context.clearCookies({ name: "svc_recent" });
  await customer.visit(customer.landing());
  expect(customer.lines()).toEqual(["POST click", "POST click"]);
  expect(customer.calls[1]?.body.event_id).not.toBe(customer.calls[0]?.body.event_id);
});

test("the script keeps the ids of the last twenty clicks, newest last", { tags: "soak" }, async () => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.landing());
  const ids = Array.from({ length: 20 }, (_, i) => `click-${i}`);
  await customer.run(`document.cookie = "svc_click_ids=${ids.join(".")};path=/;domain=shop.localhost"`);
  await customer.visit(customer.landing(customer.world.partners[1]?.code));
  const id = await customer.run<string>("svc.getClickId()");
  expect(await customer.run("svc.getData().clickIds")).toEqual([...ids.slice(1), id]);
});

test.each(sampled(["Navigation API", "history API"]))(
  "the script detects a landing by navigation within the page with the %s",
  async (api) => {
    const customer = await openMerchantSite(visitor);
    const [alice, bob] = customer.world.partners;
    if (api === "history API") await customer.context.addInitScript("delete window.navigation");
    await customer.visit(customer.at("/"));
    await customer.run(`history.pushState({ n: 1 }, "", "/a?aff=${alice?.code}")`);
    await eventually(() => customer.run("svc.getClickId()"), Boolean);
    await customer.run(`history.pushState({}, "", "/b?aff=${alice?.code}")`);
    await customer.run(`history.pushState({}, "", "/c")`);
    await customer.run("svc.trackClick()");
    expect(customer.lines()).toEqual(["POST click"]);

    await customer.run(`history.replaceState({}, "", "/c?aff=${bob?.code}")`);
    await eventually(
      () => customer.run("svc.getData().partnerCode"),
      (code) => code === bob?.code.toLowerCase(),
    );
    expect(customer.lines()).toEqual(["POST click", "POST click"]);
    // Back to Alice's page, which counts as a second landing on her link.
    await customer.page.goBack();
    await customer.page.goBack();
    await eventually(
      () => customer.run("svc.getData().partnerCode"),
      (code) => code === alice?.code.toLowerCase(),
    );
    expect(customer.lines()).toEqual(["POST click", "POST click", "POST click"]);
    expect(await customer.run("[location.pathname, history.state.n ?? 0]")).toEqual(["/a", 1]);
  },
);

test("the script detects navigations even if the history object is frozen", { tags: "soak" }, async () => {
  const customer = await openMerchantSite(visitor);
  await customer.context.addInitScript("Object.freeze(history); Object.freeze(History.prototype)");
  await customer.visit(customer.at("/"));
  await customer.run(`history.pushState({}, "", "/a?aff=${customer.world.partner.code}")`);
  await eventually(() => customer.run("svc.getClickId()"), Boolean);
  expect(customer.lines()).toEqual(["POST click"]);
});

test("navigation works in a browser without the Navigation API even if the history object is frozen", {
  tags: "soak",
}, async () => {
  const customer = await openMerchantSite(visitor);
  await customer.context.addInitScript("delete window.navigation; Object.freeze(history)");
  await customer.visit(customer.landing());
  await customer.run(`history.pushState({}, "", "/a")`);
  expect(await customer.run("location.pathname")).toBe("/a");
  expect(customer.lines()).toEqual(["POST click"]);
});

test("restoring a page from the back/forward cache sends no new click", { tags: "soak" }, async () => {
  const customer = await openMerchantSite(visitor);
  const watch = "<script>addEventListener('pageshow', (event) => { window.isCached = event.persisted; });</script>";
  customer.pages.set("/", pageOf(watch + customer.tag()));
  await customer.visit(customer.landing());
  await customer.visit(customer.at("/next"));
  await customer.page.goBack({ waitUntil: "load" });
  if (!(await customer.run("window.isCached"))) {
    console.log("This Chromium keeps no page: the test makes the events of one that does.");
    await customer.run(`for (const type of ["pagehide", "pageshow"]) {
      dispatchEvent(new PageTransitionEvent(type, { persisted: true }));
    }`);
  }
  await customer.run("svc.trackClick()");
  expect(customer.lines()).toEqual(["POST click"]);
});

test("a prerendered page sends its click when the page is shown, not before", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.context.addInitScript(`
    let isShown = false;
    Object.defineProperty(Document.prototype, "prerendering", { get: () => !isShown });
    addEventListener("show", () => { isShown = true; document.dispatchEvent(new Event("prerenderingchange")); });`);
  await customer.page.goto(customer.landing());
  await customer.page.waitForFunction("window.svc");
  await customer.run("svc.signup('customer-1')");
  await customer.arrived();
  expect(customer.lines()).toEqual([]);
  expect(await customer.run("[document.cookie, localStorage.length]")).toEqual(["", 0]);
  await customer.run("dispatchEvent(new Event('show')); svc.ready");
  expect(customer.lines()).toContain("POST click");
});

test("the script's cookies are valid on every host of the site, and on no other site", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.landing(undefined, "/", "www.shop.localhost"));
  const id = await customer.run("svc.getClickId()");
  await customer.visit(customer.landing(undefined, "/", "app.shop.localhost"));
  expect(await customer.run("svc.getClickId()")).toBe(id);
  expect(customer.lines()).toEqual(["POST click"]);
  await customer.visit(customer.at("/", "other.localhost"));
  expect(await customer.run("svc.getClickId() === undefined")).toBe(true);
});

test.each(["localhost", "127.0.0.1"])("the script's cookies are host-only on %s", { tags: "soak" }, async (host) => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.landing(undefined, "/", host));
  expect(await customer.cookie("svc_click_id")).toMatchObject({ domain: host });
});

test("the script stores its cookies on localhost in a browser that rejects domain=localhost, like WebKit", {
  tags: "finding",
}, async () => {
  const customer = await openMerchantSite(visitor);
  await customer.page.addInitScript(() => {
    const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
    Object.defineProperty(document, "cookie", {
      get: () => cookie?.get?.call(document),
      set: (line: string) => line.includes("domain=localhost") || cookie?.set?.call(document, line),
    });
  });
  await customer.visit(customer.landing(undefined, "/", "localhost"));
  const id = await customer.run("svc.getClickId()");
  expect(await customer.cookie("svc_click_id")).toMatchObject({ domain: "localhost", value: id });
});

test("data-svc-cookie-domain narrows the cookies' domain, and is ignored if the browser rejects it", async () => {
  const customer = await openMerchantSite(visitor);
  customer.pages.set("/", pageOf(customer.tag('data-svc-cookie-domain="www.shop.localhost"')));
  await customer.visit(customer.landing());
  expect(await customer.cookie("svc_click_id")).toMatchObject({ domain: ".www.shop.localhost" });

  const other = await openMerchantSite(visitor);
  other.pages.set("/", pageOf(other.tag('data-svc-cookie-domain="elsewhere.example"')));
  await other.visit(other.landing());
  expect(await other.cookie("svc_click_id")).toMatchObject({ domain: ".shop.localhost" });
});

test("the script's cookies are Secure on https", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.page.route("https://shop.localhost/**", (route) =>
    route.fulfill({ contentType: "text/html", body: pageOf(customer.tag().replace("http:", "https:")) }),
  );
  await customer.page.route(`${customer.api.replace("http:", "https:")}/**`, async (route) => {
    const request = route.request();
    const body = request.postData();
    const answer = await fetch(sharedService.url + new URL(request.url()).pathname, {
      method: request.method(),
      ...(body === null ? {} : { body }),
    });
    await route.fulfill({
      status: answer.status,
      headers: Object.fromEntries([...answer.headers].filter(([name]) => name !== "content-encoding")),
      body: await answer.text(),
    });
  });
  await customer.visit(`https://shop.localhost/?aff=${customer.world.partner.code}`);
  expect(await customer.cookie("svc_click_id")).toMatchObject({ secure: true, domain: ".shop.localhost" });
});

test("the script ignores click ids that another program's script stored on the same site", async () => {
  const customer = await openMerchantSite(visitor);
  await customer.visit(customer.landing());
  customer.pages.set("/other", pageOf(customer.tag().replace(/program-id="\d+"/, 'program-id="7"')));
  await customer.visit(customer.at("/other"));
  expect(await customer.run("[svc.getClickId() ?? null, svc.getData().clickIds.length]")).toEqual([null, 0]);
});

test("the script sends page titles, with the flag page_titles, only if the tag opts in", async () => {
  const customer = await openMerchantSite(visitor);
  const [alice, bob] = customer.world.partners;
  for (const [path, attributes] of [
    ["/", 'data-svc-titles="on" data-svc-debug="true"'],
    ["/off", 'data-svc-titles="off" data-svc-debug="true"'],
  ] as const) {
    customer.pages.set(path, pageOf(customer.tag(attributes)));
  }
  await customer.visit(customer.landing(alice?.code));
  await customer.visit(customer.landing(bob?.code, "/off"));
  const sent = customer.calls.map(({ body }) => [body.page_title, body.additional_data]);
  expect(sent).toEqual([
    ["Shop", { test_mode: true, page_titles: true }],
    ["Shop", { page_titles: true }],
    [undefined, { test_mode: true }],
    [undefined, {}],
  ]);
});

test("a click has a title truncated between characters, and a referrer without its email address", {
  tags: "soak",
}, async () => {
  const customer = await openMerchantSite(visitor);
  const title = `${"x".repeat(254)}😀`;
  const tag = customer.tag('data-svc-titles="on"');
  customer.pages.set("/", pageOf(`<title>${title}</title>${tag}`).replace("<title>Shop</title>", ""));
  const path = "/".padEnd(3000, "p");
  customer.pages.set(path, pageOf(customer.tag()));
  customer.pages.set("/from", pageOf("", `<a id="ours" href="${customer.landing()}">Buy</a>`));
  await customer.page.goto(customer.at("/from?email=a@b.example&utm_medium=mail", "blog.localhost"));
  customer.pageHeaders["referrer-policy"] = "unsafe-url";
  await customer.page.goto(customer.at("/from?email=a@b.example&utm_medium=mail", "blog.localhost"));
  await customer.page.click("#ours");
  await customer.page.waitForFunction("window.svc");
  await customer.run("svc.ready");
  expect(customer.calls[0]?.body).toMatchObject({
    page_title: "x".repeat(254),
    referrer_url: customer.at("/from?utm_medium=mail", "blog.localhost"),
  });
  expect(await customer.run("!!svc.getClickId()")).toBe(true);

  await customer.visit(customer.landing(customer.world.partners[1]?.code, path));
  expect(customer.lines()).toEqual(["POST click", "POST click"]);
  expect(await customer.run("svc.getData().clickIds.length")).toBe(2);
});
