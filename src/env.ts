import type { DelivererRpc, WebhookSenderRpc } from "#deliver/rpc.ts";
import { type ClickKeyRing, parseClickKeyRing } from "#domain/click-id.ts";
import { type DataKeyRing, parseDataKeys } from "#domain/data-keys.ts";
import type { ProgramId, Shard } from "#domain/ids.ts";
import { type Cidrs, parseCidrs } from "#domain/ip-address.ts";
import { type AddressLimitName, type LimitName, rateLimits, siteLimits } from "#domain/limit-bindings.ts";
import { locations } from "#domain/locations.ts";
import type { MachineClock } from "#domain/machine-clock.ts";
import type { OidcTexts } from "#domain/oidc.ts";
import { home } from "#domain/shard.ts";
import { parseShards, type ShardAddress } from "#domain/shard-list.ts";
import { isSignUpMode, type SignUpMode, signUpModes } from "#domain/sign-up.ts";
import type { LedgerRpc } from "#ledger/rpc.ts";
import type { RequestLogRpc } from "#requests/rpc.ts";
import type { DatabaseConfig } from "#store/database.ts";

type RateLimitName = (typeof rateLimits)[LimitName];
type SiteLimitName = (typeof siteLimits)[AddressLimitName];

/** The part of `DurableObjectNamespace` that is used. The full type would widen the types of the Ledger's answers. */
export interface LedgerNamespace {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId, options: DurableObjectNamespaceGetDurableObjectOptions): LedgerRpc;
}

export interface DelivererNamespace {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): DelivererRpc;
}

export interface WebhookSenderNamespace {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): WebhookSenderRpc;
}

export interface RequestLogNamespace {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): RequestLogRpc;
}

export type AssetServer = Pick<Fetcher, "fetch">;

/** Hashes passwords in another process. See scripts/service/hasher.ts. */
export interface Hasher {
  readonly service: Pick<Fetcher, "fetch">;
  readonly token: string;
}

export interface AnsweredCall {
  readonly method: string;
  /** The route's pattern. Undefined if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  /** `ok`, or the code of the refusal. */
  readonly outcome: string;
  readonly duration_ms: number;
}

/** Metrics of a self-hosted service. Only runtime/server.ts binds it. */
export interface Monitor {
  readonly onCall: (call: AnsweredCall) => void;
  readonly onRound: (calls: number) => void;
  readonly onDatabaseFault: (kind: string) => void;
  /** Called for a request with a forwarding header whose peer isn't a trusted proxy. */
  readonly onUntrustedForwarding: () => void;
  /** Called when the database of a shard can't be written, and once it can be written again. */
  readonly onWritable: (shard: Shard, isWritable: boolean) => void;
  /** False while the disk is nearly full, or a database or the storage of a Ledger can't be written. */
  readonly isReady: () => boolean;
  readonly clock: Omit<MachineClock, "take">;
}

/**
 * The bindings of wrangler.toml, and the ones that only a self-hosted service has. Most files read them through the
 * functions below.
 */
export interface Env
  extends Readonly<Record<RateLimitName | SiteLimitName, RateLimit>>,
    Readonly<Record<`${RateLimitName}_PER_MINUTE`, string>>,
    OidcTexts {
  readonly LEDGER: LedgerNamespace;
  readonly LEDGER_NAME: string;
  readonly DELIVERER: DelivererNamespace;
  readonly WEBHOOK_SENDER: WebhookSenderNamespace;
  readonly REQUEST_LOG: RequestLogNamespace;
  readonly WORKER_NAME: string;
  readonly LEDGER_LOCATION?: string;
  readonly DATABASE_URL: string;
  readonly DATABASE_AUTH_TOKEN?: string;
  /**
   * Further shards. `parseShards` has the format. Continued in `SHARDS_2` and so on, because a variable is limited to 5
   * kB.
   */
  readonly SHARDS?: string;
  readonly CLICK_KEYS: string;
  readonly HASH_SECRET: string;
  readonly AUTH_SECRET: string;
  readonly DATA_KEYS: string;
  readonly SIGN_UP: string;
  readonly MAIL_HOOK?: string;
  readonly MAIL_HOOK_SECRET?: string;
  readonly MAILER?: Pick<Fetcher, "fetch">;
  /** Address ranges to which webhooks may be sent, in addition to public addresses. */
  readonly WEBHOOK_ALLOW?: string;
  readonly WEBHOOK_NETWORK?: Pick<Fetcher, "fetch">;
  readonly OIDC_NETWORK?: Pick<Fetcher, "fetch">;
  readonly RATE_LIMITS?: string;
  readonly HASHES_PER_SECOND: string;
  readonly UNSIGNED_EVENTS_PER_DAY: string;
  readonly CLICK_RETENTION_DAYS: string;
  readonly ADDRESS_FROM?: string;
  readonly TRUSTED_PROXIES?: string;
  readonly CLIENT_ADDRESS_HEADER?: string;
  readonly BASE_URL?: string;
  readonly INSECURE_HTTP?: string;
  readonly ASSETS?: AssetServer;
  readonly HASHER?: Hasher["service"];
  readonly HASHER_TOKEN?: string;
  readonly MONITOR?: Monitor;
}

