import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Contender } from "./against.ts";

// Runs the service of one commit with a database for it, both from the commit's sources in `root`, until the parent
// process exits.

const [root = "", directory = "", sales, refunds] = process.argv.slice(2);
const moduleOf = <Module>(path: string): Promise<Module> => import(pathToFileURL(join(root, path)).href);
const { buildWorkers, startTarget } = await moduleOf<typeof import("./service.ts")>("bench/service.ts");
const { createWorkload, prepare, startDatabase } = await moduleOf<typeof import("./database.ts")>("bench/database.ts");

const { ours } = await buildWorkers(directory);
const workload = await prepare(directory, (database) => createWorkload(database, Number(sales), Number(refunds)));
const database = await startDatabase(directory);
const target = await startTarget(ours, database.url);

process.once("disconnect", async () => {
  await target.stop();
  await database.stop();
});
const { adminUrl, adminAuthorization } = database;
const contender: Contender = {
  target: { url: target.url, pid: target.pid },
  database: { url: database.url, directory, pid: database.pid, adminUrl, adminAuthorization },
  workload,
};
process.send?.(contender);
