import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Money } from "../components/numbers.tsx";
import { entryText, noteText, type StatementEntry } from "../components/statement/entry-text.ts";
import { formatDate } from "../format.ts";
import { Rows } from "./parts.tsx";

interface EntryRowsProps {
  readonly entries: readonly StatementEntry[];
  readonly currency: string;
  /** Address of an entry's own explanation. */
  readonly hrefOf: ((entry: StatementEntry) => string | undefined) | undefined;
}

const pageSize = 50;

/**
 * Rows of a statement's entries in the drawer. The service sends all entries at once, so the drawer divides them into
 * pages.
 */
export function EntryRows({ entries, currency, hrefOf }: EntryRowsProps): JSX.Element {
  const [first, setFirst] = useState(0);
  const rows = entries.slice(first, first + pageSize).map((entry, i) => {
    const href = hrefOf?.(entry);
    const text = <bdi>{entryText(entry)}</bdi>;
    return {
      key: first + i,
      title: href === undefined ? text : <a href={href}>{text}</a>,
      detail: (
        <>
          {formatDate(entry.postedOn)}
          {entry.saleOn !== null && <> · sale of {formatDate(entry.saleOn)}</>}
          {entry.underReview && " · under review"}
          {entry.partnerNote !== null && (
            <>
              {" "}
              · <bdi>{noteText(entry)}</bdi>
            </>
          )}
        </>
      ),
      amount: <Money amountCents={entry.amountCents} currency={currency} />,
    };
  });
  return (
    <>
      <Rows label="Entries" rows={rows} />
      {entries.length > pageSize && (
        <nav class="row spread" aria-label="Pages of the reasons">
          <Button isDisabled={first === 0} onClick={() => setFirst(first - pageSize)}>
            Previous page
          </Button>
          <Button isDisabled={first + pageSize >= entries.length} onClick={() => setFirst(first + pageSize)}>
            Next page
          </Button>
        </nav>
      )}
    </>
  );
}
