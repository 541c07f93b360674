import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createApi, type Reply } from "../../harness/client.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { SqlConnection } from "../../runtime/node/sql-connection.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { withClient } from "../../scripts/database/client.ts";
import { node, root } from "../../scripts/root.ts";
import { startLogged } from "../../scripts/service/child.ts";
import { isWhole } from "../support/breadth.ts";
import { readTrace, straceArguments, type Traced } from "../support/trace.ts";
import { type Survives, UnsyncedDisk } from "../support/unsynced-disk.ts";

const customers = isWhole ? 100 : 12;
const callersAtOnce = 5;
const cuts = isWhole ? 60 : 5;

function missing(): string | undefined {
  try {
    execFileSync("strace", ["-f", "--seccomp-bpf", "-o", "/dev/null", "true"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    const reason = `strace can't trace here: ${(error as Error).message.split("\n").join(" ").trim()}`;
    process.stderr.write(`Skipped: tests of a power cut (${reason})\n`);
    return reason;
  }
}

const lacks = missing();

/** The pseudorandom generator Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A call that was confirmed. Its id is the X-Request-Id of the call and the response. */
interface Answered {
  readonly id: string;
  readonly kind: "clicks" | "leads" | "sales" | "refunds";
  readonly name: string;
}

interface Recorded {
  readonly before: ReadonlyMap<string, Buffer>;
  readonly events: readonly Traced[];
  readonly answered: readonly Answered[];
  /** For each response, the index of the disk event after which it was sent. */
  readonly sentAt: ReadonlyMap<string, number>;
}

let directory: string;
let database: TestDatabase;
let world: World;
let recorded: Recorded;

const isOfDisk = (path: string): boolean =>
  path.startsWith(`${directory}/`) && !path.endsWith("-shm") && /\/(objects|sqld)(\/|$)/.test(path);

function filesNow(): ReadonlyMap<string, Buffer> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.filter(isOfDisk).map((path) => [path, readFileSync(path)]));
}

/** Runs `work` while another writer locks the database, so that the Ledger's object stores the clicks. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  const other = new SqlConnection(fileURLToPath(database.url));
  other.run({ sql: "begin immediate", args: [] });
  try {
    return await work();
  } finally {
    other.run({ sql: "rollback", args: [] });
    other.close();
  }
}

async function callEach(url: string): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  const api = createApi(url);
  const { key, programId, partner } = world;
  const call = async <Body>(
    kind: Answered["kind"],
    name: string,
    send: (options: {
      readonly key: string;
      readonly headers: { readonly "X-Request-Id": string };
    }) => Promise<Reply<Body>>,
  ) => {
    const id = `${kind}.${name}.`;
    const { status, body } = await send({ key, headers: { "X-Request-Id": id } });
    expect(status).toBe(200);
    answered.push({ id, kind, name });
    return body;
  };
  const visit = (name: string) => {
    const click = { affiliate_url: partner.landingUrl, program_id: programId, event_id: name };
    return call("clicks", name, ({ headers }) => api.click(click, { headers }));
  };
  const live = async (name: string) => {
    const { click_id } = await visit(name);
    await call("leads", name, (options) => api.lead({ click_id, customer_key: name }, options));
    const order = { transaction_id: name, amount_cents: 1_000, customer_key: name };
    await call("sales", name, (options) => api.sale(order, options));
    const refund = { transaction_id: name, refund_amount_cents: 1, refund_id: name };
    await call("refunds", name, (options) => api.refund(refund, options));
  };
  const names = Array.from({ length: customers }, (_, i) => `customer-${i}`);
  const caller = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) await live(name);
  };
  await Promise.all(Array.from({ length: callersAtOnce }, caller));
  if (isWhole) {
    await whileLocked(() => Promise.all(Array.from({ length: callersAtOnce }, (_, i) => visit(`spilled-${i}`))));
    await visit("afterwards");
  }
  return answered;
}

function sentTimes(events: readonly Traced[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const [at, event] of events.entries()) {
    if (event.kind !== "sent") continue;
    for (const [, id = ""] of event.text.matchAll(/^x-request-id: (\S+)\r$/gim)) if (!times.has(id)) times.set(id, at);
  }
  return times;
}

async function record(): Promise<Recorded> {
  const before = filesNow();
  const traceFile = join(directory, "trace");
  const main = join(root, "test/support/traced-service.ts");
  const started = Promise.withResolvers<string>();
  const logs: string[] = [];
  const child = await startLogged(
    "strace",
    [...straceArguments(traceFile), node, main, JSON.stringify(inject("built")), database.url],
    (line) => {
      logs.push(line);
      if (line.startsWith("http://")) started.resolve(line);
    },
    { env: { ...process.env, DATA_FOLDER: directory, TMPDIR: directory } },
  );
  void child.exited.then(() => started.reject(new Error(`the service ended:\n${logs.join("\n")}`)));
  const answered = await callEach(await started.promise);
  await child.stop();
  const events = await readTrace(traceFile, isOfDisk);
  return { before, events, answered, sentAt: sentTimes(events) };
}

const namesSql: Readonly<Record<Answered["kind"], string>> = {
  clicks: "select event_id as name from clicks where program_id = ?",
  leads: `select c.customer_key as name from leads l join customers c on c.id = l.customer_id where l.program_id = ?`,
  sales: "select transaction_id as name from sales where program_id = ?",
  refunds: "select refund_id as name from refunds where program_id = ?",
};

/** The faults of a disk's files, which must contain the writes of these confirmed calls. */
async function faultsOf(files: ReadonlyMap<string, Buffer>, answered: readonly Answered[]): Promise<readonly string[]> {
  const copy = mkdtempSync(join(tmpdir(), "tributary-cut-"));
  const copyOf = (path: string) => join(copy, path.slice(directory.length));
  try {
    for (const [path, content] of files) {
      mkdirSync(dirname(copyOf(path)), { recursive: true });
      writeFileSync(copyOf(path), content);
    }
    const objects = [...files.keys()]
      .filter((path) => path.endsWith(".sqlite"))
      .map((path) => readObject(copyOf(path)));
    const url = pathToFileURL(copyOf(new URL(database.url).pathname)).href;
    const spilled = objects.flatMap((object) => object.spilled);
    return [...objects.flatMap((object) => object.faults), ...(await faultsOfBooks(url, answered, spilled))];
  } catch (error) {
    return [String(error)];
  } finally {
    rmSync(copy, { recursive: true });
  }
}

