import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Linux and macOS give outgoing connections ports above these, so that none of ours takes one that was just found free. */
const ports = [10_240, 32_768] as const;

/** Free on 127.0.0.1 a moment ago. Another program may take it first, so be ready to retry. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const port = randomInt(...ports);
    if ((await listenFault(port, "127.0.0.1")) === undefined) return port;
  }
  throw new Error("no free port was found");
}

/** An error code such as EADDRINUSE. Undefined if the port is free. */
export async function listenFault(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  return new Promise<string | undefined>((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
