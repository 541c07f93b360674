import type { Client } from "@libsql/client/http";
import type { ProgramId } from "#domain/ids.ts";
import { home, idsPerRange } from "#domain/shard.ts";
import { readBatch } from "#store/database.ts";
import { numberedTableNames } from "#store/fenced-row.ts";
import { programById } from "#store/programs.ts";
import { asksAfterRestore, unacknowledgedRestore } from "#store/restores.ts";
import { ExplainedError } from "../command.ts";
import { openPatiently, withClient } from "../database/client.ts";
import type { Database } from "../database/migrate.ts";
import { compare } from "./compare.ts";
import { copyBooks, copyProgram } from "./copy.ts";
import type { Copied } from "./guarded.ts";
import { Pace, type PaceClock } from "./pace.ts";
import { removeBooks } from "./remove-books.ts";
import { bookTables } from "./tables.ts";

export interface Move extends Copied {
  readonly from: number;
  readonly to: number;
}

export type MoveStep = "freeze" | "abandon" | "leave";

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
  readonly clock: PaceClock;
  /** `frozenForMs`: of `freeze`. Rejects with an `ExplainedError` if the Ledger refuses the step. */
  step(step: MoveStep, move: Move, frozenForMs: number): Promise<void>;
}

const otherCommand = "Another command moves this program, or has ended the move.";

/** A mover that dies lets the program go on after this long. */
const frozenForMs = 30_000;
const renewEveryMs = 10_000;

async function withClients<T>(
  { databaseOf }: MovePlaces,
  { from, to }: Pick<Move, "from" | "to">,
  use: (clients: { readonly atHome: Client; readonly source: Client; readonly target: Client }) => Promise<T>,
): Promise<T> {
  return withClient(databaseOf(home), (atHome) =>
    withClient(databaseOf(from), (source) => withClient(databaseOf(to), (target) => use({ atHome, source, target }))),
  );
}

const rowsOf = async (client: Client, sql: string, id: number) => (await client.execute({ sql, args: [id] })).rows;

const shardSql = "select shard from program_places where program_id = ?";

/** Opens a move of a program, or finds the open one. Refuses another target. */
export async function beginMove({ databaseOf }: MovePlaces, programId: number, to: number): Promise<Move> {
  return withClient(databaseOf(home), async (atHome) => {
    const [place] = await rowsOf(atHome, shardSql, programId);
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
    await refuseUnacknowledged(databaseOf, programId, from, to);
    await atHome.execute({
      sql: `insert into program_moves (program_id, from_shard, to_shard, state, started_at)
        select program_id, shard, ?3, 'open', ?4 from program_places where program_id = ?1 and shard = ?2
        and not exists (select 1 from program_moves where program_id = ?1 and state = 'open')`,
      args: [programId, from, to, Date.now()],
    });
    const begun = await openMove(atHome, programId);
    if (begun === undefined || begun.to !== to) throw new ExplainedError(otherCommand);
    return begun;
  });
}

/** The other shard wouldn't ask: it wasn't restored. */
async function refuseUnacknowledged(
  databaseOf: MovePlaces["databaseOf"],
  programId: number,
  from: number,
  to: number,
): Promise<void> {
  const id = programId as ProgramId;
  const { program, restored } = await readBatch(openPatiently(databaseOf(from)), {
    program: programById({ id }),
    restored: unacknowledgedRestore({ programId: id }),
  });
  if (program === undefined || restored === undefined) return;
  const { asks } = await readBatch(openPatiently(databaseOf(to)), { asks: asksAfterRestore(program) });
  if (asks !== undefined) return;
  throw new ExplainedError(
    `Program ${programId} was restored, and its next payout asks somebody to acknowledge that. Shard ${to} was not ` +
      "restored and wouldn't ask: finalize that payout first, or move the program to a shard that was restored too.",
  );
}

export async function openMove(atHome: Client, programId: number): Promise<Move | undefined> {
  const sql = "select id, from_shard, to_shard from program_moves where program_id = ? and state = 'open'";
  const [row] = await rowsOf(atHome, sql, programId);
  return row && { programId, moveId: Number(row.id), from: Number(row.from_shard), to: Number(row.to_shard) };
}

