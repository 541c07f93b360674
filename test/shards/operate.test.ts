import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { idsPerRange } from "#domain/shard.ts";
import { shardLines } from "#domain/shard-list.ts";
import type { SqlValue } from "#store/statement.ts";
import { createApi } from "../../harness/client.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { startService, testSecrets } from "../../harness/service.ts";
import type { User } from "../../harness/session.ts";
import { type Sqld, startSqld } from "../../harness/sqld.ts";
import { auditAcross } from "../../scripts/audit/across.ts";
import { acrossRules } from "../../scripts/audit/across-rules.ts";
import type { Databases } from "../../scripts/database/databases.ts";
import { run } from "../../scripts/operate/shards.ts";
import { beginMove, moveProgram } from "../../scripts/shards/mover.ts";
import { parseExposition } from "../support/exposition.ts";
import { shardedService } from "../support/sharded-service.ts";
import { tributary } from "../support/tributary.ts";

const own = shardedService("weur", "enam");

interface Program {
  readonly id: number;
  readonly apiToken: string;
}

let owner: User;
let west: Program;
let east: Program;
let folder: string;
let empty: Sqld;
beforeAll(async () => {
  owner = await own.user();
  [west, east] = [await createProgram("weur", "west"), await createProgram("enam", "east")];
  folder = await mkdtemp(join(tmpdir(), "tributary-shards-"));
  empty = await startSqld({ directory: folder });
});
afterAll(async () => {
  await empty?.kill();
  await rm(folder, { recursive: true, force: true });
});

async function createProgram(location: string, code: string): Promise<Program> {
  const workspace = await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" });
  const named = { workspaceId: workspace.body.data.id, name: "Shop", location };
  const { body } = await owner.post<{ data: Program }>("/api/programs", named);
  await owner.post(`/api/programs/${body.data.id}/partners`, { name: "Anna", code });
  return body.data;
}

const databases = (): Databases => {
  const [first, ...others] = own.databases.map(({ url }, shard) => ({ shard, url }));
  return first === undefined ? expect.fail("home has not been started") : [first, ...others];
};

async function execute(shard: number, sql: string, ...args: SqlValue[]): Promise<void> {
  await openDatabaseClient(own.databases[shard]?.url ?? "").execute({ sql, args });
}

const environment = (): Record<string, string> => ({
  DATABASE_URL: own.databases[0]?.url ?? "",
  DATABASE_AUTH_TOKEN: testSecrets.DATABASE_AUTH_TOKEN,
  SHARDS: shardLines(own.shards),
  BASE_URL: own.service.url,
});

/** Returns the command's output, or throws its error. */
async function shards(args: readonly string[], env: Record<string, string> = {}): Promise<readonly string[]> {
  for (const [name, value] of Object.entries({ ...environment(), ...env })) vi.stubEnv(name, value);
  const log = vi.spyOn(console, "log").mockReturnValue();
  try {
    await run([...args]);
    return log.mock.calls.map(([line]) => String(line));
  } finally {
    log.mockRestore();
    vi.unstubAllEnvs();
  }
}

const command = (args: readonly string[], env: Record<string, string> = {}) =>
  tributary(args, { ...environment(), ...env });

const refused = (message: string) => ({ code: 1, stdout: "", stderr: `${message}\n` });

test("the audit finds a program that the directory lacks, and a repair adds it", async () => {
  for (const table of ["foreign_codes", "program_places"]) {
    await execute(0, `delete from ${table} where program_id = ?`, east.id);
  }
  expect(await command(["shards", "check"])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`Wrong: ${acrossRules.unlisted}\n  program ${east.id}, shard 2\n`),
  });
  expect(await shards(["check", "--repair"])).toEqual([
    `Program ${east.id} is entered in the directory, on shard 2.`,
    "Across the shards",
    `All programs are in their place: ${Object.keys(acrossRules).length} checks.`,
  ]);
});

