import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Reply } from "../../harness/client.ts";
import { createSession, type Session, signUp } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { sharedService } from "../support/shared-service.ts";

const { url, databaseUrl } = sharedService;

const cookieName = "tributary.session_token";
const signIn = (session: Session, email: string, password: string, ip?: string) =>
  session.post("/api/auth/sign-in/email", { email, password }, { ip });
const whoIs = async (session: Session) => (await session.get("/api/auth/get-session")).body;
const refusalOf = ({ status, body: { error } }: Reply<unknown>) => ({
  status,
  name: error.name,
  message: error.message,
});

describe("signing up", () => {
  test("signing up also signs in", async () => {
    const user = await signUp(url, { name: "Grace" });
    expect(await whoIs(user)).toMatchObject({
      user: { id: user.userId, name: "Grace", email: user.email, emailVerified: false },
      session: { userId: user.userId },
    });
  });

  test("signing up accepts an email address once, ignoring case", async () => {
    const user = await signUp(url);
    const again = { name: "Another", email: user.email.toUpperCase(), password: "another password" };
    expect(refusalOf(await createSession(url).post("/api/auth/sign-up/email", again))).toEqual({
      status: 409,
      name: "ConflictError",
      message: "An account with this email already exists. Sign in.",
    });
    expect((await signIn(createSession(url), user.email.toUpperCase(), user.password)).status).toBe(200);
  });

  test("only one of several parallel sign-ups with one email address succeeds", async () => {
    const account = { name: "Twin", email: `${randomUUID()}@people.example`, password: "twin password" };
    const replies = await Promise.all([1, 2, 3].map(() => createSession(url).post("/api/auth/sign-up/email", account)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await signIn(createSession(url), account.email, account.password)).status).toBe(200);
  });

  test("the sign-up mode reports that signing up is open", async () => {
    const { status, body } = await createSession(url).get("/api/auth/sign-up");
    expect([status, body]).toEqual([200, { signUp: "open", sendsMail: false, provider: null }]);
  });

  test.each([
    [{}, ["name", "email", "password"]],
    [{ name: " ", email: "nobody", password: "nine char" }, ["name", "email", "password"]],
    [{ name: "x", email: "a@b.example", password: " ".repeat(10) }, ["password"]],
    [{ name: "x".repeat(256), email: "a@b.example", password: "x".repeat(129) }, ["name", "password"]],
    [{ name: 1, email: 2, password: 3, invitation: 4 }, ["name", "email", "password", "invitation"]],
  ])("signing up refuses the body %j", async (body, fields) => {
    const reply = await createSession(url).post("/api/auth/sign-up/email", body);
    expect(reply.status).toBe(400);
    expect(reply.body.error.details.errors?.map(({ path }) => path[0])).toEqual(fields);
    expect(reply.body.error.message).toBe(reply.body.error.details.errors?.[0]?.message);
  });

  test("signing up accepts passwords of 10 and of 128 characters", async () => {
    for (const password of ["ten chars!", "x".repeat(128)]) {
      const account = { name: "Edge", email: `${randomUUID()}@people.example`, password };
      expect((await createSession(url).post("/api/auth/sign-up/email", account)).status).toBe(200);
      expect((await signIn(createSession(url), account.email, password)).status).toBe(200);
    }
  });

  test.each([
    ["a common password", "1q2w3e4r5t", "password is one of the most common passwords. Choose another one."],
    ["a long common password", "contortionist", "password is one of the most common passwords. Choose another one."],
    [
      "a common password in capitals",
      "QWERTYUIOP",
      "password is one of the most common passwords. Choose another one.",
    ],
    ["the name", " grace HOPPER", "password must not be your e-mail address or your name"],
    ["the address", "Grace-Weak@People.Example", "password must not be your e-mail address or your name"],
  ])("signing up refuses %s as the password", async (_what, password, message) => {
    const account = { name: "Grace Hopper", email: "grace-weak@people.example", password };
    const { status, body } = await createSession(url).post("/api/auth/sign-up/email", account);
    expect([status, body.error.message, body.error.details.errors?.[0]?.path]).toEqual([400, message, ["password"]]);
  });
});

