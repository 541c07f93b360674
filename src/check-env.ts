import { rateLimits, siteLimits } from "#domain/limit-bindings.ts";
import { isMailHook } from "#domain/mail/hook.ts";
import { parseOidc } from "#domain/oidc.ts";
import { clickRetentionRule, parseClickRetention } from "#domain/retention.ts";
import {
  addressFrom,
  baseUrlOf,
  clickKeysOf,
  dataKeysOf,
  type Env,
  isHeaderName,
  readTrustedProxies,
  shardsOf,
  signUpOf,
  webhookRangesOf,
} from "./env.ts";

export const minSecretLength = 32;

const bindings = [
  "LEDGER",
  "LEDGER_NAME",
  "WORKER_NAME",
  "DATABASE_URL",
  "CLICK_KEYS",
  "HASH_SECRET",
  "AUTH_SECRET",
  "DATA_KEYS",
] as const;

/** Throws an error that names a missing or invalid setting. */
export function checkEnv(env: Env): void {
  for (const name of [...bindings, ...Object.values(rateLimits), ...Object.values(siteLimits)]) {
    if (!env[name]) throw new Error(`${name} is not set: see wrangler.toml, and "wrangler secret put" for secrets`);
  }
  for (const name of Object.values(rateLimits)) {
    const isNumber = Number(env[`${name}_PER_MINUTE`]) > 0;
    if (!isNumber) throw new Error(`${name}_PER_MINUTE is not a number: see wrangler.toml`);
  }
  for (const name of ["HASHES_PER_SECOND", "UNSIGNED_EVENTS_PER_DAY"] as const) {
    if (!(Number(env[name]) > 0)) throw new Error(`${name} is not a number: see wrangler.toml`);
  }
  for (const name of ["HASH_SECRET", "AUTH_SECRET"] as const) {
    if (env[name].length < minSecretLength) throw new Error(`${name} is shorter than ${minSecretLength} characters`);
  }
  clickKeysOf(env);
  dataKeysOf(env);
  shardsOf(env);
  checkAddressSource(env);
  signUpOf(env);
  if (parseClickRetention(env.CLICK_RETENTION_DAYS) === undefined) {
    throw new Error(`CLICK_RETENTION_DAYS is ${env.CLICK_RETENTION_DAYS}: ${clickRetentionRule}`);
  }
  checkMailHook(env);
  checkOidc(env);
  webhookRangesOf(env);
}

function checkAddressSource(env: Env): void {
  const { ADDRESS_FROM: source, TRUSTED_PROXIES: text } = env;
  if (source && addressFrom(env) === undefined) {
    throw new Error(`ADDRESS_FROM is ${source}: it is cloudflare, peer or empty`);
  }
  if (readTrustedProxies(env) === undefined) {
    throw new Error(`TRUSTED_PROXIES is ${text}: it lists addresses and ranges such as 10.0.0.0/8,2001:db8::/32`);
  }
  if (text && source !== "peer") throw new Error("TRUSTED_PROXIES needs ADDRESS_FROM=peer, which tells the peer");
  const header = env.CLIENT_ADDRESS_HEADER || undefined;
  if (header !== undefined && !isHeaderName(header)) {
    throw new Error(`CLIENT_ADDRESS_HEADER is ${header}: it is the name of a header`);
  }
  if (env.INSECURE_HTTP === "on" && source !== "peer") throw new Error("INSECURE_HTTP needs ADDRESS_FROM=peer");
}

function checkOidc(env: Env): void {
  const settings = parseOidc(env);
  if (settings === undefined) return;
  if ("fault" in settings) throw new Error(settings.fault);
}

function checkMailHook(env: Env): void {
  const { MAIL_HOOK: url, MAIL_HOOK_SECRET: secret = "" } = env;
  if (!url) return;
  if (!isMailHook(url)) throw new Error(`MAIL_HOOK is ${url}: it is an https URL`);
  if (secret.length < minSecretLength) {
    throw new Error(`MAIL_HOOK needs a MAIL_HOOK_SECRET of at least ${minSecretLength} characters`);
  }
  // Links in mails must use a configured address. With the `Host` of the request, a caller could make them lead to
  // their own site.
  const isLocal = url.startsWith("http:");
  if (!isLocal && baseUrlOf(env) === undefined && addressFrom(env) !== "cloudflare") {
    throw new Error("MAIL_HOOK needs BASE_URL, the address to which the links in mails lead");
  }
}
