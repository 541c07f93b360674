import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.ts";

// The main file of the process that runs the Worker for `npm start`. It reads its options from standard input, where no
// other user of the machine sees the secrets among them. It does what `wrangler dev` does, but opens no inspector, which
// that command always does, and is in no registry, which opens a port to other Workers' development servers.

export interface ServeOptions {
  /** What `build` made. */
  readonly dist: string;
  readonly port: number;
  /** Holds the Worker's storage. */
  readonly storage: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Holds the other secrets. Default: `.dev.vars`. */
  readonly envFile?: string | undefined;
}

/** Without pages that run SQL on its storage, without a store of every request's URL, without a file of its own log. */
export const serveEnvironment: NodeJS.ProcessEnv = {
  X_LOCAL_EXPLORER: "false",
  X_LOCAL_OBSERVABILITY: "false",
  WRANGLER_WRITE_LOGS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

const bindings = (type: "plain_text" | "secret_text", values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { type, value }]));

async function serve({ dist, port, storage, vars, secrets, envFile }: ServeOptions): Promise<void> {
  const { unstable_startWorker } = await import("wrangler");
  const worker = await unstable_startWorker({
    config: join(root, "wrangler.toml"),
    entrypoint: join(dist, "worker/worker.js"),
    assets: join(dist, "public"),
    bindings: { ...bindings("plain_text", vars), ...bindings("secret_text", secrets) },
    ...(envFile && { envFiles: [envFile] }),
    dev: { server: { hostname: "127.0.0.1", port }, inspector: false, persist: storage, watch: false },
  });
  await worker.ready;
}

if (import.meta.main) await serve(JSON.parse(readFileSync(0, "utf8")) as ServeOptions);
