import type { Shard } from "#domain/ids.ts";
import type { Assets } from "../assets.ts";
import type { RateLimitSettings } from "../limits.ts";
import type { BuildInfo } from "../scrape.ts";

/** Configuration of both processes, as JSON in a file. */
export interface NodeConfig {
  /** Folder of the two processes' sockets, and their working directory. */
  readonly sockets: string;
  readonly host: string;
  readonly port: number;
  /** Port on 127.0.0.1, for `/metrics`. */
  readonly metricsPort: number | undefined;
  /** Port on 127.0.0.1 of the process that has the mails for `/app/mail`. */
  readonly mailboxPort: number | undefined;
  readonly serverFile: string;
  readonly workerDirectory: string;
  readonly publicDirectory: string;
  /** Folder of the objects' files. */
  readonly objects: string;
  /** The Worker's name: the objects' ids derive from it. */
  readonly name: string;
  readonly databases: readonly DatabaseFile[];
  readonly texts: Readonly<Record<string, string>>;
  /** Names of the environment's variables that contain the secrets. */
  readonly secretNames: readonly string[];
  readonly assets: Assets;
  readonly limits: Readonly<Record<string, RateLimitSettings>>;
  readonly build: BuildInfo;
  /** Port on 127.0.0.1 of the password hasher. */
  readonly hasherPort: number;
}

/** Environment variable of the token that authenticates the two processes to each other. */
export const tokenVariable = "PROCESS_TOKEN";

export interface DatabaseFile {
  readonly shard: Shard;
  readonly path: string;
}
