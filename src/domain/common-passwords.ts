import { dictionary } from "@zxcvbn-ts/language-common";
import { passwordLength } from "./password.ts";

/** Passwords from published leaks: https://github.com/zxcvbn-ts/zxcvbn. Those below the minimum length are left out. */
export const commonPasswords: ReadonlySet<string> = new Set(
  dictionary["passwords-common"]
    .map(String)
    .filter(({ length }) => length >= passwordLength.min)
    .map((password) => password.toLowerCase()),
);
