import type { Tiers } from "../tiers.ts";
import { percentText } from "./text.ts";

/** Describes tiers: "25% from sale 11 in a month". */
export function tiersText({ metric, period, steps }: Tiers, money: (cents: number) => string): string {
  return steps
    .map(({ threshold, rateBps, amountCents }, index) => {
      const rate = rateBps === undefined ? money(amountCents ?? 0) : percentText(rateBps);
      const from = metric === "sales" ? `sale ${threshold}` : `${money(threshold)} of sales`;
      return `${rate} from ${from}${index === 0 ? ` in a ${period}` : ""}`;
    })
    .join(", ");
}
