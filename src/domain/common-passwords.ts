import { dictionary } from "@zxcvbn-ts/language-common";
import { passwordLength } from "./password.ts";

/**
 * The list is ordered by frequency in published leaks: https://github.com/zxcvbn-ts/zxcvbn. Passwords below the minimum
 * length are left out.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  dictionary["passwords-common"]
    .slice(0, 10_000)
    .map((password) => String(password).toLowerCase())
    .filter(({ length }) => length >= passwordLength.min),
);
