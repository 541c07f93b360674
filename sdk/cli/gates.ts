/** The result of a program's readiness check, as the service sends it. */
export interface Readiness {
  readonly program_id: number;
  readonly state: keyof typeof states;
  readonly blocker: string | null;
  readonly gates: Readonly<Record<string, Gate>>;
  readonly last_event_at: Readonly<Record<"click" | "lead" | "sale", string | null>>;
  readonly last_reconciliation?: Reconciliation | null;
  readonly counts_24h: Readonly<Record<"clicks" | "leads" | "sales", number>>;
  readonly poll: { readonly retry_after_seconds: number };
}
interface Reconciliation {
  readonly processor: string;
  readonly to: string;
  readonly matched: number;
  readonly missing: number;
  readonly unexpected: number;
  readonly differs: number;
}
export interface Gate {
  readonly status: "pass" | "fail" | "unknown";
  readonly next_action?: string;
  readonly detail?: string | null;
}

const states = {
  draft: "The program's profile is incomplete.",
  configuring: "Setup is incomplete.",
  ready: "Everything is set up, but no verification or real sale has confirmed it yet.",
  integration_verified: "The verification passed. No real sale has been attributed yet.",
  live_verified: "A real sale was attributed to a partner.",
} as const;

export const stateInWords = ({ state }: Readiness): string => states[state] ?? "";

const actions: Readonly<Record<string, string>> = {
  complete_program_profile: "Set the program's name and website in its settings.",
  set_commission_policy: "Set a commission policy in the program's settings.",
  set_payout_mode: "Choose a payout mode in the program's settings.",
  install_tracker_or_send_events:
    "Add the script tag to your site and visit it with ?aff=<a partner's code>, or send a click.",
  run_synthetic_sale_chain: "Run: tributary-sdk verify",
};

export const actionInWords = ({ next_action: action }: Gate): string | undefined =>
  action === undefined ? undefined : (actions[action] ?? action);

export function lastEvents({ last_event_at: last, counts_24h: counts }: Readiness): string[] {
  const event = (name: "click" | "lead" | "sale", count: number) =>
    `  ${name.padEnd(6)} ${(last[name] ?? "never").padEnd(26)} ${count} in 24 hours`;
  return [event("click", counts.clicks), event("lead", counts.leads), event("sale", counts.sales)];
}

/** Services before 0.3.0 don't send the last reconciliation. */
export const lastReconciliation = ({ last_reconciliation: last }: Readiness): string =>
  last == null
    ? "  never: run tributary-sdk reconcile"
    : `  ${last.processor} until ${last.to}: ${last.matched} matched, ${last.missing} missing, ${last.unexpected} unexpected, ` +
      `${last.differs} differ`;
