import { afterAll, beforeAll, inject } from "vitest";
import type { SqldOptions } from "../../scripts/sqld.ts";
import { type Api, createApi } from "./client.ts";
import type { TestDatabase } from "./database.ts";
import type { DatabaseProxy } from "./database-proxy.ts";
import { ownDatabase } from "./own-database.ts";
import { type Service, startService } from "./service.ts";
import { createWorld, type World, type WorldSettings } from "./world.ts";

/** A service of a test file's own, with what a test may break: its database, the way there, its runtime. */
export interface OwnService {
  readonly database: TestDatabase;
  readonly proxy: DatabaseProxy;
  readonly service: Service;
  /** A caller at an address of its own. */
  api(): Api;
  world(settings?: WorldSettings): Promise<World>;
}

interface OwnServiceOptions {
  readonly databaseRunBy?: SqldOptions["runBy"];
  /** Over those of wrangler.toml, by their bindings: calls a minute. Default: no limits at all. */
  readonly limits?: Readonly<Record<string, number>>;
  readonly vars?: Readonly<Record<string, string>>;
}

/** Starts it before the file's tests and ends it after them; to be called at the top of the file. */
export function ownService({ databaseRunBy, limits, vars }: OwnServiceOptions = {}): OwnService {
  const database = ownDatabase({ runBy: databaseRunBy });
  let service: Service | undefined;
  beforeAll(async () => {
    service = await startService({
      worker: inject("worker"),
      databaseUrl: database.proxy.url,
      vars: { ...(limits === undefined && { RATE_LIMITS: "off" }), ...vars },
      ...(limits && { limits }),
    });
  });
  afterAll(() => service?.stop());
  const started = (): Service => {
    if (service === undefined) throw new Error("the service starts with the first test");
    return service;
  };
  return {
    get database() {
      return database.server;
    },
    get proxy() {
      return database.proxy;
    },
    get service() {
      return started();
    },
    api: () => createApi(started().url),
    world: (settings) => createWorld(database.server.url, settings),
  };
}

/** Waits until something holds, and fails with what it last was where it never does. */
export async function eventually<T>(
  look: () => Promise<T>,
  holds: (value: T) => boolean,
  withinMs = 15_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`never came about; last seen: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
