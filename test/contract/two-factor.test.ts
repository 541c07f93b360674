import { describe, expect, test } from "vitest";
import { createSession, type Session, type User } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { minute } from "../support/program-fixture.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { setUpTotp, turnOnTotp } from "../support/totp.ts";
import { tributary } from "../support/tributary.ts";
import { withinWindow } from "../support/within-window.ts";

const { url, databaseUrl } = sharedService;

const newUser = () => sharedUser();
const isSignedIn = async (session: Session) => (await session.get("/api/auth/get-session")).text !== "null";
const withPassword = (browser: Session, { email, password }: User) =>
  browser.post("/api/auth/sign-in/email", { email, password });
const withCode = (browser: Session, code: string) => browser.post("/api/auth/sign-in/totp", { code });
const rowsOf = async (sql: string, user: User) => (await createWorld(databaseUrl)).rows(sql, user.userId);
const codeOf = ({ status, body }: { status: number; body: { error: { details: object } } }) =>
  `${status} ${Reflect.get(body.error.details, "code")}`;

const command = (...args: string[]) => tributary(args, { DATABASE_URL: databaseUrl, BASE_URL: url });

describe("turning on two-factor authentication", () => {
  test("turning on two-factor authentication requires the password, and takes effect once a code confirms it", async () => {
    const user = await newUser();
    const wrong = await user.post("/api/auth/totp", { password: "not the password" });
    expect([wrong.status, wrong.body.error.message]).toEqual([400, "password is incorrect"]);
    const { secret, uri, recoveryCodes, code, wrongCode } = await setUpTotp(user);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(uri).searchParams.get("secret")).toBe(secret);
    expect(new Set(recoveryCodes).size).toBe(10);

    expect((await withPassword(createSession(url), user)).body).toHaveProperty("token");
    const mistyped = await user.post("/api/auth/totp/confirm", { code: wrongCode });
    expect(mistyped.body.error.message).toBe("code is incorrect or was already used");
    const typed = code().replace(/^.../, "$& ");
    expect((await user.post("/api/auth/totp/confirm", { code: typed })).status).toBe(200);
    expect((await user.get<{ user: object }>("/api/auth/get-session")).body.user).toMatchObject({ twoFactor: true });
    expect(codeOf(await user.post("/api/auth/totp", { password: user.password }))).toBe("409 two_factor_on");
    expect(codeOf(await user.post("/api/auth/totp/confirm", { code: code(1) }))).toBe("409 two_factor_on");
  });

  test("turning on two-factor authentication replaces a setup that wasn't confirmed", async () => {
    const user = await newUser();
    const first = await setUpTotp(user);
    const second = await setUpTotp(user, first);
    expect((await user.post("/api/auth/totp/confirm", { code: first.code() })).status).toBe(400);
    expect((await user.post("/api/auth/totp/confirm", { code: second.code() })).status).toBe(200);
    const codes = await rowsOf("select code_hash from recovery_codes where user_id = ?", user);
    expect(codes).toHaveLength(10);
  });

  test("turning on two-factor authentication stores the secret encrypted, and the recovery codes as digests", async () => {
    const user = await newUser();
    const { secret, recoveryCodes } = await setUpTotp(user);
    const [factor] = await rowsOf("select * from second_factors where user_id = ?", user);
    expect(factor?.secret).toMatch(/^1\.[\w-]{16}\.[\w-]+$/);
    const stored = JSON.stringify([factor, await rowsOf("select * from recovery_codes where user_id = ?", user)]);
    for (const text of [secret, ...recoveryCodes]) expect(stored).not.toContain(text);
  });

  test("turning on two-factor authentication requires a session, and a setup before the confirmation", async () => {
    expect((await createSession(url).post("/api/auth/totp", { password: "x" })).status).toBe(401);
    const user = await newUser();
    expect(codeOf(await user.post("/api/auth/totp/confirm", { code: "123456" }))).toBe("409 two_factor_off");
  });
});

