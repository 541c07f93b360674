import type { Client } from "@libsql/client/http";
import type { ProgramId } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { readBatch } from "#store/database.ts";
import { programById } from "#store/programs.ts";
import { asksAfterRestore, unacknowledgedRestore } from "#store/restores.ts";
import { ExplainedError } from "../command.ts";
import { openPatiently, withClient } from "../database/client.ts";
import type { Database } from "../database/migrate.ts";
import { arrive, type Clients, copyProgram, keepIds, type Move } from "./arrive.ts";
import { type Copying, copyBooks, copyRest } from "./copy-books.ts";
import { Pace, type PaceClock } from "./pace.ts";
import { removeBooks } from "./remove-books.ts";

export type { Move };

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
  use: (clients: Clients) => Promise<T>,
): Promise<T> {
  return withClient(databaseOf(home), (atHome) =>
    withClient(databaseOf(from), (source) => withClient(databaseOf(to), (target) => use({ atHome, source, target }))),
  );
}

const rowsOf = async (client: Client, sql: string, ...args: readonly number[]) =>
  (await client.execute({ sql, args: [...args] })).rows;

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
 * Moves a program: copies its rows while it goes on, freezes it, copies what has changed, and has its Ledger hand it over. Until it has
 * left, it can be abandoned; from then on its former Ledger finishes alone. May be repeated from the start, whatever it died of.
 * Returns how long the program was frozen (ms), if that began here.
 */
export async function moveProgram(places: MovePlaces, move: Move): Promise<number | undefined> {
  const state = await stateBy(places, move);
  if (state === "left") {
    await waitUntilDone(places, move);
    return undefined;
  }
  const copied = state === "leaving" ? move : await copyAhead(places, move);
  const begunAt = places.clock.now();
  const frozen = await freeze(places, copied);
  await copyFrozen(places, frozen);
  const tookMs = places.clock.now() - begunAt;
  await waitUntilDone(places, frozen);
  return state === "leaving" ? undefined : tookMs;
}

/** By the number that it returns the program can be frozen: nothing that was read before can be written by it. */
async function copyAhead(places: MovePlaces, move: Move): Promise<Move> {
  // No other command can freeze the program from here on, or go on with this move.
  const ahead = await renumber(places, move, { isHeard: true });
  await withClients(places, ahead, (clients) => arrive(clients, ahead));
  await copyBooks(copyingOf(places, ahead), places.clock);
  return renumber(places, ahead, { isHeard: false });
}

const copyingOf = ({ databaseOf }: MovePlaces, move: Move): Copying => ({
  programId: move.programId,
  source: openPatiently(databaseOf(move.from)),
  target: openPatiently(databaseOf(move.to)),
  copied: move,
});

async function copyFrozen(places: MovePlaces, move: Move): Promise<void> {
  const lost: unknown[] = [];
  const renew = () => places.step("freeze", move, frozenForMs);
  const renewing = setInterval(() => void renew().catch((error: unknown) => void lost.push(error)), renewEveryMs);
  try {
    await withClients(places, move, async (clients) => {
      await arrive(clients, move);
      const pace = new Pace(places.clock, { isAwaited: true });
      await copyRest(copyingOf(places, move), pace, () => removeBooks(clients.target, move, "arriving", pace));
      if (move.from === home) await enterCodes(clients.atHome, move);
    });
    await renew();
  } finally {
    clearInterval(renewing);
  }
  if (lost.length > 0) throw lost[0];
  await places.step("leave", move, 0);
}

/** A move freezes its program once: after that, it takes another number. */
async function freeze(places: MovePlaces, move: Move): Promise<Move> {
  const freezeFor = (each: Move) => places.step("freeze", each, frozenForMs);
  try {
    await freezeFor(move);
    return move;
  } catch (error) {
    if (!(error instanceof StepRefused) || error.reason !== "expired") throw error;
    const anew = await renumber(places, move, { isHeard: false });
    await freezeFor(anew);
    return anew;
  }
}

