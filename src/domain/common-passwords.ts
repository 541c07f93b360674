import { dictionary } from "@zxcvbn-ts/language-common";
import { passwordLength } from "./password.ts";

/** Passwords from published leaks (https://github.com/zxcvbn-ts/zxcvbn), without those below the minimum length. */
export const commonPasswords: ReadonlySet<string> = new Set(
  dictionary["passwords-common"]
    .map(String)
    .filter(({ length }) => length >= passwordLength.min)
    .map((password) => password.toLowerCase()),
);
