import { hourMs } from "#domain/calendar.ts";
import { here, pagesOf } from "./across-programs.ts";
import { type AuditedShard, type AuditedShards, acrossRules } from "./across-rules.ts";
import type { Broken, Row } from "./invariant.ts";

const keyOf = ({ account, program, partner }: Row): string => `${account} ${program} ${partner}`;

/** The rows of a page, as an argument of the queries below. */
const asked = (page: readonly Row[]): string =>
  JSON.stringify(page.map(({ account, program, partner }) => [account, program, partner]));

const isWanted = (alias: string): string => `${alias}.account_id = wanted.value ->> '$[0]'
  and ${alias}.program_id = wanted.value ->> '$[1]' and ${alias}.partner_id = wanted.value ->> '$[2]'`;

const accessAfter = `select a.account_id as account, a.program_id as program, a.partner_id as partner
  from partner_accounts a join programs q on q.id = a.program_id and q.place in ${here}
  where a.created_at < ? and (a.partner_id, a.account_id) > (?, ?) order by a.partner_id, a.account_id limit ?`;

const listedOf = `select i.account_id as account, i.program_id as program, i.partner_id as partner
  from json_each(?) wanted join account_partners i on ${isWanted("i")}`;

/**
 * Finds access rows that the home database doesn't list. Ignores rows of the last hour, because the service writes
 * them first to the program's database and then to the home database.
 */
export async function accessUnlisted(
  atHome: AuditedShard,
  shard: AuditedShard,
  at: number,
): Promise<readonly Broken[]> {
  const found: Broken[] = [];
  const after = (last: Row | undefined) => [at - hourMs, Number(last?.partner ?? 0), String(last?.account ?? "")];
  for await (const page of pagesOf(shard, accessAfter, after)) {
    const listed = new Set((await atHome.read(listedOf, asked(page))).map(keyOf));
    const lacking = page.filter((row) => !listed.has(keyOf(row)));
    found.push(...lacking.map((row) => ({ broken: acrossRules.unlistedAccess, row })));
  }
  return found;
}

const listedAfter = `select account_id as account, program_id as program, partner_id as partner
  from account_partners where entered_at < ? and (account_id, program_id, partner_id) > (?, ?, ?)
  order by account_id, program_id, partner_id limit ?`;

/**
 * Finds entries of the home database for which the program has no access row and no audit entry of a revocation. The
 * home database keeps the entry of a revoked access until the account next lists its programs.
 */
const neverGranted = `select wanted.value ->> '$[0]' as account, q.id as program, wanted.value ->> '$[2]' as partner
  from json_each(?) wanted join programs q on q.id = wanted.value ->> '$[1]' and q.place in ${here}
  where not exists (select 1 from partner_accounts a where ${isWanted("a")})
  and not exists (select 1 from audit_entries e where e.program_id = q.id and e.action = 'partner_access.ended'
    and e.subject = 'partner ' || (wanted.value ->> '$[2]')
    and e.before ->> '$.accountId' = wanted.value ->> '$[0]')`;

/**
 * Finds access entries that only the home database has. Ignores those of the last hour, because the home database's
 * entry can be written before the program's access row.
 */
export async function accessLost(shards: AuditedShards, at: number): Promise<readonly Broken[]> {
  const found: Broken[] = [];
  const after = (last: Row | undefined) => [
    at - hourMs,
    String(last?.account ?? ""),
    Number(last?.program ?? 0),
    Number(last?.partner ?? 0),
  ];
  for await (const page of pagesOf(shards[0], listedAfter, after)) {
    const rows = await Promise.all(shards.map(({ read }) => read(neverGranted, asked(page))));
    found.push(...rows.flat().map((row) => ({ broken: acrossRules.lostAccess, row })));
  }
  return found;
}
