import { type SQL, sql } from "drizzle-orm";
import { addMonthsUtc, dateUtc, dayIn, startOfDay } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import { isDetailsChanged, minimumPayout } from "#domain/payout.ts";
import { inOrderOfMoney, maxCounted, noToDo, type ToDo, type ToDoKind } from "#domain/to-do.ts";
import { type Database, readBatch } from "../database.ts";
import { dueBefore } from "../due-bonuses.ts";
import { paymentVersionOf } from "../payment-details.ts";
import { lastPaidAt } from "../payout-lines.ts";
import { applications } from "../schema/applications.ts";
import { claimCounts, claims } from "../schema/claims.ts";
import { partnerBalances } from "../schema/partner-balances.ts";
import { partners } from "../schema/partners.ts";
import { payoutLines, payouts } from "../schema/payouts.ts";
import { programs } from "../schema/programs.ts";
import { webhooks } from "../schema/webhooks.ts";
import { type Found, readAll, readFirst, unencoded } from "../statement.ts";

type OfProgram = { programId: ProgramId };

/** Reads one row more than the maximum, which shows that there are more. */
const upToMost = sql.raw(`limit ${maxCounted + 1}`);
const namesShown = 3;

const textSum = (column: string) => sql`cast(sum(${sql.raw(column)}) as text)`.mapWith(BigInt);

interface Applied {
  readonly n: number;
  readonly since: number | null;
  readonly names: readonly string[];
}

const applied = readFirst<OfProgram, Applied>((db) => {
  const open = sql`select a.id, a.name, a.created_at from ${applications} a
    where a.program_id = ${unencoded("programId")} and a.status = 'pending'`;
  return db
    .select({
      n: sql<number>`count(*)`,
      since: sql<number | null>`min(waiting.created_at)`,
      names: sql`(select json_group_array(name) from (
        select name from (${open} ${upToMost}) order by created_at limit ${sql.raw(String(namesShown))}))`.mapWith(
        (json: string) => JSON.parse(json) as readonly string[],
      ),
    })
    .from(sql`(${open} ${upToMost}) waiting`);
});

interface Claimed extends Applied {
  readonly onlyId: number | null;
}

/** Reads the number of open claims from a counter, and reads only the oldest claims themselves. */
const claimed = readFirst<OfProgram, Claimed>((db) =>
  db
    .select({
      n: sql<number>`coalesce((select k.open from ${claimCounts} k where k.program_id = ${unencoded("programId")}), 0)`,
      since: sql<number | null>`min(oldest.created_at)`,
      names: sql`json_group_array(distinct oldest.name)`.mapWith(
        (json: string) => JSON.parse(json) as readonly string[],
      ),
      onlyId: sql<number | null>`iif(count(*) = 1, min(oldest.id), null)`,
    })
    .from(
      sql`(select k.id, k.created_at, p.name from ${claims} k join ${partners} p on p.id = k.partner_id
        where k.program_id = ${unencoded("programId")} and k.status = 'open'
        order by k.id limit ${sql.raw(String(namesShown))}) oldest`,
    ),
);

interface Counted {
  readonly currency: string;
  readonly n: number;
  readonly cents: bigint;
  readonly since: number;
  readonly onlyId: number;
  readonly held: number;
}

const waitingCommissions = (condition: SQL, since: SQL) =>
  readAll<OfProgram, Counted>((db) =>
    db
      .select({
        currency: sql<string>`waiting.currency`,
        n: sql<number>`count(*)`,
        cents: textSum("waiting.amount_cents"),
        since: sql<number>`min(waiting.since)`,
        onlyId: sql<number>`min(waiting.id)`,
        held: sql<number>`sum(waiting.held_at is not null)`,
      })
      .from(
        sql`(select c.id, c.currency, c.amount_cents, c.held_at, ${since} as since from commissions c
          where c.program_id = ${unencoded("programId")} and c.is_test = 0 and c.status = 'pending' and ${condition} ${upToMost}) waiting`,
      )
      .groupBy(sql`waiting.currency`)
      .orderBy(sql`waiting.currency`),
  );

const held = waitingCommissions(sql`c.held_at is not null`, sql`c.held_at`);
const unconfirmed = waitingCommissions(sql`c.is_unconfirmed = 1`, sql`c.created_at`);

interface Payee {
  readonly partnerId: number;
  readonly currency: string;
  readonly cents: bigint;
  readonly hasDetails: boolean;
  readonly detailsChangedAt: number | null;
  readonly lastPaidAt: number | null;
  readonly minimumPayoutCents: number | null;
  /** The part of `cents` that is also in a draft. It may exceed `cents`, because a draft reserves nothing. */
  readonly inDraft: bigint;
}

/**
 * The partners whom a payout of all payable amounts would pay, as in `proposeLines`, and also partners without payment
 * details.
 */
