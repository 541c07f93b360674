import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { isBearer } from "../../runtime/is-bearer.ts";
import { mailPage, mailPageHeaders, type ReceivedMail } from "./mail-page.ts";
import { isSigned } from "./signed-mail.ts";

const maxKept = 200;

export interface Mailbox {
  readonly port: number;
  readonly hook: string;
}

/**
 * Receives signed emails on a free port of 127.0.0.1, and keeps the newest in memory. Shows them to callers that know
 * the secret. Doesn't keep the process running.
 */
export async function startMailbox(secret: string): Promise<Mailbox> {
  const mails = new Map<string, ReceivedMail>();
  const server = createServer((request, response) => {
    void answer(request, response, mails, secret).catch(() => response.destroy());
  });
  // Idle connections stay open, because the Worker may send its next call on one exactly when it is closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve());
    server.unref();
  });
  const { port } = server.address() as AddressInfo;
  return { port, hook: `http://127.0.0.1:${port}/mails` };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  mails: Map<string, ReceivedMail>,
  secret: string,
): Promise<void> {
  const { method, headers } = request;
  if (method === "POST") {
    const body = await text(request);
    const id = String(headers["webhook-id"]);
    if (!(await isSigned(headers, { id, body }, secret))) return void response.writeHead(401).end();
    if (!mails.has(id)) mails.set(id, { ...(JSON.parse(body) as Omit<ReceivedMail, "at">), at: Date.now() });
    const [oldest = ""] = mails.keys();
    if (mails.size > maxKept) mails.delete(oldest);
    return void response.writeHead(204).end();
  }
  if (!isBearer(headers.authorization, secret)) return void response.writeHead(401).end();
  if (method !== "GET" && method !== "HEAD") return void response.writeHead(405, { allow: "GET, HEAD" }).end();
  response.writeHead(200, mailPageHeaders).end(mailPage([...mails.values()].reverse()));
}
