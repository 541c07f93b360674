import { dayMs } from "./calendar.ts";
import { type Cidrs, isAddress, isIn, isSameAddress, parseCidrs } from "./ip-address.ts";

/** With this many open retries, first attempts wait. */
export const maxOpenRetries = 1_000;
/** Limit of one replay. */
export const maxReplayed = 10_000;
export const maxGraceHours = 168;
/** Secrets that still sign in addition to the newest one. */
export const maxFormerSecrets = 2;

const failingMs = 5 * dayMs;
const minFailures = 20;

/** True after enough time and attempts with nothing but failures. */
export const isGivenUp = (failingSince: number, failures: number, at: number): boolean =>
  failures >= minFailures && at - failingSince >= failingMs;

/** `random`: 32 bytes. In the form of Standard Webhooks. */
export const mintWebhookSecret = (random: Uint8Array): string => `whsec_${Buffer.from(random).toString("base64")}`;

export interface SealedSecretRef {
  readonly programId: number;
  readonly sealId: string;
}

export const secretContext = ({ programId, sealId }: SealedSecretRef) =>
  ({ purpose: "webhook-secret", rowId: `${programId} ${sealId}` }) as const;

/** An example event isn't in the feed. */
export const exampleId = (operationId: string): string => `evt_example_${operationId}`;

/** Type of the first event for a new address: one that it subscribes to. `types`: may include statuses. Null: all. */
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

/** Compares hosts in any notation. A service on this machine may be reached by any loopback address. */
const isSameHost = (one: string, other: string): boolean =>
  one === other || isSameAddress(one, other) || (isLoopback(one) && isLoopback(other));

/**
 * The address may receive deliveries, as far as its text shows. The addresses that a name resolves to are checked when
 * connecting. `own`: this service's origins. `allowed`: the operator's own ranges.
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