/**
 * Moves a program: freezes it, copies and compares its rows, and has its Ledger hand it over. Until it has left, it can be abandoned;
 * from then on its former Ledger finishes alone. May be repeated from the start, whatever it died of.
 */
export async function moveProgram(places: MovePlaces, move: Move): Promise<void> {
  if (await hasLeft(places, move)) return waitUntilDone(places, move);
  await withClient(places.databaseOf(move.to), (target) => removeLeft(target, move.programId, places.clock));
  await copyFrozen(places, await freeze(places, move));
}

async function copyFrozen(places: MovePlaces, move: Move): Promise<void> {
  const lost: unknown[] = [];
  const renew = () => places.step("freeze", move, frozenForMs);
  const pace = new Pace(places.clock, { isAwaited: true });
  const renewing = setInterval(() => void renew().catch((error: unknown) => void lost.push(error)), renewEveryMs);
  try {
    await withClients(places, move, async ({ atHome, source, target }) => {
      await prepareIds(atHome, source, target, move);
      await arrive(source, target, move, pace);
      const [from, to] = [openPatiently(places.databaseOf(move.from)), openPatiently(places.databaseOf(move.to))];
      await copyBooks(from, to, move, pace);
      await compare({ programId: move.programId, source: from, target: to }, pace);
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

/** A move freezes its program once: what it has copied lacks what was written after that, so another one takes its place. */
async function freeze(places: MovePlaces, move: Move): Promise<Move> {
  const freezeFor = (each: Move) => places.step("freeze", each, frozenForMs);
  try {
    await freezeFor(move);
    return move;
  } catch (error) {
    if (!(error instanceof StepRefused) || error.reason !== "expired") throw error;
    const anew = await beginAnew(places, move);
    await freezeFor(anew);
    return anew;
  }
}

const beginAnew = ({ databaseOf }: MovePlaces, { programId, moveId, to }: Move): Promise<Move> =>
  withClient(databaseOf(home), async (atHome) => {
    const now = Date.now();
    await atHome.batch(
      [
        {
          sql: "update program_moves set state = 'abandoned', ended_at = ? where id = ? and state = 'open'",
          args: [now, moveId],
        },
        {
          sql: `insert into program_moves (program_id, from_shard, to_shard, state, started_at)
            select m.program_id, m.from_shard, m.to_shard, 'open', ? from program_moves m
            join program_places p on p.program_id = m.program_id and p.shard = m.from_shard
            where m.id = ? and changes() = 1`,
          args: [now, moveId],
        },
      ],
      "write",
    );
    const open = await openMove(atHome, programId);
    if (open === undefined || open.to !== to) throw new ExplainedError(otherCommand);
    return open;
  });

/** Takes the target for this move, without the rows of an earlier one. */
async function arrive(source: Client, target: Client, move: Move, pace: Pace): Promise<void> {
  const { programId, moveId } = move;
  const [earlier] = await rowsOf(target, "select move_id from programs where id = ? and place = 'arriving'", programId);
  const earlierId = Number(earlier?.move_id ?? 0);
  if (earlierId === moveId) return;
  if (earlierId > moveId) throw new ExplainedError(otherCommand);
  if (earlier !== undefined) await removeBooks(target, { programId, moveId: earlierId }, "arriving", pace);
  await copyProgram(source, target, move);
}

const hasLeft = ({ databaseOf }: MovePlaces, { programId, moveId, from }: Move): Promise<boolean> =>
  withClient(databaseOf(from), async (source) => {
    const [left] = await rowsOf(source, "select move_id from programs where id = ? and place = 'left'", programId);
    return left !== undefined && Number(left.move_id) === moveId;
  });

const pauseMs = 100;
const doneWithinMs = 60_000;

async function waitUntilDone(places: MovePlaces, move: Move): Promise<void> {
  const until = Date.now() + doneWithinMs;
  await withClients(places, move, async ({ atHome, source }) => {
    for (;;) {
      const [unfinished] = await rowsOf(
        source,
        "select 1 from programs where id = ? and leave_by is not null",
        move.programId,
      );
      const [open] = await rowsOf(atHome, "select 1 from program_moves where id = ? and state = 'open'", move.moveId);
      if (unfinished === undefined && open === undefined) break;
      if (unfinished === undefined) {
        throw new ExplainedError(
          "The program has moved, and home was restored to before that: npm run tributary -- shards check --repair",
        );
      }
      if (Date.now() > until)
        throw new ExplainedError("The program has left. Its Ledger finishes the move as soon as it can.");
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
}

/**
 * A program's ids rise for ever, and no two shards give the same. A target whose own ids are lower goes on in a range that home
 * gives it, from before it has the program's rows.
 */
async function prepareIds(atHome: Client, source: Client, target: Client, { programId, to }: Move): Promise<void> {
  const highest = bookTables.flatMap(({ name, isOfProgram }) =>
    (numbersOf[name] ?? []).map(
      (column) => `coalesce((select max(t.${column}) from ${name} t where ${isOfProgram}), 0)`,
    ),
  );
  const [row] = await rowsOf(source, `select max(${highest.join(", ")}) as id`, programId);
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

/** What a program has of the ids and numbers that its shard gives. */
const numbersOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    [...numberedTableNames, "payment_details"].filter((name) => name !== "programs").map((name) => [name, ["id"]]),
  ),
  commissions: ["id", "payable_number", "reversed_number"],
  payouts: ["id", "cut", "finalized_number", "canceled_number"],
};

/** The highest that this database's own shard, or one of a program that came, has given. */
const highestOwn = `select max(
  ${Object.keys(numbersOf)
    .map((name) => {
      const isArriving = "exists (select 1 from programs p where p.id = t.program_id and p.place = 'arriving')";
      return `coalesce((select t.id from ${name} t where not ${isArriving} order by t.id desc limit 1), 0)`;
    })
    .join(",\n  ")},
  coalesce((select max(max(id_floor, number)) from ledger_writers), 0),
  coalesce((select max(id) from id_floors), 0)
) as id`;

/** Home must know the codes of programs elsewhere before they are. */
async function enterCodes(atHome: Client, { programId }: Move): Promise<void> {
  await atHome.batch(
    [
      {
        sql: `update program_places set (website_url, is_archived) =
          (select website_url, archived_at is not null from programs where id = ?1) where program_id = ?1`,
        args: [programId],
      },
      { sql: "delete from foreign_codes where program_id = ?", args: [programId] },
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
export async function removeLeft(client: Client, programId: number, clock: PaceClock): Promise<boolean> {
  const left = "select move_id from programs where id = ? and place = 'left' and leave_by is null";
  const [row] = await rowsOf(client, left, programId);
  if (row === undefined) return false;
  await client.execute(
    `insert into id_floors (id) select highest.id from (${highestOwn}) highest where highest.id > 0 on conflict do nothing`,
  );
  const pace = new Pace(clock, { isAwaited: false });
  await removeBooks(client, { programId, moveId: Number(row.move_id) }, "left", pace);
  return true;
}

/** By another move, although this one is open. */
const hasMovedOn = ({ databaseOf }: MovePlaces, { programId, from }: Move): Promise<boolean> =>
  withClient(databaseOf(home), async (atHome) => {
    const [place] = await rowsOf(atHome, shardSql, programId);
    return place !== undefined && Number(place.shard) !== from;
  });

/** The program stays where it is. Refuses once it has left. */
export async function abandonMove(places: MovePlaces, move: Move): Promise<void> {
  if (!(await hasMovedOn(places, move))) await places.step("abandon", move, 0);
  await withClients(places, move, async ({ atHome, target }) => {
    const [arrived] = await rowsOf(
      target,
      "select move_id from programs where id = ? and place = 'arriving'",
      move.programId,
    );
    if (arrived !== undefined && Number(arrived.move_id) <= move.moveId) {
      const moveId = Number(arrived.move_id);
      await removeBooks(
        target,
        { programId: move.programId, moveId },
        "arriving",
        new Pace(places.clock, { isAwaited: false }),
      );
      // The program may have been here before: the row tells callers where it is.
      await target.execute({
        sql: "update programs set place = 'left' where id = ? and place = 'arriving' and move_id = ?",
        args: [move.programId, moveId],
      });
    }
    await atHome.execute({
      sql: "update program_moves set state = 'abandoned', ended_at = ? where id = ? and state = 'open'",
      args: [Date.now(), move.moveId],
    });
  });
}
