import { shownSums } from "#domain/statement-sums.ts";
import { namedByCode, nameInText } from "../../named-by-code.ts";
import "../../styles/statement.css";
import { Fragment, type JSX } from "preact";
import type { Statement } from "../../api/types.ts";
import { currencyName, formatDate } from "../../format.ts";
import { zoneTitle } from "../../format-time.ts";
import { formatDays } from "../../period.ts";
import { reasonsOf } from "../../reasons/reasons-address.ts";
import { WhyMoney } from "../../reasons/why-money.tsx";
import { todayIn } from "../../sale-period.ts";
import { Money } from "../numbers.tsx";
import { Table } from "../table.tsx";
import { closingSums, isSum } from "./closing-sums.ts";
import { entryText, noteText } from "./entry-text.ts";
import { laterNotices } from "./later.ts";
import { linesOf, printPages, type StatementLine } from "./print-pages.ts";
import { statementNumberOf } from "./statement-number.ts";
import { useIsPrinting } from "./use-is-printing.ts";

type Data = Statement["data"];

interface SheetProps {
  readonly statement: Statement;
  /** Address that a commission's reference links to. */
  readonly hrefOf?: ((ref: string) => string) | undefined;
  /** True if the page shows other statements too. */
  readonly isOneOfMany?: boolean;
  /**
   * Returns the value of the query parameter `reasons` for an open amount. If undefined, amounts don't open their
   * reasons.
   */
  readonly openReasonsOf?: ((field: "pending" | "payable" | "inPayout", currency: string) => string) | undefined;
}

/** A statement as owner and partner see and print it, on A4. */
export function StatementSheet({ statement, hrefOf, isOneOfMany = false, openReasonsOf }: SheetProps): JSX.Element {
  const isPrinting = useIsPrinting();
  const { data } = statement;
  if (!isPrinting) {
    return (
      <article class="card sheet" aria-label={isOneOfMany ? titleOf(data) : "Statement"}>
        <Head statement={statement} />
        <Lines
          caption={isOneOfMany ? `Entries of ${namedByCode(data)}` : "Entries"}
          data={data}
          lines={linesOf(data)}
          hrefOf={hrefOf}
          openReasonsOf={openReasonsOf}
        />
        <Closing statement={statement} openReasonsOf={openReasonsOf} />
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
  `Statement ${number === null ? "" : `${statementNumberOf(partnerCode, number)} `}for ${nameInText(name)}`;

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
      {laterNotices(data).map((text) => (
        <p key={text} class="later">
          {text}
        </p>
      ))}
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
        <dd>{formatDays(data.from, data.to)}</dd>
        <dt>Currency</dt>
        <dd>{currencyName(data.currency)}</dd>
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

/** A day with a title. The title shows only on a phone, where the table has no column heads. */
const Dated = ({ title, day }: { readonly title: string; readonly day: string }): JSX.Element => (
  <span>
    <span class="on-phone">{title} </span>
    {formatDate(day)}
  </span>
);

interface LinesProps extends Pick<SheetProps, "hrefOf" | "openReasonsOf"> {
  readonly caption: string;
  readonly data: Data;
  readonly lines: readonly StatementLine[];
}

function Lines({ caption, data: { currency }, lines, hrefOf, openReasonsOf }: LinesProps): JSX.Element {
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
          {
            head: "Amount",
            isNumber: true,
            cell: ({ key, of }) =>
              typeof of !== "string" &&
              (openReasonsOf === undefined ? (
                money(of.amountCents)
              ) : (
                <WhyMoney
                  amountCents={of.amountCents}
                  currency={currency}
                  of={reasonsOf("entry", key)}
                  what={entryText(of)}
                />
              )),
          },
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
          <bdi>{noteText(of)}</bdi>
        </p>
      )}
    </>
  );
}

type Sum = readonly [title: string, amountCents: number, reasons?: string | undefined];

function Closing({
  statement: { data, meta },
  openReasonsOf,
}: Pick<SheetProps, "statement" | "openReasonsOf">): JSX.Element {
  const { currency, payoutTerms } = data;
  const sums = shownSums(closingSums(data)).map(
    ([title, amountCents, name]): Sum => [
      title,
      amountCents,
      openReasonsOf !== undefined && isSum(name) ? reasonsOf("sum", name) : undefined,
    ],
  );
  return (
    <>
      <Sums kind="sums" sums={sums} currency={currency} />
      <Sums kind="open" sums={openSums(data, openReasonsOf)} currency={currency} />
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

/** The sums that are still open. The statement has them only if its period isn't over. */
function openSums(
  { currency, closingCents, pendingCents = 0, payableCents, inPayoutCents = 0 }: Data,
  openReasonsOf: SheetProps["openReasonsOf"],
): readonly Sum[] {
  if (payableCents === undefined) return [];
  const carriedCents = closingCents - pendingCents - payableCents - inPayoutCents;
  return [
    ["On hold", pendingCents, openReasonsOf?.("pending", currency)],
    // An amount to deduct has the same reasons as the amount to be paid. If there is one, only its row opens them.
    ["To be paid", payableCents, carriedCents === 0 ? openReasonsOf?.("payable", currency) : undefined],
    ["In payout", inPayoutCents, openReasonsOf?.("inPayout", currency)],
    ...(carriedCents === 0 ? [] : ([["To be deducted", carriedCents, openReasonsOf?.("payable", currency)]] as const)),
  ];
}

interface SumsProps {
  readonly kind: "sums" | "open";
  readonly sums: readonly Sum[];
  readonly currency: string;
}

const Sums = ({ kind, sums, currency }: SumsProps): JSX.Element | null =>
  sums.length === 0 ? null : (
    <dl class={`facts ${kind}`}>
      {sums.map(([title, amountCents, reasons]) => (
        <Fragment key={title}>
          <dt>{title}</dt>
          <dd>
            {reasons === undefined ? (
              <Money amountCents={amountCents} currency={currency} />
            ) : (
              <WhyMoney amountCents={amountCents} currency={currency} of={reasons} what={title.toLowerCase()} />
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
