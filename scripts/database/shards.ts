import { randomBytes } from "node:crypto";
import { type Client, createClient, type InArgs, type ResultSet } from "@libsql/client/http";
import type { Shard } from "#domain/ids.ts";
import { home, idsPerRange } from "#domain/shard.ts";
import { writerName } from "#store/fenced-row.ts";
import { ExplainedError } from "../command.ts";
import type { Database } from "./migrate.ts";

export interface NewShard {
  readonly shard: Shard;
  /** Null: anywhere. */
  readonly location: string | null;
}

interface Identity {
  readonly number: Shard;
  readonly installation: string;
}

const asClient = ({ url, authToken }: Database): Client => createClient({ url, ...(authToken && { authToken }) });

async function withClient<T>(database: Database, use: (client: Client) => Promise<T>): Promise<T> {
  const client = asClient(database);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

async function identityOf(client: Client): Promise<Identity | undefined> {
  const [row] = (await client.execute("select number, installation from shard_identity")).rows;
  return row && { number: Number(row.number), installation: String(row.installation) };
}

/**
 * Makes a migrated, empty database that of a closed shard, and returns the installation that its line in SHARDS needs. May be
 * repeated.
 */
export const addShard = (atHome: Database, database: Database, { shard, location }: NewShard): Promise<string> =>
  withClient(atHome, async (homeClient) => {
    const installation = await installationOf(homeClient);
    await withClient(database, (client) => identify(client, { number: shard, installation }));
    await enter(homeClient, shard, location);
    return installation;
  });

/** Home has none until it gets its first further shard. */
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

async function identify(client: Client, wanted: Identity): Promise<void> {
  const known = await identityOf(client);
  if (known !== undefined) {
    if (known.number === wanted.number && known.installation === wanted.installation) return;
    throw new ExplainedError(`This database is that of shard ${known.number} of the service ${known.installation}.`);
  }
  const [used] = (await client.execute("select (select count(*) from programs) + (select count(*) from users) as n"))
    .rows;
  if (Number(used?.n) > 0) throw new ExplainedError("This database is not empty: a shard begins with an empty one.");
  const floor = wanted.number * idsPerRange;
  await client.batch(
    [
      {
        sql: "insert into shard_identity (number, installation) values (?, ?)",
        args: [wanted.number, wanted.installation],
      },
      // Of the ids of a shard the first digits are its number.
      {
        sql: `insert into ledger_writers (name, epoch, seq, number, id_floor) values (?1, 1, 0, ?2, ?2)
          on conflict (name) do update set epoch = epoch + 1, seq = 0, number = max(number, ?2), id_floor = max(id_floor, ?2)`,
        args: [writerName, floor],
      },
    ],
    "write",
  );
}

async function enter(client: Client, shard: Shard, location: string | null): Promise<void> {
  await client.execute({
    sql: "insert into shards (number, location, is_open) values (?, ?, 0) on conflict (number) do update set location = excluded.location",
    args: [shard, location],
  });
}

/** New programs are created on open shards alone. */
export async function setOpen(atHome: Database, shard: Shard, isOpen: boolean): Promise<void> {
  const { rowsAffected } = await atHomeOf(atHome, "update shards set is_open = ? where number = ?", [
    Number(isOpen),
    shard,
  ]);
  if (rowsAffected === 0) throw new ExplainedError(`No shard has the number ${shard}. Add it first.`);
}

const atHomeOf = (database: Database, sql: string, args: InArgs): Promise<ResultSet> =>
  withClient(database, (client) => client.execute({ sql, args }));
