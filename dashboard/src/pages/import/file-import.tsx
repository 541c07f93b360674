import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import {
  faultInWords,
  findPreset,
  type ImportKind,
  importKinds,
  mapHeaders,
  prepareRows,
  presets,
  type Table,
} from "../../../../importer/index.ts";
import { Card } from "../../components/card.tsx";
import { SelectField, TextField } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Loaded } from "../../components/states.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { pluralize } from "../../format.ts";
import { useUnits } from "../../forms/units.ts";
import { type Choices, kindTitles } from "./choices.ts";
import { ColumnFields } from "./column-fields.tsx";
import { ImportRun } from "./import-run.tsx";
import { ProblemTable } from "./problem-table.tsx";

interface ChoosingProps {
  readonly table: Table;
  readonly choices: Choices;
  readonly choose: (chosen: Partial<Choices>) => void;
}

export default function FileImport(props: ChoosingProps): JSX.Element {
  return (
    <>
      <Card title="Rows">
        <FileChoices {...props} />
      </Card>
      <Loaded query={useUnits()} skeleton={<TableSkeleton rows={4} />}>
        {(units) => (
          <Prepared {...props} unitDigits={JSON.stringify(units.map(({ code, digits }) => [code, digits]))} />
        )}
      </Loaded>
    </>
  );
}

const FileChoices = ({ table, choices, choose }: ChoosingProps): JSX.Element => (
  <div class="import-choices">
    <SelectField
      name="kind"
      label="Rows are"
      options={importKinds.map((kind) => [kind, kindTitles[kind]])}
      value={choices.kind}
      onInput={(kind) => choose({ kind: kind as ImportKind, given: {} })}
      hint={`${pluralize(table.rows.length, "row")} in the file.`}
    />
    <SelectField
      name="preset"
      label="Exported by"
      options={[["", "Another program"], ...presets.map(({ id, name }) => [id, name] as const)]}
      value={choices.presetId}
      onInput={(presetId) => choose({ presetId, given: {}, source: findPreset(presetId)?.source ?? choices.source })}
    />
    <TextField
      key={choices.presetId}
      name="source"
      label="Name of the former program"
      value={choices.source}
      onInput={(source) => choose({ source })}
      hint="Shown in the audit trail, and next to opening balances on statements."
    />
  </div>
);

interface PreparedProps extends ChoosingProps {
  /** JSON of each unit's code and number of decimals. A string, so that reading the same units again stops no import. */
  readonly unitDigits: string;
}

function Prepared({ table, choices, choose, unitDigits }: PreparedProps): JSX.Element {
  const { kind, presetId, given, dateOrder, decimalSign, paysPast } = choices;
  const preset = findPreset(presetId);
  const mapped = useMemo(
    () => mapHeaders(kind, table.headers, { given, file: preset?.files[kind] }),
    [kind, table, given, preset],
  );
  const prepared = useMemo(
    () =>
      mapped.ok
        ? prepareRows({
            kind,
            table,
            mapping: mapped.mapping,
            dateOrder,
            decimalSign,
            paysPast,
            linkParams: preset?.linkParams ?? [],
            units: new Map(JSON.parse(unitDigits) as [code: string, digits: number][]),
          })
        : undefined,
    [mapped, table, dateOrder, decimalSign, paysPast, unitDigits],
  );
  return (
    <>
      <Card title="Columns">
        <ColumnFields table={table} mapped={mapped} choices={choices} choose={choose} asks={prepared?.asks ?? []} />
        {!mapped.ok && <Notice look="warn">{faultInWords(mapped.fault)}</Notice>}
      </Card>
      {prepared !== undefined && (
        <>
          {prepared.problems.length > 0 && <ProblemTable problems={prepared.problems} />}
          <ImportRun table={table} prepared={prepared} choices={choices} />
        </>
      )}
    </>
  );
}
