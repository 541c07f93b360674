import { idsPerRange } from "#domain/shard.ts";
import { numberedTableNames } from "#store/fenced-row.ts";
import { here } from "./across-programs.ts";
import { type AuditedShards, acrossRules } from "./across-rules.ts";
import type { Broken } from "./invariant.ts";

/** The tables whose ids are compared. Another rule, about the directory, checks the ids of programs. */
const tables = numberedTableNames.filter((name) => name !== "programs");

/** For each migrated program, the smallest and the largest id in each range. A shard assigns ids of one range. */
const endsIn = (table: string): string => `select min(t.id) as first, max(t.id) as last from ${table} t
  join programs p on p.id = t.program_id and p.move_id is not null and p.place in ${here}
  group by t.program_id, t.id / ${idsPerRange}`;

const amongIn = (table: string): string => `select t.id, t.program_id as program from ${table} t
  join programs p on p.id = t.program_id and p.place in ${here} where t.id in (select value from json_each(?))`;

/**
 * Finds ids that two shards have assigned. A shard assigns ids in order. If it assigned a migrated program's ids again,
 * it would therefore reach the smallest or the largest of them first.
 */
export async function idsGivenTwice(shards: AuditedShards): Promise<readonly Broken[]> {
  const found: Broken[] = [];
  for (const table of tables) {
    for (const { shard, read } of shards) {
      const ends = await read(endsIn(table));
      if (ends.length === 0) continue;
      const ids = JSON.stringify(ends.flatMap(({ first, last }) => [first, last]));
      for (const other of shards.filter((each) => each.shard !== shard)) {
        const again = await other.read(amongIn(table), ids);
        found.push(
          ...again.map((row) => ({
            broken: acrossRules.twice,
            row: { table, ...row, shard: other.shard, also: shard },
          })),
        );
      }
    }
  }
  return found;
}
