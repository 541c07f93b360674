import { normalizeEmail } from "#domain/email.ts";
import { emailDigest, emailHash } from "#domain/email-digest.ts";
import { erasedDigest } from "#domain/erasure.ts";
import type { ProgramId } from "#domain/ids.ts";
import { hashSecretOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { inputRefusals, memberWriteRefusals } from "../guards.ts";

export const personRefusals = [
  ...(["reauthenticate", ...memberWriteRefusals, ...inputRefusals] as const),
  ...(["person_not_found", "several_customers", "too_many_customers"] as const),
] as const;

const names = ["customerKey", "email", "clickId"] as const;

const askedBy = {
  customerKey: fields.callerId("customerKey").optional(),
  email: fields.emailAsWritten("email").optional().describe("Also a customer whose key is this address is meant."),
  clickId: fields.callerId("clickId").optional(),
};

type AskedBy = { readonly [Name in (typeof names)[number]]?: string | undefined };

const exactlyOne = fields.rule(
  names,
  `Send exactly one of ${names.join(", ")}`,
  (body: AskedBy) => names.filter((name) => body[name] !== undefined).length === 1,
);

export const PersonAsked = z
  .object(askedBy)
  .refine(...exactlyOne)
  .openapi("PersonAsked");
export const PersonToErase = z
  .object({ ...askedBy, confirm: z.literal(true, "confirm must be true") })
  .refine(...exactlyOne)
  .openapi("PersonToErase");

export const personMeant = (c: Ctx, programId: ProgramId, asked: AskedBy) =>
  meantBy(hashSecretOf(c.env), programId, asked);

/** The Ledger compares addresses by their digests. */
export function meantBy(secret: string, programId: ProgramId, { customerKey, email, clickId }: AskedBy) {
  const keys = [
    ...new Set(
      [customerKey, email, email?.toLowerCase(), email && normalizeEmail(email)].filter((key) => key !== undefined),
    ),
  ];
  const hash = email === undefined ? null : emailHash(secret, programId, emailDigest(secret, email));
  const asked = [...keys, hash, clickId ?? null].filter((text) => text !== null);
  const digests = asked.map((text) => erasedDigest({ programId, hashSecret: secret }, text));
  return { keys, emailHash: hash, clickId: clickId ?? null, digests: JSON.stringify(digests) };
}
