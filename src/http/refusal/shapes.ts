import { type Cap, caps } from "#domain/caps.ts";
import { maxSum } from "#domain/money.ts";
import type { SkipReason } from "#domain/payout-status.ts";
import type { Refusal } from "#domain/refusal.ts";

// Rows that several refusals share.

type OfCap = Refusal & { readonly cap: Cap };

export const full = (cap: Cap) => ({
  status: 409 as const,
  message: caps[cap].message,
  details: ({ code }: Refusal) => ({ code, limit: caps[cap].max }),
});

export const fullOfItsCap = {
  status: 409 as const,
  message: ({ cap }: OfCap) => caps[cap].message,
  details: ({ code, cap }: OfCap) => ({ code, limit: caps[cap].max }),
};

type Busy = Extract<Refusal, { readonly retryAfterSeconds: number }>;
export const busy = (message: string) => ({
  status: 429 as const,
  message,
  details: ({ code, retryAfterSeconds }: Busy) => ({ code, retry_after_seconds: retryAfterSeconds }),
});

const remedies: Readonly<Partial<Record<SkipReason, string>>> = {
  details_changed: "To pay partners whose details were changed recently, send includeChanged: true and changedUntil.",
  over_limit: `A payout pays at most ${maxSum} of its currency's smallest unit.`,
};

export function leftOutMessage(reasons: readonly SkipReason[]): string {
  const left = `Every line was left out (${reasons.join(", ")}).`;
  return [left, ...reasons.flatMap((reason) => remedies[reason] ?? [])].join(" ");
}