const findPayees = readAll<OfProgram, Payee>((db) =>
  db
    .select({
      partnerId: sql<number>`${partners.id}`,
      currency: partnerBalances.currency,
      cents: sql`cast(${partnerBalances.payableCents} as text)`.mapWith(BigInt),
      hasDetails: sql<boolean>`${paymentVersionOf(partners.id)} is not null
        or (not ${programs.requireDetails} and ${partners.email} is not null)`.mapWith(Boolean),
      detailsChangedAt: partners.detailsChangedAt,
      lastPaidAt,
      minimumPayoutCents: sql<number | null>`${programs.minimumPayoutCents}`,
      inDraft: sql`cast(coalesce((select l.amount_cents from ${payouts} p
        join ${payoutLines} l on l.payout_id = p.id and l.partner_id = ${partners.id} and l.state = 'proposed'
        where p.program_id = ${partnerBalances.programId} and p.currency = ${partnerBalances.currency}
        and p.status = 'draft'), 0) as text)`.mapWith(BigInt),
    })
    .from(partnerBalances)
    .innerJoin(partners, sql`${partners.id} = ${partnerBalances.partnerId}`)
    .innerJoin(programs, sql`${programs.id} = ${partnerBalances.programId}`)
    .where(
      sql`${partnerBalances.programId} = ${unencoded("programId")} and ${partnerBalances.payableCents} > 0
        and ${partners.status} <> 'paused'`,
    )
    .orderBy(sql`${partnerBalances.currency}, ${partnerBalances.partnerId}`),
);

interface OpenPayout {
  readonly id: number;
  readonly status: "draft" | "final";
  readonly currency: string;
  readonly cents: bigint;
  readonly reference: string;
  readonly since: number;
}

const openPayouts = readAll<OfProgram, OpenPayout>((db) =>
  db
    .select({
      id: sql<number>`${payouts.id}`,
      status: sql<OpenPayout["status"]>`${payouts.status}`,
      currency: payouts.currency,
      /** The total without the lines that are already settled by API or given back. */
      cents: sql`cast(${payouts.totalCents} - ${payouts.settledCents} - ${payouts.givenBackCents} as text)`.mapWith(
        BigInt,
      ),
      reference: payouts.reference,
      since: sql<number>`coalesce(${payouts.finalizedAt}, ${payouts.createdAt})`,
    })
    .from(payouts)
    .where(sql`${payouts.programId} = ${unencoded("programId")} and ${payouts.status} in ('draft', 'final')`)
    .orderBy(sql`${payouts.id} ${upToMost}`),
);

interface Failing {
  readonly id: number;
  readonly url: string;
  readonly since: number;
}

const failingWebhooks = readAll<OfProgram, Failing>((db) =>
  db
    .select({
      id: sql<number>`${webhooks.id}`,
      url: webhooks.url,
      since: sql<number>`coalesce(${webhooks.failingSince}, ${webhooks.disabledAt})`,
    })
    .from(webhooks)
    .where(
      sql`${webhooks.programId} = ${unencoded("programId")}
        and ((${webhooks.status} = 'active' and ${webhooks.failingSince} is not null) or ${webhooks.disabledBy} = 'failures')`,
    )
    .orderBy(sql`${webhooks.id}`),
);

interface DueBonuses {
  readonly lastMonth: string;
  readonly currency: string;
  readonly n: number;
  readonly cents: bigint;
}

/** Due bonuses of periods that end before `month`, by the period's last month. `month` is next month in UTC. */
const dueBonuses = readAll<OfProgram & { month: string }, DueBonuses>((db) =>
  db
    .select({
      lastMonth: sql<string>`due.last_month`,
      currency: sql<string>`b.currency`,
      n: sql<number>`count(*)`,
      cents: textSum("b.amount_cents"),
    })
    .from(dueBefore)
    .groupBy(sql`due.last_month, b.currency`)
    .orderBy(sql`due.last_month, b.currency`),
);

interface ToDoQuery {
  readonly programId: ProgramId;
  /** The program's currency. */
  readonly currency: string;
  readonly timezone: string;
  readonly at: number;
}

/** The next month in UTC. A period that ends with this month or a later one isn't over in any time zone. */
const monthAfter = (at: number): string => dateUtc(addMonthsUtc(at, 1)).slice(0, 7);

/** The reads from which the open tasks of a program's team are computed. */
export const toDoReads = ({ programId, at }: Pick<ToDoQuery, "programId" | "at">) => ({
  applied: applied({ programId }),
  claimed: claimed({ programId }),
  held: held({ programId }),
  unconfirmed: unconfirmed({ programId }),
  payees: findPayees({ programId }),
  payouts: openPayouts({ programId }),
  bonuses: dueBonuses({ programId, month: monthAfter(at) }),
  webhooks: failingWebhooks({ programId }),
});

/** Reads the open tasks of the program's team in the live book. Makes one database request. */
export const readToDo = async (database: Database, query: ToDoQuery): Promise<readonly ToDo[]> =>
  toDoOf(await readBatch(database, toDoReads(query)), query);

