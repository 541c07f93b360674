import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashLinkToken } from "#domain/link-token.ts";
import { openReset } from "#store/accounts/passwords.ts";
import type { Json, Reply } from "../../harness/client.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createSession, type Session, signUp, type User } from "../../harness/session.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { accepting, mailReceiver, type ReceivedMail } from "../support/mail-receiver.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });
beforeEach(() => mailer.answerWith(accepting));

const day = 24 * 3_600_000;
let owner: User;
let world: World;
beforeAll(async () => {
  owner = await own.user("Olga");
  world = await own.world({ partners: [{ name: "Anna" }], members: [{ user: owner, role: "owner" }] });
});

const told = ({ status, body: { error } }: Reply<unknown>) => [status, error.details?.code ?? error.message];
const nobody = () => createSession(own.service.url);
const newAddress = () => `${randomUUID()}@people.example`;
const ask = (email: string, more: Json = {}) =>
  nobody().post("/api/auth/sign-up/email", {
    ...{ name: "Ada", email, password: "a long passphrase" },
    ...(more as object),
  });
const verificationsTo = (email: string): readonly ReceivedMail[] =>
  mailer.to(email).filter(({ template }) => template === "verify_address");
const mailsTo = (email: string, count = 1) =>
  eventually(
    async () => verificationsTo(email),
    (mails) => mails.length === count,
  );
const linkIn = (mail: ReceivedMail | undefined): string => /^http\S+$/m.exec(mail?.text ?? "")?.[0] ?? "";
const tokenIn = (mail: ReceivedMail | undefined): string => linkIn(mail).split("token=")[1] ?? "";
const verify = (token: string, session: Session = nobody()) => session.post("/api/auth/verify-email", { token });
const resend = (user: Session, body: Json = {}) => user.post("/api/auth/send-verification", body);
const isVerified = async (user: Session) =>
  (await user.get<{ user: { emailVerified: boolean } }>("/api/auth/get-session")).body.user.emailVerified;
const verificationRows = ({ userId }: User) => world.rows("select * from verifications where value = ?", userId);
/** Moves the time of the account's sign-up into the past. */
const age = ({ userId }: User, byMs: number) =>
  world.write(
    { sql: "update users set created_at = created_at - ? where id = ?", args: [byMs, userId] },
    {
      sql: "update verifications set created_at = created_at - ?, expires_at = expires_at - ? where value = ?",
      args: [byMs, byMs, userId],
    },
  );

async function signedUp(): Promise<{ readonly user: User; readonly mail: ReceivedMail | undefined }> {
  const user = await signUp(own.service.url);
  const [mail] = await mailsTo(user.email);
  return { user, mail };
}

