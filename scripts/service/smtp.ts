import { createHash } from "node:crypto";
import { createTransport, type SentMessageInfo, type Transporter } from "nodemailer";
import type { Mail } from "#domain/mail/mail.ts";
import { trustedHere } from "../../runtime/node/network.ts";
import type { SmtpSettings } from "./smtp-settings.ts";

/**
 * The result of handing a mail over to an SMTP server. It contains no addresses, and not the server's text, which may
 * have some.
 */
export interface SmtpOutcome {
  readonly isSent: boolean;
  /** True if the server refused this mail for good. */
  readonly isFinal: boolean;
  /** The reason for a failure. Empty if the mail was sent. */
  readonly reason: string;
}

export interface SmtpParts {
  /** Trusted authorities in PEM. Default: those that Node and this machine trust. */
  readonly certificateAuthorities?: readonly string[];
  /** Time limit for the connection, the greeting, and each answer. Servers that delay strangers take half a minute. */
  readonly patienceMs?: number;
}

export type SendBySmtp = (mail: OutgoingMail) => Promise<SmtpOutcome>;

export interface OutgoingMail extends Mail {
  /** The mail's id, which is the same for each attempt. */
  readonly id: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends mails over a connection each, so that the server's refusals concern one mail alone. */
export function smtpSender(settings: SmtpSettings, parts: SmtpParts = {}): SendBySmtp {
  const { host, port, isSecure, requiresTls, user, password, from } = settings;
  const { certificateAuthorities = trustedHere(), patienceMs = 60_000 } = parts;
  const transport: Transporter<SentMessageInfo> = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: requiresTls,
    ...(user !== undefined && { auth: { user, pass: password ?? "" } }),
    // Set explicitly, since NODE_TLS_REJECT_UNAUTHORIZED would otherwise turn it off.
    tls: { ca: [...certificateAuthorities], minVersion: "TLSv1.2", rejectUnauthorized: true },
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ id, to, subject, text, html, headers }) => {
    const messageId = `<${digest(id)}@${from.domain}>`;
    const automatic = { "Auto-Submitted": "auto-generated", ...headers };
    try {
      // As an object, since `to` would be parsed as a list: an address with a comma would become two.
      const recipient = { name: "", address: to };
      const letter = { from: from.text, to: recipient, subject, text, html, messageId, headers: automatic };
      await transport.sendMail({ ...letter, envelope: { from: from.address, to: [to] } });
      return { isSent: true, isFinal: false, reason: "" };
    } catch (error) {
      return outcomeOf(error);
    }
  };
}

const digest = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 32);

const finalStages = ["RCPT TO", "DATA"];

function outcomeOf(error: unknown): SmtpOutcome {
  const { code = "unknown", command = "", responseCode } = Object(error);
  if (typeof responseCode === "number" && responseCode > 0) {
    const isFinal = responseCode >= 500 && finalStages.includes(command);
    const stage = String(command).startsWith("AUTH") ? "the sign-in" : `${command || "the greeting"}`;
    return { isSent: false, isFinal, reason: `${stage} was answered with ${responseCode}` };
  }
  const detail = ["ESOCKET", "ETLS"].includes(code) && error instanceof Error ? `: ${error.message}` : "";
  return { isSent: false, isFinal: false, reason: `${code}${detail}` };
}
