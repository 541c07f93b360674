/** @module-tag soak */
import { afterAll, test as anyTest, beforeAll, describe, expect } from "vitest";
import { testedBrowsers } from "../support/browsers/installed.ts";
import { type BrowserOptions, type RealBrowser, viewport } from "../support/browsers/tab.ts";
import { type EmbedProduct, type Message, openEmbedProduct, type ProductOptions } from "../support/embed-product.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { openServiceFront, type ServiceFront } from "../support/service-front.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const settings: readonly (BrowserOptions & { readonly title: string })[] = [
  { title: "dark, with third parties blocked", theme: "dark", blocksThirdParties: true },
  { title: "light, with third parties as by default", theme: "light", blocksThirdParties: false },
];
const cases = testedBrowsers.flatMap((browser) => settings.map((options) => ({ ...browser, options })));

/** The referral page within a page of the product. */
interface Host extends EmbedProduct {
  readonly front: ServiceFront;
  open(path?: string, origin?: string): Promise<void>;
  /** The text in the frame. */
  text(): Promise<string>;
  messages(): Promise<readonly Message[]>;
  /** The types of the messages, without repetitions. */
  types(): Promise<readonly (string | undefined)[]>;
  post(message: object): Promise<void>;
  press(button: string): Promise<void>;
  has(button: string): Promise<boolean>;
  /** Waits until the frame is as high as its content, and checks that neither the page nor a field cuts off text. */
  expectFit(): Promise<void>;
}

const button = (name: string) =>
  `[...document.querySelectorAll("button")].find((it) => (it.ariaLabel ?? it.textContent).trim() === ${JSON.stringify(name)})`;

async function openHost({ tab }: RealBrowser, options: Partial<ProductOptions> = {}): Promise<Host> {
  const front = await openServiceFront();
  const product = await openEmbedProduct({ owner: people.owner, service: front.url, ...options });
  expectConsistentInTheEnd(product.world);
  const messages = () => tab.run<readonly Message[]>("messages");
  const has = (name: string) => tab.runInFrame<boolean>(`${button(name)} !== undefined`);
  // Some browsers' windows can't be as narrow as a phone.
  const page = product.pages.get("/")?.replace("margin: 8px", `margin: 8px; width: ${frameWidth}px`);
  product.pages.set("/", page ?? "");
  return Object.assign(product, {
    ...{ front, messages, has },
    open: (path = "/", origin = product.origin) => tab.open(origin + path),
    text: () => tab.runInFrame<string>("document.body.innerText"),
    types: async () => [...new Set((await messages()).map(({ data }) => data.type))],
    post: (message: object) =>
      tab.run<void>(`frames[0].postMessage(${JSON.stringify(message)}, ${JSON.stringify(front.url)})`),
    press: async (name: string) => {
      await expect.poll(() => has(name)).toBe(true);
      await tab.clickInFrame(button(name));
    },
    expectFit: () =>
      expect.poll(() => tab.runInFrame(sizes)).toEqual({ width: frameWidth, sideways: 0, below: 0, hidden: [] }),
  });
}

const expiredIn = async (host: Host) =>
  (await host.messages()).filter(({ data }) => data.type === "tributary:expired").length;

const frameWidth = viewport.width - 16;

const sizes = `(() => {
  const { scrollWidth, scrollHeight } = document.documentElement;
  const cut = [...document.querySelectorAll("textarea")].filter(
    (field) => field.scrollWidth > field.clientWidth || field.scrollHeight > field.clientHeight,
  );
  return {
    width: innerWidth,
    sideways: scrollWidth - innerWidth,
    below: scrollHeight - innerHeight,
    hidden: cut.map(({ value }) => value),
  };
})()`;

const ownLink = `document.querySelector("textarea")?.value ?? ""`;

