import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type ExitCode, exit } from "../exit.ts";
import { readFlags, UsageError, wholeNumber } from "../flags.ts";
import { createOutput } from "../output.ts";
import { createProgress } from "../progress.ts";
import { refused } from "../refused.ts";
import { connect } from "../service.ts";
import { createReader, type Event, type Faulty, type ReplayOptions } from "./event.ts";
import { type Appendable, type Entry, type Journal, openAppendable, openJournal } from "./journal.ts";
import { judge } from "./judge.ts";
import { inLanes } from "./lanes.ts";
import { linesOf } from "./lines.ts";
import { createSender, Stopped } from "./sender.ts";
import { count, createTally, inWords, problemCount, type Tally, total } from "./tally.ts";

export const help = `tributary-sdk replay <file.jsonl> [flags]

Imports past events. Each line of the file is one event: {"type":"click|lead|sale|refund", …}, with the fields of its
endpoint and usually occurred_at (at most 30 days ago for a live click, 400 for the others).

A click may have a "ref", a label that later leads and sales name in "click_ref" instead of "click_id".
An unknown field is an error of its line, so that a typo can't silently change an amount's currency.
Lines of one customer, click, subscription or transaction are sent in the order of the file, others in parallel.

You can kill it at any time: the same command resumes where it stopped, and an event that is sent twice counts once, by
its transaction_id, refund_id, event_id or customer. A line without one gets an id derived from its text. Only a click
that was being sent when it was killed counts again if you resume more than a day later.

Recorded lines are not sent again; refused ones are, so fix the cause, or the line, and run the command again.

  --state <file>          the journal of completed lines; default: <file.jsonl>.progress, for the test book
                          <file.jsonl>.test.progress
  --results <file>        appends {line, type, outcome, status, answer} for each line sent
  --concurrency <n>       parallel calls, 1 to 256; default 8
  --test                  sends to the test book
  --give-up-after <s>     seconds to retry if the service stops answering; default 60

Outcomes: ok; duplicate (already recorded); conflict (already recorded with different data); refused.
Exit code 0: all ok or duplicate; 1: some are not; 3: stopped because the service is unreachable: run it again.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values, positionals } = readFlags(
    args,
    {
      state: { type: "string" },
      results: { type: "string" },
      concurrency: { type: "string" },
      test: { type: "boolean" },
      "give-up-after": { type: "string" },
    },
    1,
  );
  const [file] = positionals;
  if (file === undefined) throw new UsageError("No file given.");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`There is no file ${file}.`);
  const book = values.test ? ("test" as const) : ("live" as const);
  const state = values.state ?? `${file}${book === "test" ? ".test" : ""}.progress`;
  const paths = [file, state, ...(values.results === undefined ? [] : [values.results])].map((path) => resolve(path));
  if (new Set(paths).size < paths.length)
    throw new UsageError("The file, --state and --results must be three different files.");
  if (values.results !== undefined && existsSync(values.results) && !existsSync(state)) {
    throw new UsageError(
      `${values.results} exists but doesn't belong to this replay. Pass another file with --results.`,
    );
  }
  const concurrency = wholeNumber("concurrency", values.concurrency ?? "8", 1, 256);
  const giveUpAfterMs = wholeNumber("give-up-after", values["give-up-after"] ?? "60", 0, 86_400) * 1_000;
  const output = createOutput(values.json === true);
  const service = connect(values, output);
  const options = { programId: service.programId, isTest: book === "test" };

  const journal = await openJournal(state, { url: service.url, program_id: service.programId, book });
  const results = values.results === undefined ? undefined : await openAppendable(values.results);
  const tally = createTally();
  const { size } = statSync(file);
  let readUntil = 0;
  let pausedUntil = 0;
  const progress = createProgress(() => {
    const share = size > 0 ? Math.min(1, readUntil / size) : 1;
    return { lines: tally.lines, problems: problemCount(tally), share, pausedUntil };
  });
  const onPause = (ms: number, why: string) => {
    pausedUntil = Date.now() + ms;
    progress.clear();
    output.note(`Waiting ${Math.ceil(ms / 1_000)} s. ${why}`);
  };
  const send = createSender({ service, giveUpAfterMs, onPause });
  const goOn = `Run the same command again to resume; completed lines are in ${state}.`;
  process.once("SIGINT", () => {
    progress.clear();
    output.note(`Stopped. ${goOn}`);
    process.exit(exit.interrupted);
  });
  const ticking = setInterval(progress.draw, 200).unref();

  const settle = createSettle({ send, journal, results, tally });
  const onLine = (endsAt: number) => {
    readUntil = endsAt;
  };
  try {
    await inLanes(eventsOf(file, options, onLine), concurrency, settle);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    progress.clear();
    const code = refused(output, error.reply);
    output.note(`Stopped after ${tally.lines} lines. ${goOn}`);
    return code;
  } finally {
    clearInterval(ticking);
    progress.clear();
  }
  output.say(inWords(tally, state));
  output.data(asData(tally));
  return problemCount(tally) === 0 ? exit.good : exit.refused;
}

