import { rm } from "node:fs/promises";
import type { Server } from "node:http";

/**
 * Unix sockets between the two processes. Their paths are relative to the working directory, because a socket's path
 * can have at most 107 bytes.
 */
export const sockets = {
  /** Receives requests that the ledger process forwards to the desk process. */
  desk: "desk.sock",
  /** Receives requests for the desk process's metrics, and the supervisor's reports to that process. */
  deskReports: "desk-reports.sock",
  /** Receives calls of the desk process to the objects. */
  objects: "objects.sock",
} as const;

/** A lock file in the same folder. The process that has the lock owns the objects' files. */
export const ledgerLock = "ledger.lock";

/** The address to listen on: a host and port, or the path of a socket. */
export type At = { readonly host: string; readonly port: number } | string;

export async function listenAt(server: Server, at: At): Promise<void> {
  // Removes the socket that a killed process has left behind.
  if (typeof at === "string") await rm(at, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (typeof at === "string") server.listen(at, resolve);
    else server.listen(at.port, at.host, resolve);
  });
}
