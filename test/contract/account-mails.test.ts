import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { testSecrets } from "../../harness/service.ts";
import { createSession, type Session, signUp, type User } from "../../harness/session.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { accepting, mailReceiver } from "../support/mail-receiver.ts";
import { partnerSide } from "../support/partner-side.ts";
import { turnOnTotp } from "../support/totp.ts";
import { tributary } from "../support/tributary.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });
beforeEach(() => mailer.answerWith(accepting));

const browser = () => createSession(own.service.url);
const signIn = (session: Session, { email, password }: Pick<User, "email" | "password">) =>
  session.post<{ twoFactorRequired?: true }>("/api/auth/sign-in/email", { email, password });
const subjectsTo = (email: string): readonly string[] =>
  mailer
    .to(email)
    .filter(({ template }) => template === "account_changed")
    .map(({ subject }) => subject);
const told = (email: string, count: number) =>
  eventually(
    async () => subjectsTo(email),
    (subjects) => subjects.length === count,
  );
const tokenTo = async (email: string, template: string): Promise<string> => {
  const mails = await eventually(
    async () => mailer.to(email).filter((mail) => mail.template === template),
    (found) => found.length > 0,
  );
  return /token=([\w-]+)/.exec(mails.at(-1)?.text ?? "")?.[1] ?? "";
};
const rows = async (sql: string, ...args: string[]) => (await own.world()).rows(sql, ...args);

const newBrowser = "New sign-in to your account";

describe("account emails", () => {
  test("account emails are sent for a sign-in from a new browser, at most once a day, and not for a sign-in from a known browser", async () => {
    const user = await signUp(own.service.url);
    const known = browser();
    expect((await signIn(known, user)).status).toBe(200);
    expect(await told(user.email, 1)).toEqual([newBrowser]);
    const [mail] = mailer.to(user.email).filter(({ template }) => template === "account_changed");
    expect(mail).toMatchObject({ isSigned: true, text: expect.stringContaining(`${own.service.url}/app/`) });
    expect(mail?.text).not.toContain("/partner/");
    await signIn(known, user);
    await signIn(user, user);
    await signIn(browser(), user);
    const changed = { currentPassword: user.password, newPassword: `another ${randomUUID()}` };
    expect((await known.post("/api/auth/change-password", changed)).status).toBe(200);
    expect(await told(user.email, 2)).toEqual([newBrowser, "Your password was changed"]);
  });

  test("account emails link to the partner page if the account can see a partner", async () => {
    const [user, world] = [await signUp(own.service.url), await own.world()];
    await partnerSide(world, user, world.partner.id);
    expect((await signIn(browser(), user)).status).toBe(200);
    expect(await told(user.email, 1)).toEqual([newBrowser]);
    const [mail] = mailer.to(user.email).filter(({ template }) => template === "account_changed");
    expect(mail?.text).toContain(`${own.service.url}/partner/\n`);
  });

  test("an account email is sent for a password reset, and the browser used for the reset then counts as known", async () => {
    const user = await own.user();
    await browser().post("/api/auth/forgot-password", { email: user.email });
    const token = await tokenTo(user.email, "password_reset");
    const [session, newPassword] = [browser(), `another ${randomUUID()}`];
    expect((await session.post("/api/auth/reset-password", { token, newPassword })).status).toBe(200);
    expect(await told(user.email, 1)).toEqual(["Your password was reset"]);
    await signIn(session, { ...user, password: newPassword });
    expect((await session.post("/api/auth/reset-password", { token, newPassword })).status).toBe(400);
    expect(subjectsTo(user.email)).toHaveLength(1);
  });

  test("account emails are sent when two-factor authentication is turned on or off, and when a recovery code is used", async () => {
    const user = await own.user();
    const app = await turnOnTotp(user);
    expect(await told(user.email, 1)).toEqual(["Two-factor authentication was turned on"]);
    const [first = "", second = ""] = app.recoveryCodes;
    expect((await user.post("/api/auth/reauthenticate", { code: "AAAA-AAAA-AAAA-AAAA" })).status).toBe(400);
    expect((await user.post("/api/auth/reauthenticate", { code: first })).status).toBe(200);
    expect((await user.post("/api/auth/reauthenticate", { code: first })).status).toBe(400);
    expect(await told(user.email, 2)).toContain("A recovery code was used");
    const off = await user.delete("/api/auth/totp", { body: { password: user.password, code: second } });
    expect(off.status, off.text).toBe(200);
    const subjects = await told(user.email, 4);
    expect(subjects.slice(2).toSorted()).toEqual([
      "A recovery code was used",
      "Two-factor authentication was turned off",
    ]);
  });

  test("an account email is sent when the recovery codes are replaced", async () => {
    const user = await own.user();
    const { code } = await turnOnTotp(user);
    const body = { password: user.password, code: code() };
    expect((await user.post("/api/auth/totp/recovery-codes", body)).status).toBe(200);
    expect(await told(user.email, 2)).toContain("Your recovery codes were replaced");
  });

  test("an account email reports that the operator removed the second factor, if DATA_KEYS is set for the operator's command", async () => {
    const [user, other] = [await own.user(), await own.user()];
    const { DATA_KEYS } = testSecrets;
    const environment = { DATABASE_URL: own.database.url, BASE_URL: own.service.url };
    for (const each of [user, other]) await turnOnTotp(each);
    const remove = (email: string, more: object) =>
      tributary(["reset-password", email, "--second-factor"], { ...environment, ...more });
    expect(await remove(user.email.toUpperCase(), { DATA_KEYS })).toMatchObject({ code: 0, stderr: "" });
    expect(await remove(other.email, { TRIBUTARY_DATA: "/nowhere" })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("isn't mailed"),
    });
    // The next sign-in makes the service send pending emails.
    await signIn(browser(), other);
    const removed = "Two-factor authentication was removed";
    expect((await told(user.email, 2)).toSorted()).toEqual([removed, "Two-factor authentication was turned on"]);
    const [mail] = mailer.to(user.email).filter(({ subject }) => subject === removed);
    expect(mail?.text).toContain(`${own.service.url}/app/`);
    expect(subjectsTo(other.email)).not.toContain(removed);
  });

  test("account emails store nothing about the browser in plain text", async () => {
    mailer.answerWith((reply) => void reply.writeHead(503).end());
    const user = await signUp(own.service.url);
    const session = browser();
    expect((await signIn(session, user)).status).toBe(200);
    const mails = await rows("select * from mails where template = 'account_changed'");
    expect(mails.length).toBeGreaterThan(0);
    expect(JSON.stringify(mails)).not.toMatch(/Mozilla|Firefox|Chrome|127\.0\.0\.1|@/);
    expect(JSON.stringify(mails)).not.toContain(user.userId);
  });
});

