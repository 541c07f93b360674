import { type Cap, caps } from "#domain/caps.ts";
import { maxSum } from "#domain/money.ts";
import type { SkipReason } from "#domain/payout-status.ts";
import type { Refusal } from "#domain/refusal.ts";

// Table entries that are the same for several refusals.

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
const busy = (title: string, message: string) => ({
  status: 429 as const,
  title,
  message,
  details: ({ code, retryAfterSeconds }: Busy) => ({ code, retry_after_seconds: retryAfterSeconds }),
});

export const runningAlready = {
  download_running: busy(
    "other files are being downloaded",
    "Other files are being downloaded. Try again once these downloads have ended.",
  ),
  breakdown_running: busy(
    "other figures by group are being computed",
    "Other figures by group are being computed. Try again in a moment.",
  ),
  simulation_running: busy(
    "another simulation is running",
    "Another simulation is running. Try again once it has ended.",
  ),
};

const remedies: Readonly<Partial<Record<SkipReason, string>>> = {
  details_changed: "To pay partners whose details were changed recently, send includeChanged: true and changedUntil.",
  over_limit: `A payout pays at most ${maxSum} of its currency's smallest unit.`,
};

export function leftOutMessage(reasons: readonly SkipReason[]): string {
  const left = `Every line was left out (${reasons.join(", ")}).`;
  return [left, ...reasons.flatMap((reason) => remedies[reason] ?? [])].join(" ");
}
