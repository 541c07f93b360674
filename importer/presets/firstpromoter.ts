import type { Preset } from "./preset.ts";

/*
 * FirstPromoter doesn't describe the columns of its exports: these are the fields of its API, whose amounts are in the
 * currency's smallest unit. A promoter of several campaigns has a row, and a code, for each.
 */
export const firstpromoter: Preset = {
  id: "firstpromoter",
  name: "FirstPromoter",
  source: "FirstPromoter",
  linkParams: ["fpr", "via", "ref"],
  files: {
    partners: {
      title: "Promoters",
      described: "https://docs.firstpromoter.com/api-reference-v2/api-admin/promoters/get-available-promoters",
      detect: [["email", "ref_token", "joined_at"]],
      columns: {
        name: { from: ["name", ["first_name", "last_name"]] },
        code: { from: ["ref_token", "ref_id", "default_ref_id", "ref_link", "referral_link"], convert: "link" },
        email: { from: ["email"] },
        external_id: { from: ["cust_id"] },
        status: {
          from: ["state"],
          values: {
            accepted: "active",
            pending: "paused",
            rejected: "paused",
            blocked: "paused",
            inactive: "paused",
            not_set: "active",
          },
        },
      },
    },
    customers: {
      title: "Referrals",
      described: "https://docs.firstpromoter.com/api-reference-v2/api-admin/referrals/get-referrals",
      detect: [["uid", "ref_token", "customer_since"]],
      columns: {
        customer_key: { from: ["uid"] },
        partner_code: { from: ["ref_token", "promoter_ref_token", "ref_id", "promoter_ref_id"], convert: "link" },
        first_sale_at: { from: ["customer_since"] },
      },
    },
    balances: {
      title: "Commissions",
      described: "https://docs.firstpromoter.com/api-reference-v2/api-admin/commissions/get-available-commissions",
      detect: [["amount", "ref_token", "is_paid", "status"]],
      columns: {
        partner_code: { from: ["ref_token", "promoter_ref_token", "ref_id", "promoter_ref_id"], convert: "link" },
        currency: { from: ["currency", "original_sale_currency"] },
        amount: { from: ["amount"], convert: "cents" },
        reference: { from: ["id"] },
      },
      only: [
        { header: "status", imported: ["approved"], leftOut: ["pending", "denied"] },
        { header: "is_paid", imported: ["false", "no", "0", ""], leftOut: ["true", "yes", "1"] },
      ],
    },
  },
};
