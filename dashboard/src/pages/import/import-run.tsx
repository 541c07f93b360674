import type { JSX } from "preact";
import { type Prepared, refusedFile, type Table, type Tally } from "../../../../importer/index.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Notice } from "../../components/notice.tsx";
import { formatCount, formatMoney, isKnownCurrency, pluralize } from "../../format.ts";
import { saveFile } from "../../save-file.ts";
import { type Choices, columnTitles, nounOf } from "./choices.ts";
import { refusalTitles } from "./refusal-titles.ts";
import { isOver, isUnderWay, type OverStage, type Stage, useImport } from "./use-import.ts";

interface ImportRunProps {
  readonly table: Table;
  readonly prepared: Prepared;
  readonly choices: Choices;
}

/** Runs an import: checks all rows before it imports any. */
export function ImportRun({ table, prepared, choices }: ImportRunProps): JSX.Element {
  const { stage, run, stop } = useImport(prepared, choices);
  const { kind, rows, leftOut, repeated, totals } = prepared;
  const noun = nounOf[kind];
  return (
    <Card title="Import">
      <p>
        {pluralize(rows.length, noun)} to import
        {leftOut.length > 0 && `, ${pluralize(leftOut.length, "row")} left out for not being due`}
        {repeated.length > 0 && `, ${pluralize(repeated.length, "row")} left out for repeating an earlier row`}.
        {totals
          // The check refuses rows with an unknown currency.
          .filter(({ currency }) => isKnownCurrency(currency))
          .map((each) => (
            <span key={each.currency}>
              {" "}
              {formatMoney(each.cents, each.currency)} in {pluralize(each.rows, "balance")}.
            </span>
          ))}
      </p>
      {isUnderWay(stage) && (
        <div class="import-progress">
          <progress max={rows.length} value={stage.done} aria-label="Progress" />
          <span>
            {stage.is === "checking" ? "Checked" : "Imported"} {formatCount(stage.done)} of {formatCount(rows.length)}
          </span>
          <Button onClick={stop}>Stop</Button>
        </div>
      )}
      {isOver(stage) && <Outcome stage={stage} noun={noun} total={rows.length} />}
      <div class="row">
        <NextStep stage={stage} count={rows.length} noun={noun} run={run} />
        {isOver(stage) && stage.sent.tally.refused + prepared.problems.length > 0 && (
          <Button
            onClick={() => {
              const text = refusedFile(table, prepared.problems, stage.sent.tally.refusedRows);
              saveFile({ name: `refused-${kind}.csv`, content: new Blob([text], { type: "text/csv" }) });
            }}
          >
            Save the refused rows
          </Button>
        )}
      </div>
    </Card>
  );
}

interface NextStepProps {
  readonly stage: Stage;
  /** Number of rows in the file. */
  readonly count: number;
  readonly noun: string;
  readonly run: (isDryRun: boolean) => void;
}

function NextStep({ stage, count, noun, run }: NextStepProps): JSX.Element | null {
  switch (stage.is) {
    case "ready":
    case "checking":
      return (
        <Button look="primary" isPending={isUnderWay(stage)} isDisabled={count === 0} onClick={() => run(true)}>
          Check
        </Button>
      );
    case "checked":
      return stage.sent.ended === "done" ? (
        <Button look="primary" isDisabled={changesOf(stage.sent.tally) === 0} onClick={() => run(false)}>
          Import {pluralize(changesOf(stage.sent.tally), noun)}
        </Button>
      ) : (
        <Button look="primary" onClick={() => run(true)}>
          Check again
        </Button>
      );
    case "importing":
      return (
        <Button look="primary" isPending>
          Import
        </Button>
      );
    case "imported":
      return stage.sent.ended === "done" ? null : (
        <Button look="primary" onClick={() => run(false)}>
          Continue
        </Button>
      );
  }
}

const changesOf = ({ created, updated }: Tally): number => created + updated;

interface OutcomeProps {
  readonly stage: OverStage;
  readonly noun: string;
  readonly total: number;
}

const ends = {
  aborted: "Stopped.",
  unreachable: "The service can't be reached.",
  refused: "The service refused the call.",
} as const;

function Outcome({ stage: { is, sent }, noun, total }: OutcomeProps): JSX.Element {
  const { tally, ended, why } = sent;
  const isChecked = is === "checked";
  const { sales, amounts } = tally.effects;
  return (
    <>
      {ended !== "done" && (
        <Notice look={ended === "aborted" ? "warn" : "bad"}>
          {ends[ended]} {why} {formatCount(tally.rows)} of {formatCount(total)} rows were{" "}
          {isChecked ? "checked. Nothing was imported." : "imported. Continue: imported rows stay unchanged."}
        </Notice>
      )}
      <Notice look={tally.refused > 0 ? "warn" : "good"}>
        {pluralize(tally.created, noun)} {isChecked ? "would be" : tally.created === 1 ? "was" : "were"} added,{" "}
        {formatCount(tally.updated)} changed and {formatCount(tally.refused)} refused. Already here with the same
        values: {formatCount(tally.unchanged)}.
      </Notice>
      {sales > 0 && (
        <Notice look="warn">
          {pluralize(sales, "earlier sale")} {isChecked ? "would earn" : "earned"}{" "}
          {amounts.map(({ currency, cents }) => formatMoney(cents, currency)).join(" and ")} for the partners.
        </Notice>
      )}
      {[...tally.refusals, ...tally.warnings].length > 0 && (
        <ul class="import-reasons">
          {[...tally.refusals, ...tally.warnings].map(({ code, count, lines }) => (
            <li key={code}>
              <strong>{pluralize(count, "row")}</strong> (line {lines.map((line) => lineAt(line, tally)).join(", ")}
              {count > lines.length && ", …"}): {refusalTitles[code] ?? code}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The line and the column at fault. */
function lineAt(line: number, { refusedRows }: Tally): string {
  const field = refusedRows.find((row) => row.line === line)?.field ?? "";
  return field === "" ? String(line) : `${line} in column “${columnTitles[field] ?? field}”`;
}
