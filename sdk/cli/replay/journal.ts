import { closeSync, existsSync, openSync, truncateSync, writeSync } from "node:fs";
import { UsageError } from "../flags.ts";
import type { Members } from "../service.ts";
import { linesOf } from "./lines.ts";

export const outcomes = ["ok", "duplicate", "conflict", "refused"] as const;
export type Outcome = (typeof outcomes)[number];

/** The outcome of a line. */
export interface Entry {
  readonly id: string;
  readonly line: number;
  readonly outcome: Outcome;
  readonly message?: string | undefined;
  /** The id of a click that later lines may refer to. */
  readonly click_id?: string | undefined;
}

/**
 * A file of JSON lines. Once `append` has returned, its line is in the file, so that it survives a crash of the
 * process.
 */
export interface Appendable {
  append(value: object): void;
  close(): void;
}

export interface Journal extends Appendable {
  /** The lines that aren't sent again, by id. Refused lines are sent again, because they may be accepted now. */
  readonly done: Map<string, Pick<Entry, "outcome" | "click_id">>;
}

/** The target of a replay. The journal of another target would skip lines that were never sent to this one. */
export interface Destination {
  readonly url: string;
  readonly program_id: number;
  readonly book: "live" | "test";
}

/** Opens the journal of a replay, or starts one. Throws a `UsageError` for any other file. */
export async function openJournal(path: string, destination: Destination): Promise<Journal> {
  const header = JSON.stringify({ replay_to: destination });
  const done: Journal["done"] = new Map();
  let isBegun = false;
  if (existsSync(path)) {
    for await (const { number, bytes, isWhole } of linesOf(path)) {
      const text = bytes.toString("utf8");
      if (number === 1 && !(isWhole ? text === header : header.startsWith(text))) {
        const { replay_to: other }: { replay_to?: Destination } = parse(text);
        const what = other ? `the journal of a replay to ${inWords(other)}` : "not the journal of a replay";
        throw new UsageError(
          `${path} is ${what}. This replay goes to ${inWords(destination)}. Pass another file with --state.`,
        );
      }
      if (!isWhole) continue;
      isBegun = true;
      const { id, outcome, click_id }: Partial<Entry> = parse(text);
      if (id !== undefined && (outcome === "ok" || outcome === "duplicate")) done.set(id, { outcome, click_id });
    }
  }
  const file = await openAppendable(path);
  if (!isBegun) file.append({ replay_to: destination });
  return { ...file, done };
}

const inWords = ({ url, program_id, book }: Destination) => `${url}, program ${program_id}, ${book} book`;

/** Opens a file of lines for appending. Removes an incomplete last line, which a killed process leaves. */
export async function openAppendable(path: string): Promise<Appendable> {
  if (existsSync(path)) {
    let wholeUntil = 0;
    for await (const { endsAt, isWhole } of linesOf(path)) if (isWhole) wholeUntil = endsAt;
    truncateSync(path, wholeUntil);
  }
  const file = openSync(path, "a");
  return {
    append: (value) => void writeSync(file, `${JSON.stringify(value)}\n`),
    close: () => closeSync(file),
  };
}

/** Skips an unreadable line, because a disk may lose the last write. Its event is sent again. */
function parse(text: string): Members {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
