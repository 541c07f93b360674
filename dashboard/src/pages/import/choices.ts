import type { DateOrder, DecimalSign, GivenMapping, ImportKind } from "../../../../importer/index.ts";

/** A member's choices for a file. */
export interface Choices {
  readonly kind: ImportKind;
  /** The preset of the program that wrote the file. Empty: the file is from another program. */
  readonly presetId: string;
  readonly source: string;
  readonly given: GivenMapping;
  readonly dateOrder: DateOrder | undefined;
  readonly decimalSign: DecimalSign | undefined;
  readonly paysPast: boolean;
  readonly mayUpdate: boolean;
}

export const firstChoices: Choices = {
  kind: "partners",
  presetId: "",
  source: "",
  given: {},
  dateOrder: undefined,
  decimalSign: undefined,
  paysPast: false,
  mayUpdate: false,
};

export const kindTitles: Readonly<Record<ImportKind, string>> = {
  partners: "Partners",
  customers: "Customers and their partners",
  coupons: "Coupons and their partners",
  balances: "Open balances",
};

export const nounOf: Readonly<Record<ImportKind, string>> = {
  partners: "partner",
  customers: "customer",
  coupons: "coupon",
  balances: "balance",
};

export const columnTitles: Readonly<Record<string, string>> = {
  name: "Name",
  code: "Codes",
  email: "Email",
  external_id: "Your ID",
  destination_url: "Landing page",
  group: "Group",
  status: "Status",
  payment_method: "Payment method",
  payment_account: "Payment account",
  customer_key: "Customer key",
  partner_code: "Partner's code",
  since: "Since",
  valid_from: "Valid from",
  valid_until: "Valid until",
  pay_past: "Pay past sales",
  first_sale_at: "First sale",
  subscription_id: "Subscription ID",
  currency: "Currency",
  amount: "Amount",
  reference: "Your reference",
};
