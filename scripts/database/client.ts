import { setTimeout as delay } from "node:timers/promises";
import { type Client, type Config, createClient as createRemote } from "@libsql/client/http";
import { createClient as createLocal } from "@libsql/client/sqlite3";
import { type Database, DatabaseError, type DatabaseOptions, IdleStreams, openDatabase } from "#store/database.ts";
import { fileDatabase } from "./file-database.ts";

interface ClientOptions extends Readonly<Pick<Config, "url" | "intMode" | "fetch">> {
  readonly authToken?: string | undefined;
}

const maxTries = 100;

/** True if another writer or a checkpoint had the lock, so that nothing was written. */
const isBusy = (error: unknown): boolean =>
  error instanceof DatabaseError
    ? error.fault.kind === "busy"
    : error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");

export const whileBusy = <Method extends (...given: never[]) => Promise<unknown>>(method: Method): Method => {
  const patient = async (...given: Parameters<Method>) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await method(...given);
      } catch (error) {
        if (!isBusy(error) || tries >= maxTries) throw error;
        await delay(10 + Math.random() * 90);
      }
    }
  };
  return patient as Method;
};

/** Opens a client that waits for other writers. */
export function openClient({ authToken, ...options }: ClientOptions): Client {
  const createClient = options.url.startsWith("file:") ? createLocal : createRemote;
  const client = createClient({ ...options, ...(authToken && { authToken }) });
  client.execute = whileBusy(client.execute.bind(client));
  client.batch = whileBusy(client.batch.bind(client));
  return client;
}

type Address = Pick<ClientOptions, "url" | "authToken">;

/** The database as the Ledger and the routes use it. */
export const openStore = ({ url, authToken }: Address, options: DatabaseOptions = {}): Database =>
  openDatabase({ url, authToken, server: fileDatabase(url) }, options);

/** Opens a database that waits for other writers and keeps its connections between requests. */
export function openPatiently(address: Address): Database {
  const database = openStore(address, { idleStreams: new IdleStreams() });
  return { ...database, read: whileBusy(database.read), write: whileBusy(database.write) };
}

/** Opens a client for `use`, and closes it afterwards. */
export async function withClient<T>(options: ClientOptions, use: (client: Client) => Promise<T>): Promise<T> {
  const client = openClient(options);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}
