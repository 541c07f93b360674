import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Session, signUp } from "../../harness/session.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { navigate, oidcFixture, type Person, startProvider } from "../support/oidc-provider.ts";
import { turnOnTotp } from "../support/totp.ts";

const provider = await startProvider();
const own = isolatedService({ vars: { ...provider.vars } });
beforeAll(() => provider.serve(own.service.url));
afterEach(() => provider.heal());
afterAll(() => provider.stop());

const { newPerson, newBrowser, signIn, userOf, confirm, link } = oidcFixture(provider, () => own.service.url);
type Claims = Record<string, unknown>;

const withoutAuthTime = ({ auth_time: _, ...claims }: Claims): Claims => claims;
const now = () => Math.floor(Date.now() / 1_000);

/** A person who signed in long ago, and has no password. */
async function signedIn(person: Person = newPerson()) {
  const session = newBrowser();
  await signIn(session, person);
  await confirmedAgo(session, 61);
  return { session, person };
}

async function confirmedAgo(session: Session, minutes: number): Promise<void> {
  const { write } = await own.world();
  const sql = "update sessions set confirmed_at = ?, created_at = created_at - ? where id = ?";
  const ms = minutes * 60_000;
  await write({ sql, args: [Date.now() - ms, ms, (await userOf(session))?.session.id ?? ""] });
}

const code = (reply: { status: number; body: object }) => {
  const error = Reflect.get(reply.body, "error");
  return error === undefined ? reply.status : `${reply.status} ${error.details.code ?? error.details.errors?.[0].path}`;
};

/** An action that requires a sign-in of the last hour. */
const sensitive = async (session: Session) => code(await session.post("/api/auth/oidc/link", {}));

