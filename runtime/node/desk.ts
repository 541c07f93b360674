import { databaseBinding } from "#env.ts";
import { FileReader } from "./databases.ts";
import { listen } from "./http.ts";
import { callsTo, readingHere, remoteLimit, remoteObjects } from "./object-calls.ts";
import { toldPeer } from "./peer.ts";
import { config, context, fail, loadServer, onStop, settleBackground, shared, token } from "./process.ts";
import { isOfLedgersLimits } from "./roles.ts";
import { sockets } from "./sockets.ts";

// The process for all calls except tracking: dashboard, partners' app, lists, documents, downloads and imports. It
// can't delay tracking, and sends every change to the ledger process. scripts/service/node.ts starts it.

const databases = config.databases.map(({ shard, path }) => ({ shard, reader: new FileReader(path) }));
await Promise.all(databases.map(({ reader }) => reader.ready)).catch(fail);
const { default: worker, local } = await loadServer();

const perform = callsTo(sockets.objects, token);
const env = {
  ...shared,
  ...Object.fromEntries(
    databases.map(({ shard, reader }) => [
      databaseBinding(shard),
      readingHere(databaseBinding(shard), reader, perform),
    ]),
  ),
  ...Object.fromEntries(
    ["LEDGER", "DELIVERER", "WEBHOOK_SENDER", "REQUEST_LOG"].map((name) => [name, remoteObjects(name, perform)]),
  ),
  ...Object.fromEntries(
    Object.keys(config.limits)
      .filter(isOfLedgersLimits)
      .map((name) => [name, remoteLimit(name, perform)]),
  ),
};

const listening = await Promise.all([
  listen({
    at: sockets.desk,
    answer: (request) => worker.fetch(request, env, context),
    peerOf: (incoming) => toldPeer(incoming, token),
  }),
  listen({ at: sockets.deskReports, answer: (request) => local.fetch(request, env, context) }),
]).catch(fail);

onStop(async () => {
  await Promise.all(listening.map((server) => server.close()));
  await settleBackground();
  await Promise.all(databases.map(({ reader }) => reader.close()));
});
