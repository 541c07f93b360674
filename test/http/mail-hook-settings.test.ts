import { expect, test } from "vitest";
import { checkEnv } from "#check-env.ts";
import type { Env } from "#env.ts";
import { testSecrets } from "../../harness/service.ts";

const hook = "https://mailer.example/send";
const secret = "a secret of thirty-two characters";

const defaults: Readonly<Record<string, string>> = {
  ...testSecrets,
  ...{ SIGN_UP: "open", ADDRESS_FROM: "peer", SHARDS: "", HASHES_PER_SECOND: "1", UNSIGNED_EVENTS_PER_DAY: "1" },
  ...{
    TRUSTED_PROXIES: "",
    CLIENT_ADDRESS_HEADER: "",
    INSECURE_HTTP: "",
    BASE_URL: "",
    MAIL_HOOK: "",
    MAIL_HOOK_SECRET: "",
    WEBHOOK_ALLOW: "",
    CLICK_RETENTION_DAYS: "400",
  },
};

const check = (settings: Readonly<Record<string, string>>) => () => {
  const values = { ...defaults, ...settings };
  checkEnv(
    new Proxy({} as Env, {
      get: (_, name) => {
        const text = String(name);
        if (text.startsWith("SHARDS_")) return undefined;
        if (text.startsWith("OIDC_")) return values[text];
        return values[text] ?? (text.endsWith("_PER_MINUTE") ? "1" : "bound");
      },
    }),
  );
};

test.each([
  [{ MAIL_HOOK: "http://mailer.example/send", MAIL_HOOK_SECRET: secret }, "it is an https URL"],
  [{ MAIL_HOOK: "http://127.0.0.2:1/mail", MAIL_HOOK_SECRET: secret }, "it is an https URL"],
  [{ MAIL_HOOK: hook, BASE_URL: "https://shop.example" }, "MAIL_HOOK_SECRET of at least 32 characters"],
  [{ MAIL_HOOK: hook, MAIL_HOOK_SECRET: secret }, "MAIL_HOOK needs BASE_URL"],
])("a service with the mail settings %j doesn't start", (settings, refusal) => {
  expect(check(settings)).toThrow(refusal);
});

test.each([
  [{ OIDC_ISSUER: "https://id.example" }, "OIDC_ISSUER needs OIDC_CLIENT_ID"],
  [{ OIDC_ISSUER: "http://127.0.0.2", OIDC_CLIENT_ID: "a", OIDC_CLIENT_SECRET: "b" }, "it is an https URL"],
  [{ OIDC_ISSUER: "http://id.example", OIDC_CLIENT_ID: "a", OIDC_CLIENT_SECRET: "b" }, "it is an https URL"],
])("a service with the sign-in settings %j doesn't start", (settings, refusal) => {
  expect(check(settings)).toThrow(refusal);
});

test.each(["394", "0", "", "400.5", "forever"])("a service with CLICK_RETENTION_DAYS=%j doesn't start", (days) => {
  expect(check({ CLICK_RETENTION_DAYS: days })).toThrow(
    "it is a number of days, 395 or more: the longest window and 30",
  );
});

test.each([
  {},
  { MAIL_HOOK: "http://127.0.0.1:1/mail", MAIL_HOOK_SECRET: secret },
  { MAIL_HOOK: "http://[::1]:1/mail", MAIL_HOOK_SECRET: secret },
  { OIDC_ISSUER: "http://localhost:1", OIDC_CLIENT_ID: "a", OIDC_CLIENT_SECRET: "b" },
  { MAIL_HOOK: hook, MAIL_HOOK_SECRET: secret, BASE_URL: "https://shop.example" },
  { MAIL_HOOK: hook, MAIL_HOOK_SECRET: secret, ADDRESS_FROM: "cloudflare" },
])("a service with the settings %j starts", (settings) => {
  expect(check(settings)).not.toThrow();
});
