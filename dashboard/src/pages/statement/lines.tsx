import type { JSX } from "preact";
import { Money } from "../../components/numbers.tsx";
import { explainAddress } from "../../explain-address.ts";
import { formatDate } from "../../format.ts";
import { useProgram } from "../../session.tsx";
import { entryText } from "./entry-text.ts";
import type { Statement, StatementEntry } from "./queries.ts";

export function StatementLines({ statement }: { readonly statement: Statement["data"] }): JSX.Element {
  const { entries, currency, openingCents, closingCents } = statement;
  let balance = openingCents;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached with the keyboard
    <section class="sheet-lines" tabIndex={0} aria-label="Entries">
      <table>
        <caption class="unseen">Entries of the statement</caption>
        <thead>
          <tr>
            <th scope="col">Posted</th>
            <th scope="col">Description</th>
            <th scope="col" class="number">
              Amount
            </th>
            <th scope="col" class="number">
              Balance
            </th>
          </tr>
        </thead>
        <tbody>
          <Edge title="Opening balance" day={statement.from} cents={openingCents} currency={currency} />
          {entries.map((entry) => {
            balance += entry.amountCents;
            return <Line key={entry.id} entry={entry} balance={balance} currency={currency} />;
          })}
          <Edge title="Closing balance" day={statement.to} cents={closingCents} currency={currency} />
        </tbody>
      </table>
    </section>
  );
}

interface EdgeProps {
  readonly title: string;
  readonly day: string;
  readonly cents: number;
  readonly currency: string;
}

const Edge = ({ title, day, cents, currency }: EdgeProps): JSX.Element => (
  <tr class="edge">
    <td>{formatDate(day)}</td>
    <td>{title}</td>
    <td />
    <td class="number">
      <Money amountCents={cents} currency={currency} />
    </td>
  </tr>
);

interface LineProps {
  readonly entry: StatementEntry;
  readonly balance: number;
  readonly currency: string;
}

function Line({ entry, balance, currency }: LineProps): JSX.Element {
  const { program } = useProgram();
  const text = entryText(entry);
  return (
    <tr>
      <td>{formatDate(entry.postedOn)}</td>
      <td class="breakable">
        {entry.commissionId === null ? (
          text
        ) : (
          <a href={explainAddress(program.id, { commissionId: String(entry.commissionId) })}>{text}</a>
        )}
      </td>
      <td class="number">
        <Money amountCents={entry.amountCents} currency={currency} />
      </td>
      <td class="number">
        <Money amountCents={balance} currency={currency} />
      </td>
    </tr>
  );
}
