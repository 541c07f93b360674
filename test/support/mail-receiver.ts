import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface ReceivedMail {
  readonly id: string;
  readonly template: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly isSigned: boolean;
  readonly at: number;
}

type Answer = (reply: ServerResponse) => void;

export const accepting: Answer = (reply) => void reply.writeHead(204).end();

const secret = "signs the mails that tests receive";

function isSigned(headers: IncomingHttpHeaders, body: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } = headers;
  const expected = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  return signature === `v1,${expected}` && Math.abs(Number(timestamp) - Date.now() / 1_000) < 60;
}

/** Starts an email server that stores the received emails. Call it at the top of a file. */
export async function mailReceiver() {
  const received: ReceivedMail[] = [];
  const state = { answer: accepting };
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const mail = {
      id: String(request.headers["webhook-id"]),
      isSigned: isSigned(request.headers, body),
      at: Date.now(),
    };
    received.push({ ...JSON.parse(body), ...mail });
    state.answer(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    vars: { MAIL_HOOK: `${url}/mails`, MAIL_HOOK_SECRET: secret },
    url,
    answerWith: (answer: Answer): void => {
      state.answer = answer;
    },
    to: (address: string): readonly ReceivedMail[] => received.filter(({ to }) => to === address),
  };
}
