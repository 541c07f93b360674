import { expect, test } from "vitest";
import { mailHookOf, mailHookSecret } from "../../scripts/release/mail-hook.ts";

const MAIL_HOOK = "https://mailer.example/send";
const file = (values: Record<string, string> = {}) => ({ path: "/secrets.env", text: undefined, values });
const none = new Set<string>();

test("a deployed service passes emails to a mail hook at an https address, or sends no emails without a hook", () => {
  expect(mailHookOf({ MAIL_HOOK })).toBe(MAIL_HOOK);
  expect(mailHookOf({})).toBe("");
  expect(() => mailHookOf({ MAIL_HOOK: "http://mailer.example" })).toThrow("it is an https URL");
});

test("the secret of the mail hook comes from the environment, the secrets file or Cloudflare, in this order", () => {
  const secret = (value: string) => ({ MAIL_HOOK_SECRET: value });
  const environment = { MAIL_HOOK, ...secret("a") };
  expect(mailHookSecret({ environment, file: file(secret("b")), existing: none })).toEqual(secret("a"));
  expect(mailHookSecret({ environment: { MAIL_HOOK }, file: file(secret("b")), existing: none })).toEqual(secret("b"));
  const existing = new Set(["MAIL_HOOK_SECRET"]);
  expect(mailHookSecret({ environment: { MAIL_HOOK }, file: file(), existing })).toEqual({});
  expect(mailHookSecret({ environment: {}, file: file(), existing: none })).toEqual({});
  expect(() => mailHookSecret({ environment: { MAIL_HOOK }, file: file(), existing: none })).toThrow(
    "MAIL_HOOK needs MAIL_HOOK_SECRET, which is neither in the environment nor in /secrets.env.",
  );
});
