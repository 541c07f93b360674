import { createServer } from "node:net";

/** Free on 127.0.0.1 a moment ago. Another program may take it first, so be ready to retry. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("no port was given out");
  return address.port;
}

/** An error code such as EADDRINUSE. Undefined if the port is free. */
export async function listenFault(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  return new Promise<string | undefined>((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
