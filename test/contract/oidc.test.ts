import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { signUp } from "../../harness/session.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { navigate, oidcFixture, startProvider } from "../support/oidc-provider.ts";
import { turnOnTotp } from "../support/totp.ts";

const provider = await startProvider();
const own = isolatedService({ vars: { ...provider.vars } });
beforeAll(() => provider.serve(own.service.url));
afterEach(() => provider.heal());
afterAll(() => provider.stop());

const { newPerson, newBrowser, signIn, toCallback, userOf, link } = oidcFixture(provider, () => own.service.url);
const world = () => own.world();

const verify = async (userId: string) =>
  (await world()).write({ sql: "update users set email_verified = 1 where id = ?", args: [userId] });

const actionsOf = async (session: ReturnType<typeof newBrowser>) =>
  (await session.get<{ data: { action: string }[] }>("/api/auth/activity")).body.data.map(({ action }) => action);

test("a person without an account gets one by signing in, and signs in to it the next time", async () => {
  const person = newPerson();
  const session = newBrowser();
  const first = await signIn(session, person, "/api/auth/oidc?returnTo=%2Fapp%2Fprograms%2F1%3Fa%3Db%23c");
  expect([first.status, first.location]).toEqual([302, "/app/programs/1?a=b#c"]);
  const signedIn = await userOf(session);
  expect(signedIn).toMatchObject({
    user: { email: person.email, emailVerified: true, name: "Ada" },
    session: { byProvider: true },
  });
  const other = newBrowser();
  await signIn(other, { ...person, email: "new@people.example" });
  expect((await userOf(other))?.user.id).toBe(signedIn?.user.id);
  expect(await actionsOf(session)).toEqual(["signed_in", "signed_in"]);
});

test("the sign-in page shows the provider's name", async () => {
  const { body } = await newBrowser().get("/api/auth/sign-up");
  expect(body).toMatchObject({ provider: { name: "Acme", required: false } });
});

test("a session that began at the provider ends after a day, and isn't extended", async () => {
  const session = newBrowser();
  await signIn(session, newPerson());
  const day = 24 * 3_600_000;
  const read = async () => (await userOf(session))?.session;
  const { createdAt = "", expiresAt = "", id } = (await read()) ?? {};
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(day);
  const { write } = await world();
  const shift =
    "update sessions set created_at = created_at - ?, updated_at = updated_at - ?, expires_at = expires_at - ? where id = ?";
  await write({ sql: shift, args: [day - 60_000, day - 60_000, day - 60_000, id ?? ""] });
  expect(Date.parse((await read())?.expiresAt ?? "")).toBe(Date.parse(expiresAt) - day + 60_000);
  await write({ sql: shift, args: [60_000, 60_000, 60_000, id ?? ""] });
  expect(await userOf(session)).toBe(null);
});

describe("an account with the same address", () => {
  test("an account with the same address as an identity is linked if both sides have verified the address", async () => {
    const user = await signUp(own.service.url);
    await verify(user.userId);
    const session = newBrowser();
    const { status } = await signIn(session, newPerson({ email: user.email.toUpperCase() }));
    expect([status, (await userOf(session))?.user.id]).toEqual([302, user.userId]);
    expect(await actionsOf(session)).toEqual(["signed_in", "identity_linked", "signed_in"]);
    const { body } = await session.get("/api/auth/identity");
    expect(body).toMatchObject({ data: { hasPassword: true, identity: {}, provider: "Acme" } });
  });

  test.each([
    ["the provider hasn't", { email_verified: false }, true],
    ["the provider doesn't say", { email_verified: undefined }, true],
    ["the service hasn't", {}, false],
    ["neither has", { email_verified: false }, false],
  ])("an identity isn't linked unless both sides have verified its address: %s", async (_, claims, isVerified) => {
    const user = await signUp(own.service.url);
    if (isVerified) await verify(user.userId);
    const session = newBrowser();
    const person = newPerson({ email: user.email, ...claims });
    expect(await signIn(session, person)).toMatchObject({ status: 409, code: "not_linked" });
    expect(await userOf(session)).toBe(null);
  });

  test("an account that is linked to an identity isn't linked to a second identity of the provider with the same address", async () => {
    const user = await signUp(own.service.url);
    await verify(user.userId);
    await signIn(newBrowser(), newPerson({ email: user.email }));
    const second = await signIn(newBrowser(), newPerson({ email: user.email }));
    expect(second).toMatchObject({ status: 409, code: "already_linked" });
  });
});

test("an identity without a valid email address gets no account", async () => {
  for (const email of [
    undefined,
    "ada",
    "ada@people.example\nb@people.example",
    "a,ada@people.example",
    "<ada@people.example>",
  ]) {
    expect(await signIn(newBrowser(), newPerson({ email }))).toMatchObject({ status: 403, code: "oidc_no_email" });
  }
});

test("a new account's address isn't verified if the provider hasn't verified it", async () => {
  const session = newBrowser();
  await signIn(session, newPerson({ email_verified: false }));
  expect(await userOf(session)).toMatchObject({ user: { emailVerified: false } });
});

