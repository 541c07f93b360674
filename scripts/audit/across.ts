import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@libsql/client/http";
import { idsPerRange } from "#domain/shard.ts";
import { numberedTableNames } from "#store/fenced-row.ts";
import { openClient } from "../database/client.ts";
import type { Databases, ShardDatabase } from "../database/databases.ts";
import { accessLost, accessUnlisted } from "./across-access.ts";
import { idsGivenTwice } from "./across-ids.ts";
import { codesHomeLacks, directoryFaults, movesLeftOpen, programsLost } from "./across-programs.ts";
import { type AuditedShard, type AuditedShards, acrossRules } from "./across-rules.ts";
import type { Broken, Row } from "./invariant.ts";
import type { Finding } from "./ledger.ts";

/** The time within which a change is in both the home database and the shard's. */
const settledAfterMs = 3_000;

export interface AcrossOptions {
  /** The time of the databases' content, in milliseconds. The default is now. */
  readonly at?: number;
  readonly limit?: number;
}

/**
 * Checks what only a comparison of databases shows: each program is on the shard that the directory states, and the
 * home database has the codes of programs on other shards and lists the partners that accounts have access to. Only
 * reads, and may run while the service runs.
 */
export async function auditAcross(databases: Databases, options: AcrossOptions = {}): Promise<readonly Finding[]> {
  const { at = Date.now(), limit = 20 } = options;
  return withShards(databases, async (shards) => {
    const first = await findAll(shards, at);
    if (first.length === 0) return [];
    // Checks again after a while, because a change in progress is in one database before it is in the other.
    await delay(settledAfterMs);
    const again = new Set((await findAll(shards, at)).map((each) => JSON.stringify(each)));
    const lasting = first.filter((each) => again.has(JSON.stringify(each)));
    return Object.values(acrossRules).flatMap((rule) => {
      const rows = lasting.filter(({ broken }) => broken === rule).map(({ row }) => row);
      return rows.length === 0 ? [] : [{ broken: rule, rows: rows.slice(0, limit), hasMore: rows.length > limit }];
    });
  });
}

async function findAll(shards: AuditedShards, at: number): Promise<readonly Broken[]> {
  const found = [...(await findOfShards(shards, at))];
  for (const shard of shards) found.push(...(await accessUnlisted(shards[0], shard, at)));
  found.push(...(await accessLost(shards, at)));
  return found;
}

async function findOfShards(shards: AuditedShards, at: number): Promise<readonly Broken[]> {
  const known = await shards[0].read("select number from shards where number <> 0");
  if (shards.length === 1 && known.length === 0) return [];
  const foreign = [...unknownShards(shards, known), ...(await foreignDatabases(shards))];
  if (foreign.length > 0) return foreign;
  const found: Broken[] = [];
  for (const shard of shards) found.push(...(await idsOutOfRange(shards[0], shard)));
  found.push(...(await idsGivenTwice(shards)));
  for (const shard of shards) found.push(...(await directoryFaults(shards[0], shard)));
  found.push(...(await programsLost(shards, at)));
  found.push(...(await movesLeftOpen(shards[0], at)));
  for (const shard of shards.slice(1)) found.push(...(await codesHomeLacks(shards[0], shard)));
  return found;
}

const unknownShards = (shards: AuditedShards, known: readonly Row[]): readonly Broken[] =>
  known
    .filter(({ number }) => !shards.some(({ shard }) => shard === number))
    .map(({ number }) => ({ broken: acrossRules.unknown, row: { shard: number } }));

async function foreignDatabases(shards: AuditedShards): Promise<readonly Broken[]> {
  const identities = await Promise.all(
    shards.map(({ read }) => read("select number, installation from shard_identity")),
  );
  const [installation] = (identities[0] ?? []).map((row) => row.installation);
  return shards.flatMap(({ shard }, i) => {
    const [is] = identities[i] ?? [];
    if (is?.number === shard && is.installation === installation) return [];
    return [
      { broken: acrossRules.identity, row: { shard, is: is?.number ?? "of no shard", of: is?.installation ?? "none" } },
    ];
  });
}

/**
 * Finds ids outside the shard's range. Checks only programs that have always been on the shard, because a program keeps
 * its ids in a migration.
 */
async function idsOutOfRange(atHome: AuditedShard, { shard, read }: AuditedShard): Promise<readonly Broken[]> {
  const given = await atHome.read("select range from id_ranges where shard = ?", shard);
  const ranges = [shard, ...given.map(({ range }) => range)].join(", ");
  const found: Broken[] = [];
  for (const table of numberedTableNames) {
    const programId = table === "programs" ? "id" : "program_id";
    const rows = await read(
      `select min(t.id) as first, max(t.id) as last, count(*) as ids from ${table} t
       join programs p on p.id = t.${programId} and p.move_id is null and p.place = 'here'
       where t.id / ${idsPerRange} not in (${ranges})`,
    );
    const wrong = rows.filter(({ ids }) => Number(ids) > 0);
    found.push(...wrong.map((row) => ({ broken: acrossRules.range, row: { shard, table, ...row } })));
  }
  return found;
}

async function withShards<T>([first, ...others]: Databases, use: (shards: AuditedShards) => Promise<T>): Promise<T> {
  const clients: Client[] = [];
  const open = ({ shard, url, authToken }: ShardDatabase): AuditedShard => {
    const client = openClient({ url, authToken });
    clients.push(client);
    const read: AuditedShard["read"] = async (sql, ...args) => {
      const { columns, rows } = await client.execute({ sql, args: [...args] });
      return rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
    };
    return { shard, read };
  };
  try {
    return await use([open(first), ...others.map(open)]);
  } finally {
    for (const client of clients) client.close();
  }
}