export function toDoOf(
  found: Found<ReturnType<typeof toDoReads>>,
  { currency: ofProgram, timezone, at }: Omit<ToDoQuery, "programId">,
): readonly ToDo[] {
  const isEnough = ({ cents, currency, minimumPayoutCents }: Payee) =>
    cents >= BigInt(minimumPayout({ currency: ofProgram, minimumPayoutCents }, currency));
  const payees = found.payees.filter(isEnough);
  const payable = payees.map((payee) => ({ ...payee, cents: payee.cents - payee.inDraft })).filter(isEnough);
  // Changed payment details of partners in a draft still have to be checked.
  const changed = payees.filter((payee) => payee.hasDetails && isDetailsChanged(payee, at));
  return inOrderOfMoney(
    [
      applicationsOf(found.applied),
      claimsOf(found.claimed),
      commissionsOf("held", found.held),
      { ...commissionsOf("unconfirmed", found.unconfirmed), heldToo: heldOf(found.unconfirmed) },
      { ...payeesOf("payable", payable), withoutDetails: partnersIn(payable.filter((payee) => !payee.hasDetails)) },
      { ...payeesOf("details", changed), since: oldest(changed.map((payee) => payee.detailsChangedAt)), amounts: [] },
      ...payoutsOf(found.payouts),
      bonusesOf(found.bonuses, { timezone, at }),
      webhooksOf(found.webhooks),
    ],
    ofProgram,
  );
}

const oldest = (instants: readonly (number | null)[]): number | null =>
  instants.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null);

const bounded = (n: number) => ({ count: Math.min(n, maxCounted), hasMore: n > maxCounted });

function applicationsOf(found: Applied | undefined): ToDo {
  const { n, since, names } = found ?? { n: 0, since: null, names: [] };
  return { ...noToDo, kind: "applications", ...bounded(n), since, names };
}

function claimsOf(found: Claimed | undefined): ToDo {
  const { n, ...oldest } = found ?? { n: 0, since: null, names: [], onlyId: null };
  return { ...noToDo, ...oldest, kind: "claims", ...bounded(n) };
}

function commissionsOf(kind: ToDoKind, found: readonly Counted[]): ToDo {
  const n = found.reduce((sum, each) => sum + each.n, 0);
  return {
    ...noToDo,
    kind,
    ...bounded(n),
    amounts: n > maxCounted ? [] : found.map(({ currency, cents }) => ({ currency, cents })),
    since: oldest(found.map(({ since }) => since)),
    onlyId: n === 1 ? (found[0]?.onlyId ?? null) : null,
  };
}

const heldOf = (found: readonly Counted[]): number => found.reduce((sum, { held }) => sum + held, 0);

const partnersIn = (found: readonly Payee[]): number => new Set(found.map(({ partnerId }) => partnerId)).size;

/** `found` contains all payees of the program, so this count needs no limit. */
function payeesOf(kind: ToDoKind, found: readonly Payee[]): ToDo {
  const count = partnersIn(found);
  return { ...noToDo, kind, count, amounts: sumsOf(found), onlyId: count === 1 ? (found[0]?.partnerId ?? null) : null };
}

const sumsOf = (found: readonly { readonly currency: string; readonly cents: bigint }[]): ToDo["amounts"] =>
  [...Map.groupBy(found, ({ currency }) => currency)].map(([currency, rows]) => ({
    currency,
    cents: rows.reduce((sum, { cents }) => sum + cents, 0n),
  }));

const payoutsOf = (found: readonly OpenPayout[]): readonly ToDo[] =>
  ([["draft", "draft"] as const, ["unpaid", "final"] as const] as const).map(([kind, status]) => {
    const of = found.filter((payout) => payout.status === status);
    return {
      ...noToDo,
      kind,
      ...bounded(of.length),
      amounts: sumsOf(of),
      since: oldest(of.map(({ since }) => since)),
      names: of.slice(0, namesShown).map(({ reference }) => reference),
      onlyId: of.length === 1 ? (of[0]?.id ?? null) : null,
    };
  });

/** Bonuses are due once their period is over in the program's time zone. */
function bonusesOf(found: readonly DueBonuses[], { timezone, at }: Pick<ToDoQuery, "timezone" | "at">): ToDo {
  const due = found.filter(({ lastMonth }) => lastMonth < dayIn(timezone, at).slice(0, 7));
  const [first] = due;
  const n = due.reduce((sum, each) => sum + each.n, 0);
  return {
    ...noToDo,
    kind: "bonuses",
    ...bounded(n),
    amounts: n > maxCounted ? [] : sumsOf(due),
    since: first === undefined ? null : startOfDay(timezone, firstDayAfter(first.lastMonth)),
  };
}

const firstDayAfter = (month: string): string => dateUtc(addMonthsUtc(Date.parse(`${month}-01`), 1));

const webhooksOf = (found: readonly Failing[]): ToDo => ({
  ...noToDo,
  kind: "webhooks",
  ...bounded(found.length),
  since: oldest(found.map(({ since }) => since)),
  names: found.slice(0, namesShown).map(({ url }) => new URL(url).host),
  onlyId: found.length === 1 ? (found[0]?.id ?? null) : null,
});
