import { lookup as lookUpName } from "node:dns/promises";
import { existsSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request as requestOver } from "node:http";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { type Cidrs, holdsIpv4, isAddress, isatapRangeOf, isIn, parseCidrs } from "#domain/ip-address.ts";
import { webhookRangesOf } from "#env.ts";

export interface AddressRule {
  readonly isAllowed: (address: string) => boolean;
}

interface Resolved {
  readonly address: string;
  readonly family: number;
}

type Lookup = (name: string, options: { readonly all: true; readonly order: "verbatim" }) => Promise<Resolved[]>;

export interface NetworkParts {
  readonly lookup?: Lookup;
  /** Certificate authorities in PEM, instead of those that Node and this machine trust. */
  readonly certificateAuthorities?: readonly string[];
}

export interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

const cidrsOf = (ranges: readonly string[]): Cidrs => {
  const cidrs = parseCidrs(ranges.join(","));
  if (cidrs === undefined) throw new Error(`a range is invalid: ${ranges.join(", ")}`);
  return cidrs;
};

/** Addresses that belong to no machine or to several: https://www.iana.org/assignments/iana-ipv4-special-registry */
const reserved = cidrsOf(["192.0.0.0/24", "224.0.0.0/4", "240.0.0.0/4", "2001::/23", "ff00::/8"]);

const unreachable = cidrsOf([
  "0.0.0.0/8",
  "127.0.0.0/8",
  "::/128",
  "::1/128", // this machine
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "fc00::/7",
  "fec0::/10", // private
  "100.64.0.0/10", // a provider's own: RFC 6598
  "169.254.0.0/16",
  "fe80::/10", // link-local
  "192.88.99.0/24", // relays to 6to4: RFC 7526
  "198.18.0.0/15", // benchmarks: RFC 2544
  "168.63.129.16", // the host of a machine at Azure
  "::/3",
  "4000::/2",
  "8000::/1", // not of the Internet: RFC 4291, section 2.4
  ...holdsIpv4,
]).concat(reserved);

/** Allows public addresses and the ranges of WEBHOOK_ALLOW. The narrowest range that contains an address decides. */
export function publicAddresses(webhookAllow: string): AddressRule {
  const allowed = webhookRangesOf({ WEBHOOK_ALLOW: webhookAllow });
  const narrowest = (cidrs: Cidrs, address: string) =>
    Math.max(0, ...cidrs.filter((range) => isIn([range], address)).map((range) => range.length));
  const unreachableAt = (address: string) =>
    Math.max(narrowest(unreachable, address), isatapRangeOf(address)?.length ?? 0);
  return { isAllowed: (address) => isAddress(address) && narrowest(allowed, address) >= unreachableAt(address) };
}

/** Allows all addresses except the reserved ones. Private addresses and this machine's are allowed. */
export const anyAddress: AddressRule = { isAllowed: (address) => isAddress(address) && !isIn(reserved, address) };

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const closedEarly = "the connection was closed before there was an answer";
const everyAddress = { all: true, order: "verbatim" } as const;
const notAllowed = "the address is not allowed";
/** One message for both causes. Two different messages would reveal which names exist in a private network. */
const noneAllowed = "there is no such host, or it has no address that is allowed";

class Unsent extends Error {}
class Insecure extends Error {}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: noneAllowed,
  EAI_AGAIN: "the name can't be resolved at the moment",
  ECONNREFUSED: "could not connect: the connection was refused",
  EHOSTUNREACH: "could not connect: the host can't be reached",
  ENETUNREACH: "could not connect: the host can't be reached",
  ETIMEDOUT: "could not connect: the host doesn't answer",
  ECONNRESET: closedEarly,
  EPIPE: closedEarly,
  HPE_HEADER_OVERFLOW: "the answer's headers are too large",
};

/** The reason for an error without the address, which Node's own messages contain. */
function reasonOf(error: unknown): string {
  if (error instanceof Unsent) return error.message;
  if (error instanceof Insecure) return `TLS failed: ${error.message}`;
  const code = String(Object(error).code ?? "unknown");
  return reasons[code] ?? (code.startsWith("HPE_") ? "the answer isn't HTTP" : `the connection failed: ${code}`);
}

const tlsReasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate is signed by nobody who is trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate is signed by nobody who is trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server doesn't send the certificates between its own and a trusted one",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate is another host's",
};

function tlsReasonOf(error: unknown): string {
  if (error instanceof Unsent) return error.message;
  const code = String(Object(error).code ?? "unknown");
  return tlsReasons[code] ?? reasons[code] ?? code;
}

const framing = ["connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding"];
const hopByHop = new Set([...framing, "proxy-authorization", "proxy-connection", "upgrade"]);

const withoutFraming = (headers: Call["headers"]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name.toLowerCase())));

function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

/** Waits until a connection is established. Later errors end the request, which reports them. */
function established(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.on("error", reject);
    socket.once("close", () => reject(new Unsent(closedEarly)));
  });
}

/**
 * The maximum number of interim responses (1xx). A receiver that sends them without end would keep the process busy.
 */
