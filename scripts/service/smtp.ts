import { createHash } from "node:crypto";
import { connect } from "node:net";
import { createTransport, type SentMessageInfo, type Transporter } from "nodemailer";
import type { Mail } from "#domain/mail/mail.ts";
import { trustedHere } from "../../runtime/node/network.ts";
import type { SmtpSettings } from "./smtp-settings.ts";

/**
 * The result of sending an email to an SMTP server. It contains no addresses, and not the server's text, which may
 * contain addresses.
 */
export interface SmtpOutcome {
  readonly isSent: boolean;
  /** True if the server has permanently rejected this email. */
  readonly isFinal: boolean;
  /** The reason of a failure. Empty if the email was sent. */
  readonly reason: string;
}

export interface SmtpParts {
  /** Trusted certificate authorities in PEM. The default is those that Node and this machine trust. */
  readonly certificateAuthorities?: readonly string[];
  /**
   * The time limit for the connection, for the greeting, and for each response. Some servers delay responses to unknown
   * senders by half a minute.
   */
  readonly patienceMs?: number;
}

export type SendBySmtp = (mail: OutgoingMail) => Promise<SmtpOutcome>;

export interface OutgoingMail extends Mail {
  /** The email's id, which is the same for each attempt. */
  readonly id: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends each email over its own connection, so that a refusal by the server concerns only that email. Opens the
 * connection itself, because Nodemailer writes to the console if it finds no usable network on the machine.
 */
export function smtpSender(settings: SmtpSettings, parts: SmtpParts = {}): SendBySmtp {
  const { host, port, isSecure, requiresTls, user, password, from } = settings;
  const { certificateAuthorities = trustedHere(), patienceMs = 60_000 } = parts;
  const transport: Transporter<SentMessageInfo> = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: requiresTls,
    ...(user !== undefined && { auth: { user, pass: password ?? "" } }),
    // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED could otherwise turn the check off.
    tls: { ca: [...certificateAuthorities], minVersion: "TLSv1.2", rejectUnauthorized: true },
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    getSocket: ({ connectionTimeout }, done) => {
      const socket = connect({ host, port, timeout: connectionTimeout });
      const fail = (error: Error) => {
        socket.destroy();
        done(error);
      };
      socket.once("error", fail);
      socket.once("timeout", () => fail(Object.assign(new Error("Connection timeout"), { code: "ETIMEDOUT" })));
      socket.once("connect", () => {
        socket.removeAllListeners().setTimeout(0);
        // Ignores errors until Nodemailer adds its own listener.
        socket.on("error", () => undefined);
        done(null, { connection: socket });
      });
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ id, to, subject, text, html, headers }) => {
    const messageId = `<${digest(id)}@${from.domain}>`;
    const automatic = { "Auto-Submitted": "auto-generated", ...preparedOf(headers) };
    try {
      // Passed as an object, because a text would be parsed as a list, and an address with a comma would become two.
      const recipient = { name: "", address: to };
      const letter = { from: from.text, to: recipient, subject, text, html, messageId, headers: automatic };
      await transport.sendMail({ ...letter, envelope: { from: from.address, to: [to] } });
      return { isSent: true, isFinal: false, reason: "" };
    } catch (error) {
      return outcomeOf(error);
    }
  };
}

/** Nodemailer would fold long header values, and mail programs may not find a link that is on the next line. */
const preparedOf = (headers: OutgoingMail["headers"] = {}) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      { prepared: true, value: value.replace(/[^\x20-\x7e]/g, "") },
    ]),
  );

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
