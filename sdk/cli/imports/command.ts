import { writeFileSync } from "node:fs";
import { presets, refusedFile, type Sent, sendRows } from "../../../importer/index.ts";
import { type ExitCode, exit } from "../exit.ts";
import { UsageError } from "../flags.ts";
import { createOutput, type Output } from "../output.ts";
import { createProgress } from "../progress.ts";
import { refused } from "../refused.ts";
import { connect } from "../service.ts";
import { confirm, isTerminal } from "./confirm.ts";
import { type ImportPlan, readPlan } from "./options.ts";
import { createImportSender, type ImportSender } from "./sender.ts";
import { asData, fileInWords, ownerOnly, sentInWords } from "./summary.ts";

export const help = `tributary-sdk import partners|customers|coupons|balances <file.csv> [flags]

Imports what another program exports: its partners with their codes, which customer belongs to whom, and what is due.
It first checks all rows, shows what would happen, and asks before it imports them. Import partners first.

The file has a line of headers, and commas, semicolons or tabs. Its columns have the names that the guide
"Files to import" lists, or those of a preset, or are named one by one.

  --preset <name>         ${presets.map(({ id }) => id).join(", ")}; found by the headers if it is omitted
  --map <column=Header>   takes a column from this header; can be repeated
  --source <name>         where the rows come from, at most 40 characters; default: the preset's name, or CSV file
  --update                changes partners that exist; otherwise, a row with other values is refused
  --pay-past              customers' sales since their column "since" earn, also those in the past
  --dry-run               only checks
  --date-order <dmy|mdy>  of dates such as 3/1/2026, where the column doesn't tell
  --decimal-sign <point|comma>
                          of amounts such as 1.234, where they are ambiguous
  --refused <file.csv>    saves the rows that weren't imported, with the reason, to be corrected and imported
  --yes                   imports without asking; needed where there is no terminal

Needs a key with the scope manage. ${ownerOnly}

You can stop it at any time: run the same command again, and rows that were imported are unchanged.

Exit code 0: all rows are imported or unchanged; 1: some are refused or have problems; 3: the service is unreachable.`;

export async function run(args: string[]): Promise<ExitCode> {
  const plan = readPlan(args);
  if (!plan.isDryRun && !plan.isSure && !isTerminal()) {
    throw new UsageError("There is no terminal to ask on. Pass --yes to import, or --dry-run to check.");
  }
  const output = createOutput(plan.isJson);
  const service = connect({ url: plan.url }, output);
  output.say(fileInWords(plan));
  const sender = createImportSender(service);
  const checked = await step(plan, sender, output, true);
  if (checked.code !== undefined) return checked.code;
  if (plan.isDryRun) return finish(plan, output, checked.sent);
  const { created, updated } = checked.sent.tally;
  if (created + updated === 0) {
    output.say("\nThere is nothing to import.");
    return finish(plan, output, checked.sent);
  }
  const isMeant = plan.isSure || (await confirm(`\nImport ${created + updated} of ${plan.table.rows.length} rows?`));
  if (!isMeant) {
    output.note("\nNothing was imported.");
    return isMeant === undefined ? exit.interrupted : exit.good;
  }
  const imported = await step(plan, sender, output, false);
  return imported.code ?? finish(plan, output, imported.sent);
}

interface Step {
  readonly sent: Sent;
  /** Undefined if all rows got a response. */
  readonly code: ExitCode | undefined;
}

/** Checks the rows, or imports them, and prints the results. */
async function step(plan: ImportPlan, sender: ImportSender, output: Output, isDryRun: boolean): Promise<Step> {
  const { kind, source, update, prepared } = plan;
  const stopping = new AbortController();
  const position = { lines: 0, problems: 0, share: 0, pausedUntil: 0 };
  const progress = createProgress(() => position);
  const ticking = setInterval(progress.draw, 200).unref();
  const stop = () => {
    progress.clear();
    output.note("Stopping after this call.");
    stopping.abort();
  };
  process.once("SIGINT", stop);
  const sent = await sendRows({
    kind,
    source,
    update,
    isDryRun,
    rows: prepared.rows,
    send: sender.send,
    signal: stopping.signal,
    onProgress: ({ rows, refused: problems }, total) =>
      void Object.assign(position, { lines: rows, problems, share: rows / total }),
    onPause: (ms, why) => {
      position.pausedUntil = Date.now() + ms;
      // The service limits these calls to a few per second, so short pauses are normal and aren't reported.
      if (ms < tellsFromMs) return;
      progress.clear();
      output.note(`Waiting ${Math.ceil(ms / 1_000)} s. ${why}`);
    },
  });
  process.off("SIGINT", stop);
  clearInterval(ticking);
  progress.clear();
  // An incomplete check doesn't prove that the file is correct.
  if (isDryRun && stopping.signal.aborted) return { sent, code: exit.interrupted };
  if (isDryRun && sent.ended !== "done") return { sent, code: unfinished(output, sent, sender) };
  output.say(`\n${sentInWords(plan, sent, isDryRun)}`);
  output.data(asData(plan, sent, isDryRun));
  if (sent.ended === "done") return { sent, code: undefined };
  const code = unfinished(output, sent, sender);
  const left = prepared.rows.length - sent.tally.rows;
  output.note(
    `Stopped: ${left} of ${prepared.rows.length} rows weren't answered. Run the same command again: rows that were ` +
      "imported are unchanged, and the others are imported.",
  );
  return { sent, code };
}

const tellsFromMs = 3_000;

function unfinished(output: Output, sent: Sent, { failure }: ImportSender): ExitCode {
  if (sent.ended === "aborted") return exit.interrupted;
  const reply = failure();
  if (reply !== undefined) return refused(output, reply);
  output.note(sent.why);
  return exit.unreachable;
}

function finish({ refusedPath, table, prepared }: ImportPlan, output: Output, { tally }: Sent): ExitCode {
  const { problems } = prepared;
  const isWhole = problems.length + tally.refused === 0;
  if (refusedPath !== undefined && !isWhole) {
    writeFileSync(refusedPath, refusedFile(table, problems, tally.refusedRows));
    output.note(`Rows that weren't imported: ${refusedPath}`);
  }
  return isWhole ? exit.good : exit.refused;
}