describe("signing in", () => {
  test("signing in creates a new session", async () => {
    const user = await signUp(url);
    const elsewhere = createSession(url);
    expect(await whoIs(elsewhere)).toBeNull();
    expect((await signIn(elsewhere, user.email, user.password)).status).toBe(200);
    expect(await whoIs(elsewhere)).toMatchObject({ user: { id: user.userId } });
  });

  test("signing in returns the same response for a wrong password and an unknown address", async () => {
    const user = await signUp(url);
    const wrong = await signIn(createSession(url), user.email, "not the password");
    const unknown = await signIn(createSession(url), `${randomUUID()}@people.example`, "not the password");
    expect(refusalOf(wrong)).toEqual({ status: 401, name: "UnauthorizedError", message: "Invalid email or password" });
    expect(unknown.text).toBe(wrong.text);
    const told = ({ headers }: Reply<unknown>) => [...headers.keys()].toSorted();
    expect(told(unknown)).toEqual(told(wrong));
    expect([wrong, unknown].flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
  });

  test("signing in sets a cookie that is HttpOnly and SameSite", async () => {
    const user = await signUp(url);
    const { headers } = await signIn(createSession(url), user.email, user.password);
    const [cookie = "", device = "", ...others] = headers.getSetCookie();
    expect(others).toEqual([]);
    const [pair, ...attributes] = cookie.split("; ");
    expect(pair).toMatch(/^tributary\.session_token=/);
    // Without `Secure`, since there is no TLS on loopback.
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=604800", "Path=/", "SameSite=Lax"]);
    expect(device).toMatch(/^tributary\.device_[0-9a-f]{16}=/);
    expect(device.split("; ").slice(1).toSorted()).toEqual(["HttpOnly", "Max-Age=34560000", "Path=/", "SameSite=Lax"]);
  });

  test("an altered session cookie is refused", async () => {
    const user = await signUp(url);
    const [token = "", signature = ""] = decodeURIComponent(user.cookies.get(cookieName) ?? "").split(".");
    const other = await signUp(url);
    const [otherToken = ""] = decodeURIComponent(other.cookies.get(cookieName) ?? "").split(".");
    for (const forged of [
      token,
      `${otherToken}.${signature}`,
      `${token}.${signature.replace(/^./, "_")}`,
      `x.${signature}`,
    ]) {
      user.cookies.set(cookieName, encodeURIComponent(forged));
      expect(await whoIs(user)).toBeNull();
    }
  });
});

test.each([
  [{ "sec-fetch-site": "same-origin" }, 200],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }, 403],
  [{}, 403],
])("a write request with the origin headers %j returns %i", async (headers, status) => {
  const { email, password, ip } = await signUp(url);
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": ip, ...headers },
    body: JSON.stringify({ email, password }),
  });
  expect(answer.status).toBe(status);
});

describe("signing out", () => {
  test("signing out ends the session immediately, even for a copy of its cookie", async () => {
    const user = await signUp(url);
    const kept = createSession(url);
    for (const [name, value] of user.cookies) kept.cookies.set(name, value);
    expect(await whoIs(kept)).toMatchObject({ user: { id: user.userId } });

    const { status, body } = await user.post("/api/auth/sign-out");
    expect([status, body]).toEqual([200, { success: true }]);
    expect(user.cookies.has(cookieName)).toBe(false);
    expect(await whoIs(kept)).toBeNull();
  });

  test("signing out doesn't end other sessions of the same user", async () => {
    const user = await signUp(url);
    const elsewhere = createSession(url);
    await signIn(elsewhere, user.email, user.password);
    await user.post("/api/auth/sign-out");
    expect(await whoIs(elsewhere)).toMatchObject({ user: { id: user.userId } });
  });

  test("signing out succeeds without a session", async () => {
    expect((await createSession(url).post("/api/auth/sign-out")).status).toBe(200);
  });
});

