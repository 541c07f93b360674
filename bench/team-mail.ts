import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { TeamMailRun } from "#deliver/team-mail-run.ts";
import { dayMs, hourMs } from "#domain/calendar.ts";
import { parseDataKeys } from "#domain/data-keys.ts";
import { databaseAt, openDatabaseClient } from "../harness/database-client.ts";
import { testSecrets } from "../harness/service.ts";
import { createWorld } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { Gate, openShop, sellBeside, tableOfSales } from "./beside.ts";
import { startDatabase } from "./database.ts";
import { readOptions, unlessTried } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:team-mail: measures sales while the daily mails to the teams of 2,000 programs with 5 owners each are
// written. The benchmark's own process writes the mails, as the service would at 7:00. When all mails of a day are
// written, it continues with those of the next day.

const programCount = unlessTried(2_000, 4);
const membersPerProgram = 5;
const options = readOptions({ only: [], connections: [], rounds: 5, seconds: 8 }, { rounds: 2 });

/** Creates programs with an open claim each, which is a task for the team. */
async function openPrograms(databaseUrl: string): Promise<void> {
  const programs: unknown[] = [];
  for (let n = 0; n < programCount; n += 1) {
    const { workspaceId, programId, partner } = await createWorld(databaseUrl);
    programs.push([workspaceId, programId, partner.id]);
  }
  const now = Date.now();
  const args = [JSON.stringify(programs)];
  const each = `with recursive members (n) as (select 1 union all select n + 1 from members where n < ${membersPerProgram}),
    owned as (select key as i, json_extract(value, '$[0]') as workspace_id, json_extract(value, '$[1]') as program_id,
      json_extract(value, '$[2]') as partner_id from json_each(?1))`;
  const user = "'bench-' || i || '-' || n";
  await openDatabaseClient(databaseUrl).batch(
    [
      {
        sql: `insert into users (id, name, email, email_verified, created_at, updated_at)
        ${each} select ${user}, 'Member', ${user} || '@example.com', 1, ${now}, ${now} from owned, members`,
        args,
      },
      {
        sql: `insert into memberships (id, workspace_id, user_id, role, status, created_at)
        ${each} select ${user}, workspace_id, ${user}, 'owner', 'active', ${now} from owned, members`,
        args,
      },
      {
        sql: `insert into claims (id, program_id, partner_id, day, status, pays_past, has_texts, created_at)
        ${each} select 1000000 + i, program_id, partner_id, '2026-11-01', 'open', 0, 0, ${now} from owned`,
        args,
      },
    ],
    "write",
  );
}

/** Writes the mails of day after day until the gate ends the work. Returns the number of whole days. */
async function writeMails(databaseUrl: string, gate: Gate): Promise<number> {
  const dataKeys = parseDataKeys(testSecrets.DATA_KEYS);
  if (dataKeys === undefined) throw new Error("the data keys are invalid");
  const startedAt = Date.now();
  let days = 0;
  const now = () => startedAt - (startedAt % dayMs) + days * dayMs + 7 * hourMs + (Date.now() - startedAt);
  const home = databaseAt(databaseUrl);
  const run = new TeamMailRun({
    home,
    databaseOf: () => home,
    origin: "https://tributary.example",
    secret: testSecrets.AUTH_SECRET,
    dataKeys,
    clock: { now, sleep: (ms) => delay(ms) },
  });
  while (await gate.pass()) {
    if ((await run.run()) > now()) days += 1;
  }
  return days;
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  await openPrograms(database.url);
  const service = await temp.stopAtEnd(startTarget(ours, database.url));
  const shop = await openShop(service.url, database.url);

  const gate = new Gate();
  const writing = writeMails(database.url, gate).finally(gate.end);
  const measured = await sellBeside(shop, gate, options);
  gate.end();
  const days = await writing;
  const about = `${programCount.toLocaleString("en")} programs with ${membersPerProgram} members each, all of whom get a mail. The windows of ${options.seconds} seconds had time for ${days} whole days.`;
  const markdown = `${machine()}\n\n${about}\n\n${tableOfSales(measured, "mails to the team are written")}`;
  await publish({ name: "team-mail", markdown, data: { options, days, measured } }, options.write);
});
