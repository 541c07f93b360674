import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signUp } from "../../harness/session.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { oidcFixture, startProvider } from "../support/oidc-provider.ts";

const provider = await startProvider();
const mailer = await mailReceiver();
const own = isolatedService({ vars: { ...mailer.vars, ...provider.vars } });
beforeAll(() => provider.serve(own.service.url));
afterAll(() => provider.stop());

const { newPerson, newBrowser, signIn, userOf, link } = oidcFixture(provider, () => own.service.url);

const tokenTo = async (email: string, template: string): Promise<string> => {
  const [mail] = await eventually(
    async () => mailer.to(email).filter((each) => each.template === template),
    (found) => found.length > 0,
  );
  return /token=([\w-]+)/.exec(mail?.text ?? "")?.[1] ?? "";
};

async function resetByMail(email: string): Promise<string> {
  const newPassword = `own ${randomUUID()}`;
  await newBrowser().post("/api/auth/forgot-password", { email });
  const token = await tokenTo(email, "password_reset");
  expect((await newBrowser().post("/api/auth/reset-password", { token, newPassword })).status).toBe(200);
  return newPassword;
}

test("an identity that a stranger linked before the address was verified is removed by a mailed password reset", async () => {
  const stranger = await signUp(own.service.url);
  const { userId, email } = stranger;
  const strangersIdentity = newPerson();
  expect(await link(stranger, strangersIdentity)).toMatchObject({ status: 302 });
  const password = await resetByMail(email);

  const session = newBrowser();
  await signIn(session, strangersIdentity);
  expect((await userOf(session))?.user.id).not.toBe(userId);

  const owner = newBrowser();
  expect((await owner.post("/api/auth/sign-in/email", { email, password })).status).toBe(200);
  const owners = newPerson({ email });
  expect(await signIn(newBrowser(), owners)).toMatchObject({ status: 302 });
  await signIn(owner, owners);
  expect((await userOf(owner))?.user.id).toBe(userId);
});

test("an identity that was linked after the address was verified survives a password reset", async () => {
  const user = await signUp(own.service.url);
  const token = await tokenTo(user.email, "verify_address");
  expect((await user.post("/api/auth/verify-email", { token })).status).toBe(200);
  const person = newPerson();
  expect(await link(user, person)).toMatchObject({ status: 302 });
  await resetByMail(user.email);
  const session = newBrowser();
  await signIn(session, person);
  expect((await userOf(session))?.user.id).toBe(user.userId);
});

test("an account that loses its address to another account can't be signed in to with its identity", async () => {
  const person = newPerson({ email_verified: false });
  const { email = "" } = person;
  const first = newBrowser();
  await signIn(first, person);
  const userId = (await userOf(first))?.user.id ?? "";
  const { write } = await own.world();
  const day = 24 * 3_600_000;
  for (const sql of [
    "update users set created_at = created_at - ? where id = ?",
    "update verifications set created_at = created_at - ? where value = ?",
  ]) {
    await write({ sql, args: [day, userId] });
  }
  const owner = await signUp(own.service.url, { email });
  expect(await userOf(first)).toBe(null);
  expect(await signIn(first, person)).toMatchObject({ status: 409, code: "not_linked" });
  expect(await userOf(first)).toBe(null);
  expect((await userOf(owner))?.user.email).toBe(email);
});
