import type { Client } from "@libsql/client/http";
import type { ProgramId } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { readBatch } from "#store/database.ts";
import { programById } from "#store/programs.ts";
import { asksAfterRestore, programThatStillAsks } from "#store/restores.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { openPatiently, withClient } from "../database/client.ts";
import type { Database } from "../database/migrate.ts";
import { arrive, type Clients, copyProgram, type Move } from "./arrive.ts";
import { compareBooks } from "./compare.ts";
import { copyBooks } from "./copy.ts";
import { failUnless, guarded } from "./guarded.ts";
import { removeBooks } from "./remove-books.ts";
import { countRows } from "./shapes.ts";

export type { Move };

export type MoveStep = "freeze" | "abandon" | "leave";

/** Thrown if the source's Ledger has refused the step. Contains the Ledger's reason. */
export class StepRefused extends ExplainedError {
  readonly reason: string;

  constructor(step: MoveStep, reason: string) {
    super(`The Ledger refuses to ${step}: ${reason}.`);
    this.reason = reason;
  }
}

/** Gives a command access to the databases and to the source's Ledger. */
export interface MovePlaces {
  databaseOf(shard: number): Database;
  /**
   * Sends a step to the source's Ledger. Only `freeze` uses `frozenForMs`. Rejects with an `ExplainedError` if the
   * Ledger refuses the step.
   */
  step(step: MoveStep, move: Move, frozenForMs: number): Promise<void>;
}

const otherCommand = "Another command moves this program, or has ended the move.";

/** A freeze ends after this time (ms) unless it is renewed. So a killed command doesn't stop the program for long. */
const frozenForMs = 30_000;
const renewEveryMs = 10_000;

async function withClients<T>(
  { databaseOf }: MovePlaces,
  { from, to }: Pick<Move, "from" | "to">,
  use: (clients: Clients) => Promise<T>,
): Promise<T> {
  return withClient(databaseOf(home), (atHome) =>
    withClient(databaseOf(from), (source) => withClient(databaseOf(to), (target) => use({ atHome, source, target }))),
  );
}

export const rowsOf = async (client: Client, sql: string, ...args: readonly number[]) =>
  (await client.execute({ sql, args: [...args] })).rows;

export const shardSql = "select shard from program_places where program_id = ?";

/**
 * The size of a migration. `rows` counts those on both shards, because the target's rows are removed first.
 * `roundTripMs` is the time of a round trip to the farther database.
 */
interface Extent {
  readonly rows: number;
  readonly roundTripMs: number;
}

/** Asks whether to migrate a program. Rejects if the program should stay. */
export type Agree = (extent: Extent) => Promise<void>;