/**
 * Says how the client's address is found. It is a setting, because where the service runs decides which source can't be
 * forged. `cloudflare`: a header that clients can't set there. `peer`: the peer of the connection.
 */
export const addressFrom = (env: Env): "cloudflare" | "peer" | undefined =>
  (["cloudflare", "peer"] as const).find((source) => source === env.ADDRESS_FROM);

let proxies: { readonly text: string; readonly cidrs: Cidrs | undefined } | undefined;

export function readTrustedProxies({ TRUSTED_PROXIES: text = "" }: Env): Cidrs | undefined {
  if (proxies?.text !== text) proxies = { text, cidrs: parseCidrs(text) };
  return proxies.cidrs;
}

export const trustedProxiesOf = (env: Env): Cidrs => readTrustedProxies(env) ?? [];

export const isHeaderName = (text: string): boolean => /^[\w-]+$/.test(text);

/** The header in which a trusted proxy sends the address of its caller, in lower case. */
export const clientAddressHeaderOf = ({ CLIENT_ADDRESS_HEADER: name }: Env): string =>
  (name || "X-Forwarded-For").toLowerCase();

/** The origin under which clients call the service. Undefined if the operator hasn't set it. */
export const baseUrlOf = ({ BASE_URL: url }: Env): string | undefined => url || undefined;

/** True if the operator allows plain http from other machines. Never true on Cloudflare. */
export const allowsInsecureHttp = (env: Env): boolean => env.INSECURE_HTTP === "on" && addressFrom(env) === "peer";

let ring: { readonly text: string; readonly keys: ClickKeyRing } | undefined;

export function clickKeysOf({ CLICK_KEYS: text }: Env): ClickKeyRing {
  if (ring?.text === text) return ring.keys;
  const keys = parseClickKeyRing(text);
  if (keys === undefined) throw new Error("CLICK_KEYS is not of the form <id>:<base64url of at least 32 bytes>[,…]");
  ring = { text, keys };
  return keys;
}

let dataRing: { readonly text: string; readonly keys: DataKeyRing } | undefined;

export function dataKeysOf({ DATA_KEYS: text }: Env): DataKeyRing {
  if (dataRing?.text === text) return dataRing.keys;
  const keys = parseDataKeys(text);
  if (keys === undefined) throw new Error("DATA_KEYS is not of the form <id>:<base64url of 32 bytes>[,…]");
  dataRing = { text, keys };
  return keys;
}

export const assetsOf = (env: Env): AssetServer | undefined => env.ASSETS;
export const monitorOf = (env: Env): Monitor | undefined => env.MONITOR;

/**
 * Returns the process that hashes passwords. Undefined on Cloudflare, where a slow call of one visitor doesn't delay
 * other calls.
 */
export const hasherOf = ({ HASHER: service, HASHER_TOKEN: token }: Env): Hasher | undefined =>
  service && token ? { service, token } : undefined;

export const hashesPerSecondOf = ({ HASHES_PER_SECOND: text }: Env): number => Number(text);

