import { type Figures, mapped, type Sale } from "./figures.ts";
import { join } from "./join.ts";
import type { Ours } from "./ours.ts";
import type { Period, Processor, Source } from "./source.ts";

export interface Comparing {
  readonly processor: Pick<Processor, "title" | "ids">;
  readonly source: Source;
  readonly ours: Ours;
  readonly programId: number;
  readonly period: Period;
  readonly onRead: (payments: number) => void;
}

export interface Missing {
  readonly id: string;
  readonly theirs: Figures;
  /** The reason why the payment couldn't be sent. */
  readonly why?: string;
}
export interface Unexpected {
  readonly id: string;
  readonly ours: Figures;
  readonly why: string;
}
export interface Differing {
  readonly id: string;
  readonly theirs: Figures;
  readonly ours: Figures;
  readonly why: string;
}

export interface Findings {
  matched: number;
  missing: Missing[];
  unexpected: Unexpected[];
  differs: Differing[];
  /** Payments that the helper can't report, for example because they have no customer. */
  unreported: number;
}

export const figuresOf = ({ amount_cents, currency, refunded_cents }: Figures): Figures => ({
  ...{ amount_cents, currency, refunded_cents },
});

/** Returns the names of the figures that differ. Empty if all are equal. */
export const differenceOf = (theirs: Figures, ours: Figures): string =>
  [
    theirs.amount_cents !== ours.amount_cents && "amount",
    theirs.currency !== ours.currency && "currency",
    theirs.refunded_cents !== ours.refunded_cents && "refunds",
  ]
    .filter(Boolean)
    .join(", ");

function note(findings: Findings, theirs: Sale, ours: Sale): void {
  const why = differenceOf(theirs, ours);
  if (why === "") findings.matched += 1;
  else findings.differs.push({ id: theirs.id, theirs: figuresOf(theirs), ours: figuresOf(ours), why });
}

export async function compare(comparing: Comparing): Promise<Findings> {
  const { ours, period } = comparing;
  const findings: Findings = { matched: 0, missing: [], unexpected: [], differs: [], unreported: 0 };
  const left = await join(salesIn(comparing, findings), ours.list(period), (theirs, our) =>
    note(findings, theirs, our),
  );
  const known = await judgeOurs(comparing, left.ours, findings);
  await judgeTheirs(comparing, left.theirs, known, findings);
  return findings;
}

async function* salesIn(
  { source, programId, period, onRead }: Comparing,
  findings: Findings,
): AsyncGenerator<Sale, undefined> {
  let read = 0;
  for await (const payment of source.payments(period)) {
    if (payment.at < period.from || payment.at >= period.to) continue;
    read += 1;
    onRead(read);
    const found = await mapped(source, programId, payment);
    if ("sale" in found) yield found.sale;
    else if (found.isRefused) findings.unreported += 1;
  }
}

/**
 * Asks the processor about each recorded sale that is missing in the processor's list. Returns the sale ids of payments
 * that are recorded under another id.
 */
async function judgeOurs(
  { processor, source, programId }: Comparing,
  left: ReadonlyMap<string, Sale>,
  findings: Findings,
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const [id, our] of left) {
    if (!processor.ids.test(id)) continue;
    const unexpected = (why: string) => findings.unexpected.push({ id, ours: figuresOf(our), why });
    const named = await source.find(id);
    if (named === undefined) unexpected(`${processor.title} has no payment with this id`);
    else if (named.saleId !== id) {
      known.add(named.saleId);
      unexpected(`the payment's id is ${named.saleId}`);
    } else {
      const found = await mapped(source, programId, named.payment);
      if ("sale" in found) note(findings, found.sale, our);
      else if (found.isRefused) findings.unreported += 1;
      else unexpected(found.none);
    }
  }
  return known;
}

/**
 * Looks up the sales of payments that are missing in the service's list. Such a sale may have been recorded with a time
 * outside the period.
 */
async function judgeTheirs(
  { ours }: Comparing,
  left: ReadonlyMap<string, Sale>,
  known: ReadonlySet<string>,
  findings: Findings,
): Promise<void> {
  const recorded = await ours.lookUp([...left.keys()]);
  for (const [id, theirs] of left) {
    const our = recorded.get(id);
    if (our) note(findings, theirs, our);
    else if (!known.has(id)) findings.missing.push({ id, theirs: figuresOf(theirs) });
  }
}
