import "./import.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Table } from "../../../../importer/index.ts";
import { api } from "../../api/client.ts";
import { Card } from "../../components/card.tsx";
import { ExportButton } from "../../components/export-button.tsx";
import { Field } from "../../components/form.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Notice } from "../../components/notice.tsx";
import { TableSkeleton } from "../../components/table.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { type Choices, firstChoices } from "./choices.ts";

const FileImport = lazy(() => import("./file-import.tsx"), <TableSkeleton rows={4} />);

/**
 * Imports a file. The browser reads and checks it, and sends only its rows. The code for that is loaded with the first
 * file.
 */
export default function Import(): JSX.Element {
  const { program } = useProgram();
  const [table, setTable] = useState<Table>();
  const [fault, setFault] = useState<string>();
  const [choices, setChoices] = useState<Choices>(firstChoices);

  const open = async (file: File | undefined) => {
    setTable(undefined);
    setFault(undefined);
    if (file === undefined) return;
    const { readFile } = await import("./read-file.ts");
    const read = await readFile(file);
    if (!read.ok) return setFault(read.message);
    setTable(read.table);
    setChoices({ ...firstChoices, kind: choices.kind, ...read.detected });
  };

  const exported = (kind: "partners" | "customers") =>
    api.programs[":programId"].export.$get({ param: paramOf(program), query: { kind } });

  return (
    <>
      <header class="page-head spread">
        <h1>Import and export</h1>
        <GuideLink to="migrate" about="moving from another program" />
      </header>
      <Card title="File" lead="A CSV file that your former program has exported, or a spreadsheet saved as CSV.">
        <Field
          name="file"
          label="CSV file"
          control={(wiring) => (
            <input
              {...wiring}
              class="control"
              type="file"
              accept=".csv,.txt,text/csv"
              onChange={({ currentTarget }) => open(currentTarget.files?.[0])}
            />
          )}
        />
        {fault !== undefined && <Notice look="bad">{fault}</Notice>}
      </Card>
      {table !== undefined && (
        <FileImport table={table} choices={choices} choose={(chosen) => setChoices({ ...choices, ...chosen })} />
      )}
      <Card
        title="Export"
        lead="Files that can be imported unchanged, with all customers whose partner is final."
        actions={
          <div class="row">
            <ExportButton title="Partners" label="Export partners" call={() => exported("partners")} />
            <ExportButton title="Customers" label="Export customers" call={() => exported("customers")} />
          </div>
        }
      />
    </>
  );
}
