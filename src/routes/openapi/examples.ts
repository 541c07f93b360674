import type { Refusal } from "#domain/refusal.ts";
import { readinessStyle } from "#doors/key/readiness.ts";
import { invalidField } from "#http/refusal/responses.ts";
import type { RefusalStyle } from "#http/refusal/table.ts";
import { trackingStyle } from "#http/refusal/tracking-style.ts";

export type Examples = Readonly<Record<string, { readonly value: unknown }>>;

/** Examples of refusals are generated, except for invalid input. */
export interface OperationExamples {
  readonly style?: RefusalStyle;
  readonly calls?: Examples;
  readonly answers: Examples;
  readonly invalidInputs?: readonly Refusal[];
}

const clickId = "AQEBm3yKc5gADgUXbD0yR3pqVx2c9o1mN8QeJk4sT6w";
const commission = {
  amount_cents: 980,
  currency: "USD",
  status: "pending",
  hold_until: "2026-03-16T12:00:00.000Z",
  unconfirmed: false,
  held: false,
} as const;
const testMode = { additional_data: { test_mode: true } };
const testData = { programId: 1, test_mode: true };

const trackClick: OperationExamples = {
  style: trackingStyle("Click"),
  invalidInputs: [
    invalidField("affiliate_url", "affiliate_url is required"),
    invalidField("affiliate_url", "No aff parameter found in affiliate_url"),
  ],
  calls: {
    click: { value: { affiliate_url: "https://shop.example/?aff=anna", program_id: 1, event_id: "0f6c2a9e" } },
    test: { value: { affiliate_url: "https://shop.example/?aff=anna", program_id: 1, ...testMode } },
  },
  answers: {
    recorded: { value: { success: true, click_id: clickId, partner_code: "anna", cookie_window_days: 60 } },
    inactive: { value: { success: false, message: "Referral link is inactive" } },
    test: {
      value: {
        success: true,
        message: "Test click event tracked successfully",
        data: { eventId: 3, ...testData },
        click_id: clickId,
        partner_code: "anna",
        cookie_window_days: 60,
      },
    },
  },
};

const trackLead: OperationExamples = {
  style: trackingStyle("Lead"),
  invalidInputs: [invalidField("click_id", "click_id or customer_key is required")],
  calls: {
    server: { value: { customer_key: "user_17", click_id: clickId, email: "john@example.com" } },
    browser: { value: { click_id: clickId, customer_key: "user_17", program_id: 1 } },
  },
  answers: {
    attributed: {
      value: {
        success: true,
        message: "Lead tracked successfully",
        attributed: true,
        lead_id: 12,
        partner_code: "anna",
      },
    },
    unattributed: {
      value: {
        success: true,
        message: "Lead recorded without attribution",
        attributed: false,
        lead_id: 13,
        reason: "no_click",
      },
    },
    provisional: {
      value: {
        success: true,
        message:
          "Lead recorded as provisional. This program requires server-side (Bearer) lead tracking to settle attribution.",
        provisional: true,
      },
    },
  },
};

const trackSale: OperationExamples = {
  style: trackingStyle("Sale"),
  invalidInputs: [
    invalidField("transaction_id", "transaction_id is required and must be a string"),
    invalidField("amount_cents", "amount_cents is required and must be a positive integer"),
    invalidField("customer_key", "customer_key or click_id is required"),
  ],
  calls: {
    sale: { value: { transaction_id: "in_1042", amount_cents: 4900, currency: "USD", customer_key: "user_17" } },
    subscription: {
      value: {
        transaction_id: "in_1077",
        amount_cents: 4900,
        customer_key: "user_17",
        sale_type: "subscription",
        subscription_id: "sub_17",
        is_recurring: "auto",
      },
    },
    test: { value: { transaction_id: "test_1", amount_cents: 9999, customer_key: "user_17", ...testMode } },
  },
  answers: {
    attributed: {
      value: {
        success: true,
        message: "Sale tracked successfully",
        sale_id: 2_000_000_000_071,
        commission_id: 2_000_000_000_072,
        is_recurring: false,
        attributed: true,
        partner_code: "anna",
        source: "click",
        commission,
      },
    },
    unattributed: {
      value: {
        success: true,
        message: "Sale recorded without attribution",
        sale_id: 73,
        commission_id: 74,
        is_recurring: false,
        attributed: false,
        reason: "no_click",
        commission: { ...commission, amount_cents: 0, status: "void", hold_until: null, reason: "no_click" },
      },
    },
  },
};

