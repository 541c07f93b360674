import {
  countConfirmation,
  countForgottenPassword,
  countMail,
  countReset,
  countResetRequest,
  releaseConfirmation,
} from "#api/account-limits.ts";
import { rememberDevice } from "#api/known-devices.ts";
import { mailRow, sendMails, strangersMailOrigin } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { hourMs } from "#domain/calendar.ts";
import { hashLinkToken, linkedApps, resetLink } from "#domain/link-token.ts";
import { passwordReset } from "#domain/mail/letters.ts";
import { weaknessOf } from "#domain/password.ts";
import { home } from "#domain/shard.ts";
import { databaseOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import {
  body,
  commonRefusals,
  createRoute,
  endpoint,
  invalidField,
  refusals,
  refuse,
  withJsonBody,
} from "#http/endpoint.ts";
import { openHashing } from "#http/hashing.ts";
import { logError } from "#http/log.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import {
  changePassword as change,
  findCredential,
  findReset,
  mailReset,
  resetPassword as reset,
} from "#store/accounts/passwords.ts";
import { openDatabase } from "#store/database.ts";
import { fromOwnOrigin, inputRefusals, sessionWriteRefusals, signedIn, writeRefusals } from "../guards.ts";
import { verifyCounted } from "./confirm-identity.ts";
import { changeAccount, done, success } from "./start-session.ts";

const messages = {
  common: "is one of the most common passwords. Choose another one.",
  own_name: "must not be your e-mail address or your name",
} as const;

export async function refusalOfPassword(
  field: string,
  password: string,
  owner: { readonly email: string; readonly name: string },
) {
  const { commonPasswords } = await import("#domain/common-passwords.ts");
  const weakness = weaknessOf(password, owner, commonPasswords);
  return weakness === undefined ? undefined : invalidField(field, `${field} ${messages[weakness]}`);
}

const PasswordChange = z
  .object({ currentPassword: fields.text("currentPassword", 128), newPassword: fields.newPassword("newPassword") })
  .openapi("PasswordChange");

const wrongPassword = invalidField("currentPassword", "currentPassword is incorrect");