test("the audit finds each difference between the directory and the programs, and a repair fixes it if possible", {
  tags: "soak",
}, async () => {
  expect(await auditAcross(databases())).toEqual([]);
  const gone = idsPerRange + 900;
  const workspace = "(select workspace_id from program_places where program_id = ?)";
  const columns = "(program_id, workspace_id, shard, created_at)";
  await execute(0, `insert into program_places ${columns} values (?, ${workspace}, 1, 1)`, gone, west.id);
  await execute(0, "delete from foreign_codes where program_id in (?, ?)", west.id, east.id);
  await execute(0, "delete from program_places where program_id = ?", east.id);
  // Creates the program on another shard too, as after a restore of its source shard.
  await execute(2, "insert or ignore into workspaces (id, name, created_at) values ('of west', '', 1)");
  const names = ["name", "currency", "timezone", "lead_auth", "attribution_model", "attribution_window_days", "status"];
  await execute(
    2,
    `insert into programs (id, workspace_id, created_at, ${names}) select ?, 'of west', 1, ${names} from programs where id = ?`,
    ...[west.id, east.id],
  );
  await execute(1, "update programs set website_url = 'https://elsewhere.example' where id = ?", west.id);
  const found = await auditAcross(databases());
  expect(Object.fromEntries(found.map(({ broken, rows }) => [broken, rows]))).toEqual({
    [acrossRules.range]: [{ shard: 2, table: "programs", first: west.id, last: west.id, ids: 1 }],
    [acrossRules.elsewhere]: [{ program: west.id, shard: 2, directory: 1 }],
    [acrossRules.unlisted]: [{ program: east.id, shard: 2 }],
    [acrossRules.differing]: [{ program: west.id, shard: 1, differs: "website" }],
    [acrossRules.lost]: [{ program: gone, shard: 1 }],
    [acrossRules.codes]: [
      { code: "west", program: west.id, shard: 1 },
      { code: "east", program: east.id, shard: 2 },
    ],
  });
  const click = (code: string) =>
    own.api().click({ affiliate_url: `https://elsewhere.example/?aff=${code}` }, { browser: true });
  expect((await click("east")).status).toBe(400);

  for (const table of ["program_retention where program_id", "programs where id"]) {
    await execute(2, `delete from ${table} = ?`, west.id);
  }
  expect(await shards(["check", "--repair"])).toEqual([
    `Program ${east.id} is entered in the directory, on shard 2.`,
    `Program ${west.id} is entered in the directory, on shard 1.`,
    `Program ${gone} is on no shard: removed from the directory.`,
    "Across the shards",
    `All programs are in their place: ${Object.keys(acrossRules).length} checks.`,
  ]);
  // The home shard's Ledger detects the change with its next commit.
  await owner.post(`/api/programs/${west.id}/partners`, { name: "Ben", code: "ben" });
  expect((await click("east")).body.partner_code).toBe("east");
  expect((await owner.get(`/api/programs/${east.id}`)).status).toBe(200);
});

test("the directory contains a migrated program's new shard, and the former shard's rows are kept", {
  tags: "soak",
}, async () => {
  const moved = await createProgram("weur", "moved");
  await moveProgram(own.places, await beginMove(own.places, moved.id, 2));
  expect(await auditAcross(databases())).toEqual([]);
  await execute(0, "update program_places set shard = 1 where program_id = ?", moved.id);
  await execute(0, "update program_places set created_at = 1 where program_id = ?", moved.id);
  // The directory must contain some shard, so that a repair doesn't consider the program lost.
  expect((await auditAcross(databases())).map(({ broken }) => broken)).toEqual([acrossRules.elsewhere]);
  await execute(0, "update program_places set shard = 2 where program_id = ?", moved.id);
});

test("the audit finds a missing line of SHARDS, and a schema migration stops because of it", {
  tags: "soak",
}, async () => {
  const lines = shardLines(own.shards);
  const [one = ""] = lines.split("\n");
  expect((await shards(["check"], { SHARDS: one })).join("\n")).toContain(`Wrong: ${acrossRules.unknown}\n  shard 2\n`);
  const migrate = (SHARDS: string) => command(["migrate"], { SHARDS });
  const message = "The service also has shard 2. Add what is missing to SHARDS: docs/shards.md. Nothing was done.";
  expect(await migrate(one)).toEqual(refused(message));
  const faulty =
    'Line 2 of SHARDS is not "<number> <address> <location> <service>" of a shard of its own: docs/shards.md';
  expect(await migrate(`${one}\n2 libsql://me:hunter2@db.test weur`)).toEqual(refused(faulty));
  const stdout = "The 3 databases are up to date.\n";
  expect(await migrate(lines)).toEqual({ code: 0, stdout, stderr: "" });
});

