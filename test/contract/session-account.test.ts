import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { hashLinkToken } from "#domain/link-token.ts";
import { openReset } from "#store/accounts/passwords.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createSession, type Session, signUp, type User } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { tributary } from "../support/tributary.ts";

const { url, databaseUrl } = sharedService;
const day = 24 * 3_600_000;

interface OwnSession {
  readonly id: string;
  readonly current: boolean;
  readonly device: string | null;
  readonly place: string | null;
  readonly createdAt: string;
  readonly lastUsedOn: string;
}

const isSignedIn = async (session: Session) => (await session.get("/api/auth/get-session")).text !== "null";
const signIn = (session: Session, email: string, password: string, headers = {}) =>
  session.post("/api/auth/sign-in/email", { email, password }, { headers });
const sessionsOf = async (user: Session) =>
  (await user.get<{ data: OwnSession[] }>("/api/auth/list-sessions")).body.data;

/** Signs in from another browser. */
async function elsewhere(user: User, headers = {}): Promise<Session> {
  const session = createSession(url);
  expect((await signIn(session, user.email, user.password, headers)).status).toBe(200);
  return session;
}

const world = () => createWorld(databaseUrl);
const tokenOf = (session: Session) =>
  decodeURIComponent(session.cookies.get("tributary.session_token") ?? "").split(".")[0] ?? "";

const change = (user: Session, currentPassword: string, newPassword: string) =>
  user.post("/api/auth/change-password", { currentPassword, newPassword });

/** Returns true if the browser has the separate limit of browsers that have signed in to the account before. */
const isKnown = async (browser: Session, { email }: User) =>
  (await signIn(browser, email, "a guess")).headers.get("RateLimit-Policy") === '"device-sign-in";q=10;w=60';

