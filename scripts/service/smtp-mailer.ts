import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { finalHeader } from "#deliver/attempt.ts";
import { isSigned } from "./signed-mail.ts";
import type { OutgoingMail, SendBySmtp, SmtpOutcome } from "./smtp.ts";

/** The time limit for a response to the Worker, which waits longer than this. */
const answersWithinMs = 18_000;
const maxRemembered = 1_000;

/** A mail as the Worker posts it. Its id is in a header of the call. */
type PostedMail = Omit<OutgoingMail, "id">;

export interface SmtpMailer {
  /** The URL to which the Worker posts emails. */
  readonly hook: string;
  readonly secret: string;
  close(): void;
}

export interface MailerParts {
  readonly send: SendBySmtp;
  /** Gets a sentence about an email that wasn't sent. */
  readonly warn: (message: string) => void;
  readonly answersWithinMs?: number;
}

/**
 * Sends the emails that the Worker posts to a free port of 127.0.0.1. The Worker's calls are signed with a secret that
 * isn't stored on disk. If the SMTP server takes longer than the Worker's call, the email is still sent only once, and
 * the Worker's next attempt gets the result. Doesn't keep the process running.
 */
export async function startSmtpMailer(parts: MailerParts): Promise<SmtpMailer> {
  const secret = randomBytes(32).toString("base64url");
  /** Emails that are being sent or have a final result, by the email's id. */
  const known = new Map<string, Promise<SmtpOutcome>>();
  const send = (id: string, mail: PostedMail): Promise<SmtpOutcome> => {
    const running = known.get(id) ?? sendOnce(id, mail);
    known.set(id, running);
    const [oldest = ""] = known.keys();
    if (known.size > maxRemembered) known.delete(oldest);
    return running;
  };
  const sendOnce = async (id: string, mail: PostedMail): Promise<SmtpOutcome> => {
    const outcome = await parts.send({ ...mail, id });
    const { isSent, isFinal, reason } = outcome;
    if (!isSent && !isFinal) known.delete(id);
    if (!isSent) {
      const next = isFinal ? "It isn't sent again." : "It is tried again.";
      parts.warn(`warning: The SMTP server didn't take an email: ${reason}. ${next}`);
    }
    return outcome;
  };
  const server = createServer((request, response) => {
    void answer(request, response, { ...parts, secret, send }).catch(() => response.destroy());
  });
  // Idle connections stay open, because the Worker could send its next call on a connection that is just being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve());
    server.unref();
  });
  const { port } = server.address() as AddressInfo;
  return { hook: `http://127.0.0.1:${port}/mails`, secret, close: () => server.close() };
}

interface Answering {
  readonly secret: string;
  readonly send: (id: string, mail: PostedMail) => Promise<SmtpOutcome>;
  readonly answersWithinMs?: number;
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: Answering): Promise<void> {
  const body = await text(request);
  const id = String(request.headers["webhook-id"]);
  if (request.method !== "POST" || !(await isSigned(request.headers, { id, body }, parts.secret))) {
    return void response.writeHead(401).end();
  }
  const stop = new AbortController();
  const late = delay(parts.answersWithinMs ?? answersWithinMs, undefined, { signal: stop.signal }).catch(
    () => undefined,
  );
  const outcome = await Promise.race([parts.send(id, JSON.parse(body) as PostedMail), late]);
  stop.abort();
  if (outcome?.isSent) return void response.writeHead(204).end();
  response.writeHead(503, outcome?.isFinal ? { [finalHeader]: "1" } : {}).end();
}