const maxInterimAnswers = 10;

function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0;
    request.on("information", () => {
      interim += 1;
      if (interim > maxInterimAnswers) request.destroy(new Unsent("the answer is preceded by too many interim ones"));
    });
    request.once("response", resolve);
    request.on("error", reject);
    request.once("close", () => reject(new Unsent(closedEarly)));
  });
}

const bodiless = [204, 205, 304];

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  if (status < 200 || status > 599) throw new Unsent(`the answer has the status ${status}, which HTTP doesn't know`);
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "");
  if (!bodiless.includes(status)) return new Response(bodyOf(answer), { status, headers });
  answer.destroy();
  return new Response(null, { status, headers });
}

/** The response body as a stream. Canceling it closes the connection. */
function bodyOf(answer: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel: () => void answer.destroy(),
  });
}

/** False on a Linux without certificates, such as a small image, where Node would print that it can't read them. */
const hasOwnTrust = (): boolean => {
  const { SSL_CERT_DIR: folder = "/etc/ssl/certs", SSL_CERT_FILE: file = "" } = process.env;
  return process.platform !== "linux" || file !== "" || existsSync(folder);
};

/** The certificate authorities that Node and this machine trust, in PEM. */
export const trustedHere = (): string[] => [
  ...new Set([...getCACertificates("default"), ...(hasOwnTrust() ? getCACertificates("system") : [])]),
];

/** The trusted certificates, parsed once because parsing a few hundred takes a while. */
function trustOf(certificateAuthorities: NetworkParts["certificateAuthorities"]): () => SecureContext {
  let context: SecureContext | undefined;
  return () => {
    context ??= createSecureContext({ ca: [...(certificateAuthorities ?? trustedHere())], minVersion: "TLSv1.2" });
    return context;
  };
}

async function secure(socket: Socket, host: string, secureContext: SecureContext): Promise<Socket> {
  const servername = isIP(host) > 0 ? "" : host.replace(/\.$/, "");
  // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED could otherwise turn the check off.
  const verified = { rejectUnauthorized: true, secureContext } as const;
  const secured = connectTls({ ...verified, socket, host, servername, ALPNProtocols: ["http/1.1"] });
  try {
    await established(secured, "secureConnect");
  } catch (error) {
    throw new Insecure(tlsReasonOf(error));
  }
  return secured;
}

async function exchange(socket: Socket, target: URL, { method, headers, body }: Call): Promise<Response> {
  const request = requestOver({
    // The request has its own connection and no agent, so that no proxy of the environment is used and no connection
    // is reused.
    createConnection: () => socket,
    method,
    path: target.pathname + target.search,
    headers: { ...withoutFraming(headers), host: target.host, connection: "close" },
  });
  const answer = answerOf(request);
  request.end(body);
  return responseOf(await answer);
}

/**
 * A network whose fetch reaches only addresses that the rule allows, whatever a name resolves to. It checks resolved
 * addresses before it connects, and the connection's own address before it sends a byte. It follows no redirect and
 * decompresses no body, and its errors contain no address.
 */
export function networkOf({ isAllowed }: AddressRule, parts: NetworkParts = {}) {
  const lookup: Lookup = parts.lookup ?? lookUpName;
  const trusted = trustOf(parts.certificateAuthorities);

  async function addressesOf(host: string, signal: AbortSignal): Promise<Resolved[]> {
    const family = isIP(host);
    const found = family > 0 ? [{ address: host, family }] : await beforeAbort(lookup(host, everyAddress), signal);
    const addresses = found.filter(({ address }) => isAllowed(address));
    if (addresses.length === 0) throw new Unsent(family > 0 ? notAllowed : noneAllowed);
    return addresses;
  }

  async function connect({ port, protocol }: URL, host: string, signal: AbortSignal): Promise<Socket> {
    const addresses = await addressesOf(host, signal);
    const [{ address, family } = { address: "", family: 0 }] = addresses;
    const given: LookupFunction = (_name, { all }, done) => (all ? done(null, addresses) : done(null, address, family));
    const number = port === "" ? defaultPorts[protocol] : Number(port);
    const socket = connectTcp({ host, port: number ?? 0, lookup: given, autoSelectFamily: true, signal });
    await established(socket, "connect");
    if (isAllowed(socket.remoteAddress ?? "")) return socket;
    socket.destroy();
    throw new Unsent(notAllowed);
  }

  async function send(target: URL, call: Call): Promise<Response> {
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const socket = await connect(target, host, call.signal);
    try {
      const open = target.protocol === "https:" ? await secure(socket, host, trusted()) : socket;
      return await exchange(open, target, call);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  return {
    async fetch(url: string, call: Call): Promise<Response> {
      call.signal.throwIfAborted();
      const target = URL.parse(url);
      if (target === null || !(target.protocol in defaultPorts)) throw new Error("the address is no http or https URL");
      try {
        return await send(target, call);
      } catch (error) {
        throw call.signal.aborted ? call.signal.reason : new Error(reasonOf(error));
      }
    },
  };
}
