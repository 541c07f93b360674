import { beforeEach, describe, expect, test } from "vitest";
import { createSession, type User } from "../../harness/session.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { accepting, mailReceiver, type ReceivedMail } from "../support/mail-receiver.ts";
import { sharedService } from "../support/shared-service.ts";
import { refusalOf } from "../support/users-fixture.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });
beforeEach(() => mailer.answerWith(accepting));

const stranger = () => createSession(own.service.url);
const forget = (email: string, body = {}) => stranger().post("/api/auth/forgot-password", { email, ...body });
const reset = (token: string, newPassword: string, session = stranger()) =>
  session.post("/api/auth/reset-password", { token, newPassword });
const signIn = (email: string, password: string) => stranger().post("/api/auth/sign-in/email", { email, password });

const mailsTo = (email: string, count: number) =>
  eventually(
    async () => mailer.to(email),
    (mails) => mails.length === count,
  );
const linkIn = ({ text }: ReceivedMail): string => /^http\S+$/m.exec(text)?.[0] ?? "";
const tokenIn = (mail: ReceivedMail): string => linkIn(mail).split("token=")[1] ?? "";

async function forgotten(): Promise<{ readonly user: User; readonly token: string; readonly mail: ReceivedMail }> {
  const user = await own.user();
  expect((await forget(user.email)).status).toBe(200);
  const [mail] = await mailsTo(user.email, 1);
  if (mail === undefined) throw new Error("no mail came");
  return { user, token: tokenIn(mail), mail };
}

/** Moves the times of all the user's password resets into the past. */
const age = async ({ userId }: User, byMs: number) =>
  (await own.world()).write({
    sql: "update verifications set created_at = created_at - ?, expires_at = expires_at - ? where value = ?",
    args: [byMs, byMs, userId],
  });
const resetsOf = async ({ userId }: User) =>
  (await own.world()).rows("select * from verifications where value = ?", userId);
const minute = 60_000;

test("a mailed link sets a password once, ends all sessions, and invalidates other links", async () => {
  const { user, token, mail } = await forgotten();
  expect(mail).toMatchObject({ template: "password_reset", to: user.email, isSigned: true });
  expect(linkIn(mail)).toBe(`${own.service.url}/app/#/reset-password?token=${token}`);
  expect(JSON.stringify(await resetsOf(user))).not.toContain(token);
  await age(user, 6 * minute);
  await forget(user.email.toUpperCase());
  const [, second] = await mailsTo(user.email, 2);
  if (second === undefined) throw new Error("no second mail came");

  expect((await user.get("/api/auth/get-session")).text).not.toBe("null");
  const passwords = ["a first password", "a second password", "a third password"];
  const replies = await Promise.all(passwords.map((password) => reset(token, password)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  expect((await user.get("/api/auth/get-session")).text).toBe("null");
  expect((await signIn(user.email, user.password)).status).toBe(401);
  const set = passwords[replies.findIndex(({ status }) => status === 200)] ?? "";
  expect((await signIn(user.email, set)).status).toBe(200);

  for (const used of [token, tokenIn(second)]) {
    expect(refusalOf(await reset(used, "another password"))).toBe(
      "400 This reset link is invalid, expired or already used",
    );
  }
  expect(await resetsOf(user)).toEqual([]);
});

test("the response to a password reset request doesn't reveal whether the account exists", async () => {
  const user = await own.user();
  const replies = [await forget(user.email), await forget("nobody@people.example"), await forget(user.email)];
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['200 {"success":true}']));
  await mailsTo(user.email, 1);
  expect(mailer.to("nobody@people.example")).toEqual([]);
});

test("repeated password reset requests within 5 minutes, or in parallel, send one email, and the link stays valid", async () => {
  const user = await own.user();
  await Promise.all([forget(user.email), forget(user.email), forget(user.email)]);
  const [mail] = await mailsTo(user.email, 1);
  if (mail === undefined) throw new Error("no mail came");
  await age(user, 4 * minute);
  await forget(user.email);
  const { user: other } = await forgotten();
  expect(mailer.to(other.email)).toHaveLength(1);
  expect(mailer.to(user.email)).toHaveLength(1);
  expect(await resetsOf(user)).toHaveLength(1);
  expect((await reset(tokenIn(mail), "a new password")).status).toBe(200);
});

