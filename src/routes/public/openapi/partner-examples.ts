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
  },
};

export const partnerExamples: Readonly<Record<string, OperationExamples>> = {
  createPartner,
  updatePartner,
  listPartners,
  importRows,
};