async function* eventsOf(file: string, options: ReplayOptions, onLine: (endsAt: number) => void) {
  const read = createReader(options);
  for await (const line of linesOf(file)) {
    onLine(line.endsAt);
    const event = read(line);
    if (event) yield "fault" in event ? { ...event, lanes: [] } : event;
  }
}

interface SettleOptions {
  readonly send: ReturnType<typeof createSender>;
  readonly journal: Journal;
  readonly results: Appendable | undefined;
  readonly tally: Tally;
}

/** Sends an event unless an earlier run completed it, and stores the outcome in the journal. */
function createSettle({ send, journal, results, tally }: SettleOptions) {
  /** The click id of each `ref`; null if the service recorded no click for it. */
  const clickIds = new Map<string, string | null>();

  const finish = (event: Event | Faulty, entry: Omit<Entry, "id" | "line">, answer?: object) => {
    const { id, number: line } = event;
    const type = "type" in event ? event.type : "faulty";
    results?.append({ line, type, ...entry, ...answer });
    journal.append({ id, line, type, ...entry });
    count(tally, type, { line, ...entry });
  };

  return async (event: Event | Faulty): Promise<void> => {
    if ("fault" in event) return finish(event, { outcome: "refused", message: event.fault });
    const { id, type, ref, clickRef } = event;
    const before = journal.done.get(id);
    if (before) {
      journal.done.delete(id);
      tally.doneBefore += 1;
      count(tally, type, { line: event.number, outcome: before.outcome });
      if (ref !== undefined) clickIds.set(ref, before.click_id ?? null);
      return;
    }
    const meant = clickRef === undefined ? undefined : clickIds.get(clickRef);
    if (clickRef !== undefined && !meant) {
      const why = meant === null ? "was not recorded" : "names no earlier click";
      return finish(event, { outcome: "refused", message: `click_ref "${clickRef}" ${why}` });
    }
    const body = meant ? { ...event.body, click_id: meant } : event.body;
    const answer = await send(`track/${type}`, body);
    const { click_id: clickId } = answer.body;
    const isMeant = ref !== undefined && typeof clickId === "string";
    if (ref !== undefined) clickIds.set(ref, isMeant ? clickId : null);
    const entry = { ...judge(type, answer), ...(isMeant && { click_id: clickId }) };
    finish(event, entry, { status: answer.status, answer: answer.body });
  };
}

const asData = (tally: Tally) => ({
  lines: tally.lines,
  done_before: tally.doneBefore,
  ok: total(tally, "ok"),
  duplicate: total(tally, "duplicate"),
  conflict: total(tally, "conflict"),
  refused: total(tally, "refused"),
  by_type: tally.byType,
  problems: tally.problems,
});
