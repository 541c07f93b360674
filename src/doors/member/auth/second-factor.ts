import { sendMails } from "#api/mail.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { type DataContext, decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { hashRecoveryCode, isRecoveryCode } from "#domain/recovery-code.ts";
import { ok, type Result } from "#domain/result.ts";
import { matchingStep } from "#domain/totp.ts";
import { dataKeysOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import { invalidField } from "#http/refusal/responses.ts";
import * as fields from "#http/schema/form-fields.ts";
import { findSecondFactor, type SecondFactor, useRecoveryCode, useTotpStep } from "#store/accounts/second-factors.ts";
import { accountMail } from "./account-mail.ts";

const maxCode = 64;

/** As people copy codes: with spaces in them. */
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

/** The step of the code, if it is right. Throws if the secret can't be decrypted. */
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
 * Uses a code of the account's second factor, or one of its recovery codes. Undefined if it is wrong or was used, or if
 * another code was used since the request `after`.
 */
export async function useCode(
  c: Ctx,
  { userId, email }: { readonly userId: string; readonly email: string },
  given: string,
  after?: string,
): Promise<Result<UsedCode>> {
  const { operationId, at } = c.get("call");
  const use = { userId, operationId, after };
  if (isRecoveryCode(given)) {
    const mail = await accountMail(c, { userId, email }, "recovery_code_used");
    const used = await readFromDatabase(c, "home", (database) =>
      useRecoveryCode(database, hashRecoveryCode(given), at, { ...use, mail }),
    );
    if (used.ok && used.value && mail !== undefined) sendMails(c, "home");
    return used.ok ? ok(used.value ? "recovery_code" : undefined) : used;
  }
  const found = await readFromDatabase(c, "home", (database) => findSecondFactor(database, userId));
  if (!found.ok) return found;
  const factor = found.value;
  const step = factor?.confirmedAt == null ? undefined : await stepOfCode(c, userId, given, factor);
  if (step === undefined) return ok(undefined);
  const used = await readFromDatabase(c, "home", (database) => useTotpStep(database, step, use));
  return used.ok ? ok(used.value ? "code" : undefined) : used;
}