export const changePassword = endpoint({
  route: createRoute({
    method: "post",
    path: "/change-password",
    operationId: "changePassword",
    tags: ["Sign-in"],
    summary: "Change your password",
    description: "Ends all your other sessions.",
    ...withJsonBody(signedIn()),
    request: { body: body(PasswordChange) },
    responses: {
      ...done("Password changed"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "no_password"]),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const { currentPassword, newPassword } = c.req.valid("json");
    const found = await readFromDatabase(c, "home", (database) => findCredential(database, userId));
    if (!found.ok) return refuse(c, found.refusal);
    const credential = found.value;
    if (credential === undefined) return refuse(c, wrongPassword);
    if (credential.hash === null) return refuse(c, { code: "no_password" });
    const weak = await refusalOfPassword("newPassword", newPassword, credential);
    if (weak !== undefined) return refuse(c, weak);
    const overLimit = await countConfirmation(c, userId);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const given = { hash: credential.hash, password: currentPassword, wrong: wrongPassword };
    const hashing = await verifyCounted(c, userId, given);
    if (!hashing.ok) return refuse(c, hashing.refusal);
    releaseConfirmation(c, userId);

    const newHash = await hashing.value.hash(newPassword);
    if (!newHash.ok) return refuse(c, newHash.refusal);
    const token = (await sessionTokenOf(c)) ?? "";
    const changed = await changeAccount(c, credential, "password_changed", (database, event) =>
      change(database, credential, newHash.value, { keptToken: token, event }),
    );
    if (!changed.ok) return refuse(c, changed.refusal);
    if (!changed.value) return refuse(c, wrongPassword);
    await rememberDevice(c, { email: credential.email, hash: newHash.value });
    return c.json(success, 200);
  },
});

const ForgottenPassword = z
  .object({
    email: fields.email("email"),
    app: z.enum(linkedApps).default("app").describe("Where the link leads: the dashboard, or the partners' pages."),
  })
  .openapi("ForgottenPassword");

const validMs = hourMs;
const quietMs = 5 * 60_000;

type Forgotten = z.output<typeof ForgottenPassword>;

export const forgotPassword = endpoint({
  route: createRoute({
    method: "post",
    path: "/forgot-password",
    operationId: "forgotPassword",
    tags: ["Sign-in"],
    summary: "Mail a reset link",
    description:
      "The response is the same whether the address has an account or not. A repeat within 5 minutes sends no second mail, and an address gets at most 5 an hour. Refused if the service sends no mail.",
    ...withJsonBody(fromOwnOrigin(countForgottenPassword)),
    request: { body: body(ForgottenPassword) },
    responses: {
      ...done("If the address has an account, a link is on its way. It works once, within an hour."),
      ...refusals([...writeRefusals, ...inputRefusals, "no_mail", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const origin = strangersMailOrigin(c);
    if (origin === undefined) return refuse(c, { code: "no_mail" });
    const forgotten = c.req.valid("json");
    const overLimit = await countResetRequest(c);
    if (overLimit !== undefined) return refuse(c, overLimit);
    // Runs after the response is sent. Otherwise the response time would reveal whether an account exists.
    c.executionCtx.waitUntil(mailLink(c, origin, forgotten).catch((error: unknown) => logError(c, error)));
    return c.json(success, 200);
  },
});

async function mailLink(c: Ctx, origin: string, forgotten: Forgotten): Promise<void> {
  const token = randomSecret();
  const to = forgotten.email.toLowerCase();
  if ((await countMail(c, "password_reset", to)) !== undefined) return;
  const letter = passwordReset({ link: resetLink(origin, token, forgotten.app), minutes: validMs / 60_000 });
  const { at } = c.get("call");
  const mail = await mailRow(c, {
    template: "password_reset",
    programId: null,
    mail: { to, ...letter },
    linkUntil: at + validMs,
  });
  if (mail === undefined) return;
  const reset = { email: to, tokenHash: hashLinkToken(token), at, validMs, quietMs };
  await mailReset(openDatabase(databaseOf(c.env, home)), reset, mail);
  sendMails(c, "home");
}

const PasswordReset = z
  .object({
    token: fields
      .nonBlank("token")
      .describe("Token from a mailed link, or from one that `npm run tributary -- reset-password` prints."),
    newPassword: fields.newPassword("newPassword"),
  })
  .openapi("PasswordReset");

export const resetPassword = endpoint({
  route: createRoute({
    method: "post",
    path: "/reset-password",
    operationId: "resetPassword",
    tags: ["Sign-in"],
    summary: "Reset your password",
    description: "A reset link works once, within an hour. Ends all sessions of the account.",
    ...withJsonBody(fromOwnOrigin(countReset)),
    request: { body: body(PasswordReset) },
    responses: {
      ...done("Password changed. Sign in with the new one."),
      ...refusals([...writeRefusals, ...inputRefusals, "reset_invalid", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const { token, newPassword } = c.req.valid("json");
    const { at } = c.get("call");
    const tokenHash = hashLinkToken(token);
    const found = await readFromDatabase(c, "home", (database) => findReset(database, tokenHash, at));
    if (!found.ok) return refuse(c, found.refusal);
    const credential = found.value;
    if (credential === undefined) return refuse(c, { code: "reset_invalid" });
    const weak = await refusalOfPassword("newPassword", newPassword, credential);
    if (weak !== undefined) return refuse(c, weak);

    const hashing = openHashing(c, "known");
    if (!hashing.ok) return refuse(c, hashing.refusal);
    const newHash = await hashing.value.hash(newPassword);
    if (!newHash.ok) return refuse(c, newHash.refusal);
    const changed = await changeAccount(c, credential, "password_reset", (database, event) =>
      reset(database, tokenHash, newHash.value, event),
    );
    if (!changed.ok) return refuse(c, changed.refusal);
    if (!changed.value) return refuse(c, { code: "reset_invalid" });
    // Marks this browser as known, so that an owner who was locked out by an attacker's failed sign-ins can sign in
    // again.
    await rememberDevice(c, { email: credential.email, hash: newHash.value });
    return c.json(success, 200);
  },
});
