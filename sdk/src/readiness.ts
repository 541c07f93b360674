export type GateName = "profile" | "economics" | "payout" | "tracking" | "live";

export interface Gate<Action extends string> {
  readonly status: "pass" | "fail" | "unknown";
  /** The next step, if the gate does not pass. */
  readonly nextAction?: Action;
}

export interface TestChain {
  readonly click: "attributed" | "unattributed" | "wrong_partner" | "pending";
  readonly lead: TestChain["click"];
  readonly sale: TestChain["click"];
}

export interface Readiness {
  readonly programId: number;
  readonly state: "draft" | "configuring" | "ready" | "integration_verified" | "live_verified";
  readonly integrationVerified: boolean;
  /** The first gate that does not pass. */
  readonly blocker: GateName | null;
  readonly gates: {
    readonly profile: Gate<"complete_program_profile">;
    readonly economics: Gate<"set_commission_policy">;
    readonly payout: Gate<"set_payout_mode">;
    readonly tracking: Gate<"install_tracker_or_send_events"> & {
      readonly detail: "tracker_installed" | "receiving_events" | null;
      readonly checkedAt: string;
    };
    readonly live: Gate<"run_synthetic_sale_chain"> & { readonly testChain: TestChain };
  };
  /** ISO 8601. Test events don't count. */
  readonly lastEventAt: { readonly click: string | null; readonly lead: string | null; readonly sale: string | null };
  readonly counts24h: { readonly clicks: number; readonly leads: number; readonly sales: number };
  readonly keyRotatedAt: string | null;
  /** The last reported comparison with a payment processor. Null before the first. */
  readonly lastReconciliation: {
    readonly processor: string;
    readonly from: string;
    readonly to: string;
    readonly matched: number;
    readonly missing: number;
    readonly unexpected: number;
    readonly differs: number;
    readonly reportedAt: string;
  } | null;
  readonly poll: { readonly retryAfterSeconds: number };
}

export interface Verification {
  readonly data: {
    readonly type: "chain";
    readonly shortCode: string;
    readonly customerKey: string;
    readonly verdict: TestChain;
    readonly attributed: boolean;
    readonly steps: readonly {
      readonly name: "click" | "lead" | "sale";
      readonly status: "pass" | "fail" | "skipped";
      readonly httpStatus: number | null;
      readonly durationMs: number;
      readonly message: string;
    }[];
  };
}
