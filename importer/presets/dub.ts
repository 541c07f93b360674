import type { Preset } from "./preset.ts";

/*
 * The headers are the labels of the columns that an export can have, according to Dub's public sources. Dub exports
 * partners without their links, so a column `Link` must be added to the file. The id of a partner becomes a further
 * code, because commissions name partners by it. Commissions are `processed` once they are due.
 * https://github.com/dubinc/dub/tree/main/apps/web/lib/zod/schemas
 */
export const dub: Preset = {
  id: "dub",
  name: "Dub",
  source: "Dub",
  linkParams: ["via", "ref"],
  files: {
    partners: {
      title: "Partners",
      described: "https://dub.co/help/article/managing-program-partners",
      detect: [["ID", "Name", "Email", "Enrolled at"]],
      columns: {
        name: { from: ["Name"] },
        code: { from: ["Link", "Short link", "Key"], convert: "link", also: ["ID"] },
        email: { from: ["Email"] },
        external_id: { from: ["ID"] },
        status: {
          from: ["Status"],
          values: {
            approved: "active",
            pending: "paused",
            invited: "paused",
            rejected: "paused",
            declined: "paused",
            deactivated: "paused",
            banned: "paused",
            archived: "paused",
          },
        },
      },
    },
    customers: {
      title: "Customers",
      described: "https://github.com/dubinc/dub/tree/main/apps/web/lib/zod/schemas",
      detect: [["External ID", "Link", "First sale at"]],
      columns: {
        customer_key: { from: ["External ID"] },
        partner_code: { from: ["Link"], convert: "link" },
        first_sale_at: { from: ["First sale at"] },
      },
    },
    balances: {
      title: "Commissions",
      described: "https://dub.co/help/article/partner-commissions",
      detect: [["ID", "Earnings", "Partner ID", "Status"]],
      columns: {
        partner_code: { from: ["Partner ID"] },
        currency: { from: ["Currency"] },
        amount: { from: ["Earnings"] },
        reference: { from: ["ID"] },
      },
      only: [
        {
          header: "Status",
          imported: ["processed"],
          leftOut: ["pending", "hold", "paid", "refunded", "duplicate", "fraud", "canceled"],
        },
      ],
    },
  },
};
