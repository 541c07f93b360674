import { type Cap, caps } from "#domain/caps.ts";
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
