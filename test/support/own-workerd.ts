import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, inject } from "vitest";
import { freePort } from "../../scripts/ports.ts";
import { startWorkerd, type Workerd } from "../../scripts/workerd.ts";
import { type Api, createApi } from "./client.ts";
import type { DatabaseProxy } from "./database-proxy.ts";
import { ownDatabase } from "./own-database.ts";
import { eventually } from "./own-service.ts";
import { testSecrets, trustLoopback } from "./service.ts";
import { createWorld, type World, type WorldSettings } from "./world.ts";

/** The service as `npm start` runs it, on plain workerd, of a test file's own. */
export interface OwnWorkerd {
  readonly url: string;
  /** Of the socket with `/metrics`. */
  readonly localUrl: string;
  readonly proxy: DatabaseProxy;
  readonly workerd: Workerd;
  /** A caller at an address of its own. */
  api(): Api;
  world(settings?: WorldSettings): Promise<World>;
  /** Everything that workerd wrote. */
  log(): Promise<string>;
}

/** Starts it before the file's tests and ends it after them; to be called at the top of the file. */
export function ownWorkerd(): OwnWorkerd {
  const database = ownDatabase();
  const own: { directory?: string; workerd?: Workerd; port?: number; metricsPort?: number } = {};
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), "tributary-plain-"));
    const [port, metricsPort] = [await freePort(), await freePort()];
    Object.assign(own, { directory, port, metricsPort });
    const log = openSync(join(directory, "worker.log"), "a");
    own.workerd = await startWorkerd({
      build: inject("built"),
      directory,
      host: "127.0.0.1",
      port,
      metricsPort,
      databaseUrl: database.proxy.url,
      vars: { ...trustLoopback, SIGN_UP: "open", RATE_LIMITS: "off" },
      secrets: testSecrets,
      log,
    });
    closeSync(log);
    const isUp = () =>
      fetch(`${url()}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually(isUp, Boolean);
  });
  afterAll(async () => {
    await own.workerd?.stop();
    if (own.directory !== undefined) await rm(own.directory, { recursive: true, force: true });
  });
  const url = () => `http://127.0.0.1:${own.port}`;
  return {
    get url() {
      return url();
    },
    get localUrl() {
      return `http://127.0.0.1:${own.metricsPort}`;
    },
    get proxy() {
      return database.proxy;
    },
    get workerd() {
      if (own.workerd === undefined) throw new Error("workerd starts with the first test");
      return own.workerd;
    },
    api: () => createApi(url()),
    world: (settings) => createWorld(database.server.url, settings),
    log: () => readFile(join(own.directory ?? "", "worker.log"), "utf8"),
  };
}
