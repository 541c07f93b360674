import type { Shard } from "#domain/ids.ts";
import type { Assets } from "../assets.ts";
import type { RateLimitSettings } from "../limits.ts";
import type { BuildInfo } from "../scrape.ts";

/** The configuration of both processes, as JSON in a file. */
export interface NodeConfig {
  /** The folder with the sockets of both processes, which is also their working directory. */
  readonly sockets: string;
  readonly host: string;
  readonly port: number;
  /** The port on 127.0.0.1 for `/metrics`. */
  readonly metricsPort: number | undefined;
  /** The port on 127.0.0.1 of the process that stores the emails for `/app/mail`. */
  readonly mailboxPort: number | undefined;
  readonly serverFile: string;
  readonly workerDirectory: string;
  readonly publicDirectory: string;
  /** The folder of the objects' files. Objects are the Ledger and the senders of webhooks and emails. */
  readonly objects: string;
  /** The Worker's name, from which the objects' ids are derived. */
  readonly name: string;
  readonly databases: readonly DatabaseFile[];
  readonly texts: Readonly<Record<string, string>>;
  /** The names of the environment variables that contain the secrets. */
  readonly secretNames: readonly string[];
  readonly assets: Assets;
  readonly limits: Readonly<Record<string, RateLimitSettings>>;
  readonly build: BuildInfo;
  /** The port on 127.0.0.1 of the process that hashes passwords. */
  readonly hasherPort: number;
}

/** The environment variable with the token by which the two processes authenticate each other. */
export const tokenVariable = "PROCESS_TOKEN";

export interface DatabaseFile {
  readonly shard: Shard;
  readonly path: string;
}
