import { type Balance, type BalanceSums, balanceOf } from "./balance.ts";

/** Ways in which an owner can bring a balance to 0. */
const waysOut = ["reject_pending", "pay", "settle_payout", "write_off"] as const;
type WayOut = (typeof waysOut)[number];

export interface OpenBalance extends Omit<Balance, "paidCents"> {
  readonly currency: string;
  readonly waysOut: readonly WayOut[];
}

type InCurrency = BalanceSums & { readonly currency: string };

/** The largest amount of one adjustment. */
const mostWrittenOffCents = 100_000_000_000;

/**
 * A partner's balances that aren't settled: those with an amount that is pending, payable, in a payout or to be
 * deducted.
 */
export const openBalances = (balances: readonly InCurrency[]): readonly OpenBalance[] =>
  balances.flatMap(({ currency, ...sums }) => {
    const { paidCents: _, ...open } = balanceOf(sums);
    const isWay: Readonly<Record<WayOut, boolean>> = {
      reject_pending: open.pendingCents !== 0,
      pay: open.payableCents > 0,
      settle_payout: open.inPayoutCents !== 0,
      write_off: open.carriedCents < 0,
    };
    const ways = waysOut.filter((way) => isWay[way]);
    return ways.length === 0 ? [] : [{ currency, ...open, waysOut: ways }];
  });

/** True if the balance is only a debt, and one adjustment can bring it to 0. */
export const canWriteOff = ({ carriedCents, waysOut: ways }: OpenBalance): boolean =>
  ways.every((way) => way === "write_off") && -carriedCents <= mostWrittenOffCents;
