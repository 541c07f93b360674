export const importKinds = ["partners", "customers", "coupons", "balances"] as const;
export type ImportKind = (typeof importKinds)[number];

/**
 * The way in which a cell is read. `text` is only trimmed. An `id` or `code` is refused if a spreadsheet has damaged
 * it, and an `id` also if it is a placeholder.
 */
export type ColumnForm = "text" | "id" | "code" | "word" | "codes" | "currency" | "amount" | "instant" | "yesNo";

export interface Column {
  /** Name of the column in the service. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly form: ColumnForm;
}

const required = (name: string, form: ColumnForm = "text"): Column => ({ name, isRequired: true, form });
const optional = (name: string, form: ColumnForm = "text"): Column => ({ name, isRequired: false, form });

export const importColumns: Readonly<Record<ImportKind, readonly Column[]>> = {
  partners: [
    required("name"),
    required("code", "codes"),
    optional("email"),
    optional("external_id", "id"),
    optional("destination_url"),
    optional("group"),
    optional("status", "word"),
    optional("payment_method"),
    optional("payment_account"),
  ],
  customers: [
    required("customer_key", "id"),
    required("partner_code", "code"),
    optional("since", "instant"),
    optional("pay_past", "yesNo"),
    optional("first_sale_at", "instant"),
    optional("subscription_id", "id"),
  ],
  coupons: [
    required("code", "id"),
    required("partner_code", "code"),
    optional("status", "word"),
    optional("valid_from", "instant"),
    optional("valid_until", "instant"),
  ],
  balances: [
    required("partner_code", "code"),
    required("currency", "currency"),
    required("amount", "amount"),
    required("reference", "id"),
  ],
};
