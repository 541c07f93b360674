import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { uniqueIp } from "../../harness/client.ts";
import { sharedService } from "./shared-service.ts";

/** Passes requests on to the service from an origin of its own, so that a test can interrupt them. */
export interface ServiceFront {
  readonly url: string;
  /** The number of responses. */
  answered: number;
  /** The tokens of the calls that arrived. */
  readonly tokens: string[];
  /** Paths of calls whose connections are closed without a response. */
  cut: RegExp | undefined;
  /** If true, pages of all origins can frame the referral page. */
  letsAllFrame: boolean;
}

export async function openServiceFront(): Promise<ServiceFront> {
  const visitor = uniqueIp();
  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const { url = "/", method, headers } = request;
    if (front.cut?.test(url)) return void request.socket.destroy();
    if (headers.authorization !== undefined) front.tokens.push(headers.authorization.slice("Bearer ".length));
    const passed = forward(
      sharedService.url + url,
      { method, headers: { ...headers, "cf-connecting-ip": visitor } },
      (reply) => {
        const policy = reply.headers["content-security-policy"];
        if (front.letsAllFrame && typeof policy === "string") {
          reply.headers["content-security-policy"] = policy.replace(/frame-ancestors [^;]*/, "");
        }
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        front.answered += 1;
        reply.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  };
  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const front: ServiceFront = {
    url: `http://127.0.0.1:${port}`,
    answered: 0,
    tokens: [],
    cut: undefined,
    letsAllFrame: false,
  };
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return front;
}
