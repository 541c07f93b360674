import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer, isIPv6 } from "node:net";

/**
 * Linux and macOS use ports above these for outgoing connections. So no outgoing connection takes a port that was just
 * found free.
 */
const ports = [10_240, 32_768] as const;

/**
 * Returns a port on 127.0.0.1 that was free a moment ago. It is reserved for this process until it ends, so this
 * function doesn't return it to any other call. Another program may still take it, so be ready to retry.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const port = randomInt(...ports);
    if ((await reserve(port)) && (await listenFault(port, "127.0.0.1")) === undefined) return port;
  }
  throw new Error("no free port was found");
}

/**
 * Reserves a port by opening the UDP port of the same number, which nothing else uses. The system frees it even if the
 * process is killed.
 */
export async function reserve(port: number): Promise<boolean> {
  const sign = createSocket("udp4").unref();
  const fault = await new Promise<string | undefined>((resolve) => {
    sign.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sign.bind(port, "127.0.0.1", () => resolve(undefined));
  });
  if (fault !== undefined) sign.close();
  return fault !== "EADDRINUSE";
}

/** Returns the port to suggest instead of one that is in use, other than the service's other port. */
export function portInstead(used: number, other: number | undefined): number {
  const step = used < 65_534 ? 1 : -1;
  return used + step === other ? used + 2 * step : used + step;
}

export const authority = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** Returns the error code of listening on a port, such as EADDRINUSE. Undefined if the port is free. */
export async function listenFault(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  return new Promise<string | undefined>((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