describe("an account without a password", () => {
  test("an account without a password can make a call that requires a recent sign-in after confirming at the provider", async () => {
    const { session, person } = await signedIn();
    expect(await sensitive(session)).toBe("403 reauthenticate");
    expect(code(await session.post("/api/auth/reauthenticate", { password: "a long passphrase" }))).toBe(
      "409 no_password",
    );
    expect(await confirm(session, person)).toMatchObject({ status: 302, location: "/app/account" });
    expect(await sensitive(session)).toBe(200);
  });

  test("to confirm an account without a password, the provider must check the person again instead of reusing an earlier sign-in at the provider", async () => {
    const { session, person } = await signedIn();
    const { body } = await session.post<{ data: { url: string } }>("/api/auth/oidc/confirm", {});
    expect(new URL(body.data.url).searchParams.get("max_age")).toBe("0");
    const browser = provider.browser();
    const earlier = await navigate(newBrowser(), "/api/auth/oidc");
    await provider.signInWith(browser, earlier.location ?? "", person.sub);
    const before = provider.calls.filter((path) => path.startsWith("/interaction")).length;
    expect(await navigate(session, await provider.signInWith(browser, body.data.url, person.sub))).toMatchObject({
      status: 302,
    });
    expect(provider.calls.filter((path) => path.startsWith("/interaction")).length).toBeGreaterThan(before);
  });

  test.each<[string, (claims: Claims) => Claims, string]>([
    ["that checked more than a minute before", (claims) => ({ ...claims, auth_time: now() - 70 }), "oidc_not_fresh"],
    ["that doesn't say when it checked", withoutAuthTime, "oidc_not_fresh"],
    [
      "that sends the time of a check a day ago in milliseconds",
      (claims) => ({ ...claims, auth_time: Date.now() - 86_400_000 }),
      "oidc_not_fresh",
    ],
    ["whose time of the check isn't a number", (claims) => ({ ...claims, auth_time: "now" }), "oidc_failed"],
  ])("an account without a password can't confirm at a provider %s", async (_, claims, refusal) => {
    const { session, person } = await signedIn();
    provider.fail({ claims });
    expect(await confirm(session, person)).toMatchObject({ status: 403, code: refusal });
    expect(await sensitive(session)).toBe("403 reauthenticate");
  });

  test("an account without a password can't confirm as another person, or with a new identity", async () => {
    const { session } = await signedIn();
    const other = newPerson();
    expect(await confirm(session, other)).toMatchObject({ status: 403, code: "oidc_other_identity" });
    await signIn(newBrowser(), other);
    expect(await confirm(session, other)).toMatchObject({ status: 403, code: "oidc_other_identity" });
    expect(await sensitive(session)).toBe("403 reauthenticate");
  });

  test("for an account without a password, a sign-in counts as confirmation for an hour from the provider's auth_time, which may have decimals", async () => {
    const session = newBrowser();
    const person = newPerson();
    provider.fail({ claims: (claims) => ({ ...claims, auth_time: now() - 3_590.1234 }) });
    await signIn(session, person);
    expect(await sensitive(session)).toBe(200);
    provider.fail({ claims: (claims) => ({ ...claims, auth_time: now() - 3_610 }) });
    await signIn(session, person);
    expect(await sensitive(session)).toBe("403 reauthenticate");
    for (const claims of [withoutAuthTime, (given: Claims) => ({ ...given, auth_time: Date.now() - 86_400_000 })]) {
      provider.fail({ claims });
      await signIn(session, person);
      expect(await sensitive(session)).toBe("403 reauthenticate");
    }
  });

  test("an account without a password can be deleted and can set up two-factor authentication within five minutes of a check by the provider", async () => {
    const { session, person } = await signedIn();
    await confirmedAgo(session, 6);
    expect(code(await session.delete("/api/auth/user", { body: {} }))).toBe("403 reauthenticate");
    expect(code(await session.post("/api/auth/totp", {}))).toBe("403 reauthenticate");
    await confirm(session, person);
    expect(code(await session.post("/api/auth/totp", {}))).toBe(200);
    expect(code(await session.delete("/api/auth/user", { body: {} }))).toBe(200);
    expect(await userOf(session)).toBe(null);
    const again = newBrowser();
    await signIn(again, person);
    expect(await userOf(again)).not.toBe(null);
  });

  test("changing the password of an account without a password is refused", async () => {
    const { session } = await signedIn();
    const change = { currentPassword: "a long passphrase", newPassword: "another passphrase" };
    expect(code(await session.post("/api/auth/change-password", change))).toBe("409 no_password");
  });

  test("an account with two-factor authentication and no password is confirmed by a code, or at a provider that checks a second factor", async () => {
    const session = newBrowser();
    const person = newPerson();
    await signIn(session, person);
    const { recoveryCodes } = await turnOnTotp(session);
    await confirmedAgo(session, 61);
    expect(await confirm(session, person)).toMatchObject({ status: 403, code: "code_required" });
    provider.fail({ claims: (claims) => ({ ...claims, amr: ["mfa"] }) });
    expect(await confirm(session, person)).toMatchObject({ status: 302 });
    await confirmedAgo(session, 61);
    const turnOff = () => session.delete("/api/auth/totp", { body: { code: recoveryCodes[0] ?? "" } });
    expect(code(await turnOff())).toBe("403 reauthenticate");
    expect(code(await session.post("/api/auth/reauthenticate", { code: recoveryCodes[1] ?? "" }))).toBe(200);
    expect(code(await turnOff())).toBe(200);
  });
});

test("if the provider doesn't say when it checked a person, that person can set up two-factor authentication after a sign-in", async () => {
  provider.fail({ claims: withoutAuthTime });
  const session = newBrowser();
  const person = newPerson();
  await signIn(session, person);
  const { recoveryCodes } = await turnOnTotp(session);
  expect(await sensitive(session)).toBe("403 reauthenticate");
  expect(code(await session.post("/api/auth/reauthenticate", { code: recoveryCodes[0] ?? "" }))).toBe(200);
  expect(await sensitive(session)).toBe(200);
});

test("more than five minutes after a sign-in at the provider, setting up two-factor authentication is refused", async () => {
  provider.fail({ claims: withoutAuthTime });
  const session = newBrowser();
  await signIn(session, newPerson());
  const { write } = await own.world();
  const sql = "update sessions set created_at = created_at - 301000 where id = ?";
  await write({ sql, args: [(await userOf(session))?.session.id ?? ""] });
  expect(code(await session.post("/api/auth/totp", {}))).toBe("403 reauthenticate");
});

test("deleting an account with a password requires the password, even after a sign-in or check at the provider", async () => {
  const user = await signUp(own.service.url);
  const person = newPerson();
  await link(user, person);
  const session = newBrowser();
  await signIn(session, person);
  await confirm(session, person);
  expect(code(await session.delete("/api/auth/user", { body: {} }))).toBe("400 password");
  expect(code(await session.delete("/api/auth/user", { body: { password: "another passphrase" } }))).toBe(
    "400 password",
  );
  expect(code(await session.delete("/api/auth/user", { body: { password: user.password } }))).toBe(200);
});
