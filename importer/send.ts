import type { ImportKind } from "./columns.ts";
import type { PreparedRow } from "./prepare.ts";
import { addUp, type RowResult, type Tally } from "./tally.ts";

export interface ImportCall {
  readonly kind: ImportKind;
  /** The source of the rows, such as the name of the previous program. At most 40 characters. */
  readonly source: string;
  /** True to change partners that already exist. */
  readonly update: boolean;
  readonly isDryRun: boolean;
  readonly rows: readonly PreparedRow[];
}

export type CallAnswer =
  | { readonly is: "answered"; readonly rows: readonly RowResult[] }
  /**
   * No response, or one that asks to repeat the call later (429, 503). `retryAfterMs` is set if the response states a
   * time.
   */
  | {
      readonly is: "again";
      readonly why: string;
      readonly retryAfterMs?: number | undefined;
      readonly isBusy?: boolean;
    }
  /** The whole call was refused, and further calls would be refused too. */
  | { readonly is: "refused"; readonly why: string };

/** Makes one call. It may reject if there is no answer. */
export type Sender = (call: ImportCall, signal: AbortSignal | undefined) => Promise<CallAnswer>;

export interface SendOptions extends Omit<ImportCall, "rows"> {
  readonly rows: readonly PreparedRow[];
  readonly send: Sender;
  readonly signal?: AbortSignal | undefined;
  /** Called after each call. */
  readonly onProgress?: (tally: Tally, total: number) => void;
  readonly onPause?: (ms: number, why: string) => void;
  /** The time for which a call without a response is repeated (ms). The default is a minute. */
  readonly giveUpAfterMs?: number;
  /** Returns the time in milliseconds. Tests replace it. */
  readonly now?: () => number;
  /** Resolves after a pause. Tests replace it. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export interface Sent {
  /** Tally of the rows that had a response. */
  readonly tally: Tally;
  readonly results: readonly RowResult[];
  /**
   * The way in which the sending ended. `done`: all rows had a response. Otherwise, the same rows can be sent again.
   * Rows that were imported before are then `unchanged`.
   */
  readonly ended: "done" | "aborted" | "refused" | "unreachable";
  /** The reason for any other end than `done`. */
  readonly why: string;
}

export const maxRowsPerCall = 100;
/** The rate that the service accepts for a program. Calls are spread evenly, because a burst would delay its sales. */
const callsPerMinute = { check: 720, import: 120 };
/** Maximum size of a call's rows. The service accepts 512 KiB, of which the rest is for the JSON around the rows. */
const maxRowBytes = 512 * 1024 - 1024;

const utf8 = new TextEncoder();

/** The rows of each call, in the order of the file. */
export function splitCalls(rows: readonly PreparedRow[], maxRows = maxRowsPerCall): readonly PreparedRow[][] {
  const calls: PreparedRow[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const own = utf8.encode(JSON.stringify(row)).length + 1;
    const last = calls.at(-1);
    if (last === undefined || last.length >= maxRows || bytes + own > maxRowBytes) {
      calls.push([row]);
      bytes = own;
    } else {
      last.push(row);
      bytes += own;
    }
  }
  return calls;
}

/** Sends the rows in several calls, and repeats each call until it has a response. Never rejects. */
export async function sendRows({ rows, onProgress, ...options }: SendOptions): Promise<Sent> {
  const results: RowResult[] = [];
  const end = (ended: Sent["ended"], why = ""): Sent => ({ tally: addUp(results), results, ended, why });
  const { isDryRun, signal, wait = later, now = performance.now.bind(performance) } = options;
  const paceMs = 60_000 / callsPerMinute[isDryRun ? "check" : "import"];
  let next = now();
  for (const those of splitCalls(rows)) {
    if (next > now()) await wait(next - now(), signal);
    if (signal?.aborted) return end("aborted");
    next = Math.max(now(), next) + paceMs;
    const answer = await sendCall(those, options);
    if (answer.is !== "answered") return end(answer.is, answer.why);
    results.push(...answer.rows);
    onProgress?.(addUp(results), rows.length);
  }
  return end("done");
}

type CallEnd =
  | Extract<CallAnswer, { readonly is: "answered" }>
  | { readonly is: "aborted" | "refused" | "unreachable"; readonly why: string };

const firstPauseMs = 250;
const maxPauseMs = 10_000;
/**
 * The longest pause before a call is repeated. If the service asks for a longer one, such as until tomorrow, the
 * sending ends.
 */
export const maxWaitMs = 5 * 60_000;

/** A duration as "40 min" or "5 h". */
const inWords = (ms: number): string =>
  ms < 2 * 3_600_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 3_600_000)} h`;

async function sendCall(rows: readonly PreparedRow[], options: Omit<SendOptions, "rows">): Promise<CallEnd> {
  const { kind, source, update, isDryRun, send, signal, onPause, giveUpAfterMs = 60_000, wait = later } = options;
  let silentMs = 0;
  for (let attempt = 0; ; attempt += 1) {
    const answer = checked(rows, await send({ kind, source, update, isDryRun, rows }, signal).catch(lost));
    if (answer.is !== "again") return answer;
    // A busy service does answer, so the sum of its pauses has no limit. Only a single pause has one.
    const ms = answer.retryAfterMs ?? Math.min(maxPauseMs, firstPauseMs * 2 ** attempt);
    if (ms > maxWaitMs) return { is: "refused", why: `${answer.why} Try again in ${inWords(ms)}.` };
    silentMs = answer.isBusy ? 0 : silentMs + ms;
    if (silentMs > giveUpAfterMs) return { is: "unreachable", why: answer.why };
    if (!signal?.aborted) {
      onPause?.(ms, answer.why);
      await wait(ms, signal);
    }
    if (signal?.aborted) return { is: "aborted", why: "" };
  }
}

const lost = (error: unknown): CallAnswer => ({
  is: "again",
  why: error instanceof Error ? error.message : String(error),
});

function checked(rows: readonly PreparedRow[], answer: CallAnswer): CallAnswer {
  if (answer.is !== "answered") return answer;
  const isWhole = answer.rows.length === rows.length && rows.every(({ line }, i) => answer.rows[i]?.line === line);
  return isWhole ? answer : { is: "refused", why: "The answer doesn't have each row." };
}

const later = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
