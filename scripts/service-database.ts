import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { databaseFault } from "./database-address.ts";
import type { Database } from "./migrate.ts";
import { root } from "./root.ts";

export interface ServiceDatabase extends Database {
  readonly serviceUrl: string | undefined;
}

export class ServiceDatabaseError extends Error {
  override readonly name = "ServiceDatabaseError";
}

/**
 * The database of DATABASE_URL, or of the service that runs here on the data folder TRIBUTARY_DATA (default: .data).
 */
export async function serviceDatabase(): Promise<ServiceDatabase> {
  const database = await namedDatabase();
  if (database === undefined) {
    throw new ServiceDatabaseError(
      "DATABASE_URL is not set, and no service runs here on .data or on the folder that TRIBUTARY_DATA names.",
    );
  }
  const fault = databaseFault(database);
  if (fault !== undefined) throw new ServiceDatabaseError(fault);
  return database;
}

/** Throws a `ServiceDatabaseError` if the service's address is not known. */
export async function addressedService(): Promise<Database & { readonly serviceUrl: string }> {
  const { url, authToken, serviceUrl } = await serviceDatabase();
  if (serviceUrl === undefined) throw new ServiceDatabaseError("Set BASE_URL to the address of the service: https://…");
  return { url, authToken, serviceUrl };
}

async function namedDatabase(): Promise<ServiceDatabase | undefined> {
  const { DATABASE_URL: url, DATABASE_AUTH_TOKEN: authToken, BASE_URL: baseUrl, TRIBUTARY_DATA: data } = process.env;
  if (url) return { url, authToken, serviceUrl: baseUrl };
  const text = await readFile(join(resolve(root, data || ".data"), "running.json"), "utf8").catch(() => "{}");
  const running = JSON.parse(text) as {
    url?: string;
    databaseUrl?: string;
    databaseAuthToken?: string;
  };
  if (running.databaseUrl === undefined) return undefined;
  return { url: running.databaseUrl, authToken: running.databaseAuthToken, serviceUrl: running.url };
}