test("a person who signs up gets one email with a link that verifies the address, and the link can be opened repeatedly", async () => {
  const { user, mail } = await signedUp();
  expect(mail).toMatchObject({ to: user.email, isSigned: true });
  const token = tokenIn(mail);
  expect(linkIn(mail)).toBe(`${own.service.url}/app/#/verify-email?token=${token}`);
  expect(JSON.stringify(await verificationRows(user))).not.toContain(token);
  expect(await isVerified(user)).toBe(false);
  const replies = await Promise.all([verify(token, user), verify(token, user)]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect((await verify(token)).status).toBe(200);
  expect(await isVerified(user)).toBe(true);
  expect((await resend(user)).status).toBe(200);
  expect(verificationsTo(user.email)).toHaveLength(1);
});

test("a verification link expires after a day, and a person can request a new one that opens the partners' app", async () => {
  const { user, mail } = await signedUp();
  await age(user, day);
  expect(told(await verify(tokenIn(mail)))).toEqual([400, "verification_invalid"]);
  expect(told(await verify("never made"))).toEqual([400, "verification_invalid"]);
  expect((await resend(user, { app: "partner" })).status).toBe(200);
  const [, second] = await mailsTo(user.email, 2);
  expect(linkIn(second)).toContain(`${own.service.url}/partner/#/verify-email?token=`);
  expect((await verify(tokenIn(second), user)).status).toBe(200);
  expect(await isVerified(user)).toBe(true);
  expect((await resend(nobody())).status).toBe(401);
});

describe("an applicant to a program", () => {
  const slug = () => `verified-${world.programId}`;
  const apply = (user: Session) => user.post(`/api/join/${slug()}`, { name: "Ada", answers: {} });
  beforeAll(async () => {
    const page = { mode: "approval", slug: slug(), headline: "Earn", description: "", questions: [] };
    expect((await owner.put(`/api/programs/${world.programId}/join`, page)).status).toBe(200);
  });

  test("an applicant to a program needs a verified address", async () => {
    const { user, mail } = await signedUp();
    expect(told(await apply(user))).toEqual([403, "email_unverified"]);
    await verify(tokenIn(mail), user);
    expect((await apply(user)).status).toBe(201);
  });

  test("an applicant to a program can send the same application again even if the address is no longer verified", async () => {
    const { user, mail } = await signedUp();
    await verify(tokenIn(mail), user);
    expect((await apply(user)).status).toBe(201);
    await world.write({ sql: "update users set email_verified = 0 where id = ?", args: [user.userId] });
    expect((await apply(user)).status).toBe(200);
  });

  test("an applicant to a program doesn't need a verified address if the service sends no email", async () => {
    const member = await sharedUser("Olga");
    const { programId } = await createWorld(sharedService.databaseUrl, { members: [{ user: member, role: "owner" }] });
    const page = { mode: "approval", slug: `free-${programId}`, headline: "", description: "", questions: [] };
    await member.put(`/api/programs/${programId}/join`, page);
    const user = await signUp(sharedService.url);
    expect((await user.post(`/api/join/free-${programId}`, { name: "Ada", answers: {} })).status).toBe(201);
    expect(told(await resend(user))).toEqual([404, "no_mail"]);
  });
});

test("a password reset verifies the address if the link was emailed, and doesn't if the operator created the link", async () => {
  const { user } = await signedUp();
  await nobody().post("/api/auth/forgot-password", { email: user.email });
  const mails = await eventually(
    async () => mailer.to(user.email),
    (found) => found.length === 2,
  );
  const mailed = mails.find(({ template }) => template === "password_reset");
  const reset = (token: string) =>
    nobody().post("/api/auth/reset-password", { token, newPassword: `another ${randomUUID()}` });
  const stateOf = (id: string) => world.rows("select email_verified from users where id = ?", id);
  expect((await reset(tokenIn(mailed))).status).toBe(200);
  expect(await stateOf(user.userId)).toEqual([{ email_verified: 1 }]);

  const { user: other } = await signedUp();
  const opened = { tokenHash: hashLinkToken("printed"), at: Date.now(), validMs: day };
  expect(await openReset(databaseAt(own.database.url), other.email, opened)).toBe(true);
  expect((await reset("printed")).status).toBe(200);
  expect(await stateOf(other.userId)).toEqual([{ email_verified: 0 }]);
});

describe("an emailed invitation", () => {
  async function invited(email: string) {
    const shop = await own.world({ partners: [{}], members: [{ user: owner, role: "owner" }] });
    await shop.change({
      sql: "update partners set email = ?1, email_hash = 'of an address' where id = ?2",
      args: [email, shop.partner.id],
    });
    const path = `/api/programs/${shop.programId}/partners/${shop.partner.id}/invitations`;
    const { body } = await owner.post<{ data: { inviteUrl: string } }>(path, {});
    const [mail] = await eventually(
      async () => mailer.to(email).filter(({ template }) => template === "partner_invitation"),
      (mails) => mails.length === 1,
    );
    return { mailed: tokenIn(mail), shown: body.data.inviteUrl.split("token=")[1] ?? "" };
  }
  const accept = (user: Session, token: string) => user.post("/api/partner/invitations/accept", { token });

  test("an emailed invitation verifies the address of an account that signs up with the invitation's address", async () => {
    const email = newAddress();
    const { mailed } = await invited(email.toUpperCase().replace("PEOPLE.EXAMPLE", "people.example"));
    const { body } = await ask(email, { invitation: mailed });
    expect(body).toMatchObject({ user: { email, emailVerified: true } });
    expect(verificationsTo(email)).toEqual([]);
  });

  test("an emailed invitation's link reveals the invited address for sign-up, and the link shown to the admin doesn't", async () => {
    const email = newAddress();
    const { mailed, shown } = await invited(email);
    const { user } = await signedUp();
    const previewed = async (token: string) =>
      (await user.post<{ data: { email: string | null } }>("/api/partner/invitations/preview", { token })).body.data
        .email;
    expect(await previewed(mailed)).toBe(email);
    expect(await previewed(shown)).toBeNull();
    expect(await previewed(`${shown}.${"0".repeat(64)}`)).toBeNull();
  });

  test("an emailed invitation verifies the address of the account that accepts it only if the invitation was sent to this address", async () => {
    const { user } = await signedUp();
    const { mailed } = await invited(user.email);
    const other = await signUp(own.service.url);
    expect((await other.post("/api/partner/invitations/preview", { token: mailed })).status).toBe(200);
    expect((await accept(user, mailed)).status).toBe(200);
    expect((await accept(user, mailed)).status).toBe(200);
    expect(await isVerified(user)).toBe(true);

    const { mailed: foreign } = await invited(newAddress());
    expect((await accept(other, foreign)).status).toBe(200);
    expect(await isVerified(other)).toBe(false);
  });

  test("an emailed invitation verifies no address if the invited person uses the link that was shown to the admin", async () => {
    const { user } = await signedUp();
    const { shown, mailed } = await invited(user.email);
    expect(mailed.startsWith(`${shown}.`)).toBe(true);
    expect((await accept(user, `${shown}.${"0".repeat(64)}`)).status).toBe(200);
    expect(await isVerified(user)).toBe(false);
    expect(told(await ask(newAddress(), { invitation: shown }))).toEqual([400, "invitation_invalid"]);
  });
});

describe("an account's unverified address", () => {
  const exists = [409, "An account with this email already exists. Sign in."];

  test("an account's unverified address becomes available to another account after a day, and the former account is deleted", async () => {
    const { user, mail } = await signedUp();
    await age(user, day - 60_000);
    expect(told(await ask(user.email))).toEqual(exists);
    await age(user, 60_000);
    const replies = await Promise.all([ask(user.email), ask(user.email)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await user.get("/api/auth/get-session")).text).toBe("null");
    const signIn = (password: string) => nobody().post("/api/auth/sign-in/email", { email: user.email, password });
    expect((await signIn(user.password)).status).toBe(401);
    expect((await signIn("a long passphrase")).status).toBe(200);
    expect(told(await verify(tokenIn(mail)))).toEqual([400, "verification_invalid"]);
    expect(await verificationRows(user)).toEqual([]);
    expect(await world.audit()).toEqual([]);
  });

  const holders: readonly [string, (user: User, mail: ReceivedMail | undefined) => Promise<unknown>][] = [
    ["a verified one", async (user, mail) => verify(tokenIn(mail), user)],
    ["one with a workspace", (user) => user.post("/api/workspaces", { name: "Bakery" })],
    [
      "one with a partner's access",
      ({ userId }) =>
        world.write({
          sql: "insert into account_partners (account_id, program_id, partner_id, entered_at) values (?, ?, ?, 1)",
          args: [userId, world.programId, world.partner.id],
        }),
    ],
    [
      "one from before the service sent mail",
      ({ userId }) => world.write({ sql: "delete from verifications where value = ?", args: [userId] }),
    ],
    [
      "one that an invitation let sign up",
      ({ userId }) =>
        world.write({
          sql: "insert into partner_sign_ups (token_hash, user_id, created_at) values (?, ?, 1)",
          args: [userId, userId],
        }),
    ],
  ];
  test.each(sampled(holders))("an email address stays reserved for an account: %s", async (_, have) => {
    const { user, mail } = await signedUp();
    await have(user, mail);
    await age(user, 2 * day);
    expect(told(await ask(user.email))).toEqual(exists);
    expect((await user.get("/api/auth/get-session")).text).toContain(user.email);
  });
});

test("two verification links that were sent to the same account both verify it", async () => {
  const { user } = await signedUp();
  await resend(user);
  const [first, second] = await mailsTo(user.email, 2);
  expect((await verify(tokenIn(first), user)).status).toBe(200);
  expect((await verify(tokenIn(second), user)).status).toBe(200);
  expect(await isVerified(user)).toBe(true);
});
