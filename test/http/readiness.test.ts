import { expect, test } from "vitest";
import { readinessReply } from "#api/readiness.ts";
import { type ReadinessFacts, readiness } from "#domain/readiness.ts";
import { checkAgainstDocument } from "./document.ts";

const at = Date.UTC(2026, 2, 1, 12);
const facts: ReadinessFacts = {
  programId: 7,
  name: "Shop",
  websiteUrl: "https://shop.example",
  payoutMode: "manual",
  hasPolicy: true,
  lastRealClickAt: at - 1000,
  lastScriptTestClickAt: null,
  lastClickAt: at - 1000,
  lastLeadAt: null,
  lastSaleAt: null,
  counts24h: { clicks: 4, leads: 0, sales: 0 },
  keyRotatedAt: null,
  lastReconciliation: null,
  chain: undefined,
  hasAttributedSale: false,
  checkedAt: at,
};
const replyTo = (change: Partial<ReadinessFacts>) => {
  const reply = readinessReply(readiness({ ...facts, ...change }, at));
  checkAgainstDocument("GET", "/api/v1/programs/me/readiness", 200, JSON.parse(JSON.stringify(reply)));
  return reply;
};

test("the readiness of a program without a sale has the state ready and the blocker live", () => {
  expect(replyTo({})).toEqual({
    program_id: 7,
    state: "ready",
    integration_verified: false,
    blocker: "live",
    gates: {
      profile: { status: "pass" },
      economics: { status: "pass" },
      payout: { status: "pass" },
      tracking: { status: "pass", detail: "receiving_events", checked_at: "2026-03-01T12:00:00.000Z" },
      live: {
        status: "fail",
        next_action: "run_synthetic_sale_chain",
        test_chain: { click: "pending", lead: "pending", sale: "pending" },
      },
    },
    last_event_at: { click: "2026-03-01T11:59:59.000Z", lead: null, sale: null },
    counts_24h: { clicks: 4, leads: 0, sales: 0 },
    key_rotated_at: null,
    last_reconciliation: null,
    poll: { retry_after_seconds: 5 },
  });
});

test.each<[string, Partial<ReadinessFacts>, object]>([
  [
    "readiness of a new program is draft",
    { websiteUrl: null, hasPolicy: false, lastRealClickAt: null, payoutMode: null },
    {
      state: "draft",
      blocker: "profile",
      gates: {
        profile: { status: "fail", next_action: "complete_program_profile" },
        economics: { status: "fail", next_action: "set_commission_policy" },
        payout: { status: "fail", next_action: "set_payout_mode" },
        tracking: { status: "fail", next_action: "install_tracker_or_send_events", detail: null },
      },
    },
  ],
  [
    "readiness of a program with sales is live_verified",
    { hasAttributedSale: true, lastSaleAt: at, keyRotatedAt: at },
    {
      ...{ state: "live_verified", integration_verified: true, blocker: null },
      ...{ last_event_at: { sale: "2026-03-01T12:00:00.000Z" }, key_rotated_at: "2026-03-01T12:00:00.000Z" },
    },
  ],
  [
    "readiness of a program with a failed verification run has the failed steps",
    { chain: { click: "attributed", lead: "wrong_partner", sale: "unattributed", attributed: false } },
    { gates: { live: { test_chain: { click: "attributed", lead: "wrong_partner", sale: "unattributed" } } } },
  ],
])("%s", (_, change, expected) => {
  expect(replyTo(change)).toMatchObject(expected);
});
