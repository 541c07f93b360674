import { describe, expect, it } from "vitest";
import { type ReadinessFacts, readiness, trackingProofMs } from "#domain/readiness.ts";

const now = Date.parse("2026-05-01T12:00:00Z");

const untouched: ReadinessFacts = {
  programId: 5,
  name: null,
  websiteUrl: null,
  payoutMode: null,
  hasPolicy: false,
  lastRealClickAt: null,
  lastScriptTestClickAt: null,
  lastClickAt: null,
  lastLeadAt: null,
  lastSaleAt: null,
  counts24h: { clicks: 0, leads: 0, sales: 0 },
  keyRotatedAt: null,
  lastReconciliation: null,
  chain: undefined,
  hasAttributedSale: false,
  checkedAt: now - 1,
};
const attributed = { click: "attributed", lead: "attributed", sale: "attributed", attributed: true } as const;
const complete: ReadinessFacts = {
  ...untouched,
  name: "Acme",
  websiteUrl: "https://acme.example",
  payoutMode: "manual",
  hasPolicy: true,
  lastRealClickAt: now,
  chain: attributed,
};
const judge = (changes: Partial<ReadinessFacts>) => readiness({ ...complete, ...changes }, now);

describe("readiness", () => {
  it("the readiness of an empty program fails at every gate, and names the next action for each gate", () => {
    expect(readiness(untouched, now)).toEqual({
      programId: 5,
      state: "draft",
      integrationVerified: false,
      blocker: "profile",
      gates: {
        profile: { status: "fail", nextAction: "complete_program_profile" },
        economics: { status: "fail", nextAction: "set_commission_policy" },
        payout: { status: "fail", nextAction: "set_payout_mode" },
        tracking: {
          status: "fail",
          nextAction: "install_tracker_or_send_events",
          detail: null,
          checkedAt: now - 1,
        },
        live: {
          status: "fail",
          nextAction: "run_synthetic_sale_chain",
          testChain: { click: "pending", lead: "pending", sale: "pending" },
        },
      },
      lastEventAt: { click: null, lead: null, sale: null },
      counts24h: { clicks: 0, leads: 0, sales: 0 },
      keyRotatedAt: null,
      lastReconciliation: null,
    });
  });

  it("the readiness of a verified program passes every gate, and names no next action", () => {
    const verdict = judge({ lastClickAt: 1, lastLeadAt: 2, lastSaleAt: 3, keyRotatedAt: 4 });
    expect(verdict).toStrictEqual({
      programId: 5,
      state: "integration_verified",
      integrationVerified: true,
      blocker: null,
      gates: {
        profile: { status: "pass" },
        economics: { status: "pass" },
        payout: { status: "pass" },
        tracking: { status: "pass", detail: "receiving_events", checkedAt: now - 1 },
        live: { status: "pass", testChain: { click: "attributed", lead: "attributed", sale: "attributed" } },
      },
      lastEventAt: { click: 1, lead: 2, sale: 3 },
      counts24h: { clicks: 0, leads: 0, sales: 0 },
      keyRotatedAt: 4,
      lastReconciliation: null,
    });
  });

  it.each([
    ["draft", "profile", { name: " " }],
    ["draft", "profile", { websiteUrl: null, hasPolicy: false, chain: undefined }],
    ["configuring", "economics", { hasPolicy: false, payoutMode: null }],
    ["configuring", "payout", { payoutMode: null, lastRealClickAt: null }],
    ["configuring", "tracking", { lastRealClickAt: null, hasAttributedSale: true }],
    ["ready", "live", { chain: undefined }],
    ["ready", "live", { chain: { ...attributed, sale: "unattributed", attributed: false } }],
    ["integration_verified", null, {}],
    ["live_verified", null, { hasAttributedSale: true }],
    ["live_verified", null, { hasAttributedSale: true, chain: undefined }],
  ] as const)("the readiness is %s with the blocker %s, for %j", (state, blocker, changes) => {
    expect(judge(changes)).toMatchObject({ state, blocker, integrationVerified: blocker === null });
  });

  it.each([
    ["receiving_events", { lastRealClickAt: now - trackingProofMs, lastScriptTestClickAt: now }],
    ["tracker_installed", { lastRealClickAt: now - trackingProofMs - 1, lastScriptTestClickAt: now - trackingProofMs }],
    ["tracker_installed", { lastRealClickAt: null, lastScriptTestClickAt: now }],
    [null, { lastRealClickAt: now - trackingProofMs - 1, lastScriptTestClickAt: now - trackingProofMs - 1 }],
    [null, { lastRealClickAt: null, lastScriptTestClickAt: null }],
  ] as const)("the readiness report has the tracking detail %s with %j", (detail, changes) => {
    expect(judge(changes).gates.tracking).toMatchObject({ detail, status: detail === null ? "fail" : "pass" });
  });

  it("the readiness report shows an unfinished test chain as unknown, and the program as not verified", () => {
    const verdict = judge({ chain: { click: "attributed", lead: "pending", sale: "pending", attributed: false } });
    expect(verdict).toMatchObject({ state: "ready", blocker: "live" });
    expect(verdict.gates.live).toEqual({
      status: "unknown",
      nextAction: "run_synthetic_sale_chain",
      testChain: { click: "attributed", lead: "pending", sale: "pending" },
    });
  });
});
