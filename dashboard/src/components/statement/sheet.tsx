import "../../styles/statement.css";
import { Fragment, type JSX } from "preact";
import type { Statement } from "../../api/types.ts";
import { formatDate } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { todayIn } from "../../sale-period.ts";
import { Money } from "../numbers.tsx";
import { Table } from "../table.tsx";
import { entryText } from "./entry-text.ts";
import { linesOf, printPages, type StatementLine } from "./print-pages.ts";
import { statementNumberOf } from "./statement-number.ts";
import { useIsPrinting } from "./use-is-printing.ts";

type Data = Statement["data"];

interface SheetProps {
  readonly statement: Statement;
  /** Address that a commission's reference links to. */
  readonly hrefOf?: ((ref: string) => string) | undefined;
  /** The page has others. */
  readonly isOneOfMany?: boolean;
}

/** A statement as owner and partner see and print it, on A4. */
export function StatementSheet({ statement, hrefOf, isOneOfMany = false }: SheetProps): JSX.Element {
  const isPrinting = useIsPrinting();
  const { data } = statement;
  if (!isPrinting) {
    return (
      <article class="card sheet" aria-label={isOneOfMany ? titleOf(data) : "Statement"}>
        <Head statement={statement} />
        <Lines
          caption={isOneOfMany ? `Entries of ${data.name} (${data.partnerCode})` : "Entries"}
          data={data}
          lines={linesOf(data)}
          hrefOf={hrefOf}
        />
        <Closing statement={statement} />
      </article>
    );
  }
  const pages = printPages(data);
  return (
    <article class="sheet" aria-label="Statement">
      {pages.map(({ lines, isFirst, isLast }, i) => (
        <section key={i} class="sheet-page">
          {isFirst && <Head statement={statement} />}
          <Lines caption="Entries" data={data} lines={lines} />
          {isLast && <Closing statement={statement} />}
          <p class="page-number">
            <bdi>{titleOf(data)}</bdi>
            <span>
              Page {i + 1} of {pages.length}
            </span>
          </p>
        </section>
      ))}
    </article>
  );
}

const titleOf = ({ number, name, partnerCode }: Data): string =>
  `Statement ${number === null ? "" : `${statementNumberOf(partnerCode, number)} `}for ${name}`;

function Head({ statement: { data, meta } }: Pick<SheetProps, "statement">): JSX.Element {
  const { issuer, number } = data;
  return (
    <header>
      <div class="parties">
        <Party title="From" name={issuer?.name ?? data.programName} {...(issuer ?? { address: null, taxId: null })} />
        <Party title="To" name={data.name} address={data.address} taxId={data.taxId} />
      </div>
      <h2 class="breakable">
        Statement for <bdi>{data.name}</bdi>
      </h2>
      <dl class="facts about">
        {number !== null && (
          <>
            <dt>Number</dt>
            <dd>
              <bdi>{statementNumberOf(data.partnerCode, number)}</bdi>
            </dd>
          </>
        )}
        {issuer !== null && (
          <>
            <dt>Program</dt>
            <dd>
              <bdi>{data.programName}</bdi>
            </dd>
          </>
        )}
        <dt>Partner code</dt>
        <dd>
          <code class="breakable">{data.partnerCode}</code>
        </dd>
        <dt>Period</dt>
        <dd>
          {formatDate(data.from)} – {formatDate(data.to)}
        </dd>
        <dt>Currency</dt>
        <dd>{data.currency}</dd>
        {data.paidOn !== null && (
          <>
            <dt>Paid on</dt>
            <dd>{formatDate(data.paidOn)}</dd>
          </>
        )}
        <dt>Date of issue</dt>
        <dd>{formatDate(number === null ? todayIn(meta.timezone) : data.to)}</dd>
      </dl>
    </header>
  );
}

interface PartyProps {
  readonly title: string;
  readonly name: string;
  readonly address: string | null;
  readonly taxId: string | null;
}

const Party = ({ title, name, address, taxId }: PartyProps): JSX.Element => (
  <div class="party breakable">
    <span class="soft">{title}</span>
    <bdi class="issuer">{name}</bdi>
    {address !== null && <bdi class="address">{address}</bdi>}
    {taxId !== null && (
      <span>
        Tax ID <bdi>{taxId}</bdi>
      </span>
    )}
  </div>
);

