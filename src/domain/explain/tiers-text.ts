import type { TierStep, Tiers } from "../tiers.ts";
import { percentText } from "./text.ts";

export interface Formats {
  /** Formats an amount of sales. */
  readonly money: (cents: number) => string;
  /** Formats an amount of a commission, which may be in a unit. */
  readonly reward: (amount: number) => string;
}

/** The text of a step: its rate, or its amount as `reward` formats it. */
export const stepText = ({ rateBps, amountCents }: TierStep, reward: Formats["reward"]): string =>
  rateBps === undefined ? reward(amountCents ?? 0) : percentText(rateBps);

/** Describes tiers: "25% from sale 11 in a month". */
export function tiersText({ metric, period, steps }: Tiers, { money, reward }: Formats): string {
  return steps
    .map((step, index) => {
      const from = metric === "sales" ? `sale ${step.threshold}` : `${money(step.threshold)} of sales`;
      return `${stepText(step, reward)} from ${from}${index === 0 ? ` in a ${period}` : ""}`;
    })
    .join(", ");
}
