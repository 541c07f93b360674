import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { Shard } from "#domain/ids.ts";
import { databaseBinding } from "#env.ts";
import type { NodeConfig } from "./config.ts";
import { FileDatabase } from "./databases.ts";
import { listen } from "./http.ts";
import { gatherLog } from "./log.ts";
import { provideModules } from "./modules.ts";
import { anyAddress, networkOf, publicAddresses } from "./network.ts";
import type { ObjectClass, Report } from "./object-instance.ts";
import { ObjectHost } from "./objects.ts";
import { filesIn, serverAt } from "./services.ts";

// The service in one process: the Worker's build, its objects and its databases. scripts/service/node.ts starts it.

const closeWithinMs = 1_500;
/** Programs' objects. One at rest costs an open file and its page cache. */
const idle = { idleMs: 30_000, maxOpen: 200 } as const;

interface Entrypoint {
  fetch(request: Request, env: object, context: object): Promise<Response>;
}

interface Server {
  readonly default: Entrypoint;
  readonly local: Entrypoint;
  readonly Ledger: ObjectClass;
  readonly Deliverer: ObjectClass;
  readonly WebhookSender: ObjectClass;
  readonly RequestLog: ObjectClass;
}

const [, , configFile = ""] = process.argv;
const config = JSON.parse(await readFile(configFile, "utf8")) as NodeConfig;
const writeLog = gatherLog();

function end(code: number): never {
  writeLog();
  process.exit(code);
}

const fail = (error: unknown): never => {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ level: "error", event: "process.failed", error: detail }));
  return end(1);
};
process.on("uncaughtException", fail);
process.on("unhandledRejection", (error) => {
  console.error(JSON.stringify({ level: "error", event: "rejection.unhandled", error: String(error) }));
});

const databases = new Map<Shard, FileDatabase>(
  config.databases.map(({ shard, path }) => [shard, new FileDatabase(path)]),
);
await Promise.all([...databases.values()].map((each) => each.ready()));
for (const { ended } of databases.values()) ended.catch(fail);

const bindingsTo = (of: "ofLedger" | "ofOthers") =>
  Object.fromEntries([...databases].map(([shard, database]) => [databaseBinding(shard), database[of]]));

const { texts, mailboxPort, metricsPort, name } = config;
const shared = {
  ...texts,
  ...Object.fromEntries(config.secretNames.map((secret) => [secret, process.env[secret] ?? ""])),
  STATIC: config.assets,
  LIMITS: config.limits,
  BUILD: config.build,
  FILES: filesIn(config.publicDirectory),
  HASHER: serverAt(config.hasherPort),
  MAILER: networkOf(anyAddress),
  WEBHOOK_NETWORK: networkOf(publicAddresses(texts.WEBHOOK_ALLOW ?? "")),
  ...(mailboxPort !== undefined && { MAILBOX: serverAt(mailboxPort) }),
};

provideModules(config);
const { default: worker, local, ...classes } = (await import(pathToFileURL(config.serverFile).href)) as Server;

const report: Report = (event, error) => console.error(JSON.stringify({ level: "error", event, error: String(error) }));
const hostOf = (env: () => object) => new ObjectHost({ directory: config.objects, env, report });
const ledgers = hostOf(() => ledgerEnv);
const others = hostOf(() => env);
const namespaces = {
  LEDGER: ledgers.namespace({ objectClass: classes.Ledger, uniqueKey: `${name}-Ledger` }),
  DELIVERER: others.namespace({ objectClass: classes.Deliverer, uniqueKey: `${name}-Deliverer`, ...idle }),
  WEBHOOK_SENDER: others.namespace({ objectClass: classes.WebhookSender, uniqueKey: `${name}-WebhookSender`, ...idle }),
  REQUEST_LOG: others.namespace({ objectClass: classes.RequestLog, uniqueKey: `${name}-RequestLog`, ...idle }),
};
const env = { ...shared, ...bindingsTo("ofOthers"), ...namespaces };
const ledgerEnv = { ...shared, ...bindingsTo("ofLedger"), ...namespaces };

const background = new Set<Promise<unknown>>();
const context = {
  waitUntil: (work: Promise<unknown>) => {
    const settled = Promise.resolve(work)
      .catch((error: unknown) => report("background.failed", error))
      .finally(() => background.delete(settled));
    background.add(settled);
  },
  passThroughOnException: () => {},
  props: {},
};

ledgers.start();
others.start();
const sockets = await Promise.all([
  listen(config, (request) => worker.fetch(request, env, context)),
  ...(metricsPort === undefined
    ? []
    : [listen({ host: "127.0.0.1", port: metricsPort }, (request) => local.fetch(request, env, context))]),
]).catch(fail);

let isEnding = false;

/** Answers what is under way. The process that started this one doesn't wait for ever. */
async function stop(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await Promise.all(sockets.map((socket) => socket.close()));
  await Promise.all(background);
  await Promise.all([ledgers.close(), others.close()]);
  await Promise.all([...databases.values()].map((each) => each.close(closeWithinMs)));
  end(0);
}
process.on("SIGTERM", () => void stop().catch(fail));