/** The title shows on a phone, where columns have no heads. */
const Dated = ({ title, day }: { readonly title: string; readonly day: string }): JSX.Element => (
  <span>
    <span class="on-phone">{title} </span>
    {formatDate(day)}
  </span>
);

interface LinesProps extends Pick<SheetProps, "hrefOf"> {
  readonly caption: string;
  readonly data: Data;
  readonly lines: readonly StatementLine[];
}

function Lines({ caption, data: { currency }, lines, hrefOf }: LinesProps): JSX.Element {
  const money = (amountCents: number) => <Money amountCents={amountCents} currency={currency} />;
  return (
    <div class="row-cards">
      <Table<StatementLine>
        caption={caption}
        columns={[
          { head: "Posted", cell: ({ day }) => <Dated title="Posted" day={day} /> },
          {
            head: "Sale",
            cell: ({ of }) => typeof of !== "string" && of.saleOn !== null && <Dated title="Sale" day={of.saleOn} />,
          },
          { head: "Description", cell: ({ of }) => <Description of={of} hrefOf={hrefOf} /> },
          { head: "Amount", isNumber: true, cell: ({ of }) => typeof of !== "string" && money(of.amountCents) },
          { head: "Balance", isNumber: true, cell: ({ balanceCents }) => money(balanceCents) },
        ]}
        rows={lines}
        rowKey={({ key }) => key}
        rowClass={({ of }) => (typeof of === "string" ? "edge" : undefined)}
      />
    </div>
  );
}

function Description({ of, hrefOf }: Pick<StatementLine, "of"> & Pick<SheetProps, "hrefOf">): JSX.Element {
  if (typeof of === "string") return <>{of}</>;
  const text = <bdi>{entryText(of)}</bdi>;
  return (
    <>
      {hrefOf === undefined || of.ref === null ? text : <a href={hrefOf(of.ref)}>{text}</a>}
      {of.underReview && <p class="soft note">Under review</p>}
      {of.partnerNote !== null && (
        <p class="soft note">
          <bdi>{of.partnerNote}</bdi>
        </p>
      )}
    </>
  );
}

type Sum = readonly [title: string, amountCents: number];

function Closing({ statement: { data, meta } }: Pick<SheetProps, "statement">): JSX.Element {
  const { currency, payoutTerms } = data;
  const sums: readonly Sum[] = [
    ["Brought forward", data.openingCents],
    ["Earned", data.earnedCents],
    ...(data.refundedCents === 0 ? [] : ([["Refunded or declined", data.refundedCents]] as const)),
    ...(data.adjustedCents === 0 ? [] : ([["Bonuses and deductions", data.adjustedCents]] as const)),
    ["Paid", data.paidCents],
    ["Carried forward", data.closingCents],
  ];
  return (
    <>
      <Sums name="sums" sums={sums} currency={currency} />
      <Sums name="open" sums={openSums(data)} currency={currency} />
      {payoutTerms !== null && (
        <section>
          <h3>Payout terms</h3>
          <p class="breakable terms">{payoutTerms}</p>
        </section>
      )}
      <p class="soft">Entries are listed by the day on which they were posted ({zoneTitle(meta.timezone)}).</p>
    </>
  );
}

/** Only known of a period that isn't over. */
function openSums({ closingCents, pendingCents = 0, payableCents, inPayoutCents = 0 }: Data): readonly Sum[] {
  if (payableCents === undefined) return [];
  const carriedCents = closingCents - pendingCents - payableCents - inPayoutCents;
  return [
    ["On hold", pendingCents],
    ["To be paid", payableCents],
    ["In payout", inPayoutCents],
    ...(carriedCents === 0 ? [] : ([["To be deducted", carriedCents]] as const)),
  ];
}

interface SumsProps {
  readonly name: string;
  readonly sums: readonly Sum[];
  readonly currency: string;
}

const Sums = ({ name, sums, currency }: SumsProps): JSX.Element | null =>
  sums.length === 0 ? null : (
    <dl class={`facts ${name}`}>
      {sums.map(([title, amountCents]) => (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd>
            <Money amountCents={amountCents} currency={currency} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
