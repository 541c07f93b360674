import { dayIn } from "#domain/calendar.ts";
import { changeText, recalculatedText } from "#domain/explain/change-text.ts";
import { commissionText } from "#domain/explain/commission-text.ts";
import { countText, dateText, freeText, moneyText, quoted } from "#domain/explain/text.ts";
import { daysEnding } from "#domain/performance.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type * as z from "#http/schema/zod.ts";
import type { SetPolicyCall } from "#operations/manage/set-policy.ts";
import { readBatch } from "#store/database.ts";
import { groupOfProgram } from "#store/groups.ts";
import { partnerOfProgram } from "#store/partners.ts";
import { latestPolicy } from "#store/policies.ts";
import { day, inOrder } from "../period.ts";
import { NewPolicy, policyTerms } from "../policies.ts";
import { readFromDatabase } from "../read-database.ts";
import { openSimulation, simulatedTotals } from "../simulation.ts";
import { unitsOf } from "../units.ts";
import { type Effect, effect, type Place, type Planned, type Preview, type Proposable, unitsAmong } from "./action.ts";

/**
 * The simulation for a proposal is computed during the call, so it covers fewer sales than the dashboard's simulation.
 */
const maxSales = 2_000;
const defaultDays = 30;

type Terms = SetPolicyCall["policy"];

/** Null if the terms end the policy. */
export const earningOf = (terms: Terms): string | null =>
  terms.type === "none" ? null : (commissionText(terms) ?? "nothing");

const dayText = (day: string): string => dateText(Date.parse(day), "UTC");

const Params = NewPolicy.safeExtend({
  from: day("from").optional(),
  to: day("to").optional(),
}).refine(...inOrder("from", "to"));

async function termsOf(c: Ctx, { id, currency }: Place, sent: z.output<typeof NewPolicy>): Promise<Result<Terms>> {
  const units = await unitsOf(c, id, sent.unit, "unit");
  return units.ok ? ok(policyTerms(sent, { currency, units: units.value })) : units;
}

async function ownerOf(c: Ctx, { id: programId }: Place, { partnerId, groupId }: Terms) {
  const found = await readFromDatabase(c, "program", (database) =>
    readBatch(database, {
      partner: partnerOfProgram({ programId, id: partnerId ?? 0 }),
      group: groupOfProgram({ programId, id: groupId ?? 0 }),
      latest: latestPolicy({ programId, partnerId, groupId }),
    }),
  );
  if (!found.ok) return found;
  const { partner, group, latest } = found.value;
  if (partnerId !== null && partner === undefined) return refused(notFound("partner"));
  if (groupId !== null && group === undefined) return refused(notFound("group"));
  const name =
    partner !== undefined ? freeText(partner.name) : group !== undefined ? `the group ${freeText(group.name)}` : null;
  return ok({ name, latest });
}

/** Describes the terms of a new policy and of the one that it replaces. */
function sentenceOf(
  terms: Terms,
  { name, latest }: { readonly name: string | null; readonly latest?: Terms | undefined },
) {
  const earning = earningOf(terms);
  const before = latest === undefined ? null : earningOf(latest);
  const of =
    name === null
      ? "all partners without a policy of their own or of their group"
      : terms.groupId === null
        ? name
        : `partners in ${name} without a policy of their own`;
  if (earning === null) {
    return name === null
      ? `New sales of ${of} earn nothing.`
      : `New sales of ${name} no longer have a policy of their own${before === null ? "" : ` (${before})`}.`;
  }
  // If the earning has several parts, a semicolon separates the clause from them, so that it refers to all parts.
  const instead = before === null ? "" : `${earning.includes(";") ? ";" : ","} instead of ${before}`;
  return `New sales of ${of} earn ${earning}${instead}. Earlier commissions keep their amounts.`;
}

async function whatIf(
  c: Ctx,
  place: Place,
  terms: Terms,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<Result<readonly Effect[]>> {
  const { at, operationId } = c.get("call");
  const last = to ?? dayIn(place.timezone, at);
  const days = { from: from ?? daysEnding(last, defaultDays).from, to: last };
  const said = days.from === last ? `on ${dayText(last)}` : `from ${dayText(days.from)} to ${dayText(last)}`;
  // The call's id stands in for the user, so that two calls with the same key have separate turns, and one can't end the
  // other's.
  const turn = { kind: "simulation", programId: place.id, userId: operationId } as const;
  const opened = await openSimulation(c, turn, terms, { ...days, currency: place.currency, maxSales });
  if (!opened.ok) {
    const { refusal } = opened;
    if (refusal.code === "too_many_sales")
      return ok([effect(`There are more than ${maxSales} sales ${said}. Choose fewer days with from and to.`)]);
    if (refusal.code === "simulation_running")
      return ok([
        effect("Another what-if is running. Try again in a moment to see what past sales would have earned."),
      ]);
    return opened;
  }
  const simulated = await simulatedTotals(c, opened.value);
  if (!simulated.ok) return simulated;
  const { totals, products, sales: all, recalculated } = simulated.value;
  if (totals.length === 0) return ok([effect(`There are no attributed sales ${said}.`, { count: 0 })]);
  const units = await unitsAmong(c, place, totals);
  if (!units.ok) return units;
  const unsold = products.unsold.map((productId) => effect(`No sale ${said} has the product ${quoted(productId)}.`));
  const counted = effect(recalculatedText(terms, `${recalculated} of ${countText(all, "sale")}`), {
    count: recalculated,
  });
  if (recalculated === 0) return ok([...unsold, counted]);
  return ok([
    ...unsold,
    ...totals.map(({ currency, sales, wasCents, todayCents, wouldBeCents }) => {
      const [amountCents, previousCents] = [Number(wouldBeCents), Number(wasCents)];
      const money = (cents: number) => moneyText(cents, currency, units.value);
      const earned =
        amountCents === previousCents
          ? `the same: ${money(amountCents)}`
          : `${money(amountCents)} instead of ${money(previousCents)}`;
      const text = `With it, ${countText(sales, "sale")} ${said} would have earned ${earned}. ${changeText(money, Number(todayCents), amountCents)}`;
      return effect(text, { count: sales, amountCents, previousCents, currency });
    }),
    counted,
  ]);
}

async function preview(c: Ctx, place: Place, { body }: Planned): Promise<Result<Preview>> {
  const sent = Params.parse(body);
  const terms = await termsOf(c, place, sent);
  if (!terms.ok) return terms;
  const owner = await ownerOf(c, place, terms.value);
  if (!owner.ok) return owner;
  const simulated = await whatIf(c, place, terms.value, sent);
  return simulated.ok ? ok({ effects: [effect(sentenceOf(terms.value, owner.value)), ...simulated.value] }) : simulated;
}

export const policy: Proposable = {
  params: Params,
  plan: async (_, __, sent) => ok({ target: "commission-policy", body: Params.parse(sent) }),
  preview,
};