describe("a write request", () => {
  const account = () => ({ name: "N", email: `${randomUUID()}@people.example`, password: "long enough" });
  const foreign = {
    status: 403,
    name: "ForbiddenError",
    message: "Write requests need Content-Type: application/json and this service's Origin",
  };

  test.each([
    ["from another site", { origin: "https://evil.example" }],
    ["from an opaque origin", { origin: "null" }],
    ["without an origin", { origin: undefined }],
    ["from another port", { origin: "http://127.0.0.1:1" }],
    ["from an origin with the same prefix", { origin: `${url}.evil.example` }],
    ["as a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["as plain text", { "content-type": "text/plain" }],
    ["without a content type", { "content-type": undefined }],
  ])("a write request %s is refused", async (_, headers) => {
    for (const path of ["sign-up/email", "sign-in/email", "sign-out"]) {
      const reply = await createSession(url).post(`/api/auth/${path}`, account(), { headers });
      expect(refusalOf(reply)).toEqual(foreign);
    }
  });

  test.each([
    ["malformed JSON", "{", 400],
    ["no object", "[]", 400],
    ["an unpaired surrogate", '{"email":"\\ud800"}', 400],
  ])("a write request with %s is refused", async (_, body, status) => {
    const reply = await createSession(url).post("/api/auth/sign-in/email", body);
    expect(refusalOf(reply).status).toBe(status);
    expect(reply.body).toMatchObject({ data: null });
  });
});

describe("endpoints that don't exist", () => {
  test.each([
    ["GET", "ok"],
    ["GET", "error"],
    ["POST", "change-email"],
    ["POST", "delete-user"],
    ["POST", "request-password-reset"],
    ["POST", "sign-in/social"],
    ["GET", "callback/google"],
    ["POST", "get-session/"],
    ["POST", "revoke-sessions"],
  ])("the auth endpoints don't include %s %s, which returns 404", async (method, path) => {
    const user = await signUp(url);
    const reply = await (method === "GET" ? user.get : user.post)(
      `/api/auth/${path}`,
      ...(method === "GET" ? [{ checked: false }] : [{}, { checked: false }]),
    );
    expect(refusalOf(reply)).toEqual({ status: 404, name: "NotFoundError", message: "Not found" });
  });

  test("known auth paths called with another method return 405 with Allow", async () => {
    const reply = await createSession(url).post("/api/auth/get-session", {}, { checked: false });
    expect(refusalOf(reply).status).toBe(405);
    expect(reply.headers.get("Allow")).toBe("GET, HEAD");
  });
});

test("a program's key isn't accepted as a session, and a session isn't accepted as a program's key", async () => {
  const user = await signUp(url);
  const world = await createWorld(databaseUrl, { members: [{ user, role: "owner" }] });
  expect((await createSession(url).get("/api/auth/get-session", { key: world.key })).body).toBeNull();
  const reply = await user.get("/api/v1/programs/me/readiness");
  expect(reply.status).toBe(401);
});

test("sessions and rate limits store no IP address, user agent or email address", async () => {
  const user = await signUp(url);
  await signIn(user, user.email, "not the password");
  const world = await createWorld(databaseUrl);
  const sessions = await world.rows("select ip_address, user_agent from sessions where user_id = ?", user.userId);
  expect(sessions).toEqual([{ ip_address: null, user_agent: null }]);
  const limits = JSON.stringify(await world.rows("select * from rate_limits"));
  for (const raw of [user.ip, user.email, user.email.split("@")[0] ?? ""]) expect(limits).not.toContain(raw);
  const [account] = await world.rows("select password from accounts where user_id = ?", user.userId);
  expect(String(account?.password)).not.toContain(user.password);
});
