import { afterAll, beforeAll } from "vitest";
import { type DatabaseEngine, startDatabase, type TestDatabase } from "../../harness/database.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { isWhole } from "./breadth.ts";

export interface IsolatedDatabase {
  readonly server: TestDatabase;
  readonly proxy: DatabaseProxy;
}

interface IsolatedDatabaseOptions {
  /** The parent folder of the database's folder. The default is the folder for the data of the test run. */
  readonly within?: string | undefined;
  /**
   * A test that interrupts or restores the database, reads plans, or counts requests or rows needs sqld. By default,
   * `npm test` uses a file, which takes a third of the processor time, and `npm run soak` uses sqld.
   */
  readonly engine?: DatabaseEngine | undefined;
  /** Called with each request to sqld. */
  readonly onRequest?: Parameters<typeof startDatabaseProxy>[1];
}

/** Starts a database and a proxy that only this test file uses and may break. Call it at the top of the file. */
export function isolatedDatabase({
  within,
  onRequest,
  engine = isWhole || onRequest !== undefined ? "sqld" : "file",
}: IsolatedDatabaseOptions = {}): IsolatedDatabase {
  const own: { server?: TestDatabase; proxy?: DatabaseProxy } = {};
  beforeAll(async () => {
    own.server = await startDatabase(within, engine);
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