/** Begins a migration of a program, or returns the open one. Throws if the open one has another target. */
export async function beginMove(
  places: MovePlaces,
  programId: number,
  to: number,
  agree: Agree = async () => {},
): Promise<Move> {
  const { databaseOf } = places;
  return withClient(databaseOf(home), async (atHome) => {
    const [place] = await rowsOf(atHome, shardSql, programId);
    if (place === undefined) throw new ExplainedError(`There is no program ${programId}.`);
    const open = await openMove(atHome, programId);
    if (open !== undefined && open.to !== to) {
      throw new ExplainedError(
        `Program ${programId} is being moved to shard ${open.to}. Finish or abandon that first.`,
      );
    }
    if (open !== undefined && (await hasLeft(places, open))) return open;
    const from = open?.from ?? Number(place.shard);
    if (from === to) throw new ExplainedError(`Program ${programId} is on shard ${to}.`);
    await refuseUnacknowledged(databaseOf, programId, from, to);
    await agree(await extentOf(places, { programId, from, to }));
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

async function extentOf({ databaseOf }: MovePlaces, { programId, from, to }: Omit<Move, "moveId">): Promise<Extent> {
  const databases = [from, to].map((shard) => openPatiently(databaseOf(shard)));
  const counts = await Promise.all(databases.map((database) => countRows(database, programId)));
  const tookMs: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const startedAt = performance.now();
    await Promise.all(databases.map((database) => database.read([{ sql: "select 1", args: [] }])));
    tookMs.push(performance.now() - startedAt);
  }
  return { rows: counts.flat().reduce((sum, count) => sum + count, 0), roundTripMs: Math.min(...tookMs) };
}

/**
 * Refuses a migration if a payout on the source still requires someone to acknowledge a restore. The target wasn't
 * restored, so the payout wouldn't require the acknowledgment there.
 */
async function refuseUnacknowledged(
  databaseOf: MovePlaces["databaseOf"],
  programId: number,
  from: number,
  to: number,
): Promise<void> {
  const id = programId as ProgramId;
  const { program, asking } = await readBatch(openPatiently(databaseOf(from)), {
    program: programById({ id }),
    asking: programThatStillAsks({ programId: id }),
  });
  if (program === undefined || asking === undefined) return;
  const { asks } = await readBatch(openPatiently(databaseOf(to)), { asks: asksAfterRestore(program) });
  if (asks !== undefined && (asks.restoredAt ?? 0) > (asking.lastFinalizedAt ?? 0)) return;
  throw new ExplainedError(
    `Program ${programId} was restored, and its next payout, or one that was final, asks somebody to acknowledge that. ` +
      `Shard ${to} was not restored and wouldn't ask: finalize the next payout, and confirm, cancel or download each final one, ` +
      "first, or move the program to a shard that was restored too.",
  );
}

export async function openMove(atHome: Client, programId: number): Promise<Move | undefined> {
  const sql = "select id, from_shard, to_shard from program_moves where program_id = ? and state = 'open'";
  const [row] = await rowsOf(atHome, sql, programId);
  return row && { programId, moveId: Number(row.id), from: Number(row.from_shard), to: Number(row.to_shard) };
}

/**
 * Migrates a program: freezes it, copies its rows, compares them, and has its Ledger hand it over. The migration can be
 * abandoned until the program has left. After that, the program's former Ledger finishes the migration alone. May be
 * repeated from the start after any failure. Returns how long the program was frozen (ms), if this call froze it.
 */
export async function moveProgram(places: MovePlaces, open: Move): Promise<number | undefined> {
  if (await hasLeft(places, open)) {
    await waitUntilDone(places, open);
    return undefined;
  }
  const begunAt = performance.now();
  const move = await freeze(places, open);
  try {
    await copyFrozen(places, move);
  } catch (error) {
    // The Ledger refuses this step if the program has left, or if another command has frozen the program.
    await places.step("abandon", move, 0).catch(() => {});
    throw error;
  }
  const tookMs = performance.now() - begunAt;
  await waitUntilDone(places, move);
  return tookMs;
}

/** Freezes the program under a new migration number, so that no command that froze it earlier can continue. */
const freeze = (places: MovePlaces, move: Move): Promise<Move> =>
  renumber(places, move, (each) => places.step("freeze", each, frozenForMs));

async function copyFrozen(places: MovePlaces, move: Move): Promise<void> {
  const renew = () => places.step("freeze", move, frozenForMs);
  // If every renewal fails, the Ledger refuses the last step.
  const renewing = setInterval(() => void renew().catch(() => {}), renewEveryMs);
  const { databaseOf } = places;
  try {
    const copying = {
      copied: move,
      source: openPatiently(databaseOf(move.from)),
      target: openPatiently(databaseOf(move.to)),
    };
    await withClients(places, move, async (clients) => {
      await arrive(clients, move);
      await removeBooks(clients.target, move, "arriving");
      await copyBooks(copying);
      await compareBooks(copying);
      if (move.from === home) await enterCodes(clients.atHome, move);
    });
    await renew();
  } finally {
    clearInterval(renewing);
  }
  await leave(places, move);
}

async function leave(places: MovePlaces, move: Move): Promise<void> {
  try {
    await places.step("leave", move, 0);
  } catch (error) {
    if (!(error instanceof StepRefused) || error.reason !== "not_arrived") throw error;
    throw new ExplainedError(
      `Program ${move.programId} stays on shard ${move.from}: the service has no shard ${move.to}, or another database for it. ` +
        "Deploy, or start the service, with the database that this command has, and run the command again.",
    );
  }
}

/** Returns a number above all that any of the databases has for a migration of the program. */
const nextNumber = (places: MovePlaces, move: Move): Promise<number> =>
  withClients(places, move, async ({ atHome, source, target }) => {
    const inRow = "select move_id as id from programs where id = ?";
    const inDirectory = `select max(coalesce(max(m.id), 0), coalesce((select move_id from program_places where program_id = ?), 0)) as id
      from program_moves m`;
    const found = await Promise.all([
      rowsOf(atHome, inDirectory, move.programId),
      rowsOf(source, inRow, move.programId),
      rowsOf(target, inRow, move.programId),
    ]);
    return Math.max(...found.map(([row]) => Number(row?.id ?? 0))) + 1;
  });

/**
 * Gives the open migration another number. `hear` first sends the number to the program's Ledger, which from then on
 * refuses steps with a lower number. Throws if the program has left.
 */
async function renumber(places: MovePlaces, move: Move, hear: (renumbered: Move) => Promise<void>): Promise<Move> {
  for (;;) {
    const moveId = await nextNumber(places, move);
    await hear({ ...move, moveId });
    const isTaken = await withClient(places.databaseOf(home), async (atHome) => {
      const sql =
        "update or ignore program_moves set id = ?1 where program_id = ?2 and to_shard = ?3 and state = 'open' and id < ?1";
      const { rowsAffected } = await atHome.execute({ sql, args: [moveId, move.programId, move.to] });
      if (rowsAffected === 1) return true;
      const open = await openMove(atHome, move.programId);
      if (open === undefined || open.to !== move.to || open.moveId >= moveId) throw new ExplainedError(otherCommand);
      // Another program's migration has just used the number.
      return false;
    });
    if (isTaken) return { ...move, moveId };
  }
}

const hasLeft = ({ databaseOf }: MovePlaces, { programId, moveId, from }: Move): Promise<boolean> =>
  withClient(databaseOf(from), async (source) => {
    const sql = "select 1 from programs where id = ? and place = 'left' and move_id = ?";
    return (await rowsOf(source, sql, programId, moveId)).length > 0;
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
          `The program has moved, and home was restored to before that: ${operatorCommand} shards check --repair`,
        );
      }
      if (Date.now() > until)
        throw new ExplainedError("The program has left. Its Ledger finishes the move as soon as it can.");
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
}

/** Inserts the program's codes into the home database, which needs them before the program is on another shard. */
async function enterCodes(atHome: Client, { programId, moveId }: Move): Promise<void> {
  const written = atHome.batch(
    [
      failUnless("exists (select 1 from program_moves where id = ? and state = 'open')", [moveId]),
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
  await guarded(written);
}

const shardOf = ({ databaseOf }: MovePlaces, programId: number): Promise<number | undefined> =>
  withClient(databaseOf(home), async (atHome) => {
    const [place] = await rowsOf(atHome, shardSql, programId);
    return place && Number(place.shard);
  });

/** Abandons a migration, so that the program stays on its shard. Throws once the program has left. */
export async function abandonMove(places: MovePlaces, move: Move): Promise<void> {
  const shard = await shardOf(places, move.programId);
  const isHere = shard === undefined || shard === move.from;
  const ended = isHere ? await giveUp(places, move) : move;
  // If another migration has brought the program to the target although this one is still open, the target keeps the
  // program's rows.
  if (shard !== move.to) await withClient(places.databaseOf(move.to), (target) => removeArrived(target, ended));
  await withClient(places.databaseOf(home), (atHome) =>
    atHome.execute({
      sql: "update program_moves set state = 'abandoned', ended_at = ? where id = ? and state = 'open'",
      args: [Date.now(), ended.moveId],
    }),
  );
}

/** Closes a migration. Calls that another command still sends with a former number are then refused. */
async function giveUp(places: MovePlaces, move: Move): Promise<Move> {
  const given = await renumber(places, move, (each) => places.step("abandon", each, 0));
  await withClients(places, given, ({ source, target }) => copyProgram(source, target, given));
  return given;
}

async function removeArrived(target: Client, { programId, moveId }: Move): Promise<void> {
  const [arrived] = await rowsOf(
    target,
    "select move_id from programs where id = ?1 and place = 'arriving' and move_id <= ?2",
    programId,
    moveId,
  );
  if (arrived === undefined) return;
  const arrivedBy = Number(arrived.move_id);
  await removeBooks(target, { programId, moveId: arrivedBy }, "arriving");
  // This row tells callers which shard has the program.
  await target.execute({
    sql: "update programs set place = 'left' where id = ? and place = 'arriving' and move_id = ?",
    args: [programId, arrivedBy],
  });
}