describe("changing the password", () => {
  test("changing the password ends every other session, and keeps the current one", async () => {
    const user = await sharedUser();
    const other = await elsewhere(user);
    const stranger = await sharedUser();
    const { status, body } = await change(user, user.password, "a better password");
    expect([status, body]).toEqual([200, { success: true }]);
    expect([await isSignedIn(user), await isSignedIn(other), await isSignedIn(stranger)]).toEqual([true, false, true]);
    expect((await signIn(createSession(url), user.email, user.password)).status).toBe(401);
    expect((await signIn(createSession(url), user.email, "a better password")).status).toBe(200);
  });

  test("changing the password makes the account's other browsers count as new ones, until they sign in with the new password", async () => {
    const user = await signUp(url);
    const other = await elsewhere(user);
    expect([await isKnown(user, user), await isKnown(other, user)]).toEqual([true, true]);
    expect((await change(user, user.password, "a better password")).status).toBe(200);
    expect([await isKnown(user, user), await isKnown(other, user)]).toEqual([true, false]);
    expect((await signIn(other, user.email, "a better password")).status).toBe(200);
    expect(await isKnown(other, user)).toBe(true);
  });

  test.each([
    ["not the password", "a better password", "currentPassword", "currentPassword is incorrect"],
    [undefined, "short one", "newPassword", "newPassword must be a string of 10 to 128 characters"],
    [undefined, "1q2w3e4r5t", "newPassword", "newPassword is one of the most common passwords. Choose another one."],
    [undefined, "Ada Lovelace", "newPassword", "newPassword must not be your e-mail address or your name"],
  ])("changing the password from %j to %j is refused, and changes nothing", async (current, wanted, field, message) => {
    const user = await sharedUser();
    const other = await elsewhere(user);
    const { status, body } = await change(user, current ?? user.password, wanted);
    expect([status, body.error.details.errors?.[0]?.path, body.error.message]).toEqual([400, [field], message]);
    expect(await isSignedIn(other)).toBe(true);
    expect((await signIn(createSession(url), user.email, user.password)).status).toBe(200);
  });

  test("only one of several parallel changes of the password succeeds", async () => {
    const user = await sharedUser();
    const wanted = Array.from({ length: 5 }, () => randomUUID());
    const replies = await Promise.all(wanted.map((password) => change(user, user.password, password)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
    const made = wanted[replies.findIndex(({ status }) => status === 200)] ?? "";
    expect((await signIn(createSession(url), user.email, made)).status).toBe(200);
  });

  test("changing the password requires a session", async () => {
    const { status } = await change(createSession(url), "a guess", "a better password");
    expect(status).toBe(401);
  });
});

describe("a user's own sessions", () => {
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

  test("a user's own sessions are listed without a token, an IP address or a user agent", async () => {
    const user = await sharedUser();
    const other = await elsewhere(user, { "user-agent": firefox });
    await sharedUser();
    const today = new Date().toISOString().slice(0, 10);
    const { text, body } = await user.get<{ data: OwnSession[] }>("/api/auth/list-sessions");
    expect(body.data).toHaveLength(2);
    expect(body.data.filter(({ current }) => current)).toHaveLength(1);
    expect(body.data.find(({ current }) => !current)).toMatchObject({ device: "Firefox on Linux", lastUsedOn: today });
    expect(Object.keys(body.data[0] ?? {}).toSorted()).toEqual(
      ["createdAt", "current", "device", "id", "lastUsedOn", "place"].toSorted(),
    );
    for (const secret of [tokenOf(user), tokenOf(other), user.ip, other.ip, firefox])
      expect(text).not.toContain(secret);
    const rows = await (await world()).rows("select * from sessions where user_id = ?", user.userId);
    expect(JSON.stringify(rows)).not.toContain("Mozilla/5.0");
    for (const token of [tokenOf(user), tokenOf(other)]) expect(JSON.stringify(rows)).not.toContain(token);
  });

  test("a user's own sessions can be ended by id, even repeatedly", async () => {
    const user = await sharedUser();
    const other = await elsewhere(user);
    const { id = "" } = (await sessionsOf(user)).find(({ current }) => !current) ?? {};
    for (const _time of [1, 2]) {
      const { status, body } = await user.post("/api/auth/revoke-session", { id });
      expect([status, body]).toEqual([200, { success: true }]);
    }
    expect([await isSignedIn(user), await isSignedIn(other)]).toEqual([true, false]);
  });

  test("a session can be ended only by its own user", async () => {
    const [user, stranger] = [await sharedUser(), await sharedUser()];
    const [theirs] = await sessionsOf(stranger);
    await user.post("/api/auth/revoke-session", { id: theirs?.id ?? "" });
    await user.post("/api/auth/revoke-session", { id: tokenOf(stranger) });
    await user.post("/api/auth/revoke-other-sessions");
    expect(await isSignedIn(stranger)).toBe(true);
  });

  test("a user's own sessions can all be ended except the current one", async () => {
    const user = await sharedUser();
    const others = [await elsewhere(user), await elsewhere(user)];
    expect((await user.post("/api/auth/revoke-other-sessions")).body).toEqual({ success: true });
    expect(await Promise.all(others.map(isSignedIn))).toEqual([false, false]);
    expect(await sessionsOf(user)).toMatchObject([{ current: true }]);
  });
});

describe("a session", () => {
  const age = async (user: User, changes: Readonly<Record<string, number>>) => {
    const set = Object.keys(changes).map((column) => `${column} = ?`);
    const args = [...Object.values(changes), user.userId];
    await (await world()).write({ sql: `update sessions set ${set} where user_id = ?`, args });
  };
  const rowOf = async (user: User) =>
    (await (await world()).rows("select updated_at, expires_at from sessions where user_id = ?", user.userId))[0];

  test("using a session sets its end to a week later, with at most one database write a day", async () => {
    const user = await sharedUser();
    const before = await rowOf(user);
    const { headers } = await user.get("/api/auth/get-session");
    expect([headers.getSetCookie(), await rowOf(user)]).toEqual([[], before]);

    await age(user, { updated_at: Date.now() - day - 1_000 });
    const renewed = await user.get<{ session: { expiresAt: string } }>("/api/auth/get-session");
    const left = Date.parse(renewed.body.session.expiresAt) - Date.now();
    expect([left > 6.9 * day, left <= 7 * day]).toEqual([true, true]);
    expect(renewed.headers.getSetCookie()[0]).toMatch(/^tributary\.session_token=.*Max-Age=604800/);
    expect(await isSignedIn(user)).toBe(true);
  });

  test("a session ends 30 days after it began, even if used", async () => {
    const user = await sharedUser();
    await age(user, { created_at: Date.now() - 29 * day, updated_at: Date.now() - 2 * day });
    const { body } = await user.get<{ session: { expiresAt: string } }>("/api/auth/get-session");
    expect(Date.parse(body.session.expiresAt) - Date.now()).toBeLessThanOrEqual(day);

    // A session as an earlier version without this limit stored it.
    await age(user, {
      created_at: Date.now() - 31 * day,
      updated_at: Date.now() - 2 * day,
      expires_at: Date.now() + day,
    });
    expect(await isSignedIn(user)).toBe(false);
    expect((await user.get("/api/workspaces")).status).toBe(401);
  });

  test("a session ends after a week without use", async () => {
    const user = await sharedUser();
    await age(user, { expires_at: Date.now() - 1 });
    expect(await isSignedIn(user)).toBe(false);
    expect((await user.get("/api/auth/list-sessions")).status).toBe(401);
  });
});

describe("npm run tributary -- reset-password", () => {
  const run = (...args: string[]) =>
    tributary(["reset-password", ...args], { DATABASE_URL: databaseUrl, BASE_URL: url });
  const linkOf = async (user: User) => (await run(user.email.toUpperCase())).stdout.split("\n")[0] ?? "";
  /** Creates a reset link without running the command. Returns its token. */
  const openedFor = async ({ email }: User) => {
    const token = randomUUID();
    const opened = { tokenHash: hashLinkToken(token), at: Date.now(), validMs: 3_600_000 };
    await openReset(databaseAt(databaseUrl), email, opened);
    return token;
  };
  const tokenIn = (link: string) => new URLSearchParams(new URL(link).hash.split("?")[1]).get("token") ?? "";
  const reset = (token: string, newPassword: string) =>
    createSession(url).post("/api/auth/reset-password", { token, newPassword });

  test("npm run tributary -- reset-password prints a link that sets a password once and ends all sessions", async () => {
    const user = await sharedUser();
    const link = await linkOf(user);
    expect(link.startsWith(`${url}/app/#/reset-password?token=`)).toBe(true);
    const browser = createSession(url);
    const body = { token: tokenIn(link), newPassword: "a new password" };
    expect((await browser.post("/api/auth/reset-password", body)).body).toEqual({ success: true });
    expect(await isSignedIn(user)).toBe(false);
    expect([await isKnown(browser, user), await isKnown(user, user)]).toEqual([true, false]);
    expect((await signIn(browser, user.email, "a new password")).status).toBe(200);

    const again = await reset(body.token, "another password");
    expect([again.status, again.body.error.message]).toEqual([
      400,
      "This reset link is invalid, expired or already used",
    ]);
    expect(await isSignedIn(browser)).toBe(true);
    const rows = await (await world()).rows("select * from verifications");
    expect(JSON.stringify(rows)).not.toContain(body.token);
  });

  test("npm run tributary -- reset-password prints a link that is invalid once the password changes", async () => {
    const user = await sharedUser();
    const token = await openedFor(user);
    const body = { currentPassword: user.password, newPassword: "a better password" };
    expect((await user.post("/api/auth/change-password", body)).status).toBe(200);
    expect((await reset(token, "another password")).status).toBe(400);
  });

  test("npm run tributary -- reset-password replaces an earlier link, and its link expires after an hour", async () => {
    const user = await sharedUser();
    const [first, second] = [tokenIn(await linkOf(user)), tokenIn(await linkOf(user))];
    expect((await reset(first, "a new password")).status).toBe(400);
    const sql = "update verifications set expires_at = ? where value = ?";
    await (await world()).write({ sql, args: [Date.now() - 1, user.userId] });
    expect((await reset(second, "a new password")).status).toBe(400);
    expect((await signIn(createSession(url), user.email, user.password)).status).toBe(200);
  });

  test("npm run tributary -- reset-password prints a link with which only one of several parallel calls sets the password", async () => {
    const user = await sharedUser();
    const token = await openedFor(user);
    const wanted = ["first password", "second password", "third password"];
    const replies = await Promise.all(wanted.map((password) => reset(token, password)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    const made = wanted[replies.findIndex(({ status }) => status === 200)] ?? "";
    expect((await signIn(createSession(url), user.email, made)).status).toBe(200);
  });

  test("npm run tributary -- reset-password prints a link that a refused password doesn't use up", async () => {
    const user = await sharedUser();
    const token = await openedFor(user);
    expect((await reset(token, "qwertyuiop")).status).toBe(400);
    expect((await reset(token, "a new password")).status).toBe(200);
  });

  test("npm run tributary -- reset-password prints an error for an unknown email address or a missing argument", async () => {
    const unknown = "There is no account with the email address nobody@people.example.\n";
    expect(await run("nobody@people.example")).toEqual({ code: 1, stdout: "", stderr: unknown });
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining("Name the email address") });
  });
});
