import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Form, type Values } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Table } from "../../components/table.tsx";
import { pluralize } from "../../format.ts";
import { type ListedLine, parsePartnerList } from "../../forms/partner-list.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { programAddress } from "../../url.ts";

const rowsPerCall = 100;
const source = "Pasted list";

const faults: Readonly<Record<string, string>> = {
  invalid_code: "The code must have 2 to 64 letters, digits, - or _.",
  code_taken: "Another partner has this code.",
  differs: "This partner already exists with other values.",
  partners_full: "The program can't have more partners.",
};
const invalid: Readonly<Record<string, string>> = {
  name: "The name is missing or too long.",
  code: "The code is missing.",
  email: "This isn't an email address.",
};

interface Outcome {
  readonly line: number;
  readonly result: string;
  readonly code?: string | undefined;
  readonly field?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
}

const faultOf = ({ code = "", field = "" }: Outcome, isRepeated: boolean): string =>
  isRepeated && code === "differs"
    ? "An earlier line has this code."
    : (faults[code] ?? invalid[field] ?? "This line can't be read.");

interface Checked {
  readonly lines: readonly ListedLine[];
  readonly outcomes: readonly Outcome[];
}

const countOf = ({ outcomes }: Checked, result: string): number =>
  outcomes.filter((outcome) => outcome.result === result).length;

/** Adds partners from a list. All lines are checked before any partner is added. */
export default function AddPartners({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const [text, setText] = useState("");
  const [checked, setChecked] = useState<Checked>();

  const send = async (lines: readonly ListedLine[], dryRun: boolean): Promise<Checked> => {
    const outcomes: Outcome[] = [];
    for (let from = 0; from < lines.length; from += rowsPerCall) {
      const rows = lines.slice(from, from + rowsPerCall).map((line) => ({ ...line }));
      const json = { kind: "partners" as const, source, dryRun, rows };
      const { data } = await take(api.programs[":programId"].imports.rows.$post({ param: paramOf(program), json }));
      outcomes.push(...data.rows);
    }
    return { lines, outcomes };
  };
  const check = useAction(
    ({ list = "" }: Values) => {
      setText(list);
      return send(parsePartnerList(list), true);
    },
    { failsIn: "form", onDone: setChecked },
  );
  const add = useAction(({ lines }: Checked) => send(lines, false), {
    done: (added) => `${pluralize(countOf(added, "created"), "partner")} added.`,
    refreshes: [`program ${program.id} `],
    onDone: onClose,
  });

  if (checked === undefined) {
    return (
      <Dialog title="Add several partners" onClose={onClose}>
        <p>
          You have a file, or come from another program?{" "}
          <a href={programAddress(program.id, "import")}>Import a file</a>
        </p>
        <Form action={check} submit="Check the list" onCancel={onClose}>
          <Field
            name="list"
            label="Partners"
            hint="One line for each partner: name, code, email address. You can paste cells of a spreadsheet."
            control={(wiring) => <textarea {...wiring} class="control" rows={8} defaultValue={text} />}
          />
        </Form>
      </Dialog>
    );
  }
  return (
    <Dialog title="Add several partners" onClose={onClose}>
      <CheckedLines checked={checked} />
      <div class="row">
        <Button
          look="primary"
          isPending={add.isPending}
          isDisabled={countOf(checked, "created") === 0}
          onClick={() => add.run(checked)}
        >
          Add {pluralize(countOf(checked, "created"), "partner")}
        </Button>
        <Button onClick={() => setChecked(undefined)}>Back</Button>
      </div>
    </Dialog>
  );
}

function CheckedLines({ checked }: { readonly checked: Checked }): JSX.Element {
  const { lines, outcomes } = checked;
  const lineOf = new Map(lines.map((line) => [line.line, line]));
  const firstOf = new Map(lines.toReversed().map(({ code, line }) => [code.toLowerCase(), line]));
  const isRepeated = ({ line }: Outcome) => firstOf.get(lineOf.get(line)?.code.toLowerCase() ?? "") !== line;
  const refused = outcomes.filter(({ result }) => result === "refused");
  const sharing = outcomes.filter(({ warnings = [] }) => warnings.includes("same_email"));
  const cut = outcomes.filter(({ warnings = [] }) => warnings.includes("code_end"));
  const known = countOf(checked, "unchanged");
  return (
    <>
      <p>
        {pluralize(countOf(checked, "created"), "new partner")}
        {known > 0 && `, ${known} known already`}
        {refused.length > 0 && `, ${pluralize(refused.length, "line")} to correct`}.
      </p>
      {sharing.length > 0 && (
        <Notice look="warn">
          {pluralize(sharing.length, "line")} with an email address that several partners have: line{" "}
          {sharing.map(({ line }) => line).join(", ")}.
        </Notice>
      )}
      {cut.length > 0 && (
        <Notice look="warn">
          {pluralize(cut.length, "line")} with a code that begins or ends with _ or -, which some apps leave out of a
          link: line {cut.map(({ line }) => line).join(", ")}.
        </Notice>
      )}
      {refused.length > 0 && (
        <>
          <Notice look="warn">These lines are left out. Go back to correct them.</Notice>
          <Table
            caption="Lines to correct"
            columns={[
              { head: "Line", cell: ({ line }) => line },
              { head: "Partner", cell: ({ line }) => lineOf.get(line)?.name || lineOf.get(line)?.code || "–" },
              { head: "Problem", cell: (outcome) => faultOf(outcome, isRepeated(outcome)) },
            ]}
            rows={refused}
            rowKey={({ line }) => line}
          />
        </>
      )}
    </>
  );
}
