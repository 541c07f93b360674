import type { Shard } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { parseShards, type ShardAddress } from "#domain/shard-list.ts";
import { dataFolder } from "../backup/data-paths.ts";
import { ExplainedError, UnreachableError } from "../command.ts";
import { readRunning } from "../service/data-folder.ts";
import { withClient } from "./client.ts";
import type { Databases } from "./databases.ts";
import type { Database } from "./migrate.ts";

/** A database of a service. The URL of the service itself belongs to the home database. */
export interface ServiceDatabase extends Database {
  readonly databases: Databases;
  readonly serviceUrl: string | undefined;
  /** The URL of a service on this machine. */
  readonly localUrl?: string | undefined;
}

type Environment = NodeJS.ProcessEnv;

/**
 * The databases of the service that runs here on the folder given by `--data`. Without the flag, those in DATABASE_URL
 * and SHARDS, or those of the service on the folder given by TRIBUTARY_DATA (default: .data).
 */
export async function serviceDatabase(folder?: string): Promise<ServiceDatabase> {
  const { DATABASE_URL, BASE_URL } = process.env;
  if (folder !== undefined || !DATABASE_URL) return databaseRunningOn(folder);
  const databases = configuredDatabases(DATABASE_URL, process.env);
  return { ...databases[0], databases, serviceUrl: BASE_URL || undefined };
}

async function databaseRunningOn(folder: string | undefined): Promise<ServiceDatabase> {
  const { databases = [], url, localUrl } = (await readRunning(dataFolder(folder))) ?? {};
  const [first, ...others] = databases;
  if (first !== undefined) return { ...first, databases: [first, ...others], serviceUrl: url, localUrl };
  throw new UnreachableError(
    folder === undefined
      ? "DATABASE_URL is not set, and no service runs here on .data or on the folder that TRIBUTARY_DATA or --data names. Start it first."
      : `No service runs here on ${folder}. Start it first.`,
  );
}

/** The databases in DATABASE_URL and SHARDS. */
export function configuredDatabases(url: string, environment: Environment): Databases {
  const databases: Databases = [
    { shard: home, url, authToken: tokenOf(environment, home) },
    ...configuredShards(environment).map(({ shard, databaseUrl }) => ({
      shard,
      url: databaseUrl,
      authToken: tokenOf(environment, shard),
    })),
  ];
  for (const each of databases) checkAddress(each);
  return databases;
}

export const tokenName = (shard: Shard): string =>
  shard === home ? "DATABASE_AUTH_TOKEN" : `DATABASE_AUTH_TOKEN_${shard}`;

const ownTokenOf = (environment: Environment, shard: Shard): string | undefined =>
  environment[tokenName(shard)] || undefined;

/** A shard without its own token uses the home database's. */
export const tokenOf = (environment: Environment, shard: Shard): string | undefined =>
  ownTokenOf(environment, shard) ?? ownTokenOf(environment, home);

/** The tokens of the databases, by the names of the secrets. */
export const tokensOf = (databases: Databases, environment: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    databases.flatMap(({ shard }) => {
      const token = ownTokenOf(environment, shard);
      return token === undefined ? [] : [[tokenName(shard), token]];
    }),
  );

export function configuredShards({ SHARDS: text = "" }: Environment): readonly ShardAddress[] {
  const shards = parseShards(text);
  if (!("faulty" in shards)) return shards;
  const line = text.split("\n").findIndex((each) => each.trim() === shards.faulty) + 1;
  // The message doesn't contain the line, because the line may contain a secret.
  throw new ExplainedError(
    `Line ${line} of SHARDS is not "<number> <address> <location> <service>" of a shard of its own: docs/shards.md`,
  );
}

/** Throws an `ExplainedError` during a migration of a program, because both databases then have the program's rows. */
export const requireNoMoves = ([atHome]: Databases): Promise<void> =>
  withClient(atHome, async (client) => {
    const known = await client.execute("select 1 from sqlite_master where type = 'table' and name = 'program_moves'");
    if (known.rows.length === 0) return;
    const { rows } = await client.execute("select program_id from program_moves where state = 'open' order by id");
    if (rows.length === 0) return;
    const ids = rows.map((row) => row.program_id).join(", ");
    throw new ExplainedError(
      `Being moved between shards: program ${ids}. Finish or abandon that first: /docs/guides/shards/ of the service. Nothing was done.`,
    );
  });

/** The number of migrations of programs between shards that have ever begun. */
export const countMoves = ([atHome]: Databases): Promise<number> =>
  withClient(atHome, async (client) => {
    const { rows } = await client.execute("select count(*) as moves from program_moves");
    return Number(rows[0]?.moves);
  });

/**
 * Throws an `ExplainedError` if the home database lists a shard that isn't among these, because programs on it would
 * have no database.
 */
export const requireAllShards = ([atHome, ...others]: Databases): Promise<void> =>
  withClient(atHome, async (client) => {
    const known = await client.execute("select 1 from sqlite_master where type = 'table' and name = 'shards'");
    if (known.rows.length === 0) return;
    const { rows } = await client.execute("select number from shards where number <> 0 order by number");
    const missing = rows.map(({ number }) => Number(number)).filter((n) => !others.some(({ shard }) => shard === n));
    if (missing.length === 0) return;
    throw new ExplainedError(
      `The service also has shard ${missing.join(", ")}. Add what is missing to SHARDS: docs/shards.md. Nothing was done.`,
    );
  });

/** Like `serviceDatabase`, for commands that need every database of a service. */
export async function allDatabases(folder?: string): Promise<Databases> {
  const { databases } = await serviceDatabase(folder);
  await requireAllShards(databases);
  return databases;
}

export async function addressedService(folder?: string): Promise<ServiceDatabase & { readonly serviceUrl: string }> {
  const { serviceUrl, ...database } = await serviceDatabase(folder);
  if (serviceUrl === undefined) throw new ExplainedError("Set BASE_URL to the address of the service: https://…");
  return { ...database, serviceUrl };
}

/**
 * Matches a URL without credentials, query and fragment. The path of a `file:` URL may contain percent-encoded
 * characters.
 */
const isAddressAlone = /^(?:[a-z]+:\/\/[\w.:[\]/~-]+|file:\/\/\/[\w.:[\]/~%!$&'()*+,;=@-]+)$/i;

/**
 * Throws an `ExplainedError` if a URL is malformed. The error contains neither the URL nor the token, because either
 * may contain a secret.
 */
export function checkAddress({ url, authToken = "", shard = home }: Database & { readonly shard?: Shard }): void {
  const name = shard === home ? "DATABASE_URL" : `The address of shard ${shard} in SHARDS`;
  // Child processes, Cloudflare's dashboard and error messages show the URL, so it must contain no secret.
  if (!isAddressAlone.test(url)) {
    throw new ExplainedError(
      `${name} must be an address alone, such as libsql://name.turso.io, without a user name, a query or a fragment: it is not kept secret. Put the token into ${tokenName(shard)}.`,
    );
  }
  // The error of an HTTP client contains a header that it can't send.
  if (!/^[\x21-\x7e]*$/.test(authToken)) {
    throw new ExplainedError(`${tokenName(shard)} must be ASCII characters without white space.`);
  }
}
