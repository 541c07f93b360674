import { weaknessOf } from "#domain/password.ts";
import { invalidField } from "#http/refusal/responses.ts";

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
