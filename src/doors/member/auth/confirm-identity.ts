import { countConfirmation, releaseConfirmation, releaseMail } from "#api/account-limits.ts";
import { sendMails } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { type DataContext, decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { hashRecoveryCode, isRecoveryCode } from "#domain/recovery-code.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { matchingStep } from "#domain/totp.ts";
import { dataKeysOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, invalidField, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import { type Hashing, openHashing } from "#http/hashing.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { sessionTokenOf } from "#http/session-cookie.ts";
import { type Credential, findCredential } from "#store/accounts/passwords.ts";
import type { SignedInUser } from "#store/accounts/scope.ts";
import { findSecondFactor, type SecondFactor, useRecoveryCode, useTotpStep } from "#store/accounts/second-factors.ts";
import { markConfirmed } from "#store/accounts/sessions.ts";
import { confirmedForMs } from "../authorize.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";
import { accountMail, done, success } from "./start-session.ts";

interface Proof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
  /** Maximum time since the session was confirmed (ms). */
  readonly confirmedWithinMs?: number;
}

/** Checks the signed-in user's proof of identity. Counts the attempt before it hashes the password. */
export async function confirmIdentity(
  c: Ctx,
  { userId, confirmedAt }: Pick<SignedInUser, "userId" | "confirmedAt">,
  proofOf: (credential: Credential) => Result<Proof>,
): Promise<Result<Credential>> {
  const found = await readFromDatabase(c, "home", (database) => findCredential(database, userId));
  if (!found.ok) return found;
  if (found.value === undefined) return refused(wrongPassword);
  const credential = found.value;
  const proof = proofOf(credential);
  if (!proof.ok) return proof;
  const { confirmedWithinMs = Number.POSITIVE_INFINITY } = proof.value;
  if (c.get("call").at - confirmedAt > confirmedWithinMs) return refused({ code: "reauthenticate" });
  const refusal = await refusalOfProof(c, credential, proof.value);
  if (refusal !== undefined) return refused(refusal);
  releaseConfirmation(c, userId);
  return ok(credential);
}

async function refusalOfProof(
  c: Ctx,
  { userId, email, hash }: Credential,
  { password, code }: Proof,
): Promise<Refusal | undefined> {
  const overLimit = await countConfirmation(c, userId);
  if (overLimit !== undefined) return overLimit;
  if (password !== undefined) {
    const verified = await verifyCounted(c, userId, { hash, password, wrong: wrongPassword });
    if (!verified.ok) return verified.refusal;
  }
  if (code === undefined) return undefined;
  const used = await useCode(c, { userId, email }, code);
  if (!used.ok) return used.refusal;
  return used.value === undefined ? wrongCode : undefined;
}

/**
 * Verifies a password. Count the attempt before, so that no caller uses more of the shared hashing capacity than their
 * limit allows. If the hash can't be computed, the count is undone.
 */
export async function verifyCounted(
  c: Ctx,
  userId: string,
  { hash, password, wrong }: { readonly hash: string | null; readonly password: string; readonly wrong: Refusal },
): Promise<Result<Hashing>> {
  const hashing = openHashing(c, "known");
  const verified = hashing.ok ? await hashing.value.verify(hash ?? undefined, password) : hashing;
  if (!verified.ok) releaseConfirmation(c, userId);
  if (!hashing.ok) return hashing;
  if (!verified.ok) return verified;
  return verified.value === true ? hashing : refused(wrong);
}

const maxCode = 64;

/** Removes spaces, because people copy codes with spaces. */
export const code = () =>
  fields
    .nonBlank("code", maxCode)
    .transform((text) => text.replace(/\s/g, ""))
    .openapi({ type: "string", minLength: 1, maxLength: maxCode, example: "123456" });

export const wrongCode = invalidField("code", "code is incorrect or was already used");
export const wrongPassword = invalidField("password", "password is incorrect");

const contextOf = (userId: string): DataContext => ({ purpose: "totp-secret", rowId: userId });

export const encryptSecret = (c: Ctx, userId: string, secret: Uint8Array): Promise<string> =>
  encryptData(
    dataKeysOf(c.env),
    contextOf(userId),
    Buffer.from(secret).toString("base64url"),
    crypto.getRandomValues(new Uint8Array(ivBytes)),
  );

/** Returns the time step of the code. Undefined if the code is wrong. Throws if the secret can't be decrypted. */
export async function stepOfCode(
  c: Ctx,
  userId: string,
  given: string,
  { secret: encrypted, lastStep }: SecondFactor,
): Promise<number | undefined> {
  const secret = await decryptData(dataKeysOf(c.env), contextOf(userId), encrypted);
  if (secret === undefined) throw new Error("a second factor's secret can't be decrypted: its key is missing");
  return matchingStep(Buffer.from(secret, "base64url"), given, c.get("call").at, lastStep);
}

type UsedCode = "code" | "recovery_code" | undefined;

/**
 * Uses a code of the account's second factor, or one of its recovery codes. Returns undefined if the code is wrong or
 * already used, or if any code was used after the request with the id `after`.
 */
export async function useCode(
  c: Ctx,
  { userId, email }: { readonly userId: string; readonly email: string },
  given: string,
  after?: string,
): Promise<Result<UsedCode>> {
  const { operationId } = c.get("call");
  const use = { userId, operationId, after };
  if (isRecoveryCode(given)) return spendRecoveryCode(c, { email, given }, use);
  const found = await readFromDatabase(c, "home", (database) => findSecondFactor(database, userId));
  if (!found.ok) return found;
  const factor = found.value;
  const step = factor?.confirmedAt == null ? undefined : await stepOfCode(c, userId, given, factor);
  if (step === undefined) return ok(undefined);
  const used = await readFromDatabase(c, "home", (database) => useTotpStep(database, step, use));
  return used.ok ? ok(used.value ? "code" : undefined) : used;
}

async function spendRecoveryCode(
  c: Ctx,
  { email, given }: { readonly email: string; readonly given: string },
  use: Omit<Parameters<typeof useRecoveryCode>[3], "mail">,
): Promise<Result<UsedCode>> {
  const mail = await accountMail(c, { userId: use.userId, email }, "recovery_code_used");
  const used = await readFromDatabase(c, "home", (database) =>
    useRecoveryCode(database, hashRecoveryCode(given), c.get("call").at, { ...use, mail }),
  );
  if (!used.ok) return used;
  if (mail !== undefined && used.value) sendMails(c, "home");
  if (mail !== undefined && !used.value) releaseMail(c, "recovery_code_used", email);
  return ok(used.value ? "recovery_code" : undefined);
}

/** Body fields of changes that require the password, even in a session that was confirmed recently. */
export const ownProof = {
  password: fields
    .optional(fields.text("password", 128))
    .describe(
      "Your account's password. An account without one must have confirmed at the identity provider in the last 5 minutes, or with two-factor authentication in the last 60.",
    ),
  code: fields
    .optional(code())
    .describe(
      "A code of the authenticator app, or a recovery code. Required in addition to the password if the account has two-factor authentication.",
    ),
};

const justConfirmedMs = 5 * 60_000;

/** Requires the password. If the account has none, requires a recent check by the identity provider instead. */
export function passwordProof({ hash }: Credential, password: string | null): Result<Proof> {
  if (hash === null) return ok({ confirmedWithinMs: justConfirmedMs });
  return password === null ? refused(invalidField("password", "password is required")) : ok({ password });
}

export function proofWithPassword(
  credential: Credential,
  { password, code: given }: { readonly password: string | null; readonly code: string | null },
): Result<Proof> {
  const proof = passwordProof(credential, password);
  if (!proof.ok || !credential.twoFactor) return proof;
  if (given === null) return refused(invalidField("code", "code is required"));
  // With a code, an account without a password must have been confirmed in the last hour, not in the last 5 minutes: a
  // code proves as much as a check by the provider, and some providers don't report when they checked.
  const confirmed = credential.hash === null && { confirmedWithinMs: confirmedForMs };
  return ok({ ...proof.value, ...confirmed, code: given });
}

const Reauthentication = z
  .object({
    password: fields
      .optional(fields.text("password", 128))
      .describe("The account's password. Required if the account has no two-factor authentication."),
    code: fields
      .optional(code())
      .describe(
        "A code of the authenticator app, or a recovery code. Required if the account has two-factor authentication.",
      ),
  })
  .openapi("Reauthentication");

function proofOf(
  { twoFactor, hash }: Credential,
  { password, code }: z.output<typeof Reauthentication>,
): Result<Proof> {
  if (hash === null && !twoFactor) return refused({ code: "no_password" });
  if (twoFactor) return code === null ? refused(invalidField("code", "code is required")) : ok({ code });
  return password === null ? refused(invalidField("password", "password is required")) : ok({ password });
}

export const reauthenticate = endpoint({
  route: createRoute({
    method: "post",
    path: "/reauthenticate",
    operationId: "reauthenticate",
    tags: ["Sign-in"],
    summary: "Confirm who you are",
    description:
      "For the next 60 minutes, this session can confirm payouts, create keys, invite members and make the other changes that return 403 `reauthenticate`. An account that has neither a password nor two-factor authentication confirms at the identity provider (`POST /api/auth/oidc/confirm`).",
    ...withJsonBody(signedIn()),
    request: { body: body(Reauthentication) },
    responses: {
      ...done("Confirmed"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "no_password"]),
    },
  }),
  handler: async (c) => {
    const given = c.req.valid("json");
    const confirmed = await confirmIdentity(c, c.var, (credential) => proofOf(credential, given));
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const token = (await sessionTokenOf(c)) ?? "";
    const marked = await readFromDatabase(c, "home", (database) => markConfirmed(database, token, c.get("call").at));
    return marked.ok ? c.json(success, 200) : refuse(c, marked.refusal);
  },
});
