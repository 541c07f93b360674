import { type ClickKeyRing, parseClickKeyRing } from "./domain/click-id.ts";
import { type Cidrs, parseCidrs } from "./domain/ip-address.ts";
import { isSignUpMode, type SignUpMode, signUpModes } from "./domain/sign-up.ts";
import type { LedgerRpc } from "./ledger/rpc.ts";

type RateLimitName =
  | "CLICK_LIMIT"
  | "CLICK_KEY_LIMIT"
  | "CLICK_PROGRAM_LIMIT"
  | "LEAD_LIMIT"
  | "LEAD_KEY_LIMIT"
  | "LEAD_PROGRAM_LIMIT"
  | "SALE_LIMIT"
  | "READINESS_LIMIT"
  | "FAILED_KEY_LIMIT"
  | "USER_WRITE_LIMIT"
  | "USER_READ_LIMIT";

/** A `DurableObjectNamespace`, as far as it is asked. Its own type widens the answers that pass through it. */
export interface LedgerNamespace {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId, options: DurableObjectNamespaceGetDurableObjectOptions): LedgerRpc;
}

/** A `Fetcher`, as far as it is asked. */
export type AssetServer = Pick<Fetcher, "fetch">;

/** A call that was answered. */
export interface AnsweredCall {
  readonly method: string;
  /** The route's pattern; undefined where none matched. */
  readonly route: string | undefined;
  readonly status: number;
  /** `ok`, or the refusal's code. */
  readonly outcome: string;
  readonly duration_ms: number;
}

/** The runtime's part in measuring the Worker, where it runs by itself on workerd. */
export interface Monitor {
  readonly onCall: (call: AnsweredCall) => void;
  readonly onRound: (calls: number) => void;
  readonly onDatabaseFault: (kind: string) => void;
  /** False while the disk is nearly full. */
  readonly isReady: () => boolean;
}

/** What wrangler.toml binds. Named nowhere else: others ask the functions below. */
export interface Env
  extends Readonly<Record<RateLimitName, RateLimit>>,
    Readonly<Record<`${RateLimitName}_PER_MINUTE`, string>> {
  readonly LEDGER: LedgerNamespace;
  readonly LEDGER_NAME: string;
  readonly LEDGER_LOCATION?: string;
  readonly DATABASE_URL: string;
  readonly DATABASE_AUTH_TOKEN?: string;
  /** Signs and verifies click ids: see `parseClickKeyRing`. */
  readonly CLICK_KEYS: string;
  /** Keys the digests of addresses, sessions and e-mail addresses. */
  readonly HASH_SECRET: string;
  /** Signs the cookies of sessions. */
  readonly AUTH_SECRET: string;
  readonly SIGN_UP: string;
  readonly RATE_LIMITS?: string;
  /** Who tells a client's address: see `addressFrom`. */
  readonly ADDRESS_FROM?: string;
  /** Proxies in front of workerd, whose CF-Connecting-IP and X-Forwarded-Proto count: `10.0.0.0/8,…`. */
  readonly TRUSTED_PROXIES?: string;
  /** `on`: see `allowsInsecureHttp`. */
  readonly INSECURE_HTTP?: string;
  readonly ASSETS?: AssetServer;
  /** Bound by runtime/server.ts alone. */
  readonly MONITOR?: Monitor;
}

const bindings = ["LEDGER", "LEDGER_NAME", "DATABASE_URL", "CLICK_KEYS", "HASH_SECRET", "AUTH_SECRET"] as const;
const rateLimits = {
  click: "CLICK_LIMIT",
  keyedClick: "CLICK_KEY_LIMIT",
  programClick: "CLICK_PROGRAM_LIMIT",
  lead: "LEAD_LIMIT",
  keyedLead: "LEAD_KEY_LIMIT",
  programLead: "LEAD_PROGRAM_LIMIT",
  sale: "SALE_LIMIT",
  readiness: "READINESS_LIMIT",
  failedKey: "FAILED_KEY_LIMIT",
  userWrite: "USER_WRITE_LIMIT",
  userRead: "USER_READ_LIMIT",
} as const satisfies Record<string, RateLimitName>;
export const minSecretLength = 32;

const checked = new WeakSet<Env>();

/** Throws, and says what is missing, where the Worker was started without something it needs. */
export function checkEnv(env: Env): void {
  if (checked.has(env)) return;
  for (const name of [...bindings, ...Object.values(rateLimits)]) {
    if (!env[name]) throw new Error(`${name} is not set: see wrangler.toml, and "wrangler secret put" for secrets`);
  }
  for (const name of Object.values(rateLimits)) {
    const isNumber = Number(env[`${name}_PER_MINUTE`]) > 0;
    if (!isNumber) throw new Error(`${name}_PER_MINUTE is not a number: see wrangler.toml`);
  }
  for (const name of ["HASH_SECRET", "AUTH_SECRET"] as const) {
    if (env[name].length < minSecretLength) throw new Error(`${name} is shorter than ${minSecretLength} characters`);
  }
  clickKeysOf(env);
  checkAddressSource(env);
  signUpOf(env);
  checked.add(env);
}

