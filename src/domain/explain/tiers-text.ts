import type { Tiers } from "../tiers.ts";
import { percentText } from "./text.ts";

interface Formats {
  /** Formats an amount of sales. */
  readonly money: (cents: number) => string;
  /** Formats an amount of a commission, which may be in a unit. */
  readonly reward: (amount: number) => string;
}

/** Describes tiers: "25% from sale 11 in a month". */
export function tiersText({ metric, period, steps }: Tiers, { money, reward }: Formats): string {
  return steps
    .map(({ threshold, rateBps, amountCents }, index) => {
      const rate = rateBps === undefined ? reward(amountCents ?? 0) : percentText(rateBps);
      const from = metric === "sales" ? `sale ${threshold}` : `${money(threshold)} of sales`;
      return `${rate} from ${from}${index === 0 ? ` in a ${period}` : ""}`;
    })
    .join(", ");
}
