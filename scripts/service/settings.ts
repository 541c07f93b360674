export interface Setting {
  /** The name of the environment variable. */
  readonly name: string;
  /** The name of the flag, without its dashes. */
  readonly flag?: string;
  /** A placeholder for the value. Empty for a flag without a value. */
  readonly value: string;
  readonly help: string;
  readonly isSecret?: true;
}

/** All settings of `serve`. docs/self-hosting.md has the same table. */
export const settings = [
  { name: "TRIBUTARY_DATA", flag: "data", value: "<folder>", help: "all data of the service; required" },
  { name: "HOST", flag: "host", value: "<address>", help: "IP address to listen on; default: 127.0.0.1" },
  { name: "PORT", flag: "port", value: "<n>", help: "default: 8787" },
  { name: "BASE_URL", flag: "base-url", value: "<url>", help: "public address; email requires it" },
  {
    name: "TRUSTED_PROXIES",
    flag: "trusted-proxy",
    value: "<range>",
    help: "repeatable; in the environment a list with commas",
  },
  { name: "CLIENT_ADDRESS_HEADER", flag: "client-address-header", value: "<name>", help: "default: X-Forwarded-For" },
  { name: "INSECURE_HTTP", flag: "insecure-http", value: "", help: "in the environment: on or off" },
  { name: "TRIBUTARY_SHARDS", flag: "shards", value: "<n>", help: "minimum number of shards; default: 1" },
  { name: "SECRETS_FILE", flag: "secrets-file", value: "<path>", help: "default: secrets.env in the data folder" },
  { name: "SIGN_UP", value: "invited|open", help: "who may create an account; default: invited" },
  { name: "MAIL_HOOK", value: "<url>", help: "where emails are posted" },
  { name: "MAIL_FROM", value: "<address>", help: "sender of the emails by SMTP" },
  { name: "WEBHOOK_ALLOW", value: "<ranges>", help: "addresses besides public ones that webhooks may call" },
  { name: "CLICK_RETENTION_DAYS", value: "<n>", help: "395 or more; default: 400" },
  { name: "METRICS_PORT", value: "<n>", help: "on 127.0.0.1; default: 9464" },
  { name: "MIN_FREE_DISK_MB", value: "<n>", help: "/readyz fails below it; default: 500, or 5% of a smaller disk" },
  {
    name: "SMTP_URL",
    value: "smtp(s)://user:password@host:port",
    help: "sends emails; instead of MAIL_HOOK",
    isSecret: true,
  },
  { name: "OIDC_ISSUER", value: "<url>", help: "identity provider at which members sign in" },
  { name: "OIDC_CLIENT_ID", value: "<id>", help: "this service's id at the identity provider" },
  { name: "OIDC_NAME", value: "<name>", help: "of the identity provider, on the sign-in page" },
  { name: "OIDC_TRUST_EMAIL", value: "on|off", help: "its email addresses are verified; default: off" },
  { name: "OIDC_TRUST_MFA", value: "on|off", help: "it always asks for a second factor; default: off" },
  { name: "OIDC_REQUIRED", value: "on|off", help: "members can't use a password; default: off" },
  { name: "OIDC_EXCEPT", value: "<addresses>", help: "members who can nevertheless, with commas" },
  {
    name: "OIDC_CLIENT_SECRET",
    value: "<secret>",
    help: "proves this service to the identity provider",
    isSecret: true,
  },
  { name: "MAIL_HOOK_SECRET", value: "<secret>", help: "signs what is posted to MAIL_HOOK", isSecret: true },
  { name: "CLICK_KEYS", value: "<id>:<key>,…", help: "sign click ids", isSecret: true },
  { name: "HASH_SECRET", value: "<secret>", help: "key for digests of visitors and email addresses", isSecret: true },
  { name: "AUTH_SECRET", value: "<secret>", help: "signs sessions", isSecret: true },
  { name: "DATA_KEYS", value: "<id>:<key>,…", help: "encrypt stored data", isSecret: true },
] as const satisfies readonly Setting[];

export type SettingName = (typeof settings)[number]["name"];
