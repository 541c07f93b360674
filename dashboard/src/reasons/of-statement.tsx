import type { ComponentChildren, JSX } from "preact";
import type { Statement } from "../api/types.ts";
import { entriesOf, isSum } from "../components/statement/closing-sums.ts";
import type { StatementEntry } from "../components/statement/entry-text.ts";
import { EntryRows } from "./entry-rows.tsx";
import type { Equation } from "./equation.ts";
import { NoReasons } from "./host.tsx";
import { partnerText } from "./partner-text.ts";
import { Sum } from "./parts.tsx";
import { entryEquation, historyOf, partnerRowOfEntry, sumEquation } from "./statement-reasons.ts";

interface OfStatementProps {
  readonly statement: Statement;
  readonly hrefOf?: ((entry: StatementEntry) => string | undefined) | undefined;
  /** Further buttons of the drawer. */
  readonly children?: ComponentChildren;
}

/** An amount of a statement: a sum at its end by name, or an entry by its index. */
export interface StatementPart {
  readonly kind: "sum" | "entry";
  readonly name: string;
}

export function OfStatementPart({ kind, name, ...props }: OfStatementProps & StatementPart): JSX.Element {
  if (kind === "sum") return <OfSum {...props} name={name} />;
  return <OfEntry {...props} index={/^\d+$/.test(name) ? Number(name) : -1} />;
}

/** Explains a sum at the end of a statement. */
function OfSum({ name, ...props }: OfStatementProps & { readonly name: string }): JSX.Element {
  const { data } = props.statement;
  if (!isSum(name)) return <NoReasons />;
  return <OfEntries {...props} equation={sumEquation(data, name)} entries={entriesOf(data, name)} />;
}

/** Explains an entry of a statement by the earlier entries of the same commission. */
function OfEntry({ index, ...props }: OfStatementProps & { readonly index: number }): JSX.Element {
  const { data } = props.statement;
  const entry = data.entries[index];
  if (entry === undefined) return <NoReasons />;
  const history = historyOf(data, index);
  return <OfEntries {...props} equation={entryEquation(entry, history, data.currency)} entries={history} />;
}

interface OfEntriesProps extends OfStatementProps {
  readonly equation: Equation;
  readonly entries: readonly StatementEntry[];
}

export function OfEntries({ statement, equation, entries, hrefOf, children }: OfEntriesProps): JSX.Element {
  const { programName, currency } = statement.data;
  const rows = entries.map(partnerRowOfEntry(currency));
  return (
    <>
      <Sum equation={equation} copied={partnerText({ programName, equation, rows, hasMore: false })}>
        {children}
      </Sum>
      <EntryRows entries={entries} currency={currency} hrefOf={hrefOf} />
    </>
  );
}
