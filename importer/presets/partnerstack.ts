import type { Preset } from "./preset.ts";

/*
 * PartnerStack describes the columns of its importer, not those of its exports: these are the fields of its API, which
 * has amounts in cents of US dollars. Its links lead through its own domain, which adds the key in Base64
 * (`ps_partner_key`) and an id of the click (`ps_xid`), so none of their parameters is a code.
 * https://docs.partnerstack.com/docs/universal-importer, https://docs.partnerstack.com/docs/getting-integrated-with-s2s
 */
export const partnerstack: Preset = {
  id: "partnerstack",
  name: "PartnerStack",
  source: "PartnerStack",
  linkParams: [],
  files: {
    partners: {
      title: "Partners",
      described: "https://docs.partnerstack.com/reference/get_v2-partnerships",
      detect: [["partner_key", "first_name", "last_name", "email"]],
      columns: {
        name: { from: [["first_name", "last_name"], "name"] },
        code: { from: ["partner_key"], also: ["partnership_key"] },
        email: { from: ["email"] },
        external_id: { from: ["partner_key"] },
        status: {
          from: ["approved_status", "status"],
          values: { approved: "active", active: "active", pending: "paused", declined: "paused", archived: "paused" },
        },
      },
    },
    customers: {
      title: "Customers",
      described: "https://docs.partnerstack.com/reference/get_v2-customers",
      detect: [["customer_key", "partner_key", "provider_key"]],
      columns: {
        customer_key: { from: ["customer_key"] },
        partner_code: { from: ["partner_key", "partnership_key"] },
      },
      only: [{ header: "test", imported: ["false", "no", "0", ""], leftOut: ["true", "yes", "1"], isOptional: true }],
    },
    balances: {
      title: "Rewards",
      described: "https://docs.partnerstack.com/reference/get_v2-rewards",
      detect: [["reward_key", "partner_key", "amount", "reward_status"]],
      columns: {
        partner_code: { from: ["partner_key", "partnership_key"] },
        currency: { from: ["currency"] },
        amount: { from: ["amount"], convert: "cents" },
        reference: { from: ["reward_key"] },
      },
      only: [
        {
          header: "reward_status",
          imported: ["approved"],
          leftOut: ["hold", "pending", "declined", "paid", "withdrawn"],
        },
      ],
    },
  },
};
