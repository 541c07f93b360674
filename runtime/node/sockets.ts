import { rm } from "node:fs/promises";
import type { Server } from "node:http";

/**
 * Unix sockets between the two processes, as paths relative to their working directory, because a path can have at most
 * 107 bytes.
 */
export const sockets = {
  /** Takes requests that the ledger passes on to the desk. */
  desk: "desk.sock",
  /** Takes requests for the desk's metrics, and the supervisor's reports to the desk. */
  deskReports: "desk-reports.sock",
  /** Takes calls of the desk to the objects. */
  objects: "objects.sock",
} as const;

/** A file in the same folder. The process that locks it owns the objects' files. */
export const ledgerLock = "ledger.lock";

/** Where to listen: an address, or the path of a socket. */
export type At = { readonly host: string; readonly port: number } | string;

export async function listenAt(server: Server, at: At): Promise<void> {
  // Removes the socket that a killed process has left.
  if (typeof at === "string") await rm(at, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (typeof at === "string") server.listen(at, resolve);
    else server.listen(at.port, at.host, resolve);
  });
}
