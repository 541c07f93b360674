import { DatabaseSync } from "node:sqlite";
import type { Shard } from "#domain/ids.ts";
import { databaseBinding } from "#env.ts";
import { createRateLimit } from "../limits.ts";
import type { Desk } from "../scrape.ts";
import { FileDatabase } from "./databases.ts";
import { listen } from "./http.ts";
import { localFetch } from "./local-fetch.ts";
import { performOn, serveCalls } from "./object-calls.ts";
import { ObjectHost } from "./objects.ts";
import { passingOnTo } from "./pass-on.ts";
import { config, context, fail, loadServer, onStop, report, settleBackground, shared, token } from "./process.ts";
import { isOfLedger, isOfLedgersLimits } from "./roles.ts";
import { ledgerLock, listenAt, sockets } from "./sockets.ts";

// The tracking process: calls sent for each event, the objects, and all database writes. It forwards every other
// request to the desk process. scripts/service/node.ts starts it.

/** The time to wait for the lock of a killed process. The system releases the lock within this time. */
const aloneWithinMs = 10_000;
/**
 * The limits above which the objects of inactive programs are closed. Each open object costs an open file and its page
 * cache.
 */
const idle = { idleMs: 30_000, maxOpen: 200 } as const;

// Only one process may use the objects' files. This process has the lock until it has ended, for any reason.
const lock = new DatabaseSync(ledgerLock, { timeout: aloneWithinMs });
lock.exec("begin exclusive");

const databases = new Map<Shard, FileDatabase>(
  config.databases.map(({ shard, path }) => [shard, new FileDatabase(path)]),
);
await Promise.all([...databases.values()].map((each) => each.ready()));
for (const { ended } of databases.values()) ended.catch(fail);

const bindingsTo = (of: "ofLedger" | "ofOthers") =>
  Object.fromEntries([...databases].map(([shard, database]) => [databaseBinding(shard), database[of]]));

const { metricsPort, name } = config;
const { default: worker, local, ...classes } = await loadServer();

const hostOf = (env: () => object) => new ObjectHost({ directory: config.objects, env, report });
const ledgers = hostOf(() => ledgerEnv);
const others = hostOf(() => env);
const namespaces = {
  LEDGER: ledgers.namespace({ objectClass: classes.Ledger, uniqueKey: `${name}-Ledger` }),
  DELIVERER: others.namespace({ objectClass: classes.Deliverer, uniqueKey: `${name}-Deliverer`, ...idle }),
  WEBHOOK_SENDER: others.namespace({ objectClass: classes.WebhookSender, uniqueKey: `${name}-WebhookSender`, ...idle }),
  REQUEST_LOG: others.namespace({ objectClass: classes.RequestLog, uniqueKey: `${name}-RequestLog`, ...idle }),
};
/** This process also counts the desk process's calls, for the limits that both processes share. */
const limits = Object.fromEntries(
  Object.entries(config.limits)
    .filter(([limit]) => isOfLedgersLimits(limit))
    .map(([limit, settings]) => [limit, createRateLimit(settings)]),
);
const desk: Desk = { fetch: (url, request) => localFetch(url, { ...request, socketPath: sockets.deskReports }) };
const all = { ...shared, ...limits, ...namespaces, DESK: desk };
const env = { ...all, ...bindingsTo("ofOthers"), areLedgersWritable: () => ledgers.areFilesWritable };
const ledgerEnv = { ...all, ...bindingsTo("ofLedger") };

ledgers.start();
others.start();
const calls = serveCalls(performOn(namespaces, { ...limits, ...bindingsTo("ofOthers") }), token);
await listenAt(calls, sockets.objects).catch(fail);
const listening = await Promise.all([
  listen({
    at: config,
    answer: (request) => worker.fetch(request, env, context),
    passOn: { isFor: (path) => !isOfLedger(path), handle: passingOnTo(sockets.desk, token) },
  }),
  ...(metricsPort === undefined
    ? []
    : [
        listen({
          at: { host: "127.0.0.1", port: metricsPort },
          answer: (request) => local.fetch(request, env, context),
        }),
      ]),
]).catch(fail);

// Answers the calls in progress. The process that started this one ends it after a time limit.
onStop(async () => {
  await Promise.all(listening.map((server) => server.close()));
  await settleBackground();
  await Promise.all([ledgers.close(), others.close()]);
  calls.closeAllConnections();
  await Promise.all([...databases.values()].map((each) => each.close()));
});
