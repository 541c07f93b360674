import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { home } from "#domain/shard.ts";
import { type NodeConfig, tokenVariable } from "../../runtime/node/config.ts";
import { release } from "../build/release.ts";
import { node, root } from "../root.ts";
import type { RuntimeCommand, RuntimeSettings } from "./runtime.ts";

/** Limits of the heap. V8's defaults assume that the machine runs nothing else. */
const heapLimits = ["--max-semi-space-size=16", "--max-old-space-size=384"];

/** Node's own variables: certificates that the machine's operator trusts, and the folder of compiled code. */
const inherited = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_COMPILE_CACHE"] as const;

export async function nodeCommand(settings: RuntimeSettings): Promise<RuntimeCommand> {
  const { build, host, port, databaseUrl, shards = [], metricsPort, mailboxPort, wrangler } = settings;
  const addresses = [{ shard: home, databaseUrl }, ...shards];
  const config: NodeConfig = {
    host,
    port,
    metricsPort,
    mailboxPort,
    ...build,
    objects: settings.objects,
    sockets: settings.directory,
    name: wrangler.name,
    // Databases are bindings to files, because an object's calls to a URL wouldn't wait until its writes are stored.
    databases: addresses.map((each) => ({ shard: each.shard, path: fileURLToPath(each.databaseUrl) })),
    texts: settings.texts,
    secretNames: Object.keys(settings.secrets),
    assets: settings.assets,
    limits: settings.rateLimits,
    build: { version: release, runtime: `node ${process.versions.node}`, startedAt: Date.now() },
    hasherPort: settings.hasherPort,
  };
  const configFile = join(settings.directory, "node.json");
  const argsOf = (role: "ledger" | "desk") => [...heapLimits, join(root, `runtime/node/${role}.ts`), configFile];
  return {
    command: node,
    args: argsOf("ledger"),
    desk: argsOf("desk"),
    isWatched: true,
    configFile,
    config: JSON.stringify(config),
    environment: {
      [tokenVariable]: randomBytes(32).toString("base64url"),
      // With fewer threads, DNS lookups that are never answered would block all other lookups.
      UV_THREADPOOL_SIZE: "16",
      // Without this limit, each thread would have its own heap for the database's pages, and would never return the
      // memory.
      MALLOC_ARENA_MAX: "2",
      ...Object.fromEntries(inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    },
  };
}