describe.each(cases)("$name, $options.title", ({ isInstalled, options, open }) => {
  const test = isInstalled ? anyTest : anyTest.skip;
  let browser: RealBrowser;
  beforeAll(async () => {
    if (isInstalled) browser = await open(options);
  });
  afterAll(() => browser?.close());

  test("the embedded referral page can't read what the browser stored for the service outside the frame", async () => {
    const host = await openHost(browser);
    const { tab } = browser;
    const store = `(() => {
      for (const attributes of ["", "; samesite=none; secure"]) document.cookie = "name=value; path=/" + attributes;
      try { localStorage.name = "value" } catch {}
    })()`;
    const read = `(() => {
      const from = (storage) => { try { return storage().name ?? "" } catch { return "" } };
      return { cookie: document.cookie, stored: from(() => localStorage) };
    })()`;
    await tab.open(`${host.front.url}/embed/${host.embedId}`);
    await tab.run(store);
    expect(await tab.run(read)).toMatchObject({ cookie: "name=value" });
    await host.open("/frame");
    await expect.poll(() => tab.runInFrame("document.readyState")).toBe("complete");
    const { blocksThirdParties } = options;
    const found = await tab.runInFrame(read);
    expect(found).toEqual({ cookie: blocksThirdParties ? "" : expect.any(String), stored: "" });
    if (blocksThirdParties) {
      await tab.runInFrame(store);
      expect(await tab.runInFrame(read)).toMatchObject({ cookie: "" });
    }
  });

  test(`a person creates and copies a link at ${viewport.width} pixels`, async () => {
    const host = await openHost(browser);
    const { tab } = browser;
    await host.open();
    await host.press("Get your link");
    await expect.poll(() => tab.runInFrame(ownLink)).toContain("aff=");
    expect(await host.types()).toEqual(["tributary:ready", "tributary:resize"]);
    for (const { origin } of await host.messages()) expect(origin).toBe(host.front.url);
    expect(host.asked()).toBe(1);

    await host.expectFit();
    expect(await tab.runInFrame("getComputedStyle(document.documentElement).colorScheme")).toBe(options.theme);
    await host.press("Copy your link");
    await expect.poll(host.text).toContain("Copied.");
    await host.press("Show QR code");
    await expect.poll(() => tab.runInFrame(`document.querySelector("[role=img], img") !== null`)).toBe(true);
    await host.expectFit();
  });

  test("the embedded referral page accepts a token only from its parent window", async () => {
    const host = await openHost(browser);
    const { tab } = browser;
    const token = await host.createToken();
    const send = `parent.frames[0].postMessage({ type: "tributary:token", token: "${token}" }, "*")`;
    host.pages.set("/sibling", `<script>onload = () => { ${send}; parent.hasSent = true }</script>`);
    host.pages.set("/both", `${host.pages.get("/frame")}<iframe title="Sibling" src="/blank"></iframe>`);
    host.pages.set("/blank", "");
    await host.open("/both");
    await expect.poll(host.types).toEqual(["tributary:ready"]);
    await tab.run(`frames[1].location.replace("/sibling")`);
    await expect.poll(() => tab.run("window.hasSent === true")).toBe(true);
    for (const message of [
      { type: "tributary:token" },
      { type: "tributary:token", token: 7 },
      { type: "other", token },
    ]) {
      await host.post(message);
    }
    expect(await host.text()).toContain("Loading");
    expect([host.front.tokens, await host.types()]).toEqual([[], ["tributary:ready"]]);
    await host.post({ type: "tributary:token", token });
    await expect.poll(() => host.has("Get your link")).toBe(true);
    expect(new Set(host.front.tokens)).toEqual(new Set([token]));
    expect(await host.types()).toEqual(["tributary:ready", "tributary:resize"]);
  });

  test("a web page of another origin can't frame the referral page, nor send it a token", async () => {
    const host = await openHost(browser);
    const { tab } = browser;
    await host.open("/frame", host.otherOrigin);
    await expect.poll(() => host.front.answered).toBe(1);
    expect(await tab.runInFrame(`document.querySelector("main") === null`)).toBe(true);
    expect(await host.messages()).toEqual([]);

    host.front.letsAllFrame = true;
    await host.open("/frame", host.otherOrigin);
    await expect.poll(host.types).toEqual(["tributary:ready"]);
    await host.post({ type: "tributary:token", token: await host.createToken() });
    await tab.run("(document.querySelector('iframe').width = 300, new Promise((resolve) => setTimeout(resolve, 50)))");
    expect([host.front.tokens, await host.types()]).toEqual([[], ["tributary:ready"]]);
  });

  test("the embedded referral page gets a new token from the product if its current token has ended", async () => {
    const host = await openHost(browser);
    await host.open();
    await expect.poll(() => host.has("Get your link")).toBe(true);
    await host.put({ origins: [host.origin], endTokens: true });
    await host.press("Get your link");
    await expect.poll(() => browser.tab.runInFrame(ownLink)).toContain("aff=");
    expect([host.asked(), await expiredIn(host)]).toEqual([2, 1]);
    expect(await host.text()).not.toContain("ended");
  });

  test("the embedded referral page shows that the access has ended if the new token is refused too", async () => {
    const host = await openHost(browser);
    const tokens = [await host.createToken(), await host.createToken({ external_id: "user-8" })];
    await host.put({ origins: [host.origin], endTokens: true });
    host.answer = async () => ({
      status: 200,
      body: { token: tokens.shift() ?? (await host.createToken()), expiresIn: 3_600 },
    });
    await host.open();
    await expect.poll(host.text).toContain("Your access has ended. Reload the page to continue.");
    await host.expectFit();
    expect([host.asked(), await expiredIn(host)]).toEqual([2, 1]);
    await host.press("Try again");
    await expect.poll(() => host.has("Get your link")).toBe(true);
    expect([host.asked(), await expiredIn(host)]).toEqual([3, 2]);
  });

  test("the embedded referral page of a paused program says that the program is paused, and offers no link", async () => {
    const host = await openHost(browser, { world: { program: { status: "paused" } } });
    await host.open();
    await expect.poll(host.text).toContain("The referral program is paused.");
    await host.expectFit();
    const shown = `[...document.querySelectorAll("button")].filter((it) => it.checkVisibility()).length`;
    expect(await browser.tab.runInFrame(shown)).toBe(0);
  });

  test("the embedded referral page says that it can't reach the service, and continues once the service is back", async () => {
    const host = await openHost(browser);
    host.front.cut = /^\/api\/embed/;
    await host.open();
    await expect.poll(host.text).toContain("Can't reach the referral program. Your links keep working.");
    host.front.cut = undefined;
    await expect.poll(() => host.has("Get your link")).toBe(true);
    expect(await host.text()).not.toContain("Can't reach");
    host.front.cut = /\/links$/;
    await host.press("Get your link");
    await expect.poll(host.text).toContain("Can't reach the referral program. Try again in a moment.");
    await host.expectFit();
    host.front.cut = undefined;
    await host.press("Get your link");
    await expect.poll(() => browser.tab.runInFrame(ownLink)).toContain("aff=");
  });

  test("the referral page accepts a token in its URL from an app, and ignores a token in a link on another site", async () => {
    const host = await openHost(browser);
    const { tab } = browser;
    const address = `${host.front.url}/embed/${host.embedId}`;
    const token = await host.createToken();
    host.pages.set("/other", `<!doctype html><title>Other site</title><a href="${address}#token=${token}">Open</a>`);
    await host.open("/other", host.otherOrigin);
    await tab.click(`document.querySelector("a")`);
    await expect.poll(() => tab.run("location.href + document.body.innerText")).toContain("Open this page in the app.");
    expect([await tab.run("location.href"), host.front.tokens]).toEqual([address, []]);

    await tab.open(`${address}?radius=4#token=${token}`);
    await expect.poll(() => tab.run(`${button("Get your link")} !== undefined`)).toBe(true);
    expect([await tab.run("location.href"), new Set(host.front.tokens)]).toEqual([
      `${address}?radius=4`,
      new Set([token]),
    ]);
  });
});