async function faultsOfBooks(
  url: string,
  answered: readonly Answered[],
  spilled: readonly string[],
): Promise<readonly string[]> {
  return withClient({ url }, async (client) => {
    const { rows } = await client.execute("pragma integrity_check");
    const faults = rows.map((row) => String(row[0])).filter((text) => text !== "ok");
    for (const [kind, sql] of Object.entries(namesSql)) {
      const found = (await client.execute({ sql, args: [world.programId] })).rows.map(({ name }) => String(name));
      if (new Set(found).size < found.length) faults.push(`${kind} are there twice`);
      const kept = new Set(kind === "clicks" ? [...found, ...spilled] : found);
      const lost = answered.filter((each) => each.kind === kind && !kept.has(each.name));
      faults.push(...lost.map(({ id }) => `${id} is lost`));
    }
    return [...faults, ...(await auditLedger(client)).map((finding) => JSON.stringify(finding))];
  });
}

/** Reads an object's file. `spilled` are the event ids of the clicks it stores. */
function readObject(file: string): { readonly faults: readonly string[]; readonly spilled: readonly string[] } {
  const object = new DatabaseSync(file);
  try {
    const valuesOf = (sql: string) =>
      object
        .prepare(sql)
        .all()
        .map((row) => String(Object.values(row)[0]));
    const tables = valuesOf("select name from sqlite_master where type = 'table'");
    const faults = valuesOf("pragma integrity_check").filter((text) => text !== "ok");
    const alarms = tables.includes("_cf_METADATA")
      ? valuesOf("select value / 1000000 from _cf_METADATA where key = 1 and value is not null")
      : [];
    const spilled = tables.includes("clicks") ? valuesOf("select event_id from clicks") : [];
    return { faults: [...faults, ...alarms.flatMap((at) => faultsOfAlarm(file, Number(at)))], spilled };
  } finally {
    object.close();
  }
}

/** Returns a fault if the alarm in the class's file is missing or later. It can be earlier. */
function faultsOfAlarm(file: string, at: number): readonly string[] {
  const alarms = new DatabaseSync(join(dirname(file), "metadata.sqlite"));
  try {
    const row = alarms
      .prepare("select scheduled_time / 1000000 as at from _cf_ALARM where actor_id = ?")
      .get(basename(file, ".sqlite"));
    return Number(row?.at ?? Number.POSITIVE_INFINITY) <= at ? [] : [`the alarm of ${file} is lost`];
  } finally {
    alarms.close();
  }
}

const survivals = {
  nothing: () => () => false,
  everything: () => () => true,
  "some of it": (random) => () => random() < 0.5,
  most: (random) => () => random() < 0.97,
} as const satisfies Readonly<Record<string, (random: () => number) => Survives>>;

/** The faults after power cuts at some of the responses, for each kind of loss of unsynced data. */
async function cutOften(random: () => number): Promise<readonly string[]> {
  const { before, events, sentAt } = recorded;
  const times = new Set([...sentAt.values()].filter(() => random() < cuts / sentAt.size));
  const disk = new UnsyncedDisk(before);
  const faults: string[] = [];
  for (const [at, event] of events.entries()) {
    disk.take(event);
    if (!times.has(at)) continue;
    for (const [name, survives] of Object.entries(survivals)) {
      const found = await faultsOf(disk.after(survives(random)), answeredBy(at));
      faults.push(...found.map((fault) => `cut at ${at}, ${name} survives: ${fault}`));
    }
  }
  return faults;
}

const answeredBy = (at: number): readonly Answered[] =>
  recorded.answered.filter(({ id }) => (recorded.sentAt.get(id) ?? 0) <= at);

describe.skipIf(lacks !== undefined)("a power cut that loses unsynced data", () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "tributary-power-"));
    database = await startDatabase(directory, "file");
    world = await createWorld(database.url);
    recorded = await record();
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it("a power cut that loses unsynced data keeps everything that was confirmed, without duplicates", async () => {
    const { answered, sentAt, events } = recorded;
    expect(answered.filter(({ id }) => !sentAt.has(id))).toEqual([]);
    const isOfObject = (event: Traced) => event.kind === "write" && event.path.includes("/objects/");
    expect(events.some(isOfObject), "the trace contains writes of objects").toBe(true);
    expect(await cutOften(randomFrom(1))).toEqual([]);
  });

  it("the simulated power cut loses data if commits don't wait for the disk", async () => {
    const { before, events } = recorded;
    const disk = new UnsyncedDisk(before);
    const end = events.length >> 1;
    for (const event of events.slice(0, end)) if (event.kind !== "sync") disk.take(event);
    const faults = await faultsOf(disk.after(survivals.nothing()), answeredBy(end));
    expect(faults).toContainEqual(expect.stringMatching(/ is lost$/));
  });
});
