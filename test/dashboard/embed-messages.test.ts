import type { BrowserContext, Route } from "playwright-core";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { type EmbedHost, type HostOptions, openEmbedHost } from "../support/embed-host.ts";
import { sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

const open = (options: Omit<HostOptions, "owner"> = {}) =>
  openEmbedHost(newContext, { owner: people.owner, ...options });

const typesIn = async (host: EmbedHost) => [...new Set((await host.messages()).map(({ data }) => data.type))];

/** Records the page's calls that carry a token. */
function callsWith(context: BrowserContext) {
  const calls: string[] = [];
  context.on("request", (request) => {
    const { authorization } = request.headers();
    if (authorization !== undefined) calls.push(authorization.slice("Bearer ".length));
  });
  return calls;
}

const post = (host: EmbedHost, message: object, target = sharedService.url) =>
  host.page.evaluate(([sent, to]) => document.querySelector("iframe")?.contentWindow?.postMessage(sent, to as string), [
    message,
    target,
  ] as const);

test("the embedded referral page accepts a token from a parent with an allowed origin, and replies only to that origin", async () => {
  const host = await open();
  await host.open("/frame");
  await expect.poll(() => typesIn(host)).toEqual(["tributary:ready"]);
  const token = await host.createToken();
  const others = [{ type: "tributary:token" }, { type: "tributary:token", token: 7 }, { type: "other", token }, {}];
  const calls = callsWith(host.context);
  for (const message of others) await post(host, message);
  await post(host, { type: "tributary:token", token });
  await host.frame.getByRole("button", { name: "Get your link" }).waitFor();
  expect(new Set(calls)).toEqual(new Set([token]));
  await expect.poll(() => typesIn(host)).toEqual(["tributary:ready", "tributary:resize"]);
  for (const { origin, data } of await host.messages()) {
    expect(origin).toBe(sharedService.url);
    if (data.type === "tributary:resize") expect(data.height).toBeGreaterThan(50);
  }
});

test("the embedded referral page ignores a token from a window that isn't its parent", async () => {
  const host = await open();
  const calls = callsWith(host.context);
  const token = await host.createToken();
  // Two senders with an allowed origin aren't the page's parent: a sibling frame, and the window that opened the page.
  host.pages.set(
    "/sibling",
    `<script>parent.frames[0].postMessage({ type: "tributary:token", token: "${token}" }, "*")</script>`,
  );
  host.pages.set("/both", `${host.pages.get("/frame")}<iframe title="Sibling" src="/blank"></iframe>`);
  host.pages.set("/blank", "");
  await host.open("/both");
  await expect.poll(() => typesIn(host)).toEqual(["tributary:ready"]);
  await host.page.evaluate("document.querySelectorAll('iframe')[1].src = '/sibling'");
  await host.page.waitForFunction(
    "frames[1].location.pathname === '/sibling' && frames[1].document.readyState === 'complete'",
  );
  const [popup] = await Promise.all([
    host.context.waitForEvent("page"),
    host.page.evaluate(`window.opened = open("${sharedService.url}/embed/${host.embedId}"), undefined`),
  ]);
  await popup.getByText("Open this page in the app.").waitFor();
  await host.page.evaluate(
    (sent) => Reflect.get(window, "opened").postMessage({ type: "tributary:token", token: sent }, "*"),
    token,
  );
  await popup.evaluate("new Promise((resolve) => setTimeout(resolve))");
  expect(calls).toEqual([]);
  expect(await typesIn(host)).toEqual(["tributary:ready"]);
});

/** Serves the embedded page without the header that restricts which origins can frame it. */
const withoutAncestors = async (route: Route) => {
  const response = await route.fetch();
  const headers = response.headers();
  const policy = headers["content-security-policy"]?.replace(/frame-ancestors [^;]*/, "") ?? "";
  await route.fulfill({ response, headers: { ...headers, "content-security-policy": policy } });
};

test("a web page of another origin can't frame the referral page, and its token is ignored even if the browser allows the frame", async () => {
  const host = await open({ expected: /frame-ancestors|Framing/ });
  await host.open("/frame", host.otherOrigin);
  await expect.poll(() => host.page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  expect(await host.messages()).toEqual([]);

  const calls = callsWith(host.context);
  await host.context.route("**/embed/*", withoutAncestors);
  await host.open("/frame", host.otherOrigin);
  await expect.poll(() => typesIn(host)).toEqual(["tributary:ready"]);
  await post(host, { type: "tributary:token", token: await host.createToken() });
  await host.page.evaluate("document.querySelector('iframe').width = 300");
  await host.page.evaluate("new Promise((resolve) => setTimeout(resolve, 50))");
  expect(calls).toEqual([]);
  expect(await typesIn(host)).toEqual(["tributary:ready"]);
});

test("a web view's token is removed from the URL before the page sends a request, and a later token replaces it", async () => {
  const host = await open();
  const { page, context } = host;
  await context.addInitScript(`
    window.seen = [];
    const send = window.fetch;
    window.fetch = (...args) => { seen.push(location.href + " " + history.length); return send(...args); };
    for (const name of ["MutationObserver", "ResizeObserver"]) {
      const Known = window[name];
      window[name] = class extends Known { constructor(...args) { super(...args); seen.push(location.href) } };
    }`);
  const first = await host.createToken();
  await page.goto(`${sharedService.url}/embed/${host.embedId}?accent=%23aa3300#token=${first}`);
  await page.getByRole("button", { name: "Get your link" }).waitFor();
  expect(page.url()).toBe(`${sharedService.url}/embed/${host.embedId}?accent=%23aa3300`);
  const seen = await page.evaluate<string[]>("seen");
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.filter((address) => address.includes("token"))).toEqual([]);

  await host.put({ origins: [host.origin], endTokens: true });
  await page.getByRole("button", { name: "Get your link" }).click();
  await page.getByText("Open this page in the app").first().waitFor();
  const calls = callsWith(context);
  const second = await host.createToken();
  await page.evaluate(`location.hash = "token=${second}"`);
  await page.getByRole("button", { name: "Get your link" }).click();
  await page.getByRole("textbox", { name: "Your link" }).waitFor();
  expect(new Set(calls)).toEqual(new Set([second]));
  expect(page.url()).not.toContain("#");
});

test("the referral page opened by another site removes a token from its URL, and ignores the token", async () => {
  const host = await open();
  host.pages.set("/other", "<!doctype html><title>Another site</title>");
  await host.open("/other", host.otherOrigin);
  const calls = callsWith(host.context);
  const address = `${sharedService.url}/embed/${host.embedId}`;
  const token = await host.createToken({ external_id: "another-person", name: "Another person" });
  const [opened] = await Promise.all([
    host.context.waitForEvent("page"),
    host.page.evaluate(`window.opened = open("${address}#token=${token}"), undefined`),
  ]);
  await opened.getByText("Open this page in the app.").waitFor();
  expect(opened.url()).toBe(address);
  await host.page.evaluate(`opened.location = "${address}#token=${token}", undefined`);
  await expect.poll(() => opened.url()).toBe(address);
  await opened.getByText("Open this page in the app.").waitFor();
  await opened.reload();
  await opened.getByText("Open this page in the app.").waitFor();
  expect(calls).toEqual([]);
});

test("the embedded referral page works in a browser that blocks cookies and storage, because it uses neither", async () => {
  const host = await open();
  await host.context.addInitScript(`
    if (location.origin === ${JSON.stringify(sharedService.url)}) {
      const blocked = { get() { throw new DOMException("The request was denied.", "SecurityError") } };
      for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore"]) {
        Object.defineProperty(window, name, blocked);
      }
      Object.defineProperty(Document.prototype, "cookie", blocked);
    }`);
  await host.open();
  await host.frame.getByRole("button", { name: "Get your link" }).click();
  await host.frame.getByRole("textbox", { name: "Your link" }).waitFor();
  expect(await host.context.cookies(sharedService.url)).toEqual([]);
});
