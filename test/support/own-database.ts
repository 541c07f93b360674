import { afterAll, beforeAll } from "vitest";
import { startDatabase, type TestDatabase } from "./database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "./database-proxy.ts";

/** A database of a test file's own, and the way there, which a test may break. */
export interface OwnDatabase {
  readonly server: TestDatabase;
  readonly proxy: DatabaseProxy;
}

/**
 * Starts it before the file's tests and ends it after them; to be called at the top of the file. `onRequest` hears of
 * each request that comes to the proxy.
 */
export function ownDatabase(onRequest?: Parameters<typeof startDatabaseProxy>[1]): OwnDatabase {
  const own: { server?: TestDatabase; proxy?: DatabaseProxy } = {};
  beforeAll(async () => {
    own.server = await startDatabase();
    own.proxy = await startDatabaseProxy(own.server.url, onRequest);
  });
  afterAll(async () => {
    await own.proxy?.close();
    await own.server?.dispose();
  });
  const started = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error("the database starts with the first test");
    return part;
  };
  return {
    get server() {
      return started(own.server);
    },
    get proxy() {
      return started(own.proxy);
    },
  };
}
