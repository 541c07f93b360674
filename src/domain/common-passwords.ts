import { dictionary } from "@zxcvbn-ts/language-common";
import { passwordLength } from "./password.ts";

/**
 * Those of the 10,000 commonest passwords that are long enough to be chosen at all, in lower case. The list is ordered by
 * how often each was found in published leaks: https://github.com/zxcvbn-ts/zxcvbn.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  dictionary["passwords-common"]
    .slice(0, 10_000)
    .map((password) => String(password).toLowerCase())
    .filter(({ length }) => length >= passwordLength.min),
);
