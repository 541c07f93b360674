import { dayMs } from "./calendar.ts";
import type { ProgramId } from "./ids.ts";
import type { Reconciliation } from "./reconciliation.ts";
import type { TestChain } from "./verification.ts";

export interface ReadinessFacts {
  readonly programId: ProgramId;
  readonly name: string | null;
  readonly websiteUrl: string | null;
  readonly payoutMode: string | null;
  readonly hasPolicy: boolean;
  readonly lastRealClickAt: number | null;
  readonly lastScriptTestClickAt: number | null;
  /** Instants of real events (ms). Of leads and sales, only attributed ones are considered. */
  readonly lastClickAt: number | null;
  readonly lastLeadAt: number | null;
  readonly lastSaleAt: number | null;
  readonly counts24h: EventCounts;
  readonly keyRotatedAt: number | null;
  readonly chain: (TestChain & { readonly attributed: boolean }) | undefined;
  /** True if a live sale is attributed. */
  readonly hasAttributedSale: boolean;
  readonly lastReconciliation: Reconciliation | null;
  readonly checkedAt: number;
}

export interface EventCounts {
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
}

export const gateStatuses = ["pass", "fail", "unknown"] as const;
export type GateStatus = (typeof gateStatuses)[number];

export interface Gate<Action extends string> {
  readonly status: GateStatus;
  readonly nextAction?: Action;
}

export interface TrackingGate extends Gate<"install_tracker_or_send_events"> {
  readonly detail: "tracker_installed" | "receiving_events" | null;
  readonly checkedAt: number;
}

export interface LiveGate extends Gate<"run_synthetic_sale_chain"> {
  readonly testChain: TestChain;
}

export interface ReadinessGates {
  readonly profile: Gate<"complete_program_profile">;
  readonly economics: Gate<"set_commission_policy">;
  readonly payout: Gate<"set_payout_mode">;
  readonly tracking: TrackingGate;
  readonly live: LiveGate;
}

export const readinessStates = ["draft", "configuring", "ready", "integration_verified", "live_verified"] as const;
export type ReadinessState = (typeof readinessStates)[number];

export interface Readiness {
  readonly programId: ProgramId;
  readonly state: ReadinessState;
  readonly integrationVerified: boolean;
  readonly blocker: keyof ReadinessGates | null;
  readonly gates: ReadinessGates;
  readonly lastEventAt: { readonly click: number | null; readonly lead: number | null; readonly sale: number | null };
  readonly counts24h: EventCounts;
  readonly keyRotatedAt: number | null;
  readonly lastReconciliation: Reconciliation | null;
}

export const trackingProofMs = 30 * dayMs;

const gateOrder = ["profile", "economics", "payout", "tracking", "live"] as const;

export function readiness(facts: ReadinessFacts, at: number): Readiness {
  const detail = trackingDetail(facts, at);
  const gates: ReadinessGates = {
    profile: gate(isSet(facts.name) && isSet(facts.websiteUrl), "complete_program_profile"),
    economics: gate(facts.hasPolicy, "set_commission_policy"),
    payout: gate(isSet(facts.payoutMode), "set_payout_mode"),
    tracking: { ...gate(detail !== null, "install_tracker_or_send_events"), detail, checkedAt: facts.checkedAt },
    live: liveGate(facts),
  };
  const blocker = gateOrder.find((name) => gates[name].status !== "pass") ?? null;
  return {
    programId: facts.programId,
    state: stateOf(blocker, facts.hasAttributedSale),
    integrationVerified: blocker === null,
    blocker,
    gates,
    lastEventAt: { click: facts.lastClickAt, lead: facts.lastLeadAt, sale: facts.lastSaleAt },
    counts24h: facts.counts24h,
    keyRotatedAt: facts.keyRotatedAt,
    lastReconciliation: facts.lastReconciliation,
  };
}

const isSet = (text: string | null): boolean => text !== null && text.trim() !== "";

const gate = <Action extends string>(passes: boolean, nextAction: Action): Gate<Action> =>
  passes ? { status: "pass" } : { status: "fail", nextAction };

function trackingDetail(facts: ReadinessFacts, at: number): TrackingGate["detail"] {
  const isProof = (clickAt: number | null): boolean => clickAt !== null && at - clickAt <= trackingProofMs;
  if (isProof(facts.lastRealClickAt)) return "receiving_events";
  return isProof(facts.lastScriptTestClickAt) ? "tracker_installed" : null;
}

function liveGate({ chain, hasAttributedSale }: ReadinessFacts): LiveGate {
  const { click, lead, sale } = chain ?? { click: "pending", lead: "pending", sale: "pending" };
  const testChain: TestChain = { click, lead, sale };
  if (hasAttributedSale || chain?.attributed === true) return { status: "pass", testChain };
  // A test chain that was interrupted shows nothing about the integration.
  const isCutShort = chain !== undefined && [click, lead, sale].includes("pending");
  return { status: isCutShort ? "unknown" : "fail", nextAction: "run_synthetic_sale_chain", testChain };
}

function stateOf(blocker: Readiness["blocker"], hasAttributedSale: boolean): ReadinessState {
  if (blocker === "profile") return "draft";
  if (blocker === "live") return "ready";
  if (blocker !== null) return "configuring";
  return hasAttributedSale ? "live_verified" : "integration_verified";
}
