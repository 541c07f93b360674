import { createServer } from "node:net";

/** A port of 127.0.0.1 that nobody listened on a moment ago. Somebody else may take it first: be ready to ask again. */
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

/** The code of the error that keeps a program from listening there, such as EADDRINUSE. */
export async function listenFault(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  return new Promise<string | undefined>((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
