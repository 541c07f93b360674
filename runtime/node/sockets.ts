import { rm } from "node:fs/promises";
import type { Server } from "node:http";

/** Unix sockets between the two processes, relative to their working directory: a path can have 107 bytes at most. */
export const sockets = {
  /** Requests that the ledger passes on to the desk. */
  desk: "desk.sock",
  /** The desk's metrics, and the supervisor's reports to it. */
  deskReports: "desk-reports.sock",
  /** Calls of the desk to the objects. */
  objects: "objects.sock",
} as const;

/** In the same folder. Its holder owns the objects' files. */
export const ledgerLock = "ledger.lock";

/** An address, or the path of a socket. */
export type At = { readonly host: string; readonly port: number } | string;

export async function listenAt(server: Server, at: At): Promise<void> {
  // A process that was killed leaves its socket.
  if (typeof at === "string") await rm(at, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (typeof at === "string") server.listen(at, resolve);
    else server.listen(at.port, at.host, resolve);
  });
}
