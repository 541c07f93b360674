import { hourMs } from "#domain/calendar.ts";
import { home } from "#domain/shard.ts";
import { type AuditedShard, type AuditedShards, acrossRules } from "./across-rules.ts";
import type { Broken, Row } from "./invariant.ts";

const rowsOfPage = 1_000;

/**
 * Reads a query in pages. The query's last argument is a limit. `after` returns the arguments for the next page from
 * the last row.
 */
export async function* pagesOf(
  { read }: AuditedShard,
  sql: string,
  after: (last: Row | undefined) => readonly (string | number)[],
): AsyncIterable<readonly Row[]> {
  let page = await read(sql, ...after(undefined), rowsOfPage);
  while (page.length > 0) {
    yield page;
    page = page.length < rowsOfPage ? [] : await read(sql, ...after(page.at(-1)), rowsOfPage);
  }
}

/**
 * The states of a program that is on this shard. A program that has left keeps its row here, and an arriving program
 * isn't active yet.
 */
export const here = "('here', 'leaving')";

const programsAfter = `select id as program, workspace_id as workspace, website_url as website, archived_at is not null as archived
  from programs where id > ? and place in ${here} order by id limit ?`;

const placesOf = `select program_id as program, workspace_id as workspace, shard, website_url as website, is_archived as archived
  from program_places where program_id in (select value from json_each(?))`;

/**
 * Compares a shard with the directory in the home database. Reads the shard first, because every program is in the
 * directory before it is on a shard.
 */
export async function directoryFaults(atHome: AuditedShard, shard: AuditedShard): Promise<readonly Broken[]> {
  const found: Broken[] = [];
  for await (const page of pagesOf(shard, programsAfter, (last) => [Number(last?.program ?? 0)])) {
    const places = await atHome.read(placesOf, JSON.stringify(page.map(({ program }) => program)));
    const placeOf = new Map(places.map((place) => [place.program, place]));
    for (const program of page) found.push(...faultsOf(program, placeOf.get(program.program), shard));
  }
  return found;
}

function faultsOf(is: Row, place: Row | undefined, { shard }: AuditedShard): readonly Broken[] {
  const { program } = is;
  if (place === undefined) return [{ broken: acrossRules.unlisted, row: { program, shard } }];
  if (place.shard !== shard)
    return [{ broken: acrossRules.elsewhere, row: { program, shard, directory: place.shard } }];
  // For programs on the home shard, only the workspace is compared, because their website and archived state are read
  // from the programs' own rows.
  const names = shard === home ? ["workspace"] : ["workspace", "website", "archived"];
  const differing = names.filter((name) => is[name] !== place[name]);
  if (differing.length === 0) return [];
  return [{ broken: acrossRules.differing, row: { program, shard, differs: differing.join(" and ") } }];
}

const directoryAfter = `select program_id as program, shard from program_places
  where program_id > ? and created_at < ?
  and not exists (select 1 from program_moves m where m.program_id = program_places.program_id and m.state = 'open')
  order by program_id limit ?`;

const programsAmong = `select id from programs where id in (select value from json_each(?)) and place in ${here}`;

/**
 * Finds directory entries whose program no shard has. Ignores entries of the last hour, because their programs may not
 * exist yet.
 */
export async function programsLost(shards: AuditedShards, at: number): Promise<readonly Broken[]> {
  const found: Broken[] = [];
  for await (const page of pagesOf(shards[0], directoryAfter, (last) => [Number(last?.program ?? 0), at - hourMs])) {
    const ids = JSON.stringify(page.map(({ program }) => program));
    const rows = await Promise.all(shards.map(({ read }) => read(programsAmong, ids)));
    const there = new Set(rows.flat().map(({ id }) => id));
    const lost = page.filter(({ program }) => !there.has(program));
    found.push(...lost.map((row) => ({ broken: acrossRules.lost, row })));
  }
  return found;
}

/** Finds migrations that have been open longer than any migration takes. Their command must have died. */
export async function movesLeftOpen({ read }: AuditedShard, at: number): Promise<readonly Broken[]> {
  const sql = `select program_id as program, from_shard as "from", to_shard as "to", started_at as since from program_moves
    where state = 'open' and started_at < ? order by id`;
  const moves = await read(sql, at - hourMs);
  return moves.map(({ since, ...move }) => ({
    broken: acrossRules.open,
    row: { ...move, since: new Date(Number(since)).toISOString() },
  }));
}

/**
 * Excludes the partners that verification runs use: the home database needs codes only for clicks without a program id,
 * and these partners get no such clicks.
 */
const codesAfter = `select l.code_key as code, l.program_id as program, l.destination_url as destination
  from referral_links l join partners p on p.id = l.partner_id
  join programs q on q.id = l.program_id and q.place in ${here}
  where p.is_synthetic = 0 and (l.code_key, l.program_id) > (?, ?) order by l.code_key, l.program_id limit ?`;

const foreignCodesOf = `select f.code_key as code, f.program_id as program, f.destination_url as destination
  from json_each(?) wanted join foreign_codes f
  on f.code_key = json_extract(wanted.value, '$[0]') and f.program_id = json_extract(wanted.value, '$[1]')`;

const keyOf = ({ code, program }: Row): string => `${code} ${program}`;

/**
 * Finds codes that the home database lacks. A code that only the home database has is harmless: it may be from a
 * partner whose creation was refused.
 */
export async function codesHomeLacks(atHome: AuditedShard, shard: AuditedShard): Promise<readonly Broken[]> {
  const found: Broken[] = [];
  const after = (last: Row | undefined) => [String(last?.code ?? ""), Number(last?.program ?? 0)];
  for await (const page of pagesOf(shard, codesAfter, after)) {
    const rows = await atHome.read(foreignCodesOf, JSON.stringify(page.map(({ code, program }) => [code, program])));
    const known = new Map(rows.map((row) => [keyOf(row), row]));
    for (const { code, program, destination } of page) {
      const own = known.get(keyOf({ code, program }));
      if (own !== undefined && own.destination === destination) continue;
      found.push({ broken: acrossRules.codes, row: { code, program, shard: shard.shard } });
    }
  }
  return found;
}