test("a Ledger with the database of another shard refuses to serve, with the reason", { tags: "soak" }, async () => {
  const [first, second] = own.shards;
  if (first === undefined || second === undefined) expect.fail("no shards");
  const swapped = [
    { ...first, databaseUrl: second.databaseUrl },
    { ...second, databaseUrl: first.databaseUrl },
  ];
  const [{ url: databaseUrl }] = databases();
  const service = await startService({ build: inject("built"), databaseUrl, shards: swapped });
  try {
    const sale = { transaction_id: randomUUID(), amount_cents: 100, customer_key: "c" };
    for (const { apiToken: key } of [west, east]) {
      expect((await createApi(service.url).sale(sale, { key })).status).toBe(503);
    }
    const { installation } = first;
    for (const [shard, is] of [
      [1, 2],
      [2, 1],
    ]) {
      const reason = `the database of shard ${shard} is that of shard ${is} of ${installation}`;
      await expect.poll(() => service.logs.some((line) => line.includes(reason)), { message: reason }).toBe(true);
    }
  } finally {
    await service.stop();
  }
  const exchanged = databases().map((each) => ({ ...each, url: databases()[[0, 2, 1][each.shard] ?? 0]?.url ?? "" }));
  const [atHome = expect.fail("none"), ...others] = exchanged;
  expect((await auditAcross([atHome, ...others])).map(({ broken }) => broken)).toEqual([acrossRules.identity]);
});

test("metrics contain the shard of each Ledger and database, and an operator can query one shard's Ledger", {
  tags: "soak",
}, async () => {
  const series = parseExposition(await (await fetch(`${own.service.localUrl}/metrics`)).text());
  for (const shard of [0, 1, 2]) {
    for (const name of ["tributary_ledger_up", "tributary_database_up", "tributary_commissions_due"]) {
      expect(series.has(`${name}{shard="${shard}"}`), `${name} of ${shard}`).toBe(true);
    }
    expect(series.get(`tributary_ledger_spilled_clicks{shard="${shard}",state="waiting"}`)).toBe(0);
  }
  expect(await command(["spill", "--shard", "2"])).toMatchObject({
    stdout: "0 waiting for the database, 0 set aside.\n",
  });
  const unknown = `${own.service.url} answers 400: shard must be one of the service: 0, 1, 2.`;
  expect(await command(["spill", "--shard", "3"])).toEqual(refused(unknown));
});

test("a shard can be added only with an empty database, and can be opened only after the running service has the shard", async () => {
  const add = (shard: number, url = "") => shards(["add", String(shard), url, "apac"]);
  const [{ installation } = expect.fail("no shards")] = own.shards;
  const isOf = (n: number) => `This database is that of shard ${n} of the service ${installation}.`;
  await expect(add(4, own.databases[1]?.url)).rejects.toThrow(isOf(1));
  await expect(add(4, own.databases[0]?.url)).rejects.toThrow(isOf(0));
  await expect(add(1, empty.url)).rejects.toThrow("Shard 1 exists, with another database than this empty one.");

  const line = `3 ${empty.url} apac ${installation}`;
  const advice =
    "Shard 3 is added, and closed. Add this line to SHARDS, deploy, then open it: npm run tributary -- shards open 3\n";
  expect(await add(3, empty.url)).toEqual([advice, line]);
  expect(await add(3, empty.url)).toEqual([advice, line]);
  await expect(add(3, own.databases[2]?.url)).rejects.toThrow(isOf(2));
  expect(await shards(["list"])).toContain("3      apac      closed, not in SHARDS  0");

  const env = { SHARDS: `${shardLines(own.shards)}\n${line}` };
  const notServed = `${own.service.url} answers 400: shard must be one of the service: 0, 1, 2.`;
  await expect(shards(["open", "3"], env)).rejects.toThrow(notServed);
  await expect(shards(["open", "3"])).rejects.toThrow("Shard 3 is not among the service's: 0, 1, 2.");
  await expect(shards(["close", "9"])).rejects.toThrow("No shard has the number 9. Add it first.");

  await shards(["remove", "3"], env);
  expect((await shards(["list"])).map((each) => each[0])).toEqual(["s", "0", "1", "2"]);
  await expect(shards(["remove", "1"])).rejects.toThrow("Shard 1 has or had programs, so it stays.");
});

