import { expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { type MerchantSite, openMerchantSite, pageOf } from "../support/merchant-site.ts";

const visitor = isolatedBrowser();
const stored = "[document.cookie, localStorage.length, sessionStorage.length]";

async function openWith(params: string, settings?: Parameters<typeof openMerchantSite>[1]): Promise<MerchantSite> {
  const customer = await openMerchantSite(visitor, settings);
  for (const path of ["/", "/next"]) customer.pages.set(path, pageOf(customer.tag(`data-svc-params="${params}"`)));
  return customer;
}
const codesOf = ({ world }: MerchantSite) => world.partners.map(({ code }) => code.toLowerCase()) as [string, string];
const sentBy = ({ calls }: MerchantSite) => calls.map(({ body: { code, code_param } }) => [code_param, code]);

test("a landing on an old link, with the code in the parameter via, sends a click with this parameter's name, and stores the click in the browser", async () => {
  const customer = await openWith("via fpr");
  const { code } = customer.world.partner;
  await customer.visit(customer.at(`/?utm_source=blog&via=${code}&token=secret`));
  expect(customer.lines()).toEqual(["POST click"]);
  const address = customer.at(`/?utm_source=blog&via=${code}`);
  expect(customer.calls[0]?.body).toEqual({
    program_id: String(customer.world.programId),
    event_id: expect.any(String),
    affiliate_url: address,
    page_url: address,
    additional_data: {},
    code: code.toLowerCase(),
    code_param: "via",
  });
  const rows = await customer.world.rows(
    "select click_id, partner_id, code_param, page_url from clicks where program_id = ?",
    customer.world.programId,
  );
  const click_id = await customer.run("svc.getClickId()");
  expect(rows).toMatchObject([
    { click_id, partner_id: customer.world.partner.id, code_param: "via", page_url: address },
  ]);
  expect(await customer.run("svc.getData().partnerCode")).toBe(code.toLowerCase());
  expect(await customer.run("sessionStorage.length")).toBe(0);
});

test("in any parameter, a landing with another partner's code than the last click sends a click, and a landing with the same partner's code within a day sends none", async () => {
  const customer = await openWith("via fpr");
  const [alice, bob] = codesOf(customer);
  for (const query of [`via=${alice}`, `via=${alice}`, `fpr=${alice}`, `aff=${alice}`, `fpr=${bob}`, `aff=${bob}`]) {
    await customer.visit(customer.at(`/?${query}`));
  }
  await customer.run(`history.pushState({}, "", "/next?via=${alice}"); svc.trackClick()`);
  expect(sentBy(customer)).toEqual([
    ["via", alice],
    ["fpr", bob],
    ["via", alice],
  ]);
});

const orders: readonly [string, string, (alice: string, bob: string) => string, (string | undefined)[]][] = [
  ["aff takes precedence over the configured parameter", "via", (alice, bob) => `via=${bob}&aff=${alice}`, [undefined]],
  ["an empty aff doesn't take precedence", "via", (alice) => `aff=+&via=${alice}`, ["via"]],
  [
    "the tag's order of parameters decides, not the URL's",
    "via fpr",
    (alice, bob) => `fpr=${bob}&via=${alice}`,
    ["via"],
  ],
  ["the script skips a parameter with an empty value", "via  fpr", (alice) => `via=&fpr=${alice}`, ["fpr"]],
  ["parameter names are case-insensitive", "via", (alice) => `VIA=${alice}`, ["via"]],
  ["a value that isn't a valid code sends no click", "via fpr", (alice) => `via=a%20b&fpr=${alice}`, []],
  [
    "the script ignores parameter names that aren't allowed",
    `aff_sub utm_x Via a.b ${"x".repeat(21)} fpr`,
    (alice, bob) => `aff_sub=${bob}&utm_x=${bob}&Via=${bob}&a.b=${bob}&${"x".repeat(21)}=${bob}&fpr=${alice}`,
    ["fpr"],
  ],
  ["the script reads the fifth configured name", "a b c d via fpr", (alice, bob) => `via=${alice}&fpr=${bob}`, ["via"]],
  ["the script ignores the sixth configured name", "a b c d e via", (alice) => `via=${alice}`, []],
];

test.each(sampled(orders))(
  "the script reads the code of a landing from the right parameter: %s",
  async (_, params, queryOf, expected) => {
    const customer = await openWith(params);
    const [alice, bob] = codesOf(customer);
    await customer.visit(customer.at(`/?${queryOf(alice, bob)}`));
    expect(sentBy(customer)).toEqual(expected.map((name) => [name, alice]));
  },
);

test("without data-svc-params the script reads and sends only aff", { tags: "soak" }, async () => {
  const customer = await openMerchantSite(visitor);
  const [alice, bob] = codesOf(customer);
  await customer.visit(customer.at(`/?via=${alice}&null=${alice}&undefined=${alice}`));
  expect(customer.lines()).toEqual([]);
  await customer.visit(customer.at(`/?via=${alice}&aff=${bob}`));
  expect(customer.calls[0]?.body.affiliate_url).toBe(customer.at(`/?aff=${bob}`));
});

test("the script sends a code that the API refuses once per tab session, whatever the page or parameter", async () => {
  const customer = await openWith("via ref");
  for (const path of [
    "/?via=friend",
    "/?via=Friend",
    "/next?ref=friend",
    "/?via=other",
    "/?via=friend",
    "/?ref=other",
  ]) {
    await customer.visit(customer.at(path));
  }
  await customer.run(`history.pushState({}, "", "/?ref=other"); svc.trackClick()`);
  const once = [
    ["via", "friend"],
    ["via", "other"],
  ];
  expect(sentBy(customer)).toEqual(once);
  expect(await customer.run("[document.cookie, localStorage.length]")).toEqual(["", 0]);

  await customer.visit(customer.at("/?via=friend"), await customer.context.newPage());
  expect(sentBy(customer)).toEqual([...once, ["via", "friend"]]);
});

test("a code that a partner chose is refused in a parameter other than aff, and accepted in aff", {
  tags: "soak",
}, async () => {
  const customer = await openWith("via", { worldSettings: { partners: [{ madeBy: "partner" }, {}] } });
  const [alice] = codesOf(customer);
  await customer.visit(customer.at(`/?via=${alice}`));
  expect(await customer.run("svc.getClickId() ?? null")).toBe(null);
  await customer.visit(customer.landing(alice));
  expect(await customer.run("!!svc.getClickId()")).toBe(true);
  expect(sentBy(customer)).toEqual([
    ["via", alice],
    [undefined, alice],
  ]);
});

test("the script doesn't resend a click on a paused link, and resends a click that the API answered with 503", async () => {
  const customer = await openWith("via", { worldSettings: { partners: [{}, { linkStatus: "paused" }] } });
  const [alice, bob] = codesOf(customer);
  await customer.visit(customer.at(`/?via=${bob}`));
  await customer.visit(customer.at(`/?via=${bob}`));
  expect(sentBy(customer)).toEqual([["via", bob]]);

  customer.fault = { status: 503 };
  await customer.visit(customer.at(`/?via=${alice}`));
  customer.fault = undefined;
  await customer.visit(customer.at(`/?via=${alice}`));
  expect(await customer.run("svc.getData().partnerCode")).toBe(alice);
  const ids = customer.calls.slice(1).map(({ body }) => body.event_id);
  expect(new Set(ids).size).toBe(1);
});

test("refusing consent erases the list of refused codes, and codes refused later aren't stored", async () => {
  const customer = await openWith("via");
  await customer.visit(customer.at("/?via=friend"));
  expect(await customer.run(stored)).toEqual(["", 0, 1]);
  await customer.run("svc.consent(false)");
  expect(await customer.run(stored)).toEqual(["svc_consent=0", 0, 0]);

  const late = await openWith("via");
  late.fault = { status: 400, afterMs: 500 };
  await late.page.goto(late.at("/?via=friend"));
  await late.page.waitForFunction("window.svc");
  await late.run("svc.consent(false)");
  await late.run("svc.ready");
  expect(await late.run(stored)).toEqual(["svc_consent=0", 0, 0]);
});

test("a landing on an old link, with the code in the parameter via, sends a click even without sessionStorage", {
  tags: "soak",
}, async () => {
  const customer = await openWith("via");
  customer.pageHeaders["content-security-policy"] = "sandbox allow-scripts";
  await customer.visit(customer.at("/?via=friend"));
  const [alice] = codesOf(customer);
  await customer.visit(customer.at(`/?via=${alice}`));
  expect(await customer.run("!!svc.getClickId()")).toBe(true);
  expect(sentBy(customer)).toEqual([
    ["via", "friend"],
    ["via", alice],
  ]);
});
