import type { Preset } from "./preset.ts";

/*
 * Rewardful describes the columns of its import, not those of its exports: these are its import's columns and the
 * fields of its API. The id of an affiliate becomes a further code, because commissions name affiliates by it.
 * https://help.rewardful.com/en/articles/1988486-how-do-i-import-data-into-rewardful
 */
export const rewardful: Preset = {
  id: "rewardful",
  name: "Rewardful",
  source: "Rewardful",
  linkParams: ["via"],
  files: {
    partners: {
      title: "Affiliates",
      described: "https://developers.rewardful.com/rest-api/affiliates/object",
      detect: [["first_name", "last_name", "email", "token"]],
      columns: {
        name: { from: [["first_name", "last_name"], "name"] },
        code: { from: ["token", "link_token", "link_url", "link"], convert: "link", also: ["id"] },
        email: { from: ["email"] },
        external_id: { from: ["id"] },
        status: { from: ["state"], values: { active: "active", disabled: "paused", suspicious: "paused" } },
      },
    },
    customers: {
      title: "Referrals",
      described: "https://developers.rewardful.com/rest-api/referrals/object",
      // The second shape is the template of Rewardful's own import, which has a row for each customer and their affiliate.
      detect: [
        ["stripe_customer_id", "conversion_state"],
        ["stripe_customer_id", "email", "token"],
      ],
      columns: {
        customer_key: { from: ["stripe_customer_id"] },
        partner_code: { from: ["link_token", "token", "affiliate_token", "affiliate_id"], convert: "link" },
        first_sale_at: { from: ["became_conversion_at"] },
      },
      only: [{ header: "conversion_state", imported: ["lead", "conversion"], leftOut: ["visitor"], isOptional: true }],
    },
    balances: {
      title: "Commissions",
      described: "https://developers.rewardful.com/rest-api/commissions/object",
      detect: [["affiliate_id", "amount", "currency", "state"]],
      columns: {
        partner_code: { from: ["link_token", "affiliate_token", "affiliate_id"], convert: "link" },
        currency: { from: ["currency"] },
        amount: { from: ["amount"], convert: "cents" },
        reference: { from: ["id"] },
      },
      only: [{ header: "state", imported: ["due"], leftOut: ["pending", "paid", "voided"] }],
    },
  },
};
