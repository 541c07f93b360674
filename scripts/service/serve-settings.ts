import { isIP } from "node:net";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { minSecretLength } from "#check-env.ts";
import { parseCidrs } from "#domain/ip-address.ts";
import { isMailHook } from "#domain/mail/hook.ts";
import { oidcNames, parseOidc } from "#domain/oidc.ts";
import { clickRetentionRule, parseClickRetention } from "#domain/retention.ts";
import { isSignUpMode, type SignUpMode, signUpModes } from "#domain/sign-up.ts";
import { isHeaderName } from "#env.ts";
import { UsageError } from "../../sdk/cli/flags.ts";
import { ExplainedError } from "../command.ts";
import { refuseUnknown, valuesIn } from "./environment.ts";
import { shardCount } from "./local-databases.ts";
import { type Monitoring, monitoringFrom } from "./monitoring.ts";
import { authority } from "./ports.ts";
import { type SecretName, secretNames } from "./secrets.ts";
import { type SettingName, settings } from "./settings.ts";
import { type SmtpSettings, smtpSettingsOf } from "./smtp-settings.ts";

export interface ServeSettings {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  /** Empty if it isn't set. */
  readonly knownBaseUrl: string;
  readonly trustedProxies: string;
  /** Empty if it isn't set. */
  readonly clientAddressHeader: string;
  readonly isInsecureHttp: boolean;
  readonly secretsFile: string | undefined;
  readonly signUp: SignUpMode;
  /** The number of days for which clicks are kept. Undefined: the value in wrangler.toml. */
  readonly clickRetentionDays: string | undefined;
  /** The minimum number of shards, including the home shard. */
  readonly shards: number;
  readonly monitoring: Monitoring;
  /** The mailer's URL. Empty if it isn't set. */
  readonly mailHook: string;
  readonly mailHookSecret: string | undefined;
  readonly smtp: SmtpSettings | undefined;
  readonly webhookAllow: string;
  /** The variables of the identity provider, without its secret. Empty if no provider is set. */
  readonly oidc: Readonly<Record<string, string>>;
  readonly oidcClientSecret: string | undefined;
  /** The secrets in the environment. */
  readonly secrets: Readonly<Partial<Record<SecretName, string>>>;
}

const usualMetricsPort = "9464";

type Values = Readonly<Partial<Record<SettingName, string>>>;

interface Given {
  readonly text: string;
  /** The flag or variable from which the value comes. */
  readonly from: string;
}

/** Throws a `UsageError` that names a flag or variable that is unknown or malformed. */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv): ServeSettings {
  const flags = parsed(args);
  const values: Values = valuesIn(env);
  refuseUnknown(env);
  const given = (flag: Exclude<keyof typeof flags, "trusted-proxy" | "insecure-http">): Given | undefined => {
    const text = flags[flag];
    if (text !== undefined) return { text, from: `--${flag}` };
    const { name = "" } = settings.find((each) => "flag" in each && each.flag === flag) ?? {};
    const value = name === "" ? undefined : values[name];
    return value === undefined ? undefined : { text: value, from: name };
  };
  const data = given("data")?.text;
  if (!data) throw new UsageError("Name the folder that holds the data: --data <folder>, or TRIBUTARY_DATA");
  const host = hostOf(given("host"));
  const port = portOf(given("port"));
  const proxies = proxiesOf(flags["trusted-proxy"], values);
  const isInsecureHttp = flags["insecure-http"] ?? allowsInsecureHttp(values);
  if (!isLoopback(host) && proxies.length === 0 && !isInsecureHttp) {
    throw new UsageError(
      `On ${host} other machines can call, and only over https: name the proxy that ends TLS (--trusted-proxy <address>), or allow plain http on a network that you trust (--insecure-http).`,
    );
  }
  const baseUrl = given("base-url");
  const knownBaseUrl = baseUrl === undefined ? "" : originOf(baseUrl);
  if (env.RATE_LIMITS && env.RATE_LIMITS !== "on")
    throw new UsageError("RATE_LIMITS is for npm start alone: this service always has its limits.");
  const secretsFile = given("secrets-file")?.text;
  const { METRICS_PORT = usualMetricsPort, MIN_FREE_DISK_MB } = values;
  return {
    data: resolve(data),
    host,
    port,
    baseUrl: knownBaseUrl || `http://${authority(host, port)}`,
    knownBaseUrl,
    clientAddressHeader: headerOf(given("client-address-header"), proxies),
    trustedProxies: proxies.join(","),
    isInsecureHttp,
    secretsFile: secretsFile && resolve(secretsFile),
    signUp: signUpOf(values),
    clickRetentionDays: clickRetentionOf(values),
    shards: shardsOf(given("shards")),
    monitoring: asUsage(() => monitoringFrom({ METRICS_PORT, MIN_FREE_DISK_MB }, port)),
    ...mailOf(values, knownBaseUrl),
    webhookAllow: webhookAllowOf(values),
    ...oidcSettingsOf(values, knownBaseUrl),
    secrets: Object.fromEntries(secretNames.flatMap((name) => (values[name] ? [[name, values[name]]] : []))),
  };
}

function hostOf({ text, from }: Given = { text: "127.0.0.1", from: "" }): string {
  if (text !== "localhost" && isIP(text) === 0) throw new UsageError(`${from} ${text} is no IP address.`);
  return text;
}

