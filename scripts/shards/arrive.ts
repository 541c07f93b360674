import type { Client, Value } from "@libsql/client/http";
import { idsPerRange } from "#domain/shard.ts";
import { numberedTableNames } from "#store/fenced-row.ts";
import { type Copied, guard, guarded } from "./guarded.ts";
import { list, onConflictUpdate, readerOf, readShapes } from "./shapes.ts";
import { bookTables } from "./tables.ts";

export interface Clients {
  readonly atHome: Client;
  readonly source: Client;
  readonly target: Client;
}

/** A migration of a program from one shard to another. */
export interface Move extends Copied {
  readonly from: number;
  readonly to: number;
}

/**
 * Prepares the target for this migration. The target may have rows of the program from an earlier migration, or from a
 * time when the program was on the target.
 */
export async function arrive({ atHome, source, target }: Clients, move: Move): Promise<void> {
  await prepareIds(atHome, source, target, move);
  await copyProgram(source, target, move);
}

/**
 * Copies the program's own row from the source, and marks it as arriving. Fails if another migration has replaced this
 * one, or if the target hasn't finished an earlier migration of the program to another shard.
 */
export async function copyProgram(
  source: Client,
  target: Client,
  { programId, moveId, from }: Omit<Move, "to">,
): Promise<void> {
  const [shapeOf, { rows }, isArriving] = await Promise.all([
    readShapes(readerOf(target)),
    source.execute({ sql: "select * from programs where id = ?", args: [programId] }),
    target.execute({ sql: "select 1 from programs where id = ? and place = 'arriving'", args: [programId] }),
  ]);
  // Unless the program is arriving, its rows on the target have ids that the target assigned. These ids must not be
  // assigned again.
  if (isArriving.rows.length === 0) await keepIds(target);
  const shape = shapeOf("programs");
  const { columns: names } = shape;
  const [row] = rows;
  if (row === undefined) throw new Error(`the source has no program ${programId}`);
  const arriving: Readonly<Record<string, Value>> = {
    place: "arriving",
    left_to: from,
    leave_by: null,
    move_id: moveId,
  };
  const statements = [
    {
      sql: "insert into workspaces (id, name, created_at) values (?, '', ?) on conflict do nothing",
      args: [row.workspace_id ?? null, row.created_at ?? null],
    },
    {
      sql: `insert into programs (${list(names)}) values (${names.map(() => "?").join(", ")})
          ${onConflictUpdate(shape)}
          where programs.place <> 'here' and programs.leave_by is null and coalesce(programs.move_id, 0) <= ${moveId}`,
      args: names.map((name) => (name in arriving ? (arriving[name] ?? null) : (row[name] ?? null))),
    },
    guard({ programId, moveId }, "arriving"),
  ];
  await guarded(target.batch(statements, "write"));
}

/**
 * A program's ids always rise, and no two shards assign the same id. If the target's own ids are lower than the
 * program's, the home database assigns the target a new range of ids, in which the target continues before it gets the
 * program's rows.
 */
async function prepareIds(atHome: Client, source: Client, target: Client, { programId, to }: Move): Promise<void> {
  const highest = bookTables.flatMap(({ name, isOfProgram }) =>
    (numbersOf[name] ?? []).map(
      (column) => `coalesce((select max(t.${column}) from ${name} t where ${isOfProgram}), 0)`,
    ),
  );
  const sql = `select max(${highest.join(", ")}) as id`;
  const [row] = (await source.execute({ sql, args: [programId] })).rows;
  const needed = rangeOf(Number(row?.id ?? 0));
  // Reads the stored ids first, because `highestOwn` skips all rows of arriving programs one by one, which takes long.
  const floors = await target.execute("select max(id) as id from id_floors");
  if (needed <= rangeOf(Number(floors.rows[0]?.id ?? 0))) return;
  const own = (await target.execute(highestOwn)).rows[0]?.id;
  if (needed <= rangeOf(Number(own ?? 0))) return;
  const given = await atHome.execute({
    sql: "insert into id_ranges (range, shard) select max(1000, coalesce(max(range), 0) + 1), ? from id_ranges returning range",
    args: [to],
  });
  const floor = Number(given.rows[0]?.range) * idsPerRange;
  await target.execute({ sql: "insert into id_floors (id) values (?) on conflict do nothing", args: [floor] });
}

const rangeOf = (id: number): number => Math.floor(id / idsPerRange);

/** The ids and numbers that a program's shard assigns. */
const numbersOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    [...numberedTableNames, "payment_details"].filter((name) => name !== "programs").map((name) => [name, ["id"]]),
  ),
  commissions: ["id", "payable_number", "reversed_number"],
  payouts: ["id", "cut", "finalized_number", "canceled_number"],
  tier_steps: ["number"],
};

/** The highest number or id that this database's shard has assigned, or that a migrated program has brought. */
const highestOwn = `select max(
  ${Object.entries(numbersOf)
    .filter(([, columns]) => columns.includes("id"))
    .map(([name]) => {
      const isArriving = "exists (select 1 from programs p where p.id = t.program_id and p.place = 'arriving')";
      return `coalesce((select t.id from ${name} t where not ${isArriving} order by t.id desc limit 1), 0)`;
    })
    .join(",\n  ")},
  coalesce((select max(max(id_floor, number)) from ledger_writers), 0),
  coalesce((select max(id) from id_floors), 0)
) as id`;

/**
 * Stores the highest assigned id, so that no id is ever reused, even after its row was removed or migrated to another
 * shard.
 */
export const keepIds = (client: Client) =>
  client.execute(
    `insert into id_floors (id) select highest.id from (${highestOwn}) highest where highest.id > 0 on conflict do nothing`,
  );
