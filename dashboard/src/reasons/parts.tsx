import "./reasons.css";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Money } from "../components/numbers.tsx";
import { base } from "../url.ts";
import type { Equation } from "./equation.ts";

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const copyTitle = base === "/app/" ? "Copy for the partner" : "Copy as text";

interface SumProps {
  readonly equation: Equation;
  readonly note?: string | undefined;
  /** The text to copy for the partner, without facts that only the team may know. */
  readonly copied?: string | undefined;
  /** Further buttons of the drawer. */
  readonly children?: ComponentChildren;
}

export function Sum({ equation, note, copied, children }: SumProps): JSX.Element {
  const { what, amountCents, currency, terms } = equation;
  return (
    <>
      <dl class="reasons-terms" aria-label="Sum">
        <div class="reasons-sum">
          <dt>{capitalized(what)}</dt>
          <dd>
            <Money amountCents={amountCents} currency={currency} />
          </dd>
        </div>
        {terms.map((term) => (
          <div key={term.title}>
            <dt>{capitalized(term.title)}</dt>
            <dd>
              <Money amountCents={term.amountCents} currency={currency} />
            </dd>
          </div>
        ))}
      </dl>
      {note !== undefined && <p class="soft">{note}</p>}
      {(copied !== undefined || children !== undefined) && (
        <div class="row">
          {children}
          {copied !== undefined && <CopyButton text={copied} what="text for the partner" title={copyTitle} />}
        </div>
      )}
    </>
  );
}

export interface ReasonRow {
  readonly key: string | number;
  readonly title: ComponentChildren;
  readonly detail: ComponentChildren;
  readonly amount: ComponentChildren;
}

export const Rows = ({ label, rows }: { readonly label: string; readonly rows: readonly ReasonRow[] }): JSX.Element => (
  <ul class="reasons-rows" aria-label={label}>
    {rows.map(({ key, title, detail, amount }) => (
      <li key={key}>
        <span>
          {title}
          <small>{detail}</small>
        </span>
        <span>{amount}</span>
      </li>
    ))}
  </ul>
);

/** The cursor of a list in the drawer. The cursor in the address belongs to the page behind the drawer. */
export function usePages() {
  const [cursor, setCursor] = useState<string>();
  const pagination = (nextCursor: string | null): JSX.Element | null =>
    cursor === undefined && nextCursor === null ? null : (
      <nav class="row spread" aria-label="Pages of the reasons">
        <Button isDisabled={cursor === undefined} onClick={() => setCursor(undefined)}>
          First page
        </Button>
        <Button isDisabled={nextCursor === null} onClick={() => setCursor(nextCursor ?? undefined)}>
          Next page
        </Button>
      </nav>
    );
  return { cursor, pagination };
}
