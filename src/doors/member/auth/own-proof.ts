import { ok, type Result, refused } from "#domain/result.ts";
import { invalidField } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import type { Proof } from "./confirm-identity.ts";
import { code } from "./second-factor.ts";

/** Of bodies of what needs the password, whenever the session began. */
export const ownProof = {
  password: fields.text("password", 128).describe("Of your account."),
  code: fields
    .optional(code())
    .describe("Required with two-factor authentication, beside the password: a code, or a recovery code."),
};

export function proofWithPassword(
  twoFactor: boolean,
  { password, code: given }: { readonly password: string; readonly code: string | null },
): Result<Proof> {
  if (!twoFactor) return ok({ password });
  return given === null ? refused(invalidField("code", "code is required")) : ok({ password, code: given });
}
