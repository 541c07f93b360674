import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { type MerchantSite, openMerchantSite, pageOf } from "../support/merchant-site.ts";

const visitor = isolatedBrowser();

const src = ({ api }: MerchantSite) => `${api}/js/svc-tracker.js`;

test("the script reads the program id from its own URL, for tag managers that drop attributes", {
  tags: ["finding"],
}, async () => {
  const customer = await openMerchantSite(visitor);
  const { programId } = customer.world;
  const addresses = [`?program=${programId}`, `?v=2&program=${programId}&x=1`, `?program=${programId}#x`];
  for (const address of addresses) {
    customer.pages.set("/", pageOf(`<script async src="${src(customer)}${address}"></script>`));
    await customer.context.clearCookies();
    await customer.visit(customer.landing());
    expect(customer.calls.at(-1)?.body).toMatchObject({ program_id: String(programId) });
    expect(await customer.run("!!svc.getClickId()")).toBe(true);
  }
  expect(customer.lines()).toEqual(["POST click", "POST click", "POST click"]);
});

test("the script reads the program id from attributes set by another script", { tags: ["finding"] }, async () => {
  const customer = await openMerchantSite(visitor);
  customer.pages.set(
    "/",
    pageOf(`<script>
    const tag = document.createElement("script");
    tag.async = true;
    tag.src = "${src(customer)}";
    tag.setAttribute("data-svc-program-id", "${customer.world.programId}");
    document.head.append(tag);
  </script>`),
  );
  await customer.visit(customer.landing());
  expect(customer.lines()).toEqual(["POST click"]);
});

test("the script prefers the program id in the tag's attribute to the one in the script's URL, and logs one error if neither is valid", {
  tags: ["finding"],
}, async () => {
  const customer = await openMerchantSite(visitor, { isQuiet: false });
  const { programId } = customer.world;
  customer.pages.set("/", pageOf(customer.tag().replace("svc-tracker.js", "svc-tracker.js?program=7")));
  await customer.visit(customer.landing());
  expect(customer.calls[0]?.body).toMatchObject({ program_id: String(programId) });

  for (const address of ["", "?program=", "?program=x1", "?program=0", "?programs=1"]) {
    customer.pages.set("/none", pageOf(`<script src="${src(customer)}${address}"></script>`));
    const before = customer.said.length;
    await customer.page.goto(customer.landing(undefined, "/none"));
    expect(customer.said.slice(before), address).toEqual(["error: [svc] no data-svc-program-id"]);
    expect(await customer.run("typeof window.svc")).toBe("undefined");
  }
  expect(customer.lines()).toEqual(["POST click"]);
});

async function openWithControl(attributes: string): Promise<MerchantSite> {
  const customer = await openMerchantSite(visitor);
  await customer.context.addInitScript(
    `Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true })`,
  );
  for (const path of ["/", "/path"]) customer.pages.set(path, pageOf(customer.tag(attributes)));
  return customer;
}

test("with Global Privacy Control and data-svc-gpc=minimal, the script sends only the code and the page's origin, and stores the click id", async () => {
  const customer = await openWithControl('data-svc-gpc="minimal" data-svc-titles="on" data-svc-params="via"');
  const { world } = customer;
  customer.pages.set(
    "/from",
    pageOf("", `<a id="ours" href="${customer.landing(undefined, "/path")}&aff_sub=nl&utm_source=blog&via=x">Buy</a>`),
  );
  customer.pageHeaders["referrer-policy"] = "unsafe-url";
  await customer.page.goto(customer.at("/from", "blog.localhost"));
  await customer.page.click("#ours");
  await customer.page.waitForFunction("window.svc");
  await customer.run("svc.ready");
  const origin = `${customer.at("/")}?aff=${world.partner.code}&via=x`;
  expect(customer.calls.map(({ body }) => body)).toEqual([
    {
      program_id: String(world.programId),
      event_id: expect.any(String),
      affiliate_url: origin,
      page_url: origin,
      limited: true,
      additional_data: {},
      code: world.partner.code.toLowerCase(),
    },
  ]);
  const id = await customer.run<string>("svc.getClickId()");
  expect(id).toMatch(/^[\w-]{1,96}$/);
  const rows = await world.rows("select click_id, visitor, page_url from clicks where program_id = ?", world.programId);
  expect(rows).toMatchObject([{ click_id: id, visitor: null, page_url: null }]);
});

test("with Global Privacy Control and data-svc-gpc=ignore, the script sends a click as usual", async () => {
  const customer = await openWithControl('data-svc-gpc="ignore"');
  await customer.visit(customer.landing(undefined, "/path"));
  const address = customer.landing(undefined, "/path");
  expect(customer.calls.map(({ body }) => [body.page_url, body.limited])).toEqual([[address, undefined]]);
});

test.each(["consent", "anything", ""])(
  "with Global Privacy Control and data-svc-gpc=%j, the script waits for consent",
  async (way) => {
    const customer = await openWithControl(`data-svc-gpc="${way}"`);
    await customer.visit(customer.landing());
    expect(customer.lines()).toEqual([]);
    expect(await customer.run("[document.cookie, localStorage.length]")).toEqual(["", 0]);
    await customer.run("svc.consent(true); svc.trackClick()");
    expect(customer.calls.map(({ body }) => [body.affiliate_url, body.limited])).toEqual([
      [customer.landing(), undefined],
    ]);
  },
);

test("with data-svc-gpc=minimal, the script waits for consent if the tag requires consent, and works as usual without Global Privacy Control", async () => {
  const waiting = await openWithControl('data-svc-gpc="minimal" data-svc-consent="required"');
  await waiting.visit(waiting.landing());
  expect(waiting.lines()).toEqual([]);
  await waiting.run("svc.consent(true); svc.trackClick()");
  expect(waiting.calls.map(({ body }) => body.limited)).toEqual([true]);

  const other = await openMerchantSite(visitor);
  other.pages.set("/", pageOf(other.tag('data-svc-gpc="minimal"')));
  await other.visit(other.landing());
  expect(other.calls.map(({ body }) => body.limited)).toEqual([undefined]);
});
