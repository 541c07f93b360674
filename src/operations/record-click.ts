import type { Call, PresentedKey } from "./operation.ts";

/** What a click tells of the visit. No address and no user agent: only what was read out of them. */
export interface Visit {
  /** A keyed digest of address and user agent, or of the caller's session id. */
  readonly visitorDigest: string | undefined;
  readonly source: "browser" | "server";
  readonly isBot: boolean;
  readonly isPrefetch: boolean;
  readonly pageUrl: string | undefined;
  readonly referrerUrl: string | undefined;
  readonly pageTitle: string | undefined;
  readonly screenResolution: string | undefined;
  readonly viewportSize: string | undefined;
  readonly language: string | undefined;
  readonly timezone: string | undefined;
  readonly country: string | undefined;
  readonly region: string | undefined;
  readonly city: string | undefined;
  readonly deviceType: "desktop" | "mobile" | "tablet" | "other" | undefined;
  readonly os: string | undefined;
  readonly browser: string | undefined;
}

export interface ClickCall extends Call {
  readonly kind: "click";
  readonly isTest: boolean;
  /** The program that the caller named. */
  readonly programId: number | undefined;
  /** The `aff` code, as sent; absent only in test mode. */
  readonly code: string | undefined;
  /** Present exactly where `occurred_at` was sent. */
  readonly key: PresentedKey | undefined;
  /** When it happened, in milliseconds; never after `at`. */
  readonly occurredAt: number;
  readonly eventId: string | undefined;
  readonly existingClickId: string | undefined;
  readonly eventName: string | undefined;
  readonly visit: Visit;
}

export type ClickAnswer =
  | {
      readonly recorded: true;
      /** Integer id of the stored event; known in test mode, where the answer shows it. */
      readonly eventId: number | undefined;
      readonly programId: number;
      readonly clickId: string;
      /** Absent for a test click without a link. */
      readonly partnerCode: string | undefined;
      readonly cookieWindowDays: number;
    }
  | { readonly recorded: false; readonly reason: "inactive" };
