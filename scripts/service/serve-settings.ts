import { isIP } from "node:net";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { parseCidrs } from "#domain/ip-address.ts";
import { clickRetentionRule, parseClickRetention } from "#domain/retention.ts";
import { isSignUpMode, type SignUpMode, signUpModes } from "#domain/sign-up.ts";
import { isHeaderName } from "#env.ts";
import { ExplainedError } from "../command.ts";
import { shardCount } from "./local-databases.ts";
import { type Monitoring, monitoringFrom } from "./monitoring.ts";
import { authority } from "./ports.ts";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface ServeSettings {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  /** Empty if it isn't named. */
  readonly knownBaseUrl: string;
  readonly trustedProxies: string;
  /** Empty if it isn't named. */
  readonly clientAddressHeader: string;
  readonly isInsecureHttp: boolean;
  readonly secretsFile: string | undefined;
  readonly signUp: SignUpMode;
  /** Undefined: as wrangler.toml has it. */
  readonly clickRetentionDays: string | undefined;
  /** Minimum number of shards, including home. */
  readonly shards: number;
  readonly monitoring: Monitoring;
}

const usualMetricsPort = "9464";

export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): ServeSettings {
  const values = parsed(args);
  const { data, host, "trusted-proxy": proxies, "insecure-http": isInsecureHttp, "secrets-file": secretsFile } = values;
  if (!data) throw new UsageError("Name the folder that holds the data: --data <folder>");
  if (host !== "localhost" && isIP(host) === 0) throw new UsageError(`--host ${host} is no IP address.`);
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port < 1 || port > 65_535) {
    throw new UsageError(`--port ${values.port} is no port. Choose one from 1 to 65535.`);
  }
  const shards = shardCount(values.shards);
  if (shards === undefined) throw new UsageError(`--shards ${values.shards} is no number of shards from 1 to 1000.`);
  const wrong = proxies.find((proxy) => !parseCidrs(proxy)?.length);
  if (wrong !== undefined) {
    throw new UsageError(`--trusted-proxy ${wrong} is no address or range such as 10.0.0.0/8 or 2001:db8::/32.`);
  }
  if (!isLoopback(host) && proxies.length === 0 && !isInsecureHttp) {
    throw new UsageError(
      `On ${host} other machines can call, and only over https: name the proxy that ends TLS (--trusted-proxy <address>), or allow plain http on a network that you trust (--insecure-http).`,
    );
  }
  const { "base-url": knownBaseUrl } = values;
  const { SIGN_UP: signUp = "invited", RATE_LIMITS: limits = "on" } = env;
  if (!isSignUpMode(signUp)) throw new UsageError(`SIGN_UP is ${signUp}: it is ${signUpModes.join(" or ")}.`);
  if (limits !== "on") throw new UsageError("RATE_LIMITS is for npm start alone: this service always has its limits.");
  return {
    data: resolve(data),
    host,
    port,
    baseUrl: originOf(knownBaseUrl ?? `http://${authority(host, port)}`),
    knownBaseUrl: knownBaseUrl === undefined ? "" : originOf(knownBaseUrl),
    clientAddressHeader: headerOf(values["client-address-header"], proxies),
    trustedProxies: proxies.join(","),
    isInsecureHttp,
    secretsFile: secretsFile && resolve(secretsFile),
    signUp,
    clickRetentionDays: clickRetentionOf(env),
    shards,
    monitoring: asUsage(() => monitoringFrom({ ...env, METRICS_PORT: env.METRICS_PORT || usualMetricsPort }, port)),
  };
}

function clickRetentionOf({ CLICK_RETENTION_DAYS: days }: NodeJS.ProcessEnv): string | undefined {
  if (!days) return undefined;
  if (parseClickRetention(days) !== undefined) return days;
  throw new UsageError(`CLICK_RETENTION_DAYS is ${days}: ${clickRetentionRule}.`);
}

function headerOf(name: string, proxies: readonly string[]): string {
  if (name === "") return name;
  if (!isHeaderName(name)) throw new UsageError(`--client-address-header ${name} is no name of a header.`);
  if (proxies.length > 0) return name;
  throw new UsageError(
    "--client-address-header is read from trusted proxies only: name them (--trusted-proxy <address>).",
  );
}

function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ExplainedError ? new UsageError(error.message) : error;
  }
}

function parsed(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        data: { type: "string" },
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "8787" },
        "base-url": { type: "string" },
        "trusted-proxy": { type: "string", multiple: true, default: [] },
        "client-address-header": { type: "string", default: "" },
        "insecure-http": { type: "boolean", default: false },
        "secrets-file": { type: "string" },
        shards: { type: "string", default: "1" },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function originOf(url: string): string {
  const { protocol, origin, href } = URL.parse(url) ?? {};
  if (!["http:", "https:"].includes(protocol ?? "") || origin === undefined || href !== `${origin}/`) {
    throw new UsageError(`--base-url ${url} is no address such as https://tributary.example.`);
  }
  return origin;
}

export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127\./.test(host);
