import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dayIn } from "#domain/calendar.ts";
import type { AwardOutcome } from "#operations/bonuses/award-bonuses.ts";
import { databaseAt } from "../../harness/database-client.ts";
import type { World } from "../../harness/world.ts";
import { bonusInvariants } from "../../scripts/audit/bonuses.ts";
import { longestMs } from "../support/breadth.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { day as dayMs, daysAgo } from "../support/program-fixture.ts";
import { openTierShop, shopEvent } from "./tier-shop.ts";

const own = isolatedDatabase();

const numRuns = Number(process.env.BONUS_HISTORIES ?? 1);
const options = { timeout: Math.max(longestMs, numRuns * 20_000) };

const now = daysAgo(0);
const clock = { now: () => now, sleep: async () => {}, random: () => 0.5 };

// Generates objects with a prototype, because Drizzle can't insert others.
const asIs = { noNullPrototype: true } as const;

const terms = fc.record(
  {
    metric: fc.constantFrom("sales", "sales", "revenue"),
    period: fc.constantFrom("month", "quarter", "year"),
    threshold: fc.constantFrom(1, 2, 4),
    currency: fc.constantFrom("EUR", "USD"),
  },
  asIs,
);
/** Awards a bonus. `at` is in days from now: at once, or after the current month, quarter or year. */
const awarding = fc.record({ kind: fc.constant("award" as const), at: fc.constantFrom(0, 0, 32, 100, 400) });
const event = fc.oneof({ weight: 8, arbitrary: shopEvent }, { weight: 1, arbitrary: awarding });

/** The first bonus of each history. The early sales reach it unless they are refunded. */
const firstTerms = { metric: "sales", period: "month", threshold: 1, currency: "EUR" } as const;
const sold = { kind: "sell", daysAgo: 45, amountCents: 4_900, currency: "EUR", coupons: [] } as const;
const earlySales = [0, 1, 2].map((customer) => ({ ...sold, customer }));

interface Bonus {
  readonly id: number;
  readonly metric: string;
  readonly period: string;
  readonly threshold: number;
  readonly from: string;
  readonly amount: number;
}

const periodIn = (kind: string, day: string): string => {
  const [year = "", month = ""] = day.split("-");
  if (kind === "year") return year;
  return kind === "month" ? `${year}-${month}` : `${year}-Q${Math.floor((Number(month) - 1) / 3) + 1}`;
};

/** A model that counts approved sales from scratch: the bonuses that partners have reached, by `bonus period partner`. */
async function reachedIn({ rows, programId }: World, bonuses: readonly Bonus[]): Promise<ReadonlySet<string>> {
  const sales = await rows(
    `select s.day, s.currency, s.amount_cents, c.partner_id from sales s join commissions c on c.sale_id = s.id
     where s.program_id = ? and s.is_test = 0 and c.status = 'approved' and c.amount_cents > 0`,
    programId,
  );
  const reached = new Set<string>();
  for (const { id, metric, period, threshold, from } of bonuses) {
    const groups = Map.groupBy(sales, (sale) => `${periodIn(period, String(sale.day))} ${sale.partner_id}`);
    for (const [place, of] of groups) {
      const sum = of.reduce((cents, sale) => cents + (sale.currency === "EUR" ? Number(sale.amount_cents) : 0), 0);
      const count = metric === "sales" ? of.length : sum;
      if (count >= threshold && (place.split(" ")[0] as string) >= from) reached.add(`${id} ${place}`);
    }
  }
  return reached;
}

const shown = (row: Readonly<Record<string, unknown>>, kind: string): string =>
  `${row.bonus_id} ${periodIn(kind, `${row.last_month}-01`)} ${row.partner_id}`;