/**
 * The number of clicks and leads without a key for which a book stores all texts in a day. Later ones are stored
 * without their texts.
 */
export const unsignedEventsPerDayOf = ({ UNSIGNED_EVENTS_PER_DAY: text }: Env): number => Number(text);

export const clickRetentionDaysOf = ({ CLICK_RETENTION_DAYS: text }: Env): number => Number(text);
export const hashSecretOf = (env: Env): string => env.HASH_SECRET;
export const authSecretOf = (env: Env): string => env.AUTH_SECRET;

export function signUpOf({ SIGN_UP: value }: Env): SignUpMode {
  if (!isSignUpMode(value)) throw new Error(`SIGN_UP is not ${signUpModes.join(" or ")}: see wrangler.toml`);
  return value;
}

export interface MailHook {
  readonly url: string;
  readonly secret: string;
  /** Sends the mails of a self-hosted service. Undefined on Cloudflare. */
  readonly fetcher: Pick<Fetcher, "fetch"> | undefined;
}

/** Undefined if the service sends no mail. */
export const mailHookOf = ({ MAIL_HOOK: url, MAIL_HOOK_SECRET: secret = "", MAILER: fetcher }: Env) =>
  url ? ({ url, secret, fetcher } satisfies MailHook) : undefined;

/** The origin of links in mails that no request causes. Undefined if it is unknown, or the service sends no mail. */
export const teamMailOriginOf = (env: Env): string | undefined =>
  mailHookOf(env) && URL.parse(baseUrlOf(env) ?? "")?.origin;

const shardLists = new WeakMap<Env, ReadonlyMap<Shard, ShardAddress>>();

/** The shards other than home. */
export function shardsOf(env: Env): ReadonlyMap<Shard, ShardAddress> {
  const known = shardLists.get(env);
  if (known !== undefined) return known;
  const shards = parseShards(shardLines(env));
  if ("faulty" in shards) throw new Error(`SHARDS has the line "${shards.faulty}": see docs/shards.md`);
  const byNumber = new Map(shards.map((each) => [each.shard, each]));
  shardLists.set(env, byNumber);
  return byNumber;
}

/** A setting that continues in numbered variables, beginning with 2. */
const numbered = (env: Env, name: string, number: number): string | undefined => {
  const value: unknown = Reflect.get(env, `${name}_${number}`);
  return typeof value === "string" && value !== "" ? value : undefined;
};

function shardLines(env: Env): string {
  const lines = [env.SHARDS ?? ""];
  for (let n = 2; ; n += 1) {
    const more = numbered(env, "SHARDS", n);
    if (more === undefined) return lines.join("\n");
    lines.push(more);
  }
}

/**
 * Id of the service to which the configured shards belong. Each shard's database stores it too. Undefined without
 * further shards.
 */
export const installationOf = (env: Env): string | undefined => [...shardsOf(env).values()][0]?.installation;

/** The numbers of all shards, home first. */
export const allShards = (env: Env): readonly Shard[] => [home, ...shardsOf(env).keys()];

/** Returns home for a shard that isn't configured: a caller can make up any program id, and so any shard. */
export const configuredShard = (env: Env, shard: Shard): Shard => (shardsOf(env).has(shard) ? shard : home);

const objectName = ({ LEDGER_NAME: name }: Env, shard: Shard) => (shard === home ? name : `${name}/${shard}`);

export const delivererOf = (env: Env, shard: Shard): DelivererRpc =>
  env.DELIVERER.get(env.DELIVERER.idFromName(objectName(env, shard)));

/** Each program has its own object that sends its webhooks. */
export const webhookSenderOf = (env: Env, shard: Shard, programId: ProgramId): WebhookSenderRpc =>
  env.WEBHOOK_SENDER.get(env.WEBHOOK_SENDER.idFromName(`${objectName(env, shard)}/program/${programId}`));

/** The program's request log. It is the same object on every shard. */
export const requestLogOf = (env: Env, programId: ProgramId): RequestLogRpc =>
  env.REQUEST_LOG.get(env.REQUEST_LOG.idFromName(`${env.LEDGER_NAME}/program/${programId}`));

