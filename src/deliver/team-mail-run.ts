import type { DataKeyRing } from "#domain/data-keys.ts";
import { ivBytes } from "#domain/encrypted-data.ts";
import type { ProgramId, Shard } from "#domain/ids.ts";
import { sealMail } from "#domain/mail/sealed-mail.ts";
import { maxProgramsInMail, teamTasks } from "#domain/mail/team-letter.ts";
import { unsubscribeHeaders, unsubscribeLink, unsubscribeToken } from "#domain/mail/unsubscribe.ts";
import { restAfter } from "#domain/rest.ts";
import {
  endOfTeamMails,
  isOtherWeek,
  mailSettings,
  tasksOfMember,
  tasksToMail,
  teamMailDay,
  teamMailId,
  teamMailsDueAt,
} from "#domain/team-mail.ts";
import { type Database, DatabaseError } from "#store/database.ts";
import type { MailRow } from "#store/mails.ts";
import { writeWithRetry } from "#store/retrying-write.ts";
import type { Statement } from "#store/statement.ts";
import {
  type AskedProgram,
  addTasks,
  mailTasks,
  type PlacedProgram,
  readNextPrograms,
  readTasks,
  readWaitingTasks,
  type WaitingTasks,
} from "#store/team-mail.ts";
import {
  advanceRun,
  beginTeamMails,
  deleteLeftovers,
  endGathering,
  endTeamMails,
  hasLeftovers,
  type RunPosition,
  readTeamMailRun,
  repeatPass,
  type TeamMailRunRow,
} from "#store/team-mail-runs.ts";

/** Limits of a step. */
const maxPrograms = 20;
const maxTasks = 100;
const maxDeleted = 500;
/** Limits of a run. They are low, because due mails wait until the run ends. */
const maxMsPerRun = 1_000;
const maxStepsPerRun = 20;

/**
 * The pause after a step, in multiples of the step's duration. These mails aren't urgent, and must not slow down sales.
 */
const restsPerStep = 20;

const maxPasses = 3;
const pauseMs = 10 * 60_000;

export interface TeamMailParts {
  readonly home: Database;
  databaseOf(shard: Shard): Pick<Database, "read">;
  /** The origin of the service without a trailing slash. */
  readonly origin: string;
  /** Signs the links that stop the mails. */
  readonly secret: string;
  readonly dataKeys: DataKeyRing;
  readonly clock: { now(): number; sleep(ms: number): Promise<unknown> };
}

/**
 * Writes the daily mails to members of workspaces, in small steps. First it reads, at each program's shard, the open
 * tasks about which members may want mails, and stores the tasks for these members. Then it replaces each member's
 * tasks by a mail. The home database stores the position of the reading, and a step of the reading writes only if this
 * position hasn't changed. The id of a mail contains the day and the member. So the work continues after a crash, and
 * writes each mail once.
 */
export class TeamMailRun {
  readonly #parts: TeamMailParts;

  constructor(parts: TeamMailParts) {
    this.#parts = parts;
  }

  /** Does a limited amount of the due work. Returns when to continue (ms). */
  async run(): Promise<number> {
    const { clock, home } = this.#parts;
    const startedAt = clock.now();
    for (let steps = 0; steps < maxStepsPerRun && clock.now() - startedAt < maxMsPerRun; steps += 1) {
      const at = clock.now();
      const run = await readTeamMailRun(home);
      const dueAt = teamMailsDueAt(run, at);
      if (dueAt > at) return dueAt;
      await this.#step(run, at);
      await clock.sleep(restAfter(clock.now() - at, restsPerStep));
    }
    return clock.now();
  }

