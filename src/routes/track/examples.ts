const clickId = "AQEBm3yKc5gADgUXbD0yR3pqVx2c9o1mN8QeJk4sT6w";
const commission = {
  amount_cents: 980,
  currency: "USD",
  status: "pending",
  hold_until: "2026-03-16T12:00:00.000Z",
  unconfirmed: false,
} as const;
const testMode = { additional_data: { test_mode: true } };
const testData = { programId: 1, test_mode: true } as const;

/** What the OpenAPI document shows of each call and its answers. */
export const clickExamples = {
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
} as const;

export const leadExamples = {
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
} as const;

export const saleExamples = {
  calls: {
    sale: { value: { transaction_id: "in_1042", amount_cents: 4900, currency: "USD", customer_key: "user_17" } },
    renewal: {
      value: {
        transaction_id: "in_1077",
        amount_cents: 4900,
        customer_key: "user_17",
        sale_type: "subscription",
        is_recurring: true,
      },
    },
    test: { value: { transaction_id: "test_1", amount_cents: 9999, customer_key: "user_17", ...testMode } },
  },
  answers: {
    attributed: {
      value: {
        success: true,
        message: "Sale tracked successfully",
        sale_id: 71,
        commission_id: 72,
        attributed: true,
        partner_code: "anna",
        commission,
      },
    },
    unattributed: {
      value: {
        success: true,
        message: "Sale recorded without attribution",
        sale_id: 73,
        commission_id: 74,
        attributed: false,
        reason: "no_click",
        commission: { ...commission, amount_cents: 0, status: "void", hold_until: null, reason: "no_click" },
      },
    },
  },
} as const;

export const refundExamples = {
  calls: {
    whole: { value: { transaction_id: "in_1042", refund_id: "re_7" } },
    partial: { value: { transaction_id: "in_1042", refund_id: "re_8", refund_amount_cents: 1000 } },
  },
  answers: {
    reversed: {
      value: {
        success: true,
        message: "Commission reversed",
        sale_id: 71,
        commission_id: 72,
        status: "reversed",
        refund_id: "re_7",
        refunded_cents: 4900,
        refunded_total_cents: 4900,
        commission_reversed_cents: 980,
        commission_amount_cents: 0,
      },
    },
  },
} as const;
