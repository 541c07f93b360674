import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly seq: number;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (reply: ServerResponse, event: ReceivedEvent) => void;

export const taking: Answer = (reply) => void reply.writeHead(204).end();

/** Returns whether one of the delivery's signatures was made with this secret, as Standard Webhooks specifies. */
export function isSignedBy(secret: string, { headers, body }: Pick<ReceivedEvent, "headers" | "body">): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return String(signatures).split(" ").includes(`v1,${expected}`);
}

export const isExample = ({ id }: ReceivedEvent): boolean => id.startsWith("evt_example_");

/** Starts a server that stores the deliveries it receives. Call it at the top of a file. */
export async function webhookReceiver() {
  const received: ReceivedEvent[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const path = request.url ?? "/";
    const event = { ...JSON.parse(body), path, headers: request.headers, body };
    received.push(event);
    (answers.get(path) ?? taking)(reply, event);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** Variables for the service. Without them, it sends nothing to private addresses. */
    vars: { WEBHOOK_ALLOW: "127.0.0.1/32" },
    url: (path: string): string => `http://127.0.0.1:${port}${path}`,
    answerWith: (path: string, answer: Answer): void => void answers.set(path, answer),
    /** Returns deliveries without the example events that each address gets first. */
    at: (path: string) => received.filter((each) => each.path === path && !isExample(each)),
    examplesAt: (path: string) => received.filter((each) => each.path === path && isExample(each)),
  };
}
