import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { testClickKeys } from "../harness/service.ts";
import { node, root } from "../scripts/root.ts";
import { loadBooks } from "./books.ts";
import { openWorld, prepare, startCopy } from "./database.ts";
import { table } from "./figures.ts";
import { peakMegabytes } from "./processes.ts";
import { machine, publish } from "./results.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:audit: the time and memory that the audit takes on a database of a million clicks and 100,000 sales.

const clicks = 1_000_000;
const sales = 100_000;
const days = 90;
const heapMegabytes = 256;

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });

await withTempDir(async (temp) => {
  const at = (name: string) => join(temp.directory, name);
  const others = { clicks: clicks - sales, customers: 0, sales: 0, days, base: 2 * 10 ** 9 };
  await prepare(at("base"), async (empty) => loadBooks(await openWorld(empty, others), testClickKeys, sales));
  const database = await temp.stopAtEnd(startCopy(at("base"), at("database")));

  const startedAt = performance.now();
  const audit = spawn(node, [`--max-old-space-size=${heapMegabytes}`, join(root, "scripts/operate/audit.ts")], {
    env: { ...process.env, DATABASE_URL: database.url },
    stdio: "inherit",
  });
  let megabytes: number | undefined;
  const watch = setInterval(() => {
    megabytes = peakMegabytes(audit.pid) ?? megabytes;
  }, 50);
  const [code] = await once(audit, "exit");
  clearInterval(watch);
  const seconds = (performance.now() - startedAt) / 1_000;
  if (code !== 0) process.exitCode = 1;

  const ofDatabase = peakMegabytes(database.pid);
  const head = ["clicks", "sales", "seconds", "peak memory of the audit, MB", "of the database, MB"];
  const row = [clicks, sales, seconds, megabytes, ofDatabase].map(
    (figure) => figure?.toLocaleString("en", { maximumFractionDigits: 1 }) ?? "-",
  );
  const markdown = `${machine()}\n\n${table(head, [row])}`;
  const limits = [
    { what: "seconds of the audit", is: seconds, atMost: 60 },
    { what: "megabytes of the audit, at its peak", is: megabytes, atMost: 512 },
  ];
  await publish({ name: "audit", markdown, data: { seconds, megabytes, ofDatabase }, limits }, values.write);
});
