import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseProxy } from "../harness/database-proxy.ts";
import { withClient } from "../scripts/database/client.ts";
import { type Calls, tableOf } from "./calls.ts";
import type { Database as Started } from "./database.ts";
import { type Driven, drive } from "./generator.ts";
import { bytesWritten, cpuMs } from "./processes.ts";
import type { Target } from "./service.ts";

/**
 * Figures per call, CPU times in milliseconds. A figure is undefined if this machine or the measured service doesn't
 * report it.
 */
export interface Window extends Driven {
  /** CPU time of all processes of the service: one, or workerd and sqld. */
  readonly cpuMs: number | undefined;
  /** Counted by sqld itself. */
  readonly requests: number | undefined;
  /** Only with a proxy, which counts them. */
  readonly reads: number | undefined;
  readonly writes: number | undefined;
  readonly rows: number | undefined;
  readonly bytesKept: number | undefined;
  readonly bytesWritten: number | undefined;
  /** Pages of the database that commits changed, by sqld's replication log. */
  readonly pages: number | undefined;
}

/** A page of 4 KiB and its header. */
const frameBytes = 4_096 + 24;

const tables = [
  "clicks",
  "click_event_ids",
  "customers",
  "customer_clicks",
  "leads",
  "sales",
  "commissions",
  "ledger_entries",
  "refunds",
  "daily_counts",
  "recent_hours",
];

type Database = Omit<Started, "stop">;

export interface Measured {
  readonly target: Pick<Target, "url" | "pid">;
  readonly database: Database | undefined;
  readonly proxy?: DatabaseProxy;
}

/** Throws if the database didn't gain exactly the rows that the replies report. */
export async function measure(
  { target, database, proxy }: Measured,
  calls: Calls,
  connections: number,
  amount: number,
): Promise<Window> {
  // Counters are read in reverse order after the window, so that reading them isn't counted.
  const rowsBefore = database && (await countRows(database));
  const requestsBefore = database && (await requestsOf(database));
  const before = { ...readings(target, database), ...proxy?.counts };
  const driven = await drive(target.url, calls, connections, amount);
  const after = { ...readings(target, database), ...proxy?.counts };
  const requestsAfter = database && (await requestsOf(database));
  const rowsAfter = database && (await countRows(database));
  const table = tableOf[calls.kind];
  if (rowsBefore !== undefined && rowsAfter !== undefined && table !== undefined) {
    const gained = (rowsAfter[table] ?? 0) - (rowsBefore[table] ?? 0);
    if (gained !== driven.calls) throw new Error(`${driven.calls} calls were answered, and ${table} gained ${gained}`);
  }
  const perCall = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : (to - from) / driven.calls;
  return {
    ...driven,
    cpuMs: perCall(before.cpuMs, after.cpuMs),
    requests: perCall(requestsBefore, requestsAfter),
    reads: perCall(before.reads, after.reads),
    writes: perCall(before.writes, after.writes),
    rows: perCall(rowsBefore && sumOf(Object.values(rowsBefore)), rowsAfter && sumOf(Object.values(rowsAfter))),
    bytesKept: perCall(before.bytes, after.bytes),
    bytesWritten: perCall(before.bytesWritten, after.bytesWritten),
    pages: perCall(before.frames, after.frames),
  };
}

function readings(target: Measured["target"], database: Database | undefined) {
  const files = database && filesOf(database.directory);
  const log = files?.find(({ name }) => name.endsWith("/wallog"));
  const ofProcesses = (figureOf: (pid: number | undefined) => number | undefined) =>
    database?.pid === undefined ? figureOf(target.pid) : sumOf([figureOf(target.pid), figureOf(database.pid)]);
  return {
    cpuMs: ofProcesses(cpuMs),
    bytesWritten: ofProcesses(bytesWritten),
    bytes: files && sumOf(files.map(({ bytes }) => bytes)),
    frames: log && log.bytes / frameBytes,
  };
}

async function countRows({ url }: Database): Promise<Record<string, number>> {
  const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`);
  const { rows } = await withClient({ url }, (client) => client.execute(`select ${counts.join(", ")}`));
  return Object.fromEntries(tables.map((table) => [table, Number(rows[0]?.[table])]));
}

async function requestsOf({ adminUrl, adminAuthorization }: Database): Promise<number | undefined> {
  if (adminUrl === undefined || adminAuthorization === undefined) return undefined;
  const text = await (await fetch(`${adminUrl}/metrics`, { headers: { authorization: adminAuthorization } })).text();
  const all = text.matchAll(/^libsql_server_user_http_response\{[^}]*\} (\d+)$/gm);
  return [...all].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Returns the sum. Undefined if any value is unknown. */
const sumOf = (values: readonly (number | undefined)[]): number | undefined =>
  values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);

function filesOf(directory: string): { readonly name: string; readonly bytes: number }[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const name = join(entry.parentPath, entry.name);
    const bytes = entry.isFile() ? statSync(name, { throwIfNoEntry: false })?.size : undefined;
    return bytes === undefined ? [] : [{ name, bytes }];
  });
}
