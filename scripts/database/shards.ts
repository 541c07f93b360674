import { randomBytes } from "node:crypto";
import type { Client } from "@libsql/client/http";
import type { Shard } from "#domain/ids.ts";
import { home, idsPerRange } from "#domain/shard.ts";
import type { ShardAddress } from "#domain/shard-list.ts";
import { writerName } from "#store/fenced-row.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { withClient } from "./client.ts";
import { type Databases, forEachShard } from "./databases.ts";
import type { Database } from "./migrate.ts";

export interface NewShard {
  readonly shard: Shard;
  /** The shard's location. Null if the shard may be anywhere. */
  readonly location: string | null;
}

interface Identity {
  readonly number: Shard;
  readonly installation: string;
}

async function identityOf(client: Client): Promise<Identity | undefined> {
  const [row] = (await client.execute("select number, installation from shard_identity")).rows;
  return row && { number: Number(row.number), installation: String(row.installation) };
}

/**
 * Turns an empty database that has the current schema into the database of a closed shard. Returns the installation id
 * for the shard's line in SHARDS. May be repeated.
 */
export const addShard = (atHome: Database, database: Database, { shard, location }: NewShard): Promise<string> =>
  withClient(atHome, async (homeClient) => {
    const installation = await installationOf(homeClient);
    await withClient(database, async (client) => {
      if ((await identityOf(client)) === undefined) await requireUnused(homeClient, shard);
      await identify(client, { number: shard, installation });
    });
    await enter(homeClient, shard, location);
    return installation;
  });

/** The installation id of the home database. It has none until the service gets its second shard. */
async function installationOf(client: Client): Promise<string> {
  await client.execute({
    sql: "insert into shard_identity (number, installation) select ?, ? where not exists (select 1 from shard_identity)",
    args: [home, randomBytes(12).toString("base64url")],
  });
  const identity = await identityOf(client);
  if (identity?.number !== home) throw new ExplainedError(`The database of home is that of shard ${identity?.number}.`);
  await client.execute({
    sql: "insert or ignore into shards (number, location, is_open) values (?, null, 1)",
    args: [home],
  });
  return identity.installation;
}

/** Throws if the shard has another database, because a second database would assign the same ids again. */
async function requireUnused(homeClient: Client, shard: Shard): Promise<void> {
  const { rows } = await homeClient.execute({
    sql: `select 1 from shards where number = ?1
      union all select 1 from program_places where shard = ?1 or program_id / ${idsPerRange} = ?1 limit 1`,
    args: [shard],
  });
  if (rows.length > 0) throw new ExplainedError(`Shard ${shard} exists, with another database than this empty one.`);
}

async function identify(client: Client, wanted: Identity): Promise<void> {
  const known = await identityOf(client);
  if (known !== undefined) {
    if (isSame(known, wanted)) return;
    throw new ExplainedError(isOf(known));
  }
  const [used] = (await client.execute("select (select count(*) from programs) + (select count(*) from users) as n"))
    .rows;
  if (Number(used?.n) > 0) throw notEmpty();
  await client.batch(
    [
      {
        sql: "insert into shard_identity (number, installation) values (?, ?)",
        args: [wanted.number, wanted.installation],
      },
      // The first digits of a shard's ids are the shard's number.
      {
        sql: `insert into ledger_writers (name, epoch, seq, number, id_floor) values (?1, 1, 0, ?2, ?2)
          on conflict (name) do update set epoch = epoch + 1, seq = 0, number = max(number, ?2), id_floor = max(id_floor, ?2)`,
        args: [writerName, firstFloor(wanted.number)],
      },
    ],
    "write",
  );
}

const isSame = (a: Identity, b: Identity): boolean => a.number === b.number && a.installation === b.installation;
const isOf = ({ number, installation }: Identity): string =>
  `This database is that of shard ${number} of the service ${installation}.`;
const notEmpty = () => new ExplainedError("This database is not empty: a shard begins with an empty one.");

/**
 * Throws an `ExplainedError` unless the database is empty or already belongs to a shard. Runs before the database is
 * migrated.
 */
export const requireNew = (database: Database): Promise<void> =>
  withClient(database, async (client) => {
    const { rows } = await client.execute(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
    );
    if (rows.length === 0 || rows.some(({ name }) => name === "shard_identity")) return;
    throw notEmpty();
  });

/**
 * Throws an `ExplainedError` if the URLs don't match the databases of their shards, for example because two were
 * swapped.
 */
export async function requireIdentities(databases: Databases, addresses: readonly ShardAddress[]): Promise<void> {
  await forEachShard(databases, async (database) => {
    const wanted = addresses.find(({ shard }) => shard === database.shard);
    if (wanted === undefined) return;
    const known = await withClient(database, identityOf);
    if (known !== undefined && isSame(known, { number: wanted.shard, installation: wanted.installation })) return;
    throw new ExplainedError(
      known === undefined ? `This database has not been added: ${operatorCommand} shards add.` : isOf(known),
    );
  });
}

const firstFloor = (shard: Shard): number => shard * idsPerRange;

async function enter(client: Client, shard: Shard, location: string | null): Promise<void> {
  await client.execute({
    sql: "insert into shards (number, location, is_open) values (?, ?, 0) on conflict (number) do update set location = excluded.location",
    args: [shard, location],
  });
}

/** Opens or closes a shard. New programs are created only on open shards. */
export async function setOpen(atHome: Database, shard: Shard, isOpen: boolean): Promise<void> {
  const set = "update shards set is_open = ? where number = ?";
  const { rowsAffected } = await withClient(atHome, (client) => client.execute(set, [Number(isOpen), shard]));
  if (rowsAffected === 0) throw new ExplainedError(`No shard has the number ${shard}. Add it first.`);
}

/**
 * Removes a shard from the home database's list. Throws an `ExplainedError` unless the shard is closed and has never
 * had a program.
 */
export async function removeShard(atHome: Database, database: Database, shard: Shard): Promise<void> {
  // Programs that were migrated away keep ids of the shard's range, which an empty database would assign again.
  const hasHad = await withClient(database, async (client) => {
    const read = "select (select count(*) from programs) as programs, max(id_floor) as floor from ledger_writers";
    const [row] = (await client.execute(read)).rows;
    return Number(row?.programs) > 0 || Number(row?.floor) > firstFloor(shard);
  });
  if (hasHad)
    throw new ExplainedError(
      `Shard ${shard} has or had programs, so it stays. Close it: ${operatorCommand} shards close ${shard}`,
    );
  await withClient(atHome, async (client) => {
    const { rowsAffected } = await client.execute({
      sql: `delete from shards where number = ?1 and is_open = 0 and not exists
        (select 1 from program_places where shard = ?1 or program_id / ${idsPerRange} = ?1)`,
      args: [shard],
    });
    if (rowsAffected > 0) return;
    throw new ExplainedError(
      `Shard ${shard} is open, or a program is being created on it. Close it: ${operatorCommand} shards close ${shard}`,
    );
  });
}
