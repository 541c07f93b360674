import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, inject } from "vitest";
import { type Api, createApi } from "../../harness/client.ts";
import { engineOf, type TestDatabase } from "../../harness/database.ts";
import type { DatabaseProxy } from "../../harness/database-proxy.ts";
import { type DevelopmentService, startDevelopmentService } from "../../harness/development-service.ts";
import { chosenRuntime, type Runtime } from "../../harness/runtimes.ts";
import { type PlainService, type Service, type ServiceOptions, startService } from "../../harness/service.ts";
import type { User } from "../../harness/session.ts";
import { addUser } from "../../harness/users.ts";
import { createWorld, type World, type WorldSettings } from "../../harness/world.ts";
import { isolatedDatabase } from "./isolated-database.ts";

export interface IsolatedService<Running extends Service = PlainService> {
  readonly database: TestDatabase;
  readonly proxy: DatabaseProxy;
  readonly service: Running;
  api(): Api;
  user(name?: string): Promise<User>;
  world(settings?: WorldSettings): Promise<World>;
}

interface IsolatedServiceOptions {
  /** The default is the value of TEST_RUNTIME. */
  readonly runtime?: Runtime | undefined;
  /** The parent folder of the database's folder. */
  readonly databaseWithin?: string | undefined;
  /**
   * The rate limits in calls per minute, by binding. They replace those in wrangler.toml. By default, there are no
   * limits.
   */
  readonly limits?: Readonly<Record<string, number>>;
  readonly vars?: Readonly<Record<string, string>>;
}

const noLimits = { RATE_LIMITS: "off" };

/** Starts a service and a database that only this test file uses and may break. Call it at the top of the file. */
export function isolatedService({
  runtime = chosenRuntime(process.env),
  databaseWithin,
  limits,
  vars,
}: IsolatedServiceOptions = {}): IsolatedService {
  const settings = limits === undefined ? { vars: { ...noLimits, ...vars } } : { limits, vars: { ...vars } };
  return own(runtime, (options) => startService({ ...options, ...settings, runtime }), databaseWithin);
}

export const isolatedDevelopmentService = (): IsolatedService<DevelopmentService> =>
  own("workerd", (options) => startDevelopmentService({ ...options, vars: noLimits }));

function own<Running extends Service>(
  runtime: Runtime,
  start: (options: Pick<ServiceOptions, "build" | "databaseUrl" | "proxies">) => Promise<Running>,
  databaseWithin?: string,
): IsolatedService<Running> {
  const database = isolatedDatabase({ within: databaseWithin, engine: engineOf(runtime) });
  let service: Running | undefined;
  beforeAll(async () => {
    const { proxy } = database;
    service = await start({ build: inject("built"), databaseUrl: proxy.url, proxies: [proxy] });
  });
  afterAll(() => service?.stop());
  const started = (): Running => {
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
    user: (name) => addUser({ url: started().url, databaseUrl: database.server.url }, name),
    world: (settings) => createWorld(database.server.url, settings),
  };
}

const longestPauseMs = 100;

/** Calls `look` at growing intervals until `holds` is true for its result. The error shows the last result. */
export async function eventually<T>(
  look: () => Promise<T>,
  holds: (value: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`never came about; last seen: ${JSON.stringify(value)}`);
    await delay(pauseMs);
  }
}
