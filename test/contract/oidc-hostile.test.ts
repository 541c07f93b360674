import { serializeSigned } from "hono/utils/cookie";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { testSecrets } from "../../harness/service.ts";
import { keepCookies, signUp } from "../../harness/session.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { type Faults, navigate, oidcFixture, startProvider } from "../support/oidc-provider.ts";

const provider = await startProvider();
const own = isolatedService({ vars: { ...provider.vars } });
beforeAll(() => provider.serve(own.service.url));
afterEach(() => provider.heal());
afterAll(() => provider.stop());

const { newPerson, newBrowser, signIn, toCallback, userOf, link } = oidcFixture(provider, () => own.service.url);

const failed = { status: 403, code: "oidc_failed", location: null };
const now = () => Math.floor(Date.now() / 1_000);
type Claims = Record<string, unknown>;

/** Signs in at a provider whose ID token has these claims. */
async function outcomeWith(claims: (claims: Claims) => Claims, signature?: Faults["signature"]) {
  const session = newBrowser();
  const url = await toCallback(session, newPerson());
  provider.fail({ claims, ...(signature && { signature }) });
  const got = await navigate(session, url);
  provider.heal();
  return { ...got, user: await userOf(session) };
}

describe("an ID token is refused", () => {
  test.each<[string, (claims: Claims) => Claims]>([
    ["with another nonce", (claims) => ({ ...claims, nonce: "of another sign-in" })],
    ["without a nonce", ({ nonce: _, ...claims }) => claims],
    ["for another client", (claims) => ({ ...claims, aud: "another client" })],
    [
      "for two clients, of which another was authorized",
      (claims) => ({ ...claims, aud: ["tributary", "x"], azp: "x" }),
    ],
    ["of another issuer", (claims) => ({ ...claims, iss: "http://127.0.0.1:1" })],
    ["without a subject", ({ sub: _, ...claims }) => claims],
    ["with a subject of 10 kB", (claims) => ({ ...claims, sub: "x".repeat(10_000) })],
    ["with a missing subject as a text", (claims) => ({ ...claims, sub: "null" })],
    ["that expired two minutes ago", (claims) => ({ ...claims, exp: now() - 120 })],
    ["that isn't valid yet", (claims) => ({ ...claims, nbf: now() + 600 })],
    ["without an end", ({ exp: _, ...claims }) => claims],
  ])("an ID token is refused: %s", async (_, claims) => {
    expect(await outcomeWith(claims)).toMatchObject({ ...failed, user: null });
  });

  test("an ID token is refused if it has no signature, or one with another key or with the client's secret", async () => {
    for (const signature of ["none", "other", "secret"] as const)
      expect(await outcomeWith((claims) => claims, signature)).toMatchObject({ ...failed, user: null });
  });
});

test("an ID token is accepted if the provider's clock is half a minute wrong", async () => {
  for (const claims of [{ exp: now() - 30 }, { nbf: now() + 30 }]) {
    const { status, user } = await outcomeWith((given) => ({ ...given, ...claims }));
    expect([status, user === null]).toEqual([302, false]);
  }
});

test("user information of another person is refused at a sign-in", async () => {
  const session = newBrowser();
  const person = newPerson();
  const url = await toCallback(session, person);
  provider.fail({ claims: ({ email: _, ...claims }) => ({ ...claims, sub: newPerson().sub }) });
  expect(await navigate(session, url)).toMatchObject(failed);
});

/** A service that hasn't read the provider's metadata yet. */
const fresh = isolatedService({ vars: { ...provider.vars } });

test("the provider's metadata is refused if it names another issuer, and is requested once for concurrent sign-ins", async () => {
  provider.fail({ metadata: (metadata) => ({ ...metadata, issuer: "http://127.0.0.1:1" }) });
  const { newBrowser } = oidcFixture(provider, () => fresh.service.url);
  const asked = () => provider.calls.filter((path) => path.includes("openid-configuration")).length;
  const before = asked();
  const begun = Array.from({ length: 10 }, () => navigate(newBrowser(), "/api/auth/oidc"));
  for (const { status, code } of await Promise.all(begun)) expect([status, code]).toEqual([403, "oidc_failed"]);
  expect(asked() - before).toBe(1);
});