describe("a link mailed to an unverified address", () => {
  const victims = `own ${randomUUID()}`;

  async function hijacked() {
    const stranger = await signUp(own.service.url);
    await turnOnTotp(stranger);
    await stranger.post("/api/auth/update-user", { name: "Call 555-0100" });
    return stranger;
  }
  const traces = ({ userId }: User) =>
    rows(
      `select (select count(*) from second_factors where user_id = ?1) + (select count(*) from recovery_codes where user_id = ?1) as factors,
         (select count(*) from sessions where user_id = ?1) as sessions, u.email_verified as verified, u.name
       from users u where id = ?1`,
      userId,
    );

  test("resetting the password by a mailed link removes the second factor, sessions and name of a stranger who signed up with the address", async () => {
    const stranger = await hijacked();
    await browser().post("/api/auth/forgot-password", { email: stranger.email });
    const token = await tokenTo(stranger.email, "password_reset");
    const owner = browser();
    expect((await owner.post("/api/auth/reset-password", { token, newPassword: victims })).status).toBe(200);
    const name = stranger.email.split("@")[0];
    expect(await traces(stranger)).toEqual([{ factors: 0, sessions: 0, verified: 1, name }]);
    const signedIn = await signIn(owner, { email: stranger.email, password: victims });
    expect([signedIn.status, signedIn.body.twoFactorRequired]).toEqual([200, undefined]);
    expect((await stranger.get("/api/auth/get-session")).text).toBe("null");
  });

  test("a mailed link verifies an address only in a session of the account with this address, not in a stranger's session", async () => {
    const stranger = await hijacked();
    const token = await tokenTo(stranger.email, "verify_address");
    const other = await own.user();
    const before = { factors: 11, sessions: 1, verified: 0, name: "Call 555-0100" };
    for (const reader of [other, browser()]) {
      expect((await reader.post("/api/auth/verify-email", { token })).status).toBe(401);
      expect(await traces(stranger)).toEqual([before]);
    }

    const honest = await hijacked();
    const ownToken = await tokenTo(honest.email, "verify_address");
    expect((await honest.post("/api/auth/verify-email", { token: ownToken })).status).toBe(200);
    const kept = { factors: 11, sessions: 1, verified: 1, name: "Call 555-0100" };
    expect(await traces(honest)).toEqual([kept]);
    expect((await browser().post("/api/auth/verify-email", { token: ownToken })).status).toBe(200);
    expect(await traces(honest)).toEqual([kept]);
  });

  test("resetting the password by a mailed link keeps the account's second factor and name if the address was verified before", async () => {
    const user = await hijacked();
    const verification = await tokenTo(user.email, "verify_address");
    await user.post("/api/auth/verify-email", { token: verification });
    await browser().post("/api/auth/forgot-password", { email: user.email });
    const token = await tokenTo(user.email, "password_reset");
    expect((await browser().post("/api/auth/reset-password", { token, newPassword: victims })).status).toBe(200);
    expect(await traces(user)).toEqual([{ factors: 11, sessions: 0, verified: 1, name: "Call 555-0100" }]);
    const again = await signIn(browser(), { email: user.email, password: victims });
    expect(again.body.twoFactorRequired).toBe(true);
  });
});