  async #step(run: TeamMailRunRow | undefined, at: number): Promise<void> {
    const day = teamMailDay(at);
    if (day === undefined) return;
    if (run === undefined || run.day < day) await this.#begin(day, run, at);
    else if (run.gatheredAt === null) await this.#gather(run, at);
    else await this.#mail(run, at);
  }

  /** Deletes what is left of earlier days, then begins the day. */
  async #begin(day: string, last: TeamMailRunRow | undefined, at: number): Promise<void> {
    if (await hasLeftovers(this.#parts.home, day)) return this.#write(deleteLeftovers(day, maxDeleted));
    return this.#write([beginTeamMails({ day, isWeekly: last === undefined || isOtherWeek(last.day, day), at })]);
  }

  async #gather({ day, pass, afterProgramId, missed }: TeamMailRunRow, at: number): Promise<void> {
    const position: RunPosition = { day, pass, afterProgramId };
    const { programs, recipients } = await readNextPrograms(this.#parts.home, {
      after: afterProgramId,
      limit: maxPrograms,
    });
    const last = programs.at(-1);
    if (last === undefined) {
      const isRepeated = missed > 0 && pass < maxPasses;
      const end = isRepeated ? repeatPass({ ...position, resumeAt: at + pauseMs }) : endGathering({ ...position, at });
      return this.#write([end]);
    }
    const byProgram = Map.groupBy(recipients, ({ programId }) => programId);
    const asked = programs.filter(({ programId }) => byProgram.has(programId));
    const { found, unread } = await this.#ask(asked, at);
    const rows = [...found].flatMap(([programId, { name: programName, isArchived, tasks: all, lastPayoutAt }]) => {
      const tasks = isArchived ? [] : tasksToMail(all, { lastPayoutAt, at });
      return (byProgram.get(programId) ?? [])
        .filter((member) => tasksOfMember(tasks, mailSettings(member), true).length > 0)
        .map(({ userId }) => ({ userId, programId, programName, tasks }));
    });
    const next = advanceRun({ ...position, nextProgramId: last.programId, missed: unread });
    return this.#write(rows.length === 0 ? [next] : [addTasks(position, rows), next]);
  }

  /** Reads the tasks of each program, one after the other. If a shard doesn't respond, skips its other programs. */
  async #ask(
    programs: readonly PlacedProgram[],
    at: number,
  ): Promise<{ readonly found: ReadonlyMap<ProgramId, AskedProgram>; readonly unread: number }> {
    const found = new Map<ProgramId, AskedProgram>();
    const away = new Set<Shard>();
    for (const { programId, shard } of programs) {
      if (away.has(shard)) continue;
      try {
        const program = await readTasks(this.#parts.databaseOf(shard), { programId, at });
        if (program !== undefined) found.set(programId, program);
      } catch (error) {
        if (!(error instanceof DatabaseError && error.fault.kind === "statement")) away.add(shard);
        console.error(JSON.stringify({ event: "deliverer.tasks_unread", program_id: programId, error: String(error) }));
      }
    }
    return { found, unread: programs.length - found.size };
  }

  async #mail({ day, isWeekly }: TeamMailRunRow, at: number): Promise<void> {
    const waiting = await readWaitingTasks(this.#parts.home, maxTasks);
    if (waiting.length === 0) return this.#write([endTeamMails({ day, at })]);
    const members = [...Map.groupBy(waiting, ({ userId }) => userId)];
    // If the limit cut the list, it may lack tasks of the last member.
    const whole = waiting.length < maxTasks || members.length === 1 ? members : members.slice(0, -1);
    const written = await Promise.all(
      whole.map(async ([userId, tasks]) =>
        mailTasks({ userId, day }, await this.#mailOf(userId, tasks, { day, isWeekly, at })),
      ),
    );
    return this.#write(written.flat());
  }

  /** Returns the encrypted mail. Undefined if the member wants none today. */
  async #mailOf(
    userId: string,
    waiting: readonly WaitingTasks[],
    { day, isWeekly, at }: { readonly day: string; readonly isWeekly: boolean; readonly at: number },
  ): Promise<MailRow | undefined> {
    const { origin, secret, dataKeys } = this.#parts;
    const wanted = waiting.flatMap(({ programId, programName, member, tasks: all, email }) => {
      const tasks = member === undefined ? [] : tasksOfMember(all, mailSettings(member), isWeekly);
      return tasks.length === 0 ? [] : [{ programId, programName, tasks, email }];
    });
    const [first] = wanted;
    if (first === undefined) return undefined;
    const stopLink = unsubscribeLink(origin, unsubscribeToken(secret, userId));
    const programs = wanted.slice(0, maxProgramsInMail);
    const hasMore = wanted.length > programs.length;
    const letter = teamTasks({ programs, hasMore, origin, unsubscribeLink: stopLink });
    const id = teamMailId(day, userId);
    const mail = { to: first.email, ...letter, headers: unsubscribeHeaders(stopLink), linkUntil: endOfTeamMails(at) };
    const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
    const content = await sealMail(dataKeys, { id, programId: null }, mail, iv);
    const unsent = { attempts: 0, dueAt: at, deliveredAt: null, failedAt: null, createdAt: at };
    return { id, programId: null, template: "team_tasks", content, payoutLineId: null, origin: null, ...unsent };
  }

  async #write(statements: readonly Statement[]): Promise<void> {
    await writeWithRetry(this.#parts.home, statements);
  }
}
