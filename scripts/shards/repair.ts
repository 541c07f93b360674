import type { InStatement } from "@libsql/client/http";
import { home, idsPerRange } from "#domain/shard.ts";
import { writerName } from "#store/fenced-row.ts";
import { auditAcross } from "../audit/across.ts";
import { acrossRules } from "../audit/across-rules.ts";
import { withClient } from "../database/client.ts";
import type { Databases, ShardDatabase } from "../database/databases.ts";

/**
 * Makes the home shard's Ledger, at its next commit, forget its cached owners of codes, and assign no id up to `floor`.
 */
const forget = (floor = 0): InStatement => ({
  sql: "update ledger_writers set epoch = epoch + 1, seq = 0, id_floor = max(id_floor, ?) where name = ?",
  args: [floor, writerName],
});

/**
 * Repairs the directory in the home database so that it matches the shards: adds programs that it lacks, and removes
 * programs that are on no shard. Doesn't change programs that are on several shards. Returns a line of text for each
 * program.
 */
export async function repairDirectory(databases: Databases): Promise<readonly string[]> {
  const findings = await auditAcross(databases, { limit: Number.POSITIVE_INFINITY });
  const rowsOf = (...rules: readonly string[]) =>
    findings.filter(({ broken }) => rules.includes(broken)).flatMap(({ rows }) => rows);
  const { unlisted, elsewhere, differing, codes, lost } = acrossRules;
  const wrong = new Set(rowsOf(unlisted, elsewhere, differing, codes).map(({ program }) => Number(program)));
  const lines: string[] = [];
  for (const program of wrong) lines.push(await enter(databases, program));
  for (const row of rowsOf(lost)) lines.push(await dropLost(databases, Number(row.program)));
  return lines;
}

async function enter(databases: Databases, program: number): Promise<string> {
  const shards = await shardsWith(databases, program, "place in ('here', 'leaving')");
  const [shard] = shards;
  if (shard === undefined || shards.length > 1) {
    return `Program ${program} is on the shards ${shards.map((each) => each.shard).join(" and ")}: left as it is.`;
  }
  const place = await placeOn(shard, program);
  const codes = shard.shard === home ? [] : await codesOn(shard, program);
  const entered = await withClient(databases[0], async (client) => {
    const results = await client.batch(
      [place, endMoves(program), ...codes.map((code) => codeStatement(program, code)), forget()],
      "write",
    );
    return (results[0]?.rowsAffected ?? 0) > 0;
  }).catch((error: unknown) => {
    // The foreign key fails if the home database was restored to a time before the workspace was created.
    if (String(error).includes("FOREIGN KEY")) return false;
    throw error;
  });
  return entered
    ? `Program ${program} is entered in the directory, on shard ${shard.shard}.`
    : `Program ${program} is left as it is: home lacks its workspace.`;
}

/** The directory's row, according to the program's own shard. */
const placeOn = ({ shard, ...database }: ShardDatabase, program: number): Promise<InStatement> =>
  withClient(database, async (client) => {
    const read =
      "select workspace_id, website_url, archived_at is not null as archived, move_id, created_at from programs where id = ?";
    const [row] = (await client.execute({ sql: read, args: [program] })).rows;
    const value = (column: string) => row?.[column] ?? null;
    const isForeign = shard !== home;
    return {
      sql: `insert into program_places (program_id, workspace_id, shard, website_url, is_archived, move_id, created_at) values (?, ?, ?, ?, ?, ?, ?)
        on conflict (program_id) do update set workspace_id = excluded.workspace_id, shard = excluded.shard, move_id = excluded.move_id,
        website_url = excluded.website_url,
        is_archived = excluded.is_archived`,
      args: [
        program,
        value("workspace_id"),
        shard,
        isForeign ? value("website_url") : null,
        isForeign ? value("archived") : 0,
        value("move_id"),
        value("created_at"),
      ],
    };
  });

interface Code {
  readonly codeKey: string;
  readonly destinationUrl: string | null;
}

const codesOn = (database: ShardDatabase, program: number): Promise<readonly Code[]> =>
  withClient(database, async (client) => {
    const sql = `select l.code_key, l.destination_url from referral_links l join partners p on p.id = l.partner_id
      where l.program_id = ? and p.is_synthetic = 0`;
    const { rows } = await client.execute({ sql, args: [program] });
    return rows.map(({ code_key, destination_url }) => ({
      codeKey: String(code_key),
      destinationUrl: destination_url === null ? null : String(destination_url),
    }));
  });

const codeStatement = (program: number, { codeKey, destinationUrl }: Code): InStatement => ({
  sql: `insert into foreign_codes (code_key, program_id, destination_url) values (?, ?, ?)
    on conflict (code_key, program_id) do update set destination_url = excluded.destination_url`,
  args: [codeKey, program, destinationUrl],
});

/** Ends migrations whose end the home database doesn't contain, because it was restored to an earlier time. */
const endMoves = (program: number): InStatement => ({
  sql: `update program_moves set state = 'done', ended_at = started_at
    where state = 'open' and program_id = ?1 and to_shard = (select shard from program_places where program_id = ?1)`,
  args: [program],
});

async function dropLost(databases: Databases, program: number): Promise<string> {
  const [former] = await shardsWith(databases, program, "true");
  return former === undefined
    ? drop(databases, program)
    : `Program ${program} left shard ${former.shard}, which still has its rows: left as it is.`;
}

/** The shards on which the program's row has this state. */
async function shardsWith(databases: Databases, program: number, state: string): Promise<readonly ShardDatabase[]> {
  const sql = `select 1 from programs where id = ? and ${state}`;
  const found: ShardDatabase[] = [];
  for (const database of databases) {
    const { rows } = await withClient(database, (client) => client.execute({ sql, args: [program] }));
    if (rows.length > 0) found.push(database);
  }
  return found;
}

/** Removes a program from the home database. Its id isn't assigned again, because links may contain it. */
async function drop([atHome]: Databases, program: number): Promise<string> {
  await withClient(atHome, (client) =>
    client.batch(
      [
        { sql: "delete from foreign_codes where program_id = ?", args: [program] },
        { sql: "delete from join_slugs where program_id = ?", args: [program] },
        { sql: "delete from account_partners where program_id = ?", args: [program] },
        { sql: "delete from program_moves where program_id = ?", args: [program] },
        { sql: "delete from program_places where program_id = ?", args: [program] },
        forget(program % idsPerRange),
      ],
      "write",
    ),
  );
  return `Program ${program} is on no shard: removed from the directory.`;
}
