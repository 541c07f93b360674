import type { Preset } from "./preset.ts";

/*
 * Tolt doesn't describe the columns of its exports: these are the fields of its API, whose amounts are in the currency's
 * smallest unit. The id of a partner becomes a further code, because customers and commissions name partners by it.
 */
export const tolt: Preset = {
  id: "tolt",
  name: "Tolt",
  source: "Tolt",
  linkParams: ["via", "ref"],
  files: {
    partners: {
      title: "Partners",
      described: "https://docs.tolt.com/partners/list",
      detect: [["first_name", "last_name", "partner_id", "value"]],
      columns: {
        name: { from: [["first_name", "last_name"], "name"] },
        code: { from: ["value", "link_value", "link", "referral_link"], convert: "link", also: ["partner_id"] },
        email: { from: ["email"] },
        external_id: { from: ["partner_id"] },
        status: {
          from: ["status"],
          values: { active: "active", pending: "paused", rejected: "paused", blocked: "paused", inactive: "paused" },
        },
      },
    },
    customers: {
      title: "Customers",
      described: "https://docs.tolt.com/customers/list",
      detect: [["customer_id", "partner_id", "lead_at"]],
      columns: {
        customer_key: { from: ["customer_id"] },
        partner_code: { from: ["partner_id"] },
        first_sale_at: { from: ["active_at"] },
        subscription_id: { from: ["subscription_id"] },
      },
    },
    balances: {
      title: "Commissions",
      described: "https://docs.tolt.com/commissions/list",
      detect: [["partner_id", "amount", "revenue", "status"]],
      columns: {
        partner_code: { from: ["partner_id"] },
        currency: { from: ["currency", "currency_code"] },
        amount: { from: ["amount"], convert: "cents" },
        reference: { from: ["id"] },
      },
      only: [{ header: "status", imported: ["approved"], leftOut: ["pending", "paid", "rejected", "refunded"] }],
    },
  },
};