// Networks of a self-hosted service, where the Worker itself can connect only to its database. Undefined on Cloudflare.
export const webhookNetworkOf = (env: Env) => env.WEBHOOK_NETWORK;
export const oidcNetworkOf = (env: Env) => env.OIDC_NETWORK;

let webhookRanges: { readonly text: string; readonly cidrs: Cidrs } | undefined;

export function webhookRangesOf({ WEBHOOK_ALLOW: text = "" }: Pick<Env, "WEBHOOK_ALLOW">): Cidrs {
  if (webhookRanges?.text === text) return webhookRanges.cidrs;
  const cidrs = parseCidrs(text);
  if (cidrs === undefined)
    throw new Error(`WEBHOOK_ALLOW is ${text}: it lists addresses and ranges such as 10.0.0.0/8,2001:db8::/32`);
  webhookRanges = { text, cidrs };
  return cidrs;
}

export function ledgerOf(env: Env, shard: Shard): LedgerRpc {
  const wanted = shard === home ? env.LEDGER_LOCATION : shardsOf(env).get(shard)?.location;
  const locationHint = locations.find((location) => location === wanted);
  const name = objectName(env, shard);
  return env.LEDGER.get(env.LEDGER.idFromName(name), locationHint === undefined ? {} : { locationHint });
}

/** Returns the shard of the Ledger object with this name. */
export function shardOfLedger(env: Env, name: string | undefined): Shard {
  if (name === env.LEDGER_NAME || (name === undefined && shardsOf(env).size === 0)) return home;
  const shard = [...shardsOf(env).keys()].find((each) => name === `${env.LEDGER_NAME}/${each}`);
  if (shard === undefined) throw new Error(`the object ${name} is of no shard: see docs/shards.md`);
  return shard;
}

export interface DatabaseAddress {
  readonly url: string;
  readonly authToken: string | undefined;
  readonly onFault: Monitor["onDatabaseFault"] | undefined;
  /** A binding that connects to the database, or is the database. */
  readonly server?: DatabaseConfig["server"];
}

export function databaseOf(env: Env, shard: Shard): DatabaseAddress {
  const { DATABASE_URL, DATABASE_AUTH_TOKEN } = env;
  const onFault = env.MONITOR?.onDatabaseFault;
  const server = Reflect.get(env, databaseBinding(shard));
  if (shard === home) return { url: DATABASE_URL, authToken: DATABASE_AUTH_TOKEN || undefined, onFault, server };
  const address = shardsOf(env).get(shard);
  if (address === undefined) throw new RangeError(`no shard has the number ${shard}`);
  const authToken = numbered(env, "DATABASE_AUTH_TOKEN", shard) ?? (DATABASE_AUTH_TOKEN || undefined);
  return { url: address.databaseUrl, authToken, onFault, server };
}

export const databaseBinding = (shard: Shard): string => `DATABASE_${shard}`;

export interface Limit {
  readonly perMinute: number;
  /** Counts a call. Returns false if it is over the limit. */
  admits(key: string): Promise<boolean>;
}

/** `RATE_LIMITS=off` is for load tests. It applies only to calls from the same machine. */
export const areLimitsOff = (env: Env, isLoopback: boolean): boolean => env.RATE_LIMITS === "off" && isLoopback;

export function limitOf(env: Env, name: LimitName, isLoopback: boolean): Limit {
  const binding = rateLimits[name];
  return { perMinute: Number(env[`${binding}_PER_MINUTE`]), admits: (key) => admits(env, binding, key, isLoopback) };
}

/** Counts a call against its IPv6 site (the /48 network). Returns false if it is over the limit. */
export const isWithinSiteLimit = (env: Env, name: AddressLimitName, key: string, isLoopback: boolean) =>
  admits(env, siteLimits[name], key, isLoopback);

/** All Workers of a Cloudflare account share the counters, so the key contains the name of the Worker. */
async function admits(env: Env, binding: RateLimitName | SiteLimitName, key: string, isLoopback: boolean) {
  if (areLimitsOff(env, isLoopback)) return true;
  return (await env[binding].limit({ key: `${env.WORKER_NAME} ${key}` })).success;
}
