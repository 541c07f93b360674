import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ExplainedError } from "../command.ts";
import { root } from "../root.ts";
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
  const database = folder === undefined ? await databaseOfEnvironment() : await databaseRunningOn(folder);
  if (database === undefined) {
    throw new ExplainedError(
      folder === undefined
        ? "DATABASE_URL is not set, and no service runs here on .data or on the folder that TRIBUTARY_DATA or --data names."
        : `No service runs here on ${folder}.`,
    );
  }
  const fault = databaseFault(database);
  if (fault !== undefined) throw new ExplainedError(fault);
  return database;
}

/** Throws an `ExplainedError` if the service's address is not known. */
export async function addressedService(folder?: string): Promise<ServiceDatabase & { readonly serviceUrl: string }> {
  const { url, authToken, serviceUrl, localUrl } = await serviceDatabase(folder);
  if (serviceUrl === undefined) throw new ExplainedError("Set BASE_URL to the address of the service: https://…");
  return { url, authToken, serviceUrl, localUrl };
}

async function databaseOfEnvironment(): Promise<ServiceDatabase | undefined> {
  const { DATABASE_URL: url, DATABASE_AUTH_TOKEN: authToken, BASE_URL: baseUrl, TRIBUTARY_DATA: data } = process.env;
  return url ? { url, authToken, serviceUrl: baseUrl || undefined } : databaseRunningOn(data || ".data");
}

async function databaseRunningOn(folder: string): Promise<ServiceDatabase | undefined> {
  const text = await readFile(join(resolve(root, folder), "running.json"), "utf8").catch(() => "{}");
  const running = JSON.parse(text) as {
    url?: string;
    localUrl?: string;
    databaseUrl?: string;
    databaseAuthToken?: string;
  };
  if (running.databaseUrl === undefined) return undefined;
  return {
    url: running.databaseUrl,
    authToken: running.databaseAuthToken,
    serviceUrl: running.url,
    localUrl: running.localUrl,
  };
}

/** Returns a message, or undefined. It repeats neither, since either may hold a secret. */
export function databaseFault({ url, authToken = "" }: Database): string | undefined {
  // Child processes, Cloudflare's dashboard and error messages show the address.
  if (!/^[a-z]+:\/\/[\w.:[\]/~-]+$/i.test(url)) {
    return "DATABASE_URL must be an address alone, such as libsql://name.turso.io, without a user name, a query or a fragment: it is not kept secret. Put the token into DATABASE_AUTH_TOKEN.";
  }
  // An HTTP client's error repeats a header that it can't send.
  if (!/^[\x21-\x7e]*$/.test(authToken)) return "DATABASE_AUTH_TOKEN must be ASCII characters without white space.";
  return undefined;
}