function portOf({ text, from }: Given = { text: "8787", from: "" }): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new UsageError(`${from} ${text} is no port. Choose one from 1 to 65535.`);
}

function shardsOf({ text, from }: Given = { text: "1", from: "" }): number {
  const shards = shardCount(text);
  if (shards === undefined) throw new UsageError(`${from} ${text} is no number of shards from 1 to 1000.`);
  return shards;
}

function proxiesOf(flags: readonly string[] | undefined, { TRUSTED_PROXIES: list }: Values): readonly string[] {
  const proxies = flags ?? list?.split(",").map((each) => each.trim()) ?? [];
  const wrong = proxies.find((proxy) => !parseCidrs(proxy)?.length);
  if (wrong === undefined) return proxies;
  const from = flags === undefined ? "TRUSTED_PROXIES" : "--trusted-proxy";
  throw new UsageError(`${from} ${wrong} is no address or range such as 10.0.0.0/8 or 2001:db8::/32.`);
}

function allowsInsecureHttp({ INSECURE_HTTP: value = "off" }: Values): boolean {
  if (value === "on" || value === "off") return value === "on";
  throw new UsageError(`INSECURE_HTTP is ${value}: it is on or off.`);
}

function signUpOf({ SIGN_UP: signUp = "invited" }: Values): SignUpMode {
  if (!isSignUpMode(signUp)) throw new UsageError(`SIGN_UP is ${signUp}: it is ${signUpModes.join(" or ")}.`);
  return signUp;
}

function mailOf(values: Values, knownBaseUrl: string) {
  const { MAIL_HOOK: mailHook = "", MAIL_HOOK_SECRET: mailHookSecret, SMTP_URL: smtpUrl, MAIL_FROM: from } = values;
  if (mailHook !== "" && smtpUrl !== undefined) {
    throw new UsageError("MAIL_HOOK and SMTP_URL are both set: set only one of them.");
  }
  const smtp = smtpSettingsOf({ ...(smtpUrl && { SMTP_URL: smtpUrl }), ...(from && { MAIL_FROM: from }) });
  if (smtp !== undefined && knownBaseUrl === "") {
    throw new UsageError("SMTP_URL needs --base-url, the address to which the links in emails lead.");
  }
  if (mailHook !== "" && !isMailHook(mailHook)) throw new UsageError(`MAIL_HOOK is ${mailHook}: it is an https URL.`);
  if (mailHookSecret !== undefined && mailHookSecret.length < minSecretLength) {
    throw new UsageError(`MAIL_HOOK_SECRET is shorter than ${minSecretLength} characters.`);
  }
  if (mailHook.startsWith("https:") && knownBaseUrl === "") {
    throw new UsageError("MAIL_HOOK needs --base-url, the address to which the links in mails lead.");
  }
  return { mailHook, mailHookSecret, smtp };
}

function webhookAllowOf({ WEBHOOK_ALLOW: ranges = "" }: Values): string {
  if (ranges === "" || parseCidrs(ranges) !== undefined) return ranges;
  throw new UsageError(`WEBHOOK_ALLOW is ${ranges}: it lists addresses and ranges such as 10.0.0.0/8,2001:db8::/32.`);
}

function oidcSettingsOf(values: Values, knownBaseUrl: string) {
  const settings = parseOidc(values);
  if (settings === undefined) return { oidc: {}, oidcClientSecret: undefined };
  if ("fault" in settings) throw new UsageError(`${settings.fault}.`);
  if (knownBaseUrl === "")
    throw new UsageError("OIDC_ISSUER needs --base-url, to which the provider sends people back.");
  const texts = oidcNames.flatMap((name) => (name === "OIDC_CLIENT_SECRET" ? [] : [[name, values[name] ?? ""]]));
  return { oidc: Object.fromEntries(texts), oidcClientSecret: settings.clientSecret };
}

function clickRetentionOf({ CLICK_RETENTION_DAYS: days }: Values): string | undefined {
  if (!days) return undefined;
  if (parseClickRetention(days) !== undefined) return days;
  throw new UsageError(`CLICK_RETENTION_DAYS is ${days}: ${clickRetentionRule}.`);
}

function headerOf({ text, from }: Given = { text: "", from: "" }, proxies: readonly string[]): string {
  if (text === "") return text;
  if (!isHeaderName(text)) throw new UsageError(`${from} ${text} is no name of a header.`);
  if (proxies.length > 0) return text;
  throw new UsageError(`${from} is read from trusted proxies only: name them (--trusted-proxy <address>).`);
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
        host: { type: "string" },
        port: { type: "string" },
        "base-url": { type: "string" },
        "trusted-proxy": { type: "string", multiple: true },
        "client-address-header": { type: "string" },
        "insecure-http": { type: "boolean" },
        "secrets-file": { type: "string" },
        shards: { type: "string" },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function originOf({ text: url, from }: Given): string {
  const { protocol, origin, href } = URL.parse(url) ?? {};
  if (!["http:", "https:"].includes(protocol ?? "") || origin === undefined || href !== `${origin}/`) {
    throw new UsageError(`${from} ${url} is no address such as https://tributary.example.`);
  }
  return origin;
}

export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127\./.test(host);