describe("signing in with two-factor authentication", () => {
  test("signing in with two-factor authentication requires the password, then a code, which can be used once", async () => {
    const user = await newUser();
    const { code, wrongCode } = await turnOnTotp(user);
    const browser = createSession(url);
    const first = await withPassword(browser, user);
    expect([first.status, first.body]).toEqual([200, { twoFactorRequired: true }]);
    expect(await isSignedIn(browser)).toBe(false);
    const now = code();
    expect(codeOf(await withCode(browser, wrongCode))).toBe("401 two_factor_failed");
    expect((await withCode(browser, now)).body).toMatchObject({ user: { email: user.email, twoFactor: true } });
    expect(await isSignedIn(browser)).toBe(true);

    const other = createSession(url);
    await withPassword(other, user);
    expect(codeOf(await withCode(other, now))).toBe("401 two_factor_failed");
    expect(codeOf(await withCode(other, code(-1)))).toBe("401 two_factor_failed");
    expect((await withCode(other, code(1))).status).toBe(200);
  });

  test("signing in with two-factor authentication succeeds once among parallel calls with the same code", async () => {
    const user = await newUser();
    const { code } = await turnOnTotp(user);
    const browser = createSession(url);
    await withPassword(browser, user);
    const now = code();
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const send = () => createSession(url).post("/api/auth/sign-in/totp", { code: now }, { headers: { cookie } });
    const replies = await Promise.all([send(), send(), send()]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  });

  test("signing in with two-factor authentication accepts each recovery code once, in any spelling", async () => {
    const user = await newUser();
    const [first = "", second = ""] = (await turnOnTotp(user)).recoveryCodes;
    const browser = createSession(url);
    await withPassword(browser, user);
    expect((await withCode(browser, first.toUpperCase().replaceAll("-", " "))).status).toBe(200);
    const other = createSession(url);
    await withPassword(other, user);
    expect(codeOf(await withCode(other, first))).toBe("401 two_factor_failed");
    expect((await withCode(other, second)).status).toBe(200);
    const activity = await user.get<{ data: { action: string }[] }>("/api/auth/activity");
    expect(activity.body.data.map(({ action }) => action)).toContain("signed_in_with_recovery_code");
  });

  test("signing in with two-factor authentication doesn't ask a browser for a code again within 30 days, unless the password changes", async () => {
    const user = await newUser();
    const { code } = await turnOnTotp(user);
    const browser = createSession(url);
    await withPassword(browser, user);
    await withCode(browser, code());
    await browser.post("/api/auth/sign-out");
    expect((await withPassword(browser, user)).body).toHaveProperty("token");
    const name = [...browser.cookies.keys()].find((key) => key.startsWith("tributary.code_")) ?? "";
    const value = decodeURIComponent(browser.cookies.get(name) ?? "");
    const until = Number(/\.(\d+)\./.exec(value)?.[1]);
    expect(Math.round((until - Date.now()) / 86_400_000)).toBe(30);

    const newPassword = "a better password";
    await browser.post("/api/auth/change-password", { currentPassword: user.password, newPassword });
    expect((await withPassword(browser, { ...user, password: newPassword })).body).toEqual({ twoFactorRequired: true });
  });

  test("signing in with two-factor authentication refuses a code without the password, five minutes after the password, or after a password change", async () => {
    const user = await newUser();
    const { code } = await turnOnTotp(user);
    expect(codeOf(await withCode(createSession(url), code()))).toBe("401 sign_in_expired");
    const browser = createSession(url);
    const cookie = (await withPassword(browser, user)).headers
      .getSetCookie()
      .find((set) => set.includes("second_step"));
    expect(cookie).toContain("Max-Age=300");
    const [name = "", value = ""] = cookie?.split(";")[0]?.split("=") ?? [];
    browser.cookies.set(
      name,
      value.replace(/\.(\d+)\./, (_, until) => `.${Number(until) + 60_000}.`),
    );
    expect(codeOf(await withCode(browser, code()))).toBe("401 sign_in_expired");
    browser.cookies.set(name, value);
    const body = { currentPassword: user.password, newPassword: "a better password" };
    expect((await user.post("/api/auth/change-password", body)).status).toBe(200);
    expect(codeOf(await withCode(browser, code()))).toBe("401 sign_in_expired");
  });

  test("once a sign-in with two-factor authentication completes, the account's other begun sign-ins require the password again", async () => {
    const user = await newUser();
    const [first = "", second = "", third = ""] = (await turnOnTotp(user)).recoveryCodes;
    const [browser, other] = [createSession(url), createSession(url)];
    await Promise.all([withPassword(browser, user), withPassword(other, user)]);
    const copied = createSession(url);
    for (const [name, value] of browser.cookies) copied.cookies.set(name, value);
    expect((await withCode(browser, first)).status).toBe(200);
    expect(codeOf(await withCode(copied, second))).toBe("401 sign_in_expired");
    expect(codeOf(await withCode(other, second))).toBe("401 sign_in_expired");

    const again = createSession(url);
    await withPassword(again, user);
    const cookie = [...again.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const send = (code: string) => createSession(url).post("/api/auth/sign-in/totp", { code }, { headers: { cookie } });
    const replies = await Promise.all([send(second), send(third)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test("signing in with two-factor authentication counts wrong codes as failed sign-ins", async () => {
    const user = await newUser();
    const { code, wrongCode } = await turnOnTotp(user);
    const browser = createSession(url);
    await withinWindow(15 * minute, 15_000);
    await withPassword(browser, user);
    const statuses = [];
    for (let i = 0; i < 12; i += 1) statuses.push((await withCode(browser, wrongCode)).status);
    expect(statuses.slice(0, 9)).toEqual(Array(9).fill(401));
    expect(statuses.at(-1)).toBe(429);
    expect((await withCode(browser, code())).status).toBe(429);
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe("replacing recovery codes", () => {
  type Replaced = { data: { recoveryCodes: string[] } };
  const replace = (user: User, code: string, password = user.password) =>
    user.post<Replaced>("/api/auth/totp/recovery-codes", { password, code });
  const left = async (user: User) =>
    (await user.get<{ data: { recoveryCodesLeft: number } }>("/api/auth/totp")).body.data.recoveryCodesLeft;

  test("replacing recovery codes requires the password and a code of the app, and makes the previous codes invalid", async () => {
    const user = await newUser();
    expect(codeOf(await replace(user, "123456"))).toBe("409 two_factor_off");
    expect(await left(user)).toBe(0);
    const { code, wrongCode, recoveryCodes } = await turnOnTotp(user);
    const [first = "", second = ""] = recoveryCodes;
    expect((await user.post("/api/auth/reauthenticate", { code: first })).status).toBe(200);
    expect(await left(user)).toBe(9);
    expect((await replace(user, code(), "not the password")).body.error.message).toBe("password is incorrect");
    expect((await replace(user, wrongCode)).body.error.message).toBe("code is incorrect or was already used");
    expect((await replace(user, second)).body.error.message).toBe("code must be a code of the authenticator app");
    expect(await left(user)).toBe(9);

    const { status, body } = await replace(user, code());
    expect(status).toBe(200);
    const renewed = body.data.recoveryCodes;
    expect(new Set([...renewed, ...recoveryCodes]).size).toBe(20);
    expect(await left(user)).toBe(10);
    expect((await user.post("/api/auth/reauthenticate", { code: second })).status).toBe(400);
    expect((await user.post("/api/auth/reauthenticate", { code: renewed[0] ?? "" })).status).toBe(200);
    expect(await left(user)).toBe(9);
  });

  test("replacing recovery codes with the same code in parallel succeeds once, and the codes in that response work", async () => {
    const user = await newUser();
    const now = (await turnOnTotp(user)).code();
    const replies = await Promise.all([1, 2, 3].map(() => replace(user, now)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    const code = replies.find(({ status }) => status === 200)?.body.data.recoveryCodes[0] ?? "";
    expect((await user.post("/api/auth/reauthenticate", { code })).status).toBe(200);
    const events = await rowsOf(
      "select id from account_events where action = 'recovery_codes_replaced' and user_id = ?",
      user,
    );
    expect(events).toHaveLength(1);
  });
});

describe("turning off two-factor authentication", () => {
  test("turning off two-factor authentication requires the password and a code", async () => {
    const user = await newUser();
    const { code, wrongCode, recoveryCodes } = await turnOnTotp(user);
    const off = (password: string, given: string) => user.delete("/api/auth/totp", { body: { password, code: given } });
    expect((await off("not the password", code())).body.error.message).toBe("password is incorrect");
    expect((await off(user.password, wrongCode)).body.error.message).toBe("code is incorrect or was already used");
    expect((await off(user.password, recoveryCodes[0] ?? "")).status).toBe(200);
    expect((await withPassword(createSession(url), user)).body).toHaveProperty("token");
    expect(codeOf(await off(user.password, code()))).toBe("409 two_factor_off");
    expect(await rowsOf("select * from recovery_codes where user_id = ?", user)).toEqual([]);
  });

  test("turning off two-factor authentication is refused while a workspace requires it", async () => {
    const user = await newUser();
    const { code } = await turnOnTotp(user);
    const { workspaceId } = await createWorld(databaseUrl, { members: [{ user, role: "owner" }] });
    const set = (requireTwoFactor: boolean) => user.patch(`/api/workspaces/${workspaceId}`, { requireTwoFactor });
    expect((await set(true)).body).toMatchObject({ data: { requireTwoFactor: true } });
    const off = (given: string) => user.delete("/api/auth/totp", { body: { password: user.password, code: given } });
    expect(codeOf(await off(code()))).toBe("409 two_factor_needed");
    expect((await set(false)).status).toBe(200);
    expect((await off(code(1))).status).toBe(200);
  });
});

describe("a workspace that requires two-factor authentication", () => {
  test("only an owner whose account has two-factor authentication can make a workspace require it", async () => {
    const [owner, admin] = await Promise.all([newUser(), newUser()]);
    const members = [
      { user: owner, role: "owner" },
      { user: admin, role: "admin" },
    ] as const;
    const { workspaceId } = await createWorld(databaseUrl, { members });
    const path = `/api/workspaces/${workspaceId}`;
    expect(codeOf(await owner.patch(path, { requireTwoFactor: true }))).toBe("403 two_factor_required");
    expect((await owner.patch(path, { requireTwoFactor: "yes" })).status).toBe(400);
    expect((await admin.patch(path, { name: "Mine" })).status).toBe(403);
    const renamed = await owner.patch(path, { name: "Renamed" });
    expect(renamed.body).toEqual({
      data: { id: workspaceId, name: "Renamed", role: "owner", requireTwoFactor: false },
    });
    await turnOnTotp(owner);
    expect((await owner.patch(path, { requireTwoFactor: true })).status).toBe(200);
    const { body } = await owner.get<{ data: { action: string; before: object; after: object }[] }>(`${path}/audit`);
    const changes = body.data.filter(({ action }) => action === "workspace.updated");
    expect(changes.map(({ before, after }) => [Object.keys(before), after])).toEqual([
      [["requireTwoFactor"], { requireTwoFactor: true }],
      [["name"], { name: "Renamed" }],
    ]);
  });

  test("a workspace that requires two-factor authentication allows members without a second factor to read, and refuses their writes", async () => {
    const [owner, admin] = await Promise.all([newUser(), newUser()]);
    const members = [
      { user: owner, role: "owner" },
      { user: admin, role: "admin" },
    ] as const;
    const { workspaceId, programId } = await createWorld(databaseUrl, { members });
    const rename = (name: string) => admin.patch(`/api/programs/${programId}`, { name });
    await turnOnTotp(owner);
    expect((await owner.patch(`/api/workspaces/${workspaceId}`, { requireTwoFactor: true })).status).toBe(200);
    expect((await admin.get(`/api/programs/${programId}`)).status).toBe(200);
    expect(codeOf(await rename("Renamed"))).toBe("403 two_factor_required");
    expect(codeOf(await admin.post("/api/tracking/test", { program_id: programId, event: "click" }))).toBe(
      "403 two_factor_required",
    );
    const { body } = await owner.get<{ data: { userId: string; twoFactor: boolean }[] }>(
      `/api/workspaces/${workspaceId}/members`,
    );
    expect(Object.fromEntries(body.data.map(({ userId, twoFactor }) => [userId, twoFactor]))).toEqual({
      [owner.userId]: true,
      [admin.userId]: false,
    });
    await turnOnTotp(admin);
    expect((await rename("Renamed")).status).toBe(200);
  });

  test("a workspace that requires two-factor authentication allows members without a second factor to leave", async () => {
    const [owner, admin] = await Promise.all([newUser(), newUser()]);
    const members = [
      { user: owner, role: "owner" },
      { user: admin, role: "admin" },
    ] as const;
    const { workspaceId } = await createWorld(databaseUrl, { members });
    await turnOnTotp(owner);
    expect((await owner.patch(`/api/workspaces/${workspaceId}`, { requireTwoFactor: true })).status).toBe(200);
    expect((await admin.delete(`/api/workspaces/${workspaceId}/membership`)).status).toBe(200);
    expect((await admin.get<{ data: object[] }>("/api/workspaces")).body.data).toEqual([]);
  });
});

describe("npm run tributary -- reset-password <email> --second-factor", () => {
  test("npm run tributary -- reset-password <email> --second-factor turns off a lost second factor, and records this in the account's activity", async () => {
    const user = await newUser();
    const { workspaceId } = await createWorld(databaseUrl, { members: [{ user, role: "owner" }] });
    await turnOnTotp(user);
    expect((await user.patch(`/api/workspaces/${workspaceId}`, { requireTwoFactor: true })).status).toBe(200);
    expect(await command("reset-password", user.email.toUpperCase(), "--second-factor")).toMatchObject({ code: 0 });
    expect((await withPassword(createSession(url), user)).body).toHaveProperty("token");
    const activity = await user.get<{ data: { action: string }[] }>("/api/auth/activity");
    expect(activity.body.data.map(({ action }) => action)).toContain("two_factor_removed");
    const audit = await user.get<{ data: { action: string; actor: string }[] }>(`/api/workspaces/${workspaceId}/audit`);
    expect(audit.body.data.find(({ action }) => action === "account.two_factor_removed")?.actor).toBe("operator");

    const again = await command("reset-password", "--second-factor", user.email);
    expect(again).toEqual({ code: 1, stdout: "", stderr: `Two-factor authentication is off for ${user.email}.\n` });
    expect(await command("reset-password", user.email, "--factor")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean --second-factor?"),
    });
  });
});