/**
 * Who tells a client's address: Cloudflare, in a header that a client can't set there; or workerd, which knows the peer.
 * It is set by whatever starts the Worker: a header or `request.cf` could be forged. Undefined: nobody tells it.
 */
export const addressFrom = (env: Env): "cloudflare" | "workerd" | undefined =>
  (["cloudflare", "workerd"] as const).find((source) => source === env.ADDRESS_FROM);

let proxies: { readonly text: string; readonly cidrs: Cidrs | undefined } | undefined;

function readTrustedProxies({ TRUSTED_PROXIES: text = "" }: Env): Cidrs | undefined {
  if (proxies?.text !== text) proxies = { text, cidrs: parseCidrs(text) };
  return proxies.cidrs;
}

export const trustedProxiesOf = (env: Env): Cidrs => readTrustedProxies(env) ?? [];

function checkAddressSource(env: Env): void {
  const { ADDRESS_FROM: source, TRUSTED_PROXIES: text } = env;
  if (source && addressFrom(env) === undefined) {
    throw new Error(`ADDRESS_FROM is ${source}: it is cloudflare, workerd or empty`);
  }
  if (readTrustedProxies(env) === undefined) {
    throw new Error(`TRUSTED_PROXIES is ${text}: it lists addresses and ranges such as 10.0.0.0/8,2001:db8::/32`);
  }
  if (text && source !== "workerd") throw new Error("TRUSTED_PROXIES needs ADDRESS_FROM=workerd, which tells the peer");
  if (env.INSECURE_HTTP === "on" && source !== "workerd") throw new Error("INSECURE_HTTP needs ADDRESS_FROM=workerd");
}

/** Plain http is served to other machines too: an operator's choice, for workerd alone and never on Cloudflare. */
export const allowsInsecureHttp = (env: Env): boolean => env.INSECURE_HTTP === "on" && addressFrom(env) === "workerd";

let ring: { readonly text: string; readonly keys: ClickKeyRing } | undefined;

export function clickKeysOf({ CLICK_KEYS: text }: Env): ClickKeyRing {
  if (ring?.text === text) return ring.keys;
  const keys = parseClickKeyRing(text);
  if (keys === undefined) throw new Error("CLICK_KEYS is not of the form <id>:<base64url of at least 32 bytes>[,…]");
  ring = { text, keys };
  return keys;
}

/** Where the static files are. */
export const assetsOf = (env: Env): AssetServer | undefined => env.ASSETS;

export const monitorOf = (env: Env): Monitor | undefined => env.MONITOR;

export const hashSecretOf = (env: Env): string => env.HASH_SECRET;
export const authSecretOf = (env: Env): string => env.AUTH_SECRET;

/** Who may make an account, and who a workspace. */
export function signUpOf({ SIGN_UP: value }: Env): SignUpMode {
  if (!isSignUpMode(value)) throw new Error(`SIGN_UP is not ${signUpModes.join(" or ")}: see wrangler.toml`);
  return value;
}

/** What is known of whom a call is about, and enough to find the Ledger that keeps it. */
export type Locator =
  | { readonly programId: number }
  | { readonly code: string }
  | { readonly newIn: string }
  | { readonly storage: "own" };

/**
 * The Ledger of a program, of a referral code, of what is to be made in a workspace, or whose own storage is asked for.
 * There is one today.
 */
export function ledgerOf(env: Env, _locator: Locator): LedgerRpc {
  const locationHint = locations.find((location) => location === env.LEDGER_LOCATION);
  return env.LEDGER.get(env.LEDGER.idFromName(env.LEDGER_NAME), locationHint === undefined ? {} : { locationHint });
}

const locations = ["wnam", "enam", "sam", "weur", "eeur", "apac", "apac-ne", "apac-se", "oc", "afr", "me"] as const;

export interface DatabaseAddress {
  readonly url: string;
  readonly authToken: string | undefined;
  readonly onFault: Monitor["onDatabaseFault"] | undefined;
}

/** Where a program's database is. There is one today. */
export const databaseOf = (env: Env, _programId?: number): DatabaseAddress => ({
  url: env.DATABASE_URL,
  authToken: env.DATABASE_AUTH_TOKEN || undefined,
  onFault: env.MONITOR?.onDatabaseFault,
});

export type LimitName = keyof typeof rateLimits;

export interface Limit {
  readonly perMinute: number;
  /** Counts one more call of `who`, and says whether it may go on. */
  admits(who: string): Promise<boolean>;
}

/** `RATE_LIMITS=off` is for load tests on one's own machine, and holds nowhere else. */
export const areLimitsOff = (env: Env, isLoopback: boolean): boolean => env.RATE_LIMITS === "off" && isLoopback;

export function limitOf(env: Env, name: LimitName, isLoopback: boolean): Limit {
  const binding = rateLimits[name];
  return {
    perMinute: Number(env[`${binding}_PER_MINUTE`]),
    admits: async (who) => areLimitsOff(env, isLoopback) || (await env[binding].limit({ key: who })).success,
  };
}
