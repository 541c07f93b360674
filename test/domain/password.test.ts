import { expect, test } from "vitest";
import { commonPasswords } from "#domain/common-passwords.ts";
import { weaknessOf } from "#domain/password.ts";

const grace = { email: "grace@navy.example", name: "Grace Hopper" };
const weakness = (password: string) => weaknessOf(password, grace, commonPasswords);

test.each(["1234567890", "qwertyuiop", "QwertyUIOP", "1q2w3e4r5t", "password123", " basketball "])(
  "the password %j is rejected as common",
  (password) => expect(weakness(password)).toBe("common"),
);

test.each(["grace@navy.example", "GRACE@navy.example", "grace hopper", " Grace Hopper "])(
  "the password %j is rejected as the owner's own name",
  (password) => expect(weakness(password)).toBe("own_name"),
);

test.each(["correct horse battery staple", "grace@navy.example!", "1234567890x", "", "ПарольПароль"])(
  "the password %j, which is neither common nor the owner's name, is accepted",
  (password) => expect(weakness(password)).toBeUndefined(),
);

test("the list of common passwords contains only passwords that a person could choose", () => {
  expect(commonPasswords.size).toBeGreaterThan(100);
  expect([...commonPasswords].every((password) => password.length >= 10)).toBe(true);
});
