import type { Client } from "@libsql/client/http";
import type { ProgramId } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { readBatch } from "#store/database.ts";
import { programById } from "#store/programs.ts";
import { asksAfterRestore, unacknowledgedRestore } from "#store/restores.ts";
import { ExplainedError } from "../command.ts";
import { openPatiently, withClient } from "../database/client.ts";
import type { Database } from "../database/migrate.ts";
import { arrive, type Clients, keepIds, type Move } from "./arrive.ts";
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

const rowsOf = async (client: Client, sql: string, id: number) => (await client.execute({ sql, args: [id] })).rows;

const shardSql = "select shard from program_places where program_id = ?";

export interface BegunMove extends Move {
  /** No other command knows its number. */
  readonly isNew: boolean;
}

/** Opens a move of a program, or finds the open one. Refuses another target. */
export async function beginMove({ databaseOf }: MovePlaces, programId: number, to: number): Promise<BegunMove> {
  return withClient(databaseOf(home), async (atHome) => {
    const [place] = await rowsOf(atHome, shardSql, programId);
    if (place === undefined) throw new ExplainedError(`There is no program ${programId}.`);
    const open = await openMove(atHome, programId);
    if (open !== undefined && open.to !== to) {
      throw new ExplainedError(
        `Program ${programId} is being moved to shard ${open.to}. Finish or abandon that first.`,
      );
    }
    if (open !== undefined) return { ...open, isNew: false };
    const from = Number(place.shard);
    if (from === to) throw new ExplainedError(`Program ${programId} is on shard ${to}.`);
    await refuseUnacknowledged(databaseOf, programId, from, to);
    const { rowsAffected } = await atHome.execute({
      sql: `insert into program_moves (program_id, from_shard, to_shard, state, started_at)
        select program_id, shard, ?3, 'open', ?4 from program_places where program_id = ?1 and shard = ?2
        and not exists (select 1 from program_moves where program_id = ?1 and state = 'open')`,
      args: [programId, from, to, Date.now()],
    });
    const begun = await openMove(atHome, programId);
    if (begun === undefined || begun.to !== to) throw new ExplainedError(otherCommand);
    return { ...begun, isNew: rowsAffected === 1 };
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
export async function moveProgram(places: MovePlaces, move: BegunMove): Promise<number | undefined> {
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
async function copyAhead(places: MovePlaces, move: BegunMove): Promise<Move> {
  const ahead = move.isNew ? move : await supersede(places, move);
  await withClients(places, ahead, (clients) => arrive(clients, ahead));
  await copyBooks(copyingOf(places, ahead), places.clock);
  return renumber(places, ahead);
}

/** Another command may be about to freeze the program: a Ledger that has seen a higher number refuses that. */
async function supersede(places: MovePlaces, move: Move): Promise<Move> {
  const newer = await renumber(places, move);
  await places.step("freeze", newer, frozenForMs);
  await places.step("abandon", newer, 0);
  return newer;
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
      await copyRest(copyingOf(places, move), new Pace(places.clock, { isAwaited: true }));
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
    const anew = await renumber(places, move);
    await freezeFor(anew);
    return anew;
  }
}

/** Whoever writes to the target by the former number is refused as soon as the program arrives by the new one. */
const renumber = ({ databaseOf }: MovePlaces, move: Move): Promise<Move> =>
  withClient(databaseOf(home), async (atHome) => {
    const sql = `update program_moves set id = (select max(id) + 1 from program_moves)
      where id = ? and state = 'open' returning id`;
    const [row] = await rowsOf(atHome, sql, move.moveId);
    if (row === undefined) throw new ExplainedError(otherCommand);
    return { ...move, moveId: Number(row.id) };
  });

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
