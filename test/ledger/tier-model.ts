import type { World } from "../../harness/world.ts";

// A model of tiers that reads only entries, sales and policies, and counts from scratch for each step.

interface Tiers {
  readonly metric: "sales" | "revenue";
  readonly period: "month" | "quarter" | "year";
  readonly steps: readonly { readonly threshold: number; readonly rateBps?: number }[];
}

interface Sale {
  readonly id: number;
  readonly commission: number;
  readonly isTest: boolean;
  readonly day: string;
  readonly cents: number;
  readonly currency: string;
  readonly corrects: number | null;
  readonly correction: number | null;
  /** The amount that the correction earned, after its refunds. */
  readonly correctedCents: number;
  readonly initialCents: number;
  readonly isRefunded: boolean;
  readonly partner: number | null;
  readonly policy: number | null;
  readonly status: string;
  readonly tier: Readonly<Record<string, unknown>> | undefined;
  /** The amount that a move took from the former partner. Undefined if the sale wasn't moved. */
  readonly movedCents: number | undefined;
}

interface Entry {
  readonly number: number;
  readonly commission: number;
  readonly partner: number;
  readonly kind: string;
  readonly cents: number;
}

interface Step {
  readonly policy: number;
  readonly partner: number;
  readonly isTest: boolean;
  readonly period: string;
  readonly threshold: number;
  readonly count: number;
  readonly number: number;
}

const periodOf = ({ period }: Tiers, day: string): string => {
  const [year, month] = day.split("-");
  if (period === "year") return `${year}`;
  return period === "month" ? `${year}-${month}` : `${year}-Q${Math.floor((Number(month) - 1) / 3) + 1}`;
};

const due = ({ metric, steps }: Tiers, count: number): number =>
  Math.max(0, ...steps.map(({ threshold }) => threshold).filter((at) => count >= (metric === "sales" ? at - 1 : at)));

export interface Faults {
  /** Steps that differ from the count of the entries before them. */
  readonly steps: number;
  /** Sales whose step is neither the newest one before them nor, for a correction, the corrected sale's. */
  readonly sales: number;
  /** Partners whose newest step differs from their current count. */
  readonly late: number;
  readonly decided: number;
  readonly stepped: number;
}

const numberOf = (value: unknown) => (value === null ? null : Number(value));

async function booksOf({ rows, programId }: World) {
  const sales = await rows(
    `select s.*, c.id as commission, c.partner_id as owner, c.policy_id, c.status, c.explanation, c.initial_cents,
       exists (select 1 from refunds r where r.sale_id = s.id) as is_refunded,
       (select a.after ->> 'commissionCents' from audit_entries a where a.operation_id = s.operation_id) as corrected_cents
     from sales s join commissions c on c.sale_id = s.id where s.program_id = ?`,
    programId,
  );
  const entries = await rows(
    "select * from ledger_entries where program_id = ? and commission_id is not null order by id",
    programId,
  );
  const steps = await rows("select * from tier_steps where program_id = ? order by number", programId);
  const policies = await rows(
    "select * from commission_policies where program_id = ? and tiers is not null",
    programId,
  );
  const [program] = await rows("select currency from programs where id = ?", programId);
  return {
    sales: sales.map((row): Sale => {
      const frozen = JSON.parse(String(row.explanation)) as {
        tier?: Sale["tier"];
        movedFrom?: { amountCents: number };
      };
      return {
        ...{ id: Number(row.id), commission: Number(row.commission), isTest: row.is_test === 1, day: String(row.day) },
        ...{ cents: Number(row.amount_cents), currency: String(row.currency), status: String(row.status) },
        ...{ corrects: numberOf(row.corrected_sale_id), correction: numberOf(row.correction) },
        ...{ correctedCents: Number(row.corrected_cents), initialCents: Number(row.initial_cents) },
        isRefunded: row.is_refunded === 1,
        ...{ partner: numberOf(row.owner), policy: numberOf(row.policy_id) },
        ...{ tier: frozen.tier, movedCents: frozen.movedFrom?.amountCents },
      };
    }),
    entries: entries.map(
      (row): Entry => ({
        ...{ number: Number(row.id), commission: Number(row.commission_id), partner: Number(row.partner_id) },
        ...{ kind: String(row.kind), cents: Number(row.amount_cents) },
      }),
    ),
    steps: steps.map(
      (row): Step => ({
        ...{ policy: Number(row.policy_id), partner: Number(row.partner_id), isTest: row.is_test === 1 },
        ...{ period: String(row.period), threshold: Number(row.threshold), count: Number(row.count) },
        number: Number(row.number),
      }),
    ),
    tiers: new Map(policies.map((row) => [Number(row.id), JSON.parse(String(row.tiers)) as Tiers])),
    latest: policies.filter((row) => row.is_latest === 1 && row.group_id === null).map((row) => Number(row.id)),
    currency: String(program?.currency),
  };
}

