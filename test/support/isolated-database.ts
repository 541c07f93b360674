import { afterAll, beforeAll } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import type { SqldOptions } from "../../scripts/sqld.ts";

/** A database of a test file's own, and the way there, which a test may break. */
export interface IsolatedDatabase {
  readonly server: TestDatabase;
  readonly proxy: DatabaseProxy;
}

interface OwnDatabaseOptions {
  readonly runBy?: SqldOptions["runBy"];
  /** Hears of each request that comes to the proxy. */
  readonly onRequest?: Parameters<typeof startDatabaseProxy>[1];
}

/** Starts it before the file's tests and ends it after them; to be called at the top of the file. */
export function isolatedDatabase({ runBy, onRequest }: OwnDatabaseOptions = {}): IsolatedDatabase {
  const own: { server?: TestDatabase; proxy?: DatabaseProxy } = {};
  beforeAll(async () => {
    own.server = await startDatabase(runBy);
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