/** Above all that any of the databases knows of the program. */
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
 * Gives the open move another number. Whoever writes to the target by the former one is refused as soon as the program arrives by the new
 * one. `isHeard`: its Ledger hears the number too, and lets no lower one freeze the program. It refuses if one has.
 */
async function renumber(places: MovePlaces, move: Move, { isHeard }: { readonly isHeard: boolean }): Promise<Move> {
  for (;;) {
    const renumbered = { ...move, moveId: await nextNumber(places, move) };
    if (isHeard) await places.step("abandon", renumbered, 0);
    const open = await withClient(places.databaseOf(home), async (atHome) => {
      // Another program's move may have just taken the number.
      const sql = "update or ignore program_moves set id = ?2 where id = ?1 and state = 'open'";
      await atHome.execute({ sql, args: [move.moveId, renumbered.moveId] });
      return openMove(atHome, move.programId);
    });
    if (open?.moveId === renumbered.moveId) return renumbered;
    if (open?.moveId !== move.moveId) throw new ExplainedError(otherCommand);
  }
}

/** Whether the program is frozen, or has left, by this move. */
const stateBy = (
  { databaseOf }: MovePlaces,
  { programId, moveId, from }: Move,
): Promise<"leaving" | "left" | undefined> =>
  withClient(databaseOf(from), async (source) => {
    const sql = "select place, move_id from programs where id = ? and place in ('leaving', 'left')";
    const [row] = await rowsOf(source, sql, programId);
    if (row === undefined || Number(row.move_id) !== moveId) return undefined;
    return row.place === "left" ? "left" : "leaving";
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
  await keepIds(client);
  const pace = new Pace(clock, { isAwaited: false });
  await removeBooks(client, { programId, moveId: Number(row.move_id) }, "left", pace);
  return true;
}

const shardOf = ({ databaseOf }: MovePlaces, programId: number): Promise<number | undefined> =>
  withClient(databaseOf(home), async (atHome) => {
    const [place] = await rowsOf(atHome, shardSql, programId);
    return place && Number(place.shard);
  });

/** The program stays where it is. Refuses once it has left. */
export async function abandonMove(places: MovePlaces, move: Move): Promise<void> {
  const shard = await shardOf(places, move.programId);
  const isHere = shard === undefined || shard === move.from;
  const ended = isHere ? await giveUp(places, move) : move;
  // Where it is by another move, although this one is open, its books stay.
  if (shard !== move.to) await withClient(places.databaseOf(move.to), (target) => removeArrived(places, target, ended));
  await withClient(places.databaseOf(home), (atHome) =>
    atHome.execute({
      sql: "update program_moves set state = 'abandoned', ended_at = ? where id = ? and state = 'open'",
      args: [Date.now(), ended.moveId],
    }),
  );
}

/** What another command still sends by a former number is refused from here on. */
async function giveUp(places: MovePlaces, move: Move): Promise<Move> {
  if ((await stateBy(places, move)) === "leaving") await places.step("abandon", move, 0);
  const given = await renumber(places, move, { isHeard: true });
  await withClients(places, given, ({ source, target }) => copyProgram(source, target, given));
  return given;
}

async function removeArrived({ clock }: MovePlaces, target: Client, { programId, moveId }: Move): Promise<void> {
  const [arrived] = await rowsOf(
    target,
    "select move_id from programs where id = ?1 and place = 'arriving' and move_id <= ?2",
    programId,
    moveId,
  );
  if (arrived === undefined) return;
  const arrivedBy = Number(arrived.move_id);
  await removeBooks(target, { programId, moveId: arrivedBy }, "arriving", new Pace(clock, { isAwaited: false }));
  // The row tells callers where the program is.
  await target.execute({
    sql: "update programs set place = 'left' where id = ? and place = 'arriving' and move_id = ?",
    args: [programId, arrivedBy],
  });
}
