import type { UnattributedReason } from "../domain/attribution.ts";
import type { Call, MaskedEmail, PresentedKey, VerifiedClick } from "./operation.ts";

export interface LeadCall extends Call {
  readonly kind: "lead";
  readonly isTest: boolean;
  /** Present in server mode, absent in browser mode. */
  readonly key: PresentedKey | undefined;
  /** The program that the caller named. */
  readonly programId: number | undefined;
  /** The click ids sent whose signature is good, of whatever program and book, newest last. */
  readonly clicks: readonly VerifiedClick[];
  /** Whether any click id was sent, good or not. */
  readonly sentClickId: boolean;
  readonly customerKey: string | undefined;
  readonly email: MaskedEmail | undefined;
  readonly pageUrl: string | undefined;
  readonly eventName: string | undefined;
  /** When it happened, in milliseconds; never after `at`. */
  readonly occurredAt: number;
}

export type LeadAnswer = {
  readonly programId: number;
  /** Integer id of the stored lead (`lead_id`); a browser's answer does not show it in live mode. */
  readonly leadId: number | undefined;
} & (
  | { readonly status: "provisional" }
  | {
      readonly status: "attributed";
      readonly partnerCode: string;
      readonly repeat: "duplicate" | "moved" | undefined;
      /** Earlier sales that this lead attributed. */
      readonly attributedSales: readonly { readonly saleId: number; readonly commissionId: number }[];
    }
  | {
      readonly status: "unattributed";
      readonly reason: UnattributedReason;
      readonly clickAgeDays: number | undefined;
      readonly windowDays: number | undefined;
      readonly repeat: "duplicate" | undefined;
    }
);