test("a password reset link expires after an hour, and a new link replaces the expired link's row in the database", async () => {
  const { user, token } = await forgotten();
  await age(user, 60 * minute);
  expect((await reset(token, "a new password")).status).toBe(400);
  await forget(user.email);
  await mailsTo(user.email, 2);
  expect(await resetsOf(user)).toHaveLength(1);
});

test("a password reset link requested on the partners' pages leads to the partners' pages", async () => {
  const user = await own.user();
  await forget(user.email, { app: "partner" });
  const [mail] = await mailsTo(user.email, 1);
  expect(mail === undefined ? "" : linkIn(mail)).toContain(`${own.service.url}/partner/#/reset-password?token=`);
  expect((await forget(user.email, { app: "https://elsewhere.example" })).status).toBe(400);
});

test("the response about the sign-up mode says that the service can send email", async () => {
  expect((await stranger().get("/api/auth/sign-up")).body).toEqual({ signUp: "open", sendsMail: true, provider: null });
});

test("without a mail hook, the response to a password reset request tells the user to ask the operator", async () => {
  const reply = await createSession(sharedService.url).post("/api/auth/forgot-password", { email: "a@shop.example" });
  expect(refusalOf(reply)).toBe("404 This service sends no email. Ask its operator for a reset link.");
  expect(reply.body).toMatchObject({ error: { details: { code: "no_mail" } } });
});

describe("behind a proxy that forwards any Host header", () => {
  const ask = ({ email }: User, url: string, origin: string) =>
    createSession(url).post(
      "/api/auth/forgot-password",
      { email },
      { headers: { origin, "x-forwarded-proto": "https" } },
    );

  test("behind a proxy that forwards any Host header, password reset links never lead to a host named by the caller", async () => {
    const { url } = own.service;
    const headers = { "x-forwarded-proto": "https" };
    expect(refusalOf(await ask(await own.user(), url, url.replace("http:", "https:")))).toMatch(/^404 /);
    const { body } = await createSession(url).get("/api/auth/sign-up", { headers });
    expect(body).toMatchObject({ sendsMail: false });
  });

  describe("with a base URL configured by the operator", () => {
    const named = isolatedService({ vars: { ...mailer.vars, BASE_URL: "https://tributary.example" } });

    test("password reset links lead to the base URL that the operator configured, even behind a proxy that forwards any Host header", {
      tags: "soak",
    }, async () => {
      const user = await named.user();
      expect((await ask(user, named.service.url, "https://tributary.example")).status).toBe(200);
      const [mail] = await mailsTo(user.email, 1);
      expect(mail === undefined ? "" : linkIn(mail)).toMatch(/^https:\/\/tributary\.example\/app\/#\/reset-password/);
    });
  });
});

describe("limits of password reset requests", () => {
  const limited = isolatedService({ vars: mailer.vars, limits: {} });
  const ask = (email: string, session = createSession(limited.service.url)) =>
    session.post("/api/auth/forgot-password", { email });

  test("limits of password reset requests apply per mailbox whatever the client, and don't change the response", async () => {
    const user = await limited.user();
    const world = await limited.world();
    const forgetQuiet = () =>
      world.write({ sql: "update verifications set created_at = 1 where value = ?", args: [user.userId] });
    for (let sent = 0; sent < 8; sent += 1) {
      expect((await ask(sent % 2 === 0 ? user.email : user.email.toUpperCase())).text).toBe('{"success":true}');
      await eventually(
        async () => mailer.to(user.email),
        (mails) => mails.length === Math.min(sent + 1, 5),
      );
      await forgetQuiet();
    }
    const { status } = await createSession(limited.service.url).post("/api/auth/forgot-password", {
      email: "nobody@people.example",
    });
    expect(status).toBe(200);
    expect(mailer.to(user.email)).toHaveLength(5);
  });

  test("limits of password reset requests apply per client IP address, whatever the mailbox", async () => {
    const session = createSession(limited.service.url);
    const statuses: number[] = [];
    for (let sent = 0; sent < 11; sent += 1) statuses.push((await ask(`${sent}@people.example`, session)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });
});
