import { type Client, createClient } from "@libsql/client/http";
import { home, idsPerRange } from "#domain/shard.ts";
import { auditLedger } from "../audit/ledger.ts";
import { ExplainedError } from "../command.ts";
import type { Database } from "../database/migrate.ts";
import { type Copied, copyBooks, copyProgram, differences, removeBooks } from "./copy.ts";
import { bookTables } from "./tables.ts";

export interface Move extends Copied {
  readonly from: number;
  readonly to: number;
}

export type MoveStep = "freeze" | "renew" | "abandon" | "leave";

/** The source's Ledger refused the step, for this reason. */
export class StepRefused extends ExplainedError {
  readonly reason: string;

  constructor(step: MoveStep, reason: string) {
    super(`The Ledger refuses to ${step}: ${reason}.`);
    this.reason = reason;
  }
}

/** How a command reaches the databases, and the source's Ledger. */
export interface MovePlaces {
  databaseOf(shard: number): Database;
  /** Rejects with an `ExplainedError` if the Ledger refuses the step. */
  step(step: MoveStep, move: Move, leaveBy: number): Promise<void>;
}

/** A mover that dies lets the program go on after this long. */
const frozenForMs = 30_000;
const renewEveryMs = 10_000;

async function withClients<T>(
  { databaseOf }: MovePlaces,
  { from, to }: Pick<Move, "from" | "to">,
  use: (clients: { readonly atHome: Client; readonly source: Client; readonly target: Client }) => Promise<T>,
): Promise<T> {
  const [atHome, source, target] = [home, from, to].map((shard) => {
    const { url, authToken } = databaseOf(shard);
    return createClient({ url, ...(authToken && { authToken }) });
  }) as [Client, Client, Client];
  try {
    return await use({ atHome, source, target });
  } finally {
    for (const client of [atHome, source, target]) client.close();
  }
}

/** Opens a move of a program, or finds the open one. Refuses another target. */
export async function beginMove(places: MovePlaces, programId: number, to: number): Promise<Move> {
  return withClients(places, { from: home, to }, async ({ atHome }) => {
    const [place] = (
      await atHome.execute({ sql: "select shard from program_places where program_id = ?", args: [programId] })
    ).rows;
    if (place === undefined) throw new ExplainedError(`There is no program ${programId}.`);
    const open = await openMove(atHome, programId);
    if (open !== undefined && open.to !== to) {
      throw new ExplainedError(
        `Program ${programId} is being moved to shard ${open.to}. Finish or abandon that first.`,
      );
    }
    if (open !== undefined) return open;
    const from = Number(place.shard);
    if (from === to) throw new ExplainedError(`Program ${programId} is on shard ${to}.`);
    await atHome.execute({
      sql: "insert into program_moves (program_id, from_shard, to_shard, state, started_at) values (?, ?, ?, 'open', ?)",
      args: [programId, from, to, Date.now()],
    });
    const begun = await openMove(atHome, programId);
    if (begun === undefined) throw new ExplainedError("The move was ended by another command.");
    return begun;
  });
}

export async function openMove(atHome: Client, programId: number): Promise<Move | undefined> {
  const { rows } = await atHome.execute({
    sql: "select id, from_shard, to_shard from program_moves where program_id = ? and state = 'open'",
    args: [programId],
  });
  const [row] = rows;
  return row && { programId, moveId: Number(row.id), from: Number(row.from_shard), to: Number(row.to_shard) };
}

/**
 * Moves a program: freezes it, copies and compares its rows, and has its Ledger hand it over. Until it has left, it can be abandoned;
 * from then on its former Ledger finishes alone. May be repeated from the start, whatever it died of.
 */
export async function moveProgram(places: MovePlaces, move: Move): Promise<void> {
  if (await hasLeft(places, move)) return waitUntilDone(places, move);
  await withClients(places, move, ({ target }) => removeLeft(target, move.programId));
  await freeze(places, move);
  const lost: unknown[] = [];
  const renew = () => places.step("renew", move, Date.now() + frozenForMs);
  const renewing = setInterval(() => void renew().catch((error: unknown) => void lost.push(error)), renewEveryMs);
  try {
    await withClients(places, move, async ({ atHome, source, target }) => {
      await prepareIds(atHome, source, target, move);
      await copyProgram(source, target, move);
      await copyBooks(source, target, move);
      await compare(source, target, move);
      if (move.from === home) await enterCodes(atHome, move);
    });
    await renew();
  } finally {
    clearInterval(renewing);
  }
  if (lost.length > 0) throw lost[0];
  await places.step("leave", move, 0);
  await waitUntilDone(places, move);
}

/** What was copied during an earlier freeze lacks what was written after it, and goes. */
async function freeze(places: MovePlaces, move: Move): Promise<void> {
  try {
    await places.step("renew", move, Date.now() + frozenForMs);
  } catch (error) {
    if (!(error instanceof StepRefused) || error.reason !== "expired") throw error;
    await withClients(places, move, async ({ target }) => {
      if (await hasArrived(target, move)) await removeBooks(target, move, "arriving");
    });
    await places.step("freeze", move, Date.now() + frozenForMs);
  }
}

const hasArrived = async (target: Client, { programId, moveId }: Move): Promise<boolean> => {
  const sql = "select 1 from programs where id = ? and place = 'arriving' and move_id = ?";
  return (await target.execute({ sql, args: [programId, moveId] })).rows.length > 0;
};

