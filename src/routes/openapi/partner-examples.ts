import type { OperationExamples } from "./examples.ts";

const partner = {
  id: 12,
  code: "anna",
  link: "https://shop.example/?aff=anna",
  name: "Anna",
  email: "anna@partners.example",
  external_id: "user-7",
  destination_url: null,
  status: "active",
  group_id: null,
  risk_exempt: false,
  created_at: "2026-03-01T12:00:00.000Z",
} as const;

const { email, ...withoutEmail } = partner;

const createPartner: OperationExamples = {
  calls: { partner: { value: { name: "Anna", code: "anna", email, external_id: "user-7" } } },
  answers: { created: { value: { data: partner } } },
};

const updatePartner: OperationExamples = {
  calls: { paused: { value: { status: "paused" } } },
  answers: { paused: { value: { data: { ...partner, status: "paused" } } } },
};

const listPartners: OperationExamples = {
  answers: { page: { value: { data: [withoutEmail], meta: { next_cursor: null } } } },
};

const importRows: OperationExamples = {
  calls: {
    partners: {
      value: {
        kind: "partners",
        source: "Former program",
        dry_run: true,
        rows: [
          { line: 2, name: "Anna", code: "anna; anna-blog", email, external_id: "user-7" },
          { line: 3, name: "Bea", code: "anna" },
        ],
      },
    },
    customers: {
      value: {
        kind: "customers",
        source: "Former program",
        rows: [
          {
            line: 2,
            customer_key: "cus_9",
            partner_code: "anna",
            first_sale_at: "2026-03-01",
            subscription_id: "sub_9",
          },
          { line: 3, customer_key: "cus_10", partner_code: "anna", since: "2026-11-01", pay_past: true },
        ],
      },
    },
    balances: {
      value: {
        kind: "balances",
        source: "Former program",
        rows: [{ line: 2, partner_code: "anna", currency: "EUR", amount: "120.50", reference: "r-11" }],
      },
    },
  },
  answers: {
    imported: {
      value: {
        data: {
          rows: [
            { line: 2, result: "created", id: 12 },
            { line: 3, result: "refused", code: "code_taken", field: "code" },
          ],
        },
      },
    },
    customers: {
      value: {
        data: {
          rows: [
            { line: 2, result: "created", id: 311 },
            {
              line: 3,
              result: "created",
              id: 312,
              effects: { sales: 1, amounts: [{ currency: "EUR", cents: 980 }] },
            },
          ],
        },
      },
    },
  },
};

const exportRows: OperationExamples = {
  answers: {
    customers: {
      value: {
        data: [
          {
            customer_key: "cus_9",
            partner_code: "anna",
            since: "2026-11-23T09:30:00.000Z",
            pay_past: true,
            first_sale_at: "2026-03-01T00:00:00.000Z",
            subscription_id: "sub_9",
          },
        ],
      },
    },
  },
};

export const partnerExamples: Readonly<Record<string, OperationExamples>> = {
  createPartner,
  updatePartner,
  listPartners,
  importRows,
  exportRows,
};