test("concurrent sign-ins of a new person create one account, and each signs in to it", async () => {
  const person = newPerson();
  const sessions = Array.from({ length: 8 }, newBrowser);
  const urls = await Promise.all(sessions.map((session) => toCallback(session, person)));
  const ended = await Promise.all(sessions.map((session, i) => navigate(session, urls[i] ?? "")));
  expect(ended.map(({ status }) => status)).toEqual(sessions.map(() => 302));
  const again = newBrowser();
  await signIn(again, person);
  const id = (await userOf(again))?.user.id;
  for (const session of sessions) expect((await userOf(session))?.user.id).toBe(id);
  const rows = await (await world()).rows("select user_id from accounts where account_id = ?", person.sub);
  expect(rows).toEqual([{ user_id: id }]);
});

describe("linking an account on the Account page", () => {
  test("linking an account on the Account page lets the member sign in without the password, and a second identity can't be linked", async () => {
    const user = await signUp(own.service.url);
    const person = newPerson();
    expect(await link(user, person)).toMatchObject({ status: 302, location: "/app/account" });
    const session = newBrowser();
    await signIn(session, person);
    expect((await userOf(session))?.user.id).toBe(user.userId);
    expect(await link(user, newPerson())).toMatchObject({ status: 409, code: "already_linked" });
    expect(await link(user, person)).toMatchObject({ status: 302 });
  });

  test("linking an account on the Account page refuses an identity of another account", async () => {
    const person = newPerson();
    await signIn(newBrowser(), person);
    const user = await signUp(own.service.url);
    expect(await link(user, person)).toMatchObject({ status: 409, code: "identity_taken" });
  });

  test("linking an account on the Account page requires a recent sign-in", async () => {
    const user = await signUp(own.service.url);
    const { write } = await world();
    await write({ sql: "update sessions set confirmed_at = 1 where user_id = ?", args: [user.userId] });
    const { status, body } = await user.post("/api/auth/oidc/link", {});
    expect([status, body]).toMatchObject([403, { error: { details: { code: "reauthenticate" } } }]);
  });

  test("unlinking an account on the Account page ends the sessions that began at the provider", async () => {
    const user = await signUp(own.service.url);
    const person = newPerson();
    await link(user, person);
    const session = newBrowser();
    await signIn(session, person);
    for (const _ of [1, 2]) expect((await user.delete("/api/auth/identity")).status).toBe(200);
    expect([await userOf(session), (await userOf(user))?.user.id]).toEqual([null, user.userId]);
    expect(await actionsOf(user)).toEqual(["identity_removed", "signed_in", "identity_linked", "signed_in"]);
    const other = newBrowser();
    await signIn(other, person);
    expect((await userOf(other))?.user.id).not.toBe(user.userId);
  });

  test("an account without a password can't be unlinked from its identity", async () => {
    const session = newBrowser();
    await signIn(session, newPerson());
    const { status, body } = await session.delete("/api/auth/identity");
    expect([status, body]).toMatchObject([409, { error: { details: { code: "last_sign_in" } } }]);
  });
});

describe("an account with two-factor authentication", () => {
  test("an account with two-factor authentication requires a code after the sign-in at the provider", async () => {
    const user = await signUp(own.service.url);
    const person = newPerson();
    await link(user, person);
    const { recoveryCodes } = await turnOnTotp(user);
    const session = newBrowser();
    const { location } = await signIn(session, person, "/api/auth/oidc?returnTo=/app/account");
    expect(location).toBe("/app/sign-in?step=code&return=%2Fapp%2Faccount");
    const asPartner = await signIn(newBrowser(), person, "/api/auth/oidc?returnTo=/partner/");
    expect(asPartner.location).toBe("/partner/sign-in?step=code&return=%2Fpartner%2F");
    expect(await userOf(session)).toBe(null);
    expect((await session.post("/api/auth/sign-in/totp", { code: "000000" })).status).toBe(401);
    expect((await session.post("/api/auth/sign-in/totp", { code: recoveryCodes[0] ?? "" })).status).toBe(200);
    expect(await userOf(session)).toMatchObject({ user: { id: user.userId }, session: { byProvider: true } });
  });

  test("an account with two-factor authentication requires no code if the provider has checked a second factor", async () => {
    const user = await signUp(own.service.url);
    const person = newPerson();
    await link(user, person);
    await turnOnTotp(user);
    provider.fail({ claims: (claims) => ({ ...claims, amr: ["pwd", "mfa"] }) });
    const session = newBrowser();
    await signIn(session, person);
    expect((await userOf(session))?.user.id).toBe(user.userId);
  });
});

test("the operator's link gives an account without a password its first password", async () => {
  const session = newBrowser();
  const person = newPerson();
  await signIn(session, person);
  const userId = (await userOf(session))?.user.id;
  const { openReset } = await import("#store/accounts/passwords.ts");
  const { openStore } = await import("../../scripts/database/client.ts");
  const { hashLinkToken } = await import("#domain/link-token.ts");
  const token = randomUUID();
  const store = openStore({ url: own.database.url, authToken: undefined });
  const email = person.email ?? "";
  await openReset(store, email, { tokenHash: hashLinkToken(token), at: Date.now(), validMs: 60_000 });
  const newPassword = "a long passphrase";
  const reset = () => newBrowser().post("/api/auth/reset-password", { token, newPassword });
  expect([(await reset()).status, (await reset()).status]).toEqual([200, 400]);
  expect(await userOf(session)).toBe(null);
  const other = newBrowser();
  expect((await other.post("/api/auth/sign-in/email", { email, password: newPassword })).status).toBe(200);
  expect((await userOf(other))?.user.id).toBe(userId);
});