test("due and awarded bonuses match a model in any history of a shop, and each is paid once", options, async () => {
  const paid = { awards: 0, refusals: 0 };
  const property = fc.asyncProperty(
    fc.array(event, { minLength: 20, maxLength: 50 }),
    fc.array(terms, { maxLength: 2 }).map((others) => [firstTerms, ...others]),
    fc.constantFrom("UTC", "Pacific/Auckland", "America/Los_Angeles"),
    fc.constantFrom(0, 30),
    async (events, terms, timezone, holdDays) => {
      const database = databaseAt(own.server.url);
      const ledger = ledgerOn(database, clock);
      const longAgo = { effectiveFrom: daysAgo(500), createdAt: daysAgo(500) };
      const { world, play } = await openTierShop(own.server.url, ledger, {
        policies: [{ ...longAgo, holdDays }],
        program: { timezone },
      });
      const { programId } = world;
      const submit = (call: object) =>
        ledger.submit(
          ledger.changeTask(
            { operationId: randomBytes(8).toString("hex"), at: now, actorId: "someone", programId, ...call } as never,
            now,
          ),
        ).outcome as Promise<{ ok: boolean; answer: unknown }>;
      const settle = async () => {
        for (let runs = 0; runs < 5; runs += 1) await ledger.loop.maintain();
      };
      const awarded = new Set<string>();
      const bonuses: Bonus[] = [];
      // Half of the bonuses are created after the sales, so that these are counted later.
      const create = async (index: number) => {
        const { metric, period, threshold: of, currency } = terms[index] ?? {};
        if (metric === undefined || period === undefined || of === undefined) return;
        const threshold = metric === "sales" ? of : of * 4_900;
        const from = periodIn(period, new Date(daysAgo(200)).toISOString());
        const amount = 100 + index;
        const sent = { metric, period, threshold, amountCents: amount, currency };
        const made = await submit({ kind: "create-bonus", terms: sent, from });
        expect(made).toMatchObject({ ok: true });
        const { bonusId: id } = made.answer as { bonusId: number };
        bonuses.push({ id, metric, period, threshold, from, amount });
      };
      const dueNow = async () => {
        await settle();
        const reached = await reachedIn(world, bonuses);
        const kinds = new Map(bonuses.map(({ id, period }) => [id, period]));
        const rows = await world.rows("select * from due_bonuses where program_id = ?", programId);
        const due = rows.map((row) => shown(row, kinds.get(Number(row.bonus_id)) ?? ""));
        expect(new Set(due)).toEqual(new Set([...reached].filter((each) => !awarded.has(each))));
        return { reached, due };
      };
      const award = async (at: number) => {
        const { reached, due } = await dueNow();
        const today = dayIn(timezone, at);
        const periods = new Set([...reached, ...due].map((each) => each.split(" ")[1] ?? ""));
        for (const period of periods) {
          const rows = bonuses.flatMap(({ id }) =>
            world.partners.map((partner) => ({ bonusId: id, partnerId: partner.id })),
          );
          const call = { kind: "award-bonuses", at, period, rows };
          const outcomes = await Promise.all([submit(call), submit(call)]);
          const results = outcomes.flatMap(({ answer }) => answer as readonly AwardOutcome[]);
          for (const { bonusId, partnerId, result } of results) {
            const place = `${bonusId} ${period} ${partnerId}`;
            const kind = bonuses.find(({ id }) => id === bonusId)?.period ?? "";
            if (result === "awarded") {
              expect(reached.has(place) && !awarded.has(place) && periodIn(kind, today) > period).toBe(true);
              awarded.add(place);
              paid.awards += 1;
            }
            if (result === "refused") {
              paid.refusals += 1;
              expect(reached.has(place) && !awarded.has(place) && periodIn(kind, today) > period).toBe(false);
            }
          }
        }
      };

      await create(0);
      for (const each of [...earlySales, ...events]) {
        if (each.kind === "award") await award(now + each.at * dayMs);
        else await play(each, database);
      }
      await create(1);
      await create(2);
      await award(now + 400 * dayMs);
      await dueNow();

      const adjusted = await world.rows(
        "select reference, partner_id, amount_cents from adjustments where program_id = ?",
        programId,
      );
      const references = adjusted.map((row) => `${row.reference} ${row.partner_id}`);
      expect(new Set(references)).toEqual(new Set([...awarded].map((place) => `bonus:${place.replace(" ", ":")}`)));
      expect(references).toHaveLength(awarded.size);
      const amountOf = (place: string) => bonuses.find(({ id }) => place.startsWith(`${id} `))?.amount ?? 0;
      expect(adjusted.reduce((sum, row) => sum + Number(row.amount_cents), 0)).toBe(
        [...awarded].reduce((sum, place) => sum + amountOf(place), 0),
      );
      expect(ledger.faults).toEqual([]);
      const ofBonuses = Object.keys(bonusInvariants);
      expect((await world.audit()).filter(({ broken }) => ofBonuses.includes(broken))).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns, endOnFailure: true });
  expect(paid.awards).toBeGreaterThan(0);
});