const hasLeft = (places: MovePlaces, move: Move): Promise<boolean> =>
  withClients(places, move, async ({ source }) => {
    const { rows } = await source.execute({
      sql: "select 1 from programs where id = ? and place = 'left' and move_id = ?",
      args: [move.programId, move.moveId],
    });
    return rows.length > 0;
  });

const pauseMs = 100;
const doneWithinMs = 60_000;

async function waitUntilDone(places: MovePlaces, move: Move): Promise<void> {
  const until = Date.now() + doneWithinMs;
  await withClients(places, move, async ({ atHome, source, target }) => {
    for (;;) {
      const [[open], [unfinished]] = await Promise.all([
        rowsOf(atHome, "select 1 from program_moves where id = ? and state = 'open'", move.moveId),
        rowsOf(source, "select 1 from programs where id = ? and leave_by is not null", move.programId),
      ]);
      if (open === undefined && unfinished === undefined) break;
      if (Date.now() > until)
        throw new ExplainedError("The program has left. Its Ledger finishes the move as soon as it can.");
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    if (move.to === home)
      await target.execute({ sql: "delete from foreign_codes where program_id = ?", args: [move.programId] });
  });
}

const rowsOf = async (client: Client, sql: string, id: number) => (await client.execute({ sql, args: [id] })).rows;

/**
 * A program's ids rise for ever, and no two shards give the same. A target whose own ids are lower goes on in a range that home
 * gives it, from before it has the program's rows.
 */
async function prepareIds(atHome: Client, source: Client, target: Client, { programId, to }: Move): Promise<void> {
  const tables = bookTables.filter(({ name }) => numbered.includes(name));
  const highest = tables.map(({ name, isOfProgram }) => `(select max(t.id) from ${name} t where ${isOfProgram})`);
  const [row] = await rowsOf(
    source,
    `select max(${highest.map((each) => `coalesce(${each}, 0)`).join(", ")}) as id`,
    programId,
  );
  const needed = rangeOf(Number(row?.id ?? 0));
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

/** Tables whose ids integrators see. */
const numbered = [
  ...["program_keys", "notes", "partners", "referral_links", "commission_policies", "audit_entries", "clicks"],
  ...[
    "customers",
    "leads",
    "sales",
    "commissions",
    "refunds",
    "payouts",
    "payout_lines",
    "adjustments",
    "ledger_entries",
  ],
];

const highestOwn = `select max(
  ${numbered.map((name) => `coalesce((select max(t.id) from ${name} t join programs p on p.id = t.program_id and p.place in ('here', 'leaving', 'left')), 0)`).join(",\n  ")},
  coalesce((select max(id_floor) from ledger_writers), 0),
  coalesce((select max(id) from id_floors), 0)
) as id`;

async function compare(source: Client, target: Client, { programId }: Move): Promise<void> {
  const differing = await differences(source, target, programId);
  if (differing.length > 0) {
    throw new ExplainedError(
      `The copy differs from the program in ${differing.join(", ")}. Nothing was changed: abandon the move.`,
    );
  }
  const [here, there] = await Promise.all([source, target].map((client) => auditLedger(client, { programId })));
  if (JSON.stringify(here) !== JSON.stringify(there)) {
    throw new ExplainedError(
      `The audit finds something else in the copy than in the program. Nothing was changed: abandon the move. ${JSON.stringify([here, there])}`,
    );
  }
}

/** Home must know the codes of programs elsewhere before they are. */
async function enterCodes(atHome: Client, { programId }: Move): Promise<void> {
  await atHome.batch(
    [
      {
        sql: `update program_places set (website_url, is_archived) =
          (select website_url, archived_at is not null from programs where id = ?1) where program_id = ?1`,
        args: [programId],
      },
      {
        sql: `insert into foreign_codes (code_key, program_id, destination_url)
          select code_key, program_id, destination_url from referral_links where program_id = ?1 and code_key not like '~%'
          on conflict do update set destination_url = excluded.destination_url`,
        args: [programId],
      },
    ],
    "write",
  );
}

/**
 * Removes the rows of a program that left, but for its own, which says where it went. Their ids are not given again. Returns false if
 * it didn't leave this shard, or has yet to be handed over.
 */
export async function removeLeft(client: Client, programId: number): Promise<boolean> {
  const left = "select move_id from programs where id = ? and place = 'left' and leave_by is null";
  const [row] = await rowsOf(client, left, programId);
  if (row === undefined) return false;
  await client.execute(
    `insert into id_floors (id) select highest.id from (${highestOwn}) highest where highest.id > 0 on conflict do nothing`,
  );
  await removeBooks(client, { programId, moveId: Number(row.move_id) }, "left");
  return true;
}

/** The program stays where it is. Refuses once it has left. */
export async function abandonMove(places: MovePlaces, move: Move): Promise<void> {
  await places.step("abandon", move, 0);
  await withClients(places, move, async ({ atHome, target }) => {
    const arrived = "select 1 from programs where id = ? and place = 'arriving'";
    if ((await rowsOf(target, arrived, move.programId)).length > 0) {
      await removeBooks(target, move, "arriving");
      await target.execute({ sql: "delete from programs where id = ? and place = 'arriving'", args: [move.programId] });
    }
    await atHome.execute({
      sql: "update program_moves set state = 'abandoned', ended_at = ? where id = ? and state = 'open'",
      args: [Date.now(), move.moveId],
    });
  });
}
