import type { JSX } from "preact";
import { dayIn } from "#domain/calendar.ts";
import { commissionFor, noTerms } from "#domain/commission.ts";
import { currencyExponent } from "#domain/currency.ts";
import { Failure } from "../api/failure.ts";
import type { Values } from "../components/form.tsx";
import { formatDate, formatMoney, pluralize } from "../format.ts";
import { useProgram } from "../session.tsx";
import { limits, readPolicy } from "./policy.ts";

/** Calculates a sample sale with the service's own rule. */
export function PolicyExample({ values }: { readonly values: Values }): JSX.Element {
  const { program } = useProgram();
  return (
    <output class="notice plain">
      {exampleOf(values, program.currency, program.timezone, Date.now()) ?? "Fill in the fields to see an example."}
    </output>
  );
}

/** Undefined while the fields aren't valid. `now` in milliseconds. */
function exampleOf(values: Values, currency: string, timezone: string, now: number): string | undefined {
  const read = readIfGood(values, currency);
  if (read === undefined) return undefined;
  const amountCents = 100 * 10 ** (currencyExponent(currency) ?? 2);
  const money = (cents: number) => formatMoney(cents, currency);
  const policy = { ...noTerms, ...read, currency, id: 0, version: 0, partnerId: null, effectiveFrom: 0 };
  const earned = commissionFor(policy, {
    ...{ amountCents, currency, occurredAt: now, firstAttributedSaleAt: undefined, interval: null },
    items: [{ itemId: "1", productId: null, amountCents, quantity: 1 }],
    ...{ isRecurring: false, isOneTimeTaken: false, partnerActive: true, programActive: true },
  });
  const sale = `A sale of ${money(amountCents)}`;
  if (!earned.due) {
    const limit = limits.find(({ refuses }) => refuses?.[0] === earned.reason);
    return (
      limit &&
      `${sale} earns nothing: it's ${limit.refuses?.[1]} the ${limit.label.toLowerCase()} of ${money(read[limit.name] ?? 0)}.`
    );
  }

  const capped = earned.capped ? ` (${money(earned.uncappedCents)} before the cap)` : "";
  const held =
    read.holdDays === 0 ? "approved immediately" : `held until ${formatDate(dayIn(timezone, earned.holdUntil))}`;
  return `${sale} today earns ${money(earned.amountCents)}${capped}, ${held}. ${later(read)}`;
}

function later({ scope, ...policy }: ReturnType<typeof readPolicy>): string {
  if (scope === "one_time") return "Later sales to the same customer earn nothing.";
  const within = "durationMonths" in policy ? ` within ${pluralize(policy.durationMonths, "month")}` : "";
  return `So does every later sale to the same customer${within}.`;
}

function readIfGood(values: Values, currency: string): ReturnType<typeof readPolicy> | undefined {
  try {
    return readPolicy(values, currency);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
