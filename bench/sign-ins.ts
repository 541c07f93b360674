import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createApi } from "../harness/client.ts";
import { startService } from "../harness/service.ts";
import { createSession } from "../harness/session.ts";
import { createWorld } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { startDatabase } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { readOptions } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:sign-ins: how long a visitor's click takes while one IPv6 /48 tries passwords, each call from another
// /64, by 16 callers. Windows with and without them alternate.

const callers = 16;
const pauseMs = 50;
const options = readOptions({ only: [], connections: [], rounds: 7, seconds: 5 }, { rounds: 3 });

let guesses = 0;
const statuses: Record<number, number> = {};

async function guess(url: string): Promise<void> {
  guesses += 1;
  const address = `2001:db8:1:${(guesses % 0x1_0000).toString(16)}::1`;
  const body = { email: "owner@people.example", password: "a wrong password" };
  const { status } = await createSession(url, address).post("/api/auth/sign-in/email", body);
  statuses[status] = (statuses[status] ?? 0) + 1;
}

/** Returns the median of the clicks of a window, ms. */
async function window(click: () => Promise<unknown>, flood?: () => Promise<void>): Promise<number | undefined> {
  const endsAt = performance.now() + options.seconds * 1_000;
  const busy = Array.from({ length: flood === undefined ? 0 : callers }, async () => {
    while (performance.now() < endsAt) await flood?.();
  });
  const took: number[] = [];
  while (performance.now() < endsAt) {
    const sent = performance.now();
    await click();
    took.push(performance.now() - sent);
    await delay(pauseMs);
  }
  await Promise.all(busy);
  return figureOf(took)?.median;
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const { programId, partner } = await createWorld(database.url);
  const vars = { HASHES_PER_SECOND: "4" };
  const { url } = await temp.stopAtEnd(
    startService({ build: ours, databaseUrl: database.url, vars, keepsLogs: false }),
  );
  const click = () => createApi(url).click({ affiliate_url: partner.landingUrl, program_id: programId });
  for (let i = 0; i < 100; i += 1) await click();

  const alone: (number | undefined)[] = [];
  const beside: (number | undefined)[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    alone.push(await window(click));
    beside.push(await window(click, () => guess(url)));
    process.stderr.write(".");
  }
  process.stderr.write("\n");

  const [before, during] = [figureOf(alone), figureOf(beside)];
  const times = before && during && during.median / before.median;
  const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  const rows = [
    ["alone", shown(before)],
    ["beside the attempts", shown(during)],
  ];
  const markdown = `${machine()}\n\n${guesses} attempts: ${answers.join(", ")}.\n\n${table(["a click", "p50 ms"], rows)}`;
  const limits = [{ what: "a click beside the attempts, of its time alone", is: times, atMost: 3 }];
  await publish({ name: "sign-ins", markdown, data: { options, alone, beside, statuses }, limits }, options.write);
});