describe("faults of the provider", () => {
  test.each([500, 503, 429])("while the provider answers %s, sign-in returns 503, and works later", async (status) => {
    const session = newBrowser();
    const person = newPerson();
    const url = await toCallback(session, person);
    provider.fail({ status: { path: "/token", status } });
    const got = await navigate(session, url);
    expect(got).toMatchObject({ status: 503, code: "oidc_unavailable" });
    expect(got.headers.get("retry-after")).toBe("5");
    provider.heal();
    expect(await signIn(session, person)).toMatchObject({ status: 302 });
  });

  test("while the provider is down, sign-ins at the provider return 503, and sign-ins with a password work", async () => {
    const user = await signUp(own.service.url);
    const session = newBrowser();
    const url = await toCallback(session, newPerson());
    await provider.stop();
    try {
      expect(await navigate(session, url)).toMatchObject({ status: 503, code: "oidc_unavailable" });
      const other = newBrowser();
      const { email, password } = user;
      expect((await other.post("/api/auth/sign-in/email", { email, password })).status).toBe(200);
    } finally {
      await provider.restart();
    }
  });

  test("if the provider redirects the token request to another page, the sign-in fails", async () => {
    const session = newBrowser();
    const url = await toCallback(session, newPerson());
    provider.fail({ status: { path: "/token", status: 302 } });
    expect(await navigate(session, url)).toMatchObject(failed);
  });

  test("if the provider reports that the person declined, the sign-in fails", async () => {
    const session = newBrowser();
    const { location } = await navigate(session, "/api/auth/oidc");
    const state = new URL(location ?? "").searchParams.get("state") ?? "";
    const query = new URLSearchParams({ state, error: "access_denied", iss: provider.issuer });
    expect(await navigate(session, `/api/auth/oidc/callback?${query}`)).toMatchObject(failed);
  });
});

describe("a callback from the provider", () => {
  test("a callback from the provider is accepted only once", async () => {
    const session = newBrowser();
    const person = newPerson();
    const url = await toCallback(session, person);
    const cookies = new Map(session.cookies);
    expect(await navigate(session, url)).toMatchObject({ status: 302 });
    expect(await navigate(session, url)).toMatchObject(failed);
    // The provider accepts the code only once, also from the browser that kept its cookie.
    const copy = newBrowser();
    for (const [name, value] of cookies) copy.cookies.set(name, value);
    expect(await navigate(copy, url)).toMatchObject(failed);
    expect(await userOf(copy)).toBe(null);
  });

  test("a callback from the provider is refused in another browser, so that a victim isn't signed in to an attacker's account", async () => {
    const attacker = newBrowser();
    const url = await toCallback(attacker, newPerson());
    const victim = newBrowser();
    expect(await navigate(victim, url)).toMatchObject(failed);
    // It doesn't work either if the victim has begun a sign-in too.
    await navigate(victim, "/api/auth/oidc");
    expect(await navigate(victim, url)).toMatchObject(failed);
    expect(await userOf(victim)).toBe(null);
  });

  test("a callback from the provider is refused with the code of another sign-in of the same browser", async () => {
    const session = newBrowser();
    const [first, second] = [
      new URL(await toCallback(session, newPerson())),
      new URL(await toCallback(session, newPerson())),
    ];
    second.searchParams.set("code", first.searchParams.get("code") ?? "");
    expect(await navigate(session, second.href)).toMatchObject(failed);
  });

  test("a callback from the provider is refused with the issuer of another provider", async () => {
    const session = newBrowser();
    const url = new URL(await toCallback(session, newPerson()));
    url.searchParams.set("iss", "https://evil.example");
    expect(await navigate(session, url.href)).toMatchObject(failed);
  });

  test.each(["", "?state=", "?code=1", "?state=unknown&code=1", "?state[]=1&code=1"])(
    "a callback from the provider is refused with the query %j",
    async (query) => {
      expect(await navigate(newBrowser(), `/api/auth/oidc/callback${query}`)).toMatchObject(failed);
    },
  );

  test("a callback from the provider is refused with a cookie that was changed, or more than ten minutes after the sign-in began", async () => {
    const session = newBrowser();
    const url = await toCallback(session, newPerson());
    const [[name, value] = ["", ""]] = session.cookies;
    const [text = ""] = decodeURIComponent(value).split(".");
    const begun = JSON.parse(Buffer.from(text, "base64url").toString());
    const begunAgo = (ms: number) => Buffer.from(JSON.stringify({ ...begun, at: begun.at - ms })).toString("base64url");
    const sign = async (changed: string) => [await serializeSigned(name, changed, testSecrets.AUTH_SECRET)];
    session.cookies.set(name, value.replace(text, begunAgo(1_000)));
    expect(await navigate(session, url)).toMatchObject(failed);
    keepCookies(session.cookies, await sign(begunAgo(601_000)));
    expect(await navigate(session, url)).toMatchObject(failed);
    keepCookies(session.cookies, await sign(begunAgo(1_000)));
    expect(await navigate(session, url)).toMatchObject({ status: 302 });
  });

  test("callbacks from the provider are accepted in two tabs, in any order", async () => {
    const session = newBrowser();
    const person = newPerson();
    const first = await toCallback(session, person, "/api/auth/oidc?returnTo=/app/a");
    const second = await toCallback(session, person, "/api/auth/oidc?returnTo=/app/b");
    expect(await navigate(session, second)).toMatchObject({ location: "/app/b" });
    expect(await navigate(session, first)).toMatchObject({ location: "/app/a" });
  });
});

