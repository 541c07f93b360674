import addressparser from "nodemailer/lib/addressparser";
import { isLoopback } from "#domain/loopback.ts";
import { UsageError } from "../../sdk/cli/flags.ts";

export interface Sender {
  /** The sender's address, with a name if it has one. */
  readonly text: string;
  readonly address: string;
  readonly domain: string;
}

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** True for TLS from the first byte on. */
  readonly isSecure: boolean;
  /** True if a server without STARTTLS is refused. */
  readonly requiresTls: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly from: Sender;
}

const shape = "smtp(s)://user:password@host:port";
const ports: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

/**
 * Reads the settings. Undefined without SMTP_URL. Throws a `UsageError` that doesn't contain the URL, because the URL
 * contains a password.
 */
export function smtpSettingsOf(values: {
  readonly SMTP_URL?: string;
  readonly MAIL_FROM?: string;
}): SmtpSettings | undefined {
  const { SMTP_URL: text, MAIL_FROM: from } = values;
  if (text === undefined) {
    if (from === undefined) return undefined;
    throw new UsageError("MAIL_FROM is set without SMTP_URL, the server that sends the emails.");
  }
  const url = URL.parse(text);
  const usualPort = ports[url?.protocol ?? ""];
  const startTls = url?.searchParams.get("starttls") ?? "on";
  const isPlain = url !== null && ["", "/"].includes(url.pathname) && url.hash === "";
  const isKnown = isPlain && [...url.searchParams.keys()].every((name) => name === "starttls");
  if (url === null || usualPort === undefined || url.hostname === "" || !isKnown || !["on", "off"].includes(startTls)) {
    throw new UsageError(`SMTP_URL is no address such as ${shape}. Only ?starttls=off may follow.`);
  }
  if (from === undefined) {
    throw new UsageError("SMTP_URL needs MAIL_FROM, the sender: Tributary <mail@tributary.example>");
  }
  const isSecure = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? usualPort : Number(url.port),
    isSecure,
    requiresTls: !isSecure && startTls === "on" && !isLoopback(url),
    user: url.username === "" ? undefined : decoded(url.username),
    password: url.password === "" ? undefined : decoded(url.password),
    from: senderOf(from),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UsageError("SMTP_URL has a % in its user or password that begins no code: write %25.");
  }
}

function senderOf(text: string): Sender {
  const [first, ...others] = addressparser(text);
  const address = first !== undefined && "address" in first ? first.address : undefined;
  const [, domain] = /^[^\s@<>]+@([a-z0-9.-]+)$/i.exec(address ?? "") ?? [];
  if (address === undefined || domain === undefined || others.length > 0 || /[\r\n]/.test(text)) {
    throw new UsageError(`MAIL_FROM is ${text}: it is one address, such as Tributary <mail@tributary.example>.`);
  }
  return { text, address, domain };
}
