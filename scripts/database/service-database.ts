import { dataFolder } from "../backup/data-paths.ts";
import { ExplainedError, UnreachableError } from "../command.ts";
import { readRunning } from "../service/data-folder.ts";
import type { Database } from "./migrate.ts";

export interface ServiceDatabase extends Database {
  readonly serviceUrl: string | undefined;
  /** The address that a service on this machine listens on. */
  readonly localUrl?: string | undefined;
}

/**
 * The database of the service that runs here on the folder of `--data`; without one, the database of DATABASE_URL, or of
 * the service on the folder TRIBUTARY_DATA (default: .data).
 */
export async function serviceDatabase(folder?: string): Promise<ServiceDatabase> {
  const { DATABASE_URL, DATABASE_AUTH_TOKEN, BASE_URL } = process.env;
  const database: ServiceDatabase =
    folder === undefined && DATABASE_URL
      ? { url: DATABASE_URL, authToken: DATABASE_AUTH_TOKEN, serviceUrl: BASE_URL || undefined }
      : await databaseRunningOn(folder);
  checkAddress(database);
  return database;
}

async function databaseRunningOn(folder: string | undefined): Promise<ServiceDatabase> {
  const { databaseUrl, databaseAuthToken, url, localUrl } = (await readRunning(dataFolder(folder))) ?? {};
  if (databaseUrl !== undefined) return { url: databaseUrl, authToken: databaseAuthToken, serviceUrl: url, localUrl };
  throw new UnreachableError(
    folder === undefined
      ? "DATABASE_URL is not set, and no service runs here on .data or on the folder that TRIBUTARY_DATA or --data names."
      : `No service runs here on ${folder}.`,
  );
}

export async function addressedService(folder?: string): Promise<ServiceDatabase & { readonly serviceUrl: string }> {
  const { serviceUrl, ...database } = await serviceDatabase(folder);
  if (serviceUrl === undefined) throw new ExplainedError("Set BASE_URL to the address of the service: https://…");
  return { ...database, serviceUrl };
}

/** Throws an `ExplainedError` that repeats neither address nor token, since either may hold a secret. */
export function checkAddress({ url, authToken = "" }: Database): void {
  // Child processes, Cloudflare's dashboard and error messages show the address.
  if (!/^[a-z]+:\/\/[\w.:[\]/~-]+$/i.test(url)) {
    throw new ExplainedError(
      "DATABASE_URL must be an address alone, such as libsql://name.turso.io, without a user name, a query or a fragment: it is not kept secret. Put the token into DATABASE_AUTH_TOKEN.",
    );
  }
  // An HTTP client's error repeats a header that it can't send.
  if (!/^[\x21-\x7e]*$/.test(authToken)) {
    throw new ExplainedError("DATABASE_AUTH_TOKEN must be ASCII characters without white space.");
  }
}