test("a closed shard gets no new programs", { tags: "soak" }, async () => {
  const workspace = await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" });
  const create = () =>
    owner.post("/api/programs", { workspaceId: workspace.body.data.id, name: "Shop", location: "enam" });
  await shards(["close", "2"]);
  expect((await create()).status).toBe(400);
  await shards(["open", "2"]);
  expect((await create()).status).toBe(201);
});

test.each([
  [["opn"], 'Unknown command "shards opn". Did you mean open?'],
  [[], "Name one of list, add, open, close, remove, move, moves, abandon, clean, check."],
  [["open"], "Name the number of a shard."],
  [["open", "x"], '"x" is not a shard\'s number from 0 to 999.'],
  [["remove", "0"], '"0" is not a shard\'s number from 1 to 999.'],
  [["add", "1"], "Name the address of the shard's database."],
  [["add", "1", "libsql://one.example", "moon"], "Name its location: wnam, enam, sam, weur, eeur, apac,"],
])("the command shards %j reports what is wrong", async (args, message) => {
  await expect(shards(args)).rejects.toThrow(message);
});

test("the commands migrate a program, remove its former rows, and abandon a migration", async () => {
  const { id } = await createProgram("weur", "moving");
  const salesAt = async (shard: number) =>
    (await own.rows(shard, "select id from partners where program_id = ?", id)).length;
  await expect(shards(["clean", String(id)])).rejects.toThrow(`Program ${id} has left no shard.`);
  const [announced, moved] = await shards(["move", String(id), "2", "--yes"]);
  expect(announced).toMatch(new RegExp(`^\\d+ rows: program ${id} will be frozen for about \\d+ (s|minutes)\\.$`));
  expect(moved).toMatch(new RegExp(`^Program ${id} is on shard 2\\. It was frozen for [\\d.]+ s\\.$`));
  expect([await salesAt(1), await salesAt(2)]).toEqual([1, 1]);
  expect(await shards(["clean", String(id)])).toEqual([`Removed what program ${id} left on shard 1.`]);
  expect([await salesAt(1), await salesAt(2)]).toEqual([0, 1]);
  expect((await owner.get(`/api/programs/${id}`)).status).toBe(200);
  expect((await shards(["moves"]))[0]).toMatch(new RegExp(`program ${id}  shard 1 to 2  done$`));
  await expect(shards(["move", String(id), "2"])).rejects.toThrow(`Program ${id} is on shard 2.`);
  await expect(shards(["move", String(id), "7"])).rejects.toThrow("Shard 7 is not among the service's: 0, 1, 2.");
  await expect(shards(["move", "x", "2"])).rejects.toThrow("Name a program by its id.");

  await expect(shards(["abandon", String(id)])).rejects.toThrow(`Program ${id} is not being moved.`);
  const begun = await beginMove(own.places, id, 0);
  await own.places.step("freeze", begun, 30_000);
  await expect(shards(["move", String(id), "1"])).rejects.toThrow(
    `Program ${id} is being moved to shard 0. Finish or abandon that first.`,
  );
  expect(await shards(["abandon", String(id)])).toEqual([`Program ${id} stays on shard 2.`]);
  expect(await auditAcross(databases())).toEqual([]);
});

test("a migration of more than a minute begins only with the operator's consent", { tags: "soak" }, async () => {
  const { id } = await createProgram("weur", "agreed");
  await execute(
    1,
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < 400000)
      insert into notes (id, program_id, kind, subject, text) select ?1 + 10000 + i, ?1, 'reason', 'partner 1', 'x' from n`,
    id,
  );
  const moves = () => own.rows(0, "select 1 from program_moves where program_id = ?", id);
  await expect(shards(["move", String(id), "2"])).rejects.toThrow(
    "That is more than a minute: add --yes to move it all the same.",
  );
  expect(await moves()).toEqual([]);
});
