import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { localFetch } from "../../runtime/node/local-fetch.ts";
import type { ServedFiles } from "../build/served-files.ts";
import { ExplainedError } from "../command.ts";
import { type Child, type ChildLog, whyEnded } from "./child.ts";
import { type DataFolder, endsWithinMs, openDataFolder, runningFile } from "./data-folder.ts";
import { dataFault } from "./data-release.ts";
import { type KeptDesk, keepDesk } from "./desk.ts";
import type { Say } from "./keep-running.ts";
import { type LocalDatabases, openLocalDatabases } from "./local-databases.ts";
import { watchClock, watchDisk } from "./machine-watch.ts";
import type { Monitoring } from "./monitoring.ts";
import { authority, listenFault, portInstead } from "./ports.ts";
import { type PreparedRuntime, prepareRuntime } from "./runtime.ts";

export interface LocalServiceOptions {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly portAdvice: string;
  readonly monitoring: Monitoring;
}

export interface WorkerOptions {
  readonly build: ServedFiles;
  readonly vars: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly log: ChildLog;
  /** Reports when the desk process ends and runs again. */
  readonly say: Say;
  readonly mailboxPort?: number | undefined;
}

export interface RunningWorker {
  readonly ended: Promise<string>;
}

const readyWithinMs = 60_000;

export class LocalService {
  readonly #options: LocalServiceOptions;
  #folder: DataFolder | undefined;
  readonly #closeDatabases: (() => Promise<void>)[] = [];
  #runtime: PreparedRuntime | undefined;
  #desk: KeptDesk | undefined;
  #worker: Child | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: LocalServiceOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  async open(): Promise<DataFolder> {
    const { data, host, port, baseUrl, portAdvice, monitoring } = this.#options;
    const localUrl = `http://${authority(hostOnThisMachine(host), port)}`;
    const fault = await dataFault(data);
    // If a service is running, `openDataFolder` fails with a better message than this one.
    if (fault !== undefined && !existsSync(runningFile(data))) throw fault;
    const folder = await openDataFolder(data, { url: baseUrl, localUrl });
    this.#folder = folder;
    if (fault !== undefined) throw fault;
    const portFault = await this.#listenFault(folder);
    if (portFault === "EADDRINUSE") {
      throw new ExplainedError(`Port ${port} is in use. Stop what listens there, or choose another: ${portAdvice}`);
    }
    if (portFault !== undefined)
      throw new ExplainedError(`The service can't listen on ${authority(host, port)}: ${portFault}.`);
    const { metricsPort } = monitoring;
    if (metricsPort !== undefined && (await listenFault(metricsPort, "127.0.0.1")) !== undefined) {
      throw new ExplainedError(
        `Port ${metricsPort} is in use. Choose another for /metrics: METRICS_PORT=${portInstead(metricsPort, port)}`,
      );
    }
    return folder;
  }

  async #listenFault({ wasLeft }: DataFolder): Promise<string | undefined> {
    const { host, port } = this.#options;
    const deadline = Date.now() + (wasLeft ? endsWithinMs : 0);
    for (;;) {
      const fault = await listenFault(port, host);
      if (fault !== "EADDRINUSE" || Date.now() >= deadline) return fault;
      await delay(100);
    }
  }

  /** Opens the databases. `shards` is the total number of shards. */
  openDatabases(folder: DataFolder, shards: number): Promise<LocalDatabases> {
    return openLocalDatabases(folder, { count: shards, onOpened: (close) => this.#closeDatabases.push(close) });
  }

  /** Starts the desk process, and keeps it running. */
  async prepare(folder: DataFolder, { databases, addresses }: LocalDatabases, options: WorkerOptions): Promise<void> {
    const { host, port, monitoring } = this.#options;
    const runtime = await prepareRuntime({
      ...options,
      directory: folder.worker,
      host,
      port,
      metricsPort: monitoring.metricsPort,
      databaseUrl: databases[0].url,
      secrets: { ...options.secrets, DATABASE_AUTH_TOKEN: databases[0].authToken ?? "" },
      shards: addresses,
    });
    this.#runtime = runtime;
    if (runtime.startDesk !== undefined) this.#desk = await keepDesk(runtime.startDesk, options.say);
  }

  /** Starts the tracking process after `prepare`, and again whenever it has ended. */
  async start(folder: DataFolder): Promise<RunningWorker> {
    if (this.#runtime === undefined) throw new Error("the service has not been prepared");
    const worker = await this.#runtime.start();
    this.#worker = worker;
    const { monitoring } = this.#options;
    const endWatches = [watchDisk(folder.path, worker.reportDisk, monitoring), watchClock(worker.reportClock)];
    return {
      ended: worker.exited.then((exit) => {
        for (const end of endWatches) end();
        return whyEnded("The service", exit);
      }),
    };
  }

  async untilReady(hint: string): Promise<void> {
    const { host, port } = this.#options;
    const origin = `http://${authority(hostOnThisMachine(host), port)}`;
    const deadline = Date.now() + readyWithinMs;
    // The first path belongs to the ledger process, and the second one to the desk process.
    for (const path of ["/readyz", "/robots.txt"]) await this.#untilAnswered(`${origin}${path}`, deadline, hint);
  }

  async #untilAnswered(url: string, deadline: number, hint: string): Promise<void> {
    let last = "no answer";
    while (!this.isStopping) {
      if (Date.now() > deadline) {
        throw new ExplainedError(`${url} was not ready within ${readyWithinMs / 1000} s (${last}), see ${hint}`);
      }
      const answer = await localFetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
      if (answer?.ok) return;
      if (answer !== undefined) last = `status ${answer.status}`;
      await delay(100);
    }
  }

  /** Throws an `ExplainedError` with the reason when a process has ended, unless the service is being stopped. */
  async failOnEnd(ended: Promise<string>): Promise<void> {
    const reason = await ended;
    if (!this.isStopping) throw new ExplainedError(reason);
  }

  stop(graceMs: number): Promise<void> {
    this.#stopping ??= (async () => {
      // The desk process stops first, because its running calls need the other process.
      await this.#desk?.stop(graceMs);
      await this.#worker?.stop(graceMs);
      this.#runtime?.close();
      await Promise.all(this.#closeDatabases.map((close) => close()));
      await this.#folder?.close();
    })();
    return this.#stopping;
  }
}

const hostOnThisMachine = (host: string): string => ({ "0.0.0.0": "127.0.0.1", "::": "::1" })[host] ?? host;