test("images and frames on another site don't use up an IP address's limit of sign-ins, while a link on that site can begin a sign-in", async () => {
  const session = newBrowser();
  const site = { "sec-fetch-site": "cross-site" };
  for (const path of ["", "/callback?state=a&code=b"]) {
    for (const dest of ["image", "iframe", "empty"]) {
      const got = await navigate(session, `/api/auth/oidc${path}`, { ...site, "sec-fetch-dest": dest });
      expect([got.status, got.code, got.headers.get("x-ratelimit-limit")]).toEqual([403, "cross_site", null]);
    }
  }
  const linked = await navigate(session, "/api/auth/oidc", { ...site, "sec-fetch-dest": "document" });
  expect([linked.status, linked.headers.get("x-ratelimit-limit")]).toEqual([302, "10"]);
});

test("a signed cookie that contains the value of another cookie is ignored", async () => {
  const session = newBrowser();
  await signIn(session, newPerson());
  const [name = "", value = ""] = [...session.cookies].find(([each]) => each.includes("session_token")) ?? [];
  session.cookies.set(name.replace("session_token", "oidc_0123456789abcdef"), value);
  expect(await signIn(session, newPerson())).toMatchObject({ status: 302, location: "/app/" });
});

test("a browser keeps the cookies of only the four sign-ins that it started last", async () => {
  const session = newBrowser();
  for (let i = 0; i < 9; i += 1) await navigate(session, "/api/auth/oidc");
  expect(session.cookies.size).toBe(4);
  expect(await signIn(session, newPerson())).toMatchObject({ status: 302 });
});

test.each([
  ["https://evil.example/app/"],
  ["//evil.example/app/"],
  ["/\\evil.example/app/"],
  ["/app/../../evil"],
  ["\\/evil.example/app/"],
  ["javascript:alert(1)"],
  ["/api/auth/sign-out"],
  ["/app/\r\nSet-Cookie: a=b"],
  ["app/"],
  [""],
])("a sign-in never leads to %j", async (path) => {
  const query = new URLSearchParams({ returnTo: path });
  const { location } = await signIn(newBrowser(), newPerson(), `/api/auth/oidc?${query}`);
  expect(location).toBe("/app/");
});

test("the address to which the provider sends the browser back is the service's, whatever the request's headers say", async () => {
  const headers = {
    Origin: "https://evil.example",
    Referer: "https://evil.example/",
  };
  const { location } = await navigate(newBrowser(), "/api/auth/oidc", headers);
  const { searchParams } = new URL(location ?? "");
  expect(searchParams.get("redirect_uri")).toBe(`${own.service.url}/api/auth/oidc/callback`);
  expect(searchParams.get("code_challenge_method")).toBe("S256");
});

test("the cookie of a sign-in is signed, for this host alone and hidden from scripts", async () => {
  const { headers } = await navigate(newBrowser(), "/api/auth/oidc");
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^tributary\.oidc_[0-9a-f]{16}=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
  ]);
});

test("a refused sign-in returns a page to browsers, and JSON to other clients", async () => {
  const page = await navigate(newBrowser(), "/api/auth/oidc/callback");
  expect(page.headers.get("content-type")).toMatch("text/html");
  expect(page.headers.get("content-security-policy")).toMatch("frame-ancestors 'none'");
  const { status, body } = await newBrowser().get("/api/auth/oidc/callback");
  expect([status, body]).toMatchObject([403, { error: { details: { code: "oidc_failed" } } }]);
});

describe("linking an account to an identity", () => {
  test("another site can't begin the linking of an account to an identity", async () => {
    const user = await signUp(own.service.url);
    for (const path of ["/api/auth/oidc/link", "/api/auth/oidc/confirm", "/api/auth/oidc"]) {
      const { status } = await user.post(path, {}, { headers: { origin: "https://evil.example" } });
      expect([path, status]).toEqual([path, 403]);
    }
  });

  test("linking an account to an identity ends only in the session that began it", async () => {
    const user = await signUp(own.service.url);
    const person = newPerson();
    const { body } = await user.post<{ data: { url: string } }>("/api/auth/oidc/link", {});
    const url = await provider.signIn(body.data.url, person.sub);
    const other = await signUp(own.service.url);
    for (const [name, value] of user.cookies) if (name.includes("oidc")) other.cookies.set(name, value);
    expect(await navigate(other, url)).toMatchObject({ status: 401, code: "no_session" });
    const session = newBrowser();
    await signIn(session, person);
    expect([user.userId, other.userId]).not.toContain((await userOf(session))?.user.id);
  });

  test("a signed-in person who signs in at the provider as someone else doesn't link that identity to the current account", async () => {
    const user = await signUp(own.service.url);
    await signIn(user, newPerson());
    expect((await userOf(user))?.user.id).not.toBe(user.userId);
    expect(await link(user, newPerson())).toMatchObject({ status: 409, code: "already_linked" });
  });
});

test("the log has the reason for a refused sign-in, and no secret or token", async () => {
  own.service.clearLogs();
  await outcomeWith((claims) => ({ ...claims, nonce: "of another sign-in" }));
  await expect.poll(() => own.service.logs.join("\n")).toContain('unexpected ID Token \\"nonce\\" claim value');
  const text = own.service.logs.join("\n");
  for (const secret of [provider.vars.OIDC_CLIENT_SECRET, "of another sign-in", "eyJ", "code="])
    expect(text).not.toContain(secret);
});