type Books = Awaited<ReturnType<typeof booksOf>>;
type Place = Pick<Step, "policy" | "partner" | "isTest" | "period">;

/** Counts the sales of a partner in a period, from entries with smaller numbers than `before`. */
function countOf({ sales, entries, tiers, currency }: Books, place: Place, before: number): number {
  const left = new Map<number, number>();
  for (const { number, commission, partner, cents } of entries) {
    if (number >= before || partner !== place.partner) continue;
    left.set(commission, (left.get(commission) ?? 0) + cents);
  }
  const of = tiers.get(place.policy);
  const counted = sales.filter(
    ({ commission, isTest, day }) =>
      of !== undefined &&
      (left.get(commission) ?? 0) > 0 &&
      isTest === place.isTest &&
      periodOf(of, day) === place.period,
  );
  if (of?.metric === "sales") return counted.length;
  return counted.filter((sale) => sale.currency === currency).reduce((sum, { cents }) => sum + cents, 0);
}

const isAt = (a: Place, b: Place) =>
  a.policy === b.policy && a.partner === b.partner && a.isTest === b.isTest && a.period === b.period;

const newest = (steps: readonly Step[], place: Place, before: number): Step | undefined =>
  steps.findLast((step) => isAt(step, place) && step.number < before);

/**
 * Returns whether a correction has the step of the corrected sale. Returns undefined if it doesn't have to, because the
 * partner, the policy or the period differs, or because it got its partner after the correction.
 */
function isAsItsSale(sale: Sale, { sales, tiers }: Books): boolean | undefined {
  const former =
    sale.correction === null
      ? undefined
      : (sales.find(
          ({ corrects, correction }) => corrects === sale.corrects && correction === (sale.correction ?? 0) - 1,
        ) ?? sales.find(({ id }) => id === sale.corrects));
  const of = tiers.get(sale.policy ?? 0);
  if (former === undefined || of === undefined || sale.movedCents !== undefined || former.status === "void")
    return undefined;
  if (former.policy !== sale.policy || former.partner !== sale.partner) return undefined;
  if (periodOf(of, former.day) !== periodOf(of, sale.day)) return undefined;
  const isSame = JSON.stringify(former.tier) === JSON.stringify(sale.tier);
  if (sale.correctedCents > 0) return isSame;
  // The correction may have earned 0: at a rate of 0, or because its refunds were repeated.
  return (isSame && (sale.initialCents === 0 || sale.isRefunded)) || undefined;
}

function isRight(sale: Sale, books: Books): boolean {
  const { entries, steps, tiers } = books;
  const { policy, partner, isTest, day, tier } = sale;
  const of = tiers.get(policy ?? 0);
  if (policy === null || partner === null || of === undefined) return tier === undefined;
  const kept = isAsItsSale(sale, books);
  if (kept !== undefined) return kept;
  // Amounts of 0 have no entry, such as those of a sale that was fully refunded before it moved.
  const deciding = entries.findLast(({ commission, partner: of, kind, cents }) => {
    if (commission !== sale.commission) return false;
    if (kind === "moved") return (sale.movedCents ?? 0) > 0 || (of === partner && cents > 0);
    return sale.movedCents === undefined && of === partner && kind === "earned";
  });
  if (deciding === undefined) return true;
  const step = newest(steps, { policy, partner, isTest, period: periodOf(of, day) }, deciding.number);
  const rate = of.steps.find(({ threshold }) => threshold === step?.threshold)?.rateBps;
  return tier?.threshold === (step?.threshold || undefined) && tier?.rateBps === rate;
}

/** Compares all steps and sales of a program with the model. */
export async function tierFaults(world: World): Promise<Faults> {
  const books = await booksOf(world);
  const { sales, steps, tiers, latest } = books;
  const wrong = steps.filter((step) => {
    const count = countOf(books, step, step.number);
    const of = tiers.get(step.policy);
    return of === undefined || step.count !== count || step.threshold !== due(of, count);
  });
  const decided = sales.filter(({ status }) => status !== "void");
  const today = new Date().toISOString().slice(0, 10);
  const places: readonly Place[] = [
    ...steps,
    ...latest.flatMap((policy) =>
      world.partners.flatMap(({ id: partner }) =>
        [false, true].map((isTest) => ({
          ...{ policy, partner, isTest },
          period: periodOf(tiers.get(policy) as Tiers, today),
        })),
      ),
    ),
  ];
  const late = places.filter((place) => {
    const of = tiers.get(place.policy);
    const step = newest(steps, place, Number.POSITIVE_INFINITY);
    return of !== undefined && (step?.threshold ?? 0) !== due(of, countOf(books, place, Number.POSITIVE_INFINITY));
  });
  return {
    steps: wrong.length,
    sales: decided.filter((sale) => !isRight(sale, books)).length,
    late: late.length,
    decided: decided.length,
    stepped: decided.filter(({ tier }) => tier !== undefined).length,
  };
}
