import { dayMs } from "./calendar.ts";
import { type Cidrs, isAddress, isIn, isSameAddress, parseCidrs } from "./ip-address.ts";

/** If a webhook has this many open retries, no first attempts are made. */
export const maxOpenRetries = 1_000;
/** The most events of one replay. */
export const maxReplayed = 10_000;
export const maxGraceHours = 168;
/** The number of former secrets that sign deliveries in addition to the newest one. */
export const maxFormerSecrets = 2;

const failingMs = 5 * dayMs;
const minFailures = 20;

/** True if all attempts have failed for long enough, and there were enough of them. */
export const isGivenUp = (failingSince: number, failures: number, at: number): boolean =>
  failures >= minFailures && at - failingSince >= failingMs;

/** Creates a secret in the form of Standard Webhooks. `random` is 32 bytes. */
export const mintWebhookSecret = (random: Uint8Array): string => `whsec_${Buffer.from(random).toString("base64")}`;

export interface SealedSecretRef {
  readonly programId: number;
  readonly sealId: string;
}

export const secretContext = ({ programId, sealId }: SealedSecretRef) =>
  ({ purpose: "webhook-secret", rowId: `${programId} ${sealId}` }) as const;

/** The id of an example event. Such an event isn't in the feed. */
export const exampleId = (operationId: string): string => `evt_example_${operationId}`;

/**
 * The type of the example event that is sent first to a new URL: a type that the webhook subscribes to. `types` may
 * contain statuses after a colon. Null for all types.
 */
export const firstExampleType = (types: readonly string[] | null): string =>
  types?.[0]?.split(":")[0] ?? "sale.recorded";

const localNames = /(^|\.)(localhost|local|internal)$/;
const isSingleLabel = (host: string): boolean => !host.includes(".");

const addressOf = ({ hostname }: URL): string => {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return host === "localhost" ? "127.0.0.1" : host;
};

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

const isLoopback = (address: string): boolean => isIn(parseCidrs("127.0.0.0/8,::1") ?? [], address);

/**
 * Compares hosts in any notation. All loopback addresses are the same host, because a service on this machine can be
 * reached by any of them.
 */
const isSameHost = (one: string, other: string): boolean =>
  one === other || isSameAddress(one, other) || (isLoopback(one) && isLoopback(other));

/**
 * True if deliveries to the URL are allowed by its text. The addresses that its host name resolves to are checked on
 * connecting. `own` are the origins of this service, and `allowed` are ranges that the operator permits.
 */
export function isUrlAllowed(text: string, own: readonly string[], allowed: Cidrs): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  const address = addressOf(url);
  const isOwn = own
    .map((origin) => new URL(origin))
    .some((each) => isSameHost(addressOf(each), address) && portOf(each) === portOf(url));
  if (isOwn) return false;
  if (isAddress(address)) return ["https:", "http:"].includes(url.protocol) && isIn(allowed, address);
  return url.protocol === "https:" && !localNames.test(address) && !isSingleLabel(address);
}