const trackRefund: OperationExamples = {
  style: trackingStyle("Refund"),
  invalidInputs: [invalidField("transaction_id", "transaction_id is required")],
  calls: {
    whole: { value: { transaction_id: "in_1042", refund_id: "re_7" } },
    partial: { value: { transaction_id: "in_1042", refund_id: "re_8", refund_amount_cents: 1000 } },
  },
  answers: {
    reversed: {
      value: {
        success: true,
        message: "Commission reversed",
        sale_id: 2_000_000_000_071,
        commission_id: 2_000_000_000_072,
        status: "reversed",
        refund_id: "re_7",
        refunded_cents: 4900,
        refunded_total_cents: 4900,
        commission_reversed_cents: 980,
        commission_amount_cents: 0,
      },
    },
  },
};

const getReadiness: OperationExamples = {
  style: readinessStyle,
  answers: {
    ready: {
      value: {
        program_id: 1,
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
        last_event_at: { click: "2026-03-01T11:58:12.000Z", lead: null, sale: null },
        counts_24h: { clicks: 40, leads: 0, sales: 0 },
        key_rotated_at: null,
        last_reconciliation: null,
        poll: { retry_after_seconds: 5 },
      },
    },
  },
};

const runVerification: OperationExamples = {
  answers: {
    noPolicy: {
      value: {
        data: {
          type: "chain",
          short_code: "~verification-1",
          customer_key: "verification_9f86d081884c7d65",
          verdict: { click: "attributed", lead: "attributed", sale: "unattributed" },
          attributed: false,
          steps: [
            {
              name: "click",
              status: "pass",
              http_status: 200,
              duration_ms: 6,
              message: "Click recorded for the partner",
            },
            {
              name: "lead",
              status: "pass",
              http_status: 200,
              duration_ms: 9,
              message: "Lead attributed to the partner",
            },
            { name: "sale", status: "fail", http_status: 200, duration_ms: 8, message: "no_commission_policy" },
          ],
        },
      },
    },
  },
};

const explainedBy = "click_id, lead_id, sale_id, commission_id, transaction_id and customer_key";

const explain: OperationExamples = {
  invalidInputs: [invalidField("click_id", `Send exactly one of ${explainedBy}`)],
  answers: {
    noClick: {
      value: {
        subject: { type: "sale", id: 73 },
        verdict: {
          attributed: false,
          partner_code: null,
          source: null,
          commission_cents: 0,
          currency: "USD",
          status: "void",
          reason: "no_click",
          message: "No partner earned a commission on this sale: no partner's click was reported for the customer.",
          sales: 1,
          sums: [
            {
              currency: "USD",
              sales: 1,
              attributed_sales: 0,
              amount_cents: 4900,
              refunded_cents: 0,
              commission_cents: 0,
            },
          ],
        },
        erased: false,
        erasure: null,
        customer: {
          customer_key: "user_17",
          known_since: "2026-03-01T12:00:00.000Z",
          source: null,
          since: null,
          evidence: null,
          locked_since: null,
        },
        events: [
          {
            type: "sale",
            id: 73,
            occurred_at: "2026-03-01T12:00:00.000Z",
            received_at: "2026-03-01T12:00:00.000Z",
            partner_code: null,
            transaction_id: "in_1042",
            amount_cents: 4900,
            currency: "USD",
            refunded_cents: 0,
            customer_key: "user_17",
            click_id: null,
            sale_type: "payment",
            is_recurring: false,
            subscription_id: null,
            subscription_interval: null,
            product_id: null,
            event_name: null,
            reason: "no_click",
            commission_id: 74,
            commission_status: "void",
            commission_cents: 0,
            commission_currency: "USD",
          },
        ],
        next_cursor: null,
        candidates: [],
        earlier_clicks: 0,
        coupons: [],
        commission: {
          id: 74,
          status: "void",
          partner_code: null,
          source: null,
          sub: null,
          policy_version: null,
          hold_until: null,
          decision: null,
          calculation: [],
          entries: [],
          more_entries: 0,
        },
        corrects: null,
        corrected_by: null,
        renewal: null,
        missing: [
          {
            code: "no_click",
            message: "No partner's click was reported for the customer.",
            remedy:
              "If a partner referred them, send a lead with the click id that the browser script stored. Otherwise there is nothing to do.",
            docs_url: "https://api.example/docs#reason-no_click",
          },
        ],
        settings_then: {
          model: "last_click",
          window_days: 60,
          window_until: "lead",
          policy_version: null,
          policy_group: null,
          partner_status: null,
        },
        settings_now: null,
      },
    },
  },
};

const health: OperationExamples = { answers: { ok: { value: { status: "ok" } } } };

export const operationExamples: Readonly<Record<string, OperationExamples>> = {
  trackClick,
  trackLead,
  trackSale,
  trackRefund,
  getReadiness,
  runVerification,
  explain,
  getHealth: health,
  getReady: health,
};
