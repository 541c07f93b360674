import type { DataKeyRing } from "#domain/data-keys.ts";
import { lineFailed, payoutPaid, statement } from "#domain/mail/letters.ts";
import { type Letter, type LineTemplate, mailsKeptMs } from "#domain/mail/mail.ts";
import { openMail, type WrittenMail } from "#domain/mail/sealed-mail.ts";
import type { MailHook } from "#env.ts";
import { firstWithEmail, readVerifiedEmails } from "#store/accounts/names.ts";
import type { Database } from "#store/database.ts";
import { type LineMailRow, type MailOutcome, readDueMails, readMailsAhead, type SealedMailRow } from "#store/mails.ts";
import { attempt } from "./attempt.ts";
import { nextAttemptAt } from "./schedule.ts";
import { signedHeaders } from "./signature.ts";

/**
 * Limit for each of three kinds of mail. With two at a time and at most 20 seconds each, a run takes up to ten minutes.
 */
const maxPerRun = 20;
const maxOpen = 2;
const pauseMs = 5_000;

export interface MailRunParts {
  readonly database: Database;
  readonly home: Database;
  /** Without a mail hook, no mail is sent, and rows only expire. */
  readonly hook: MailHook | undefined;
  readonly dataKeys: DataKeyRing;
  /** `random` returns a number from 0 to 1. */
  readonly clock: { now(): number; random(): number };
  settle(outcomes: readonly MailOutcome[]): Promise<void>;
  /** Deletes a limited number of mails written before this instant (ms). */
  deleteOld(before: number): Promise<void>;
}

interface Prepared extends Pick<SealedMailRow, "id" | "template" | "attempts"> {
  /**
   * Null if there is no recipient. Undefined if the mail can't be read now, because its data key is missing or the home
   * database is unavailable.
   */
  readonly mail: WrittenMail | null | undefined;
}

/** Sends a limited number of due mails. Mails for which a person is waiting come first. */
export class MailRun {
  readonly #parts: MailRunParts;
  #outcomes: MailOutcome[] = [];
  #settling: Promise<void> | undefined;
  #fault: unknown;

  constructor(parts: MailRunParts) {
    this.#parts = parts;
  }

  /** Returns when the next mail is due, or old mails are to be deleted (ms). Undefined if there is none. */
  async run(): Promise<number | undefined> {
    const { hook } = this.#parts;
    if (hook !== undefined) await this.#sendDue(hook);
    return this.#nextAt();
  }

  async #sendDue(hook: MailHook): Promise<void> {
    const { database, clock } = this.#parts;
    const { sealed, toTeams, ofLines } = await readDueMails(database, { at: clock.now(), limit: maxPerRun });
    const opened = await Promise.all([...sealed, ...toTeams].map((row) => this.#opened(row)));
    const due = [...opened, ...(await this.#composed(ofLines))].values();
    await Promise.all(Array.from({ length: maxOpen }, () => this.#sendEach(due, hook)));
    await this.#settling;
    if (this.#fault !== undefined) throw this.#fault;
  }

  async #nextAt(): Promise<number | undefined> {
    const { database, hook, clock, deleteOld } = this.#parts;
    const { dueAt = Number.POSITIVE_INFINITY, oldestAt = Number.POSITIVE_INFINITY } = await readMailsAhead(database);
    const old = oldestAt + mailsKeptMs;
    if (old <= clock.now()) await deleteOld(clock.now() - mailsKeptMs);
    const next = Math.min(hook === undefined ? old : dueAt, Math.max(old, clock.now() + pauseMs));
    return Number.isFinite(next) ? next : undefined;
  }

  async #opened({ content, ...row }: SealedMailRow): Promise<Prepared> {
    const mail = await openMail(this.#parts.dataKeys, row, content);
    if (mail === undefined) console.error(JSON.stringify({ event: "deliverer.mail_unreadable", id: row.id }));
    return { ...row, mail };
  }

  /**
   * If the partner has no address, the mail goes to the earliest account with access that has verified its own address.
   */
  async #composed(rows: readonly LineMailRow[]): Promise<readonly Prepared[]> {
    const accounts = rows.flatMap((row) => (row.to === null ? row.accounts : []));
    const emails = await readVerifiedEmails(this.#parts.home, accounts).catch((error: unknown): undefined => {
      console.error(JSON.stringify({ event: "deliverer.accounts_unread", error: String(error) }));
    });
    return rows.map(({ id, template, attempts, accounts: ids, to: own, ...line }) => {
      const unsent = { id, template, attempts };
      if (own === null && emails === undefined) return { ...unsent, mail: undefined };
      const to = own ?? (emails && firstWithEmail(emails, ids)?.to);
      return {
        ...unsent,
        mail: to === undefined ? null : { to, ...letterOfLine(template, { ...line, hasAccount: ids.length > 0 }) },
      };
    });
  }

  /** The concurrent loops share one iterator, so that each mail is sent once. */
  async #sendEach(due: Iterable<Prepared>, hook: MailHook): Promise<void> {
    for (const each of due) {
      if (this.#fault !== undefined) return;
      const outcome = await this.#send(each, hook);
      this.#outcomes.push(outcome);
      // If attempts end while outcomes are being stored, the next write stores the outcomes of these attempts together.
      this.#settling ??= this.#settleAll();
    }
  }

  async #send({ id, template, attempts: before, mail }: Prepared, hook: MailHook): Promise<MailOutcome> {
    const { clock } = this.#parts;
    const outcome = { id, attempts: before + 1, dueAt: null, deliveredAt: null, failedAt: null };
    const { linkUntil = Number.POSITIVE_INFINITY, ...content } = mail ?? {};
    if (mail === null || clock.now() >= linkUntil) return { ...outcome, failedAt: clock.now() };
    let retryAfterMs: number | undefined;
    if (mail !== undefined) {
      const message = { id: `mail_${id}`, body: JSON.stringify({ template, ...content }) };
      const headers = await signedHeaders(message, [hook.secret], clock.now());
      const made = await attempt(hook, { ...message, headers }, clock);
      if (made.isDelivered) return { ...outcome, deliveredAt: clock.now() };
      // Logs only the status, because the response may repeat the mail's content.
      const { status, response, isFinal } = made;
      const error = status === undefined ? response : undefined;
      console.warn(JSON.stringify({ event: "deliverer.mail_refused", id, template, status, error }));
      if (isFinal) return { ...outcome, failedAt: clock.now() };
      retryAfterMs = made.retryAfterMs;
    }
    const at = clock.now();
    const dueAt = nextAttemptAt({ attempts: outcome.attempts, at, retryAfterMs }, clock.random());
    return dueAt === undefined || dueAt >= linkUntil ? { ...outcome, failedAt: at } : { ...outcome, dueAt };
  }

  async #settleAll(): Promise<void> {
    try {
      while (this.#outcomes.length > 0) {
        const outcomes = this.#outcomes;
        this.#outcomes = [];
        await this.#parts.settle(outcomes);
      }
    } catch (error) {
      this.#fault = error;
    }
    this.#settling = undefined;
  }
}

function letterOfLine(
  template: LineTemplate,
  line: Omit<LineMailRow, "id" | "template" | "attempts" | "to" | "accounts"> & { readonly hasAccount: boolean },
): Letter {
  const { number } = line;
  switch (template) {
    case "payout_paid":
      return payoutPaid({ ...line, number: number ?? 0 });
    case "line_failed":
      return lineFailed({ ...line, isGivenBack: number === null });
    case "statement":
      return statement({ ...line, number: number ?? 0 });
  }
}
