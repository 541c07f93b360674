import { caps } from "#domain/caps.ts";
import { isCouponCode } from "#domain/coupons.ts";
import {
  type BalanceImport,
  type CouponImport,
  type CustomerImport,
  importReference,
  type PartnerImport,
  type RowOutcome,
  type RowRefusal,
  refusedRow,
} from "#domain/import.ts";
import { maxAmountCents } from "#domain/money.ts";
import { codeForm } from "#domain/partner-code.ts";
import { parseAccount } from "#domain/payee-account.ts";
import { type PaymentDetails, type PaymentMethod, paymentMethods } from "#domain/payment-details.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { digitsOf, isUnitCode, type Units } from "#domain/units.ts";
import * as fields from "#http/schema/form-fields.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import { isWebUrl } from "#http/schema/web-url.ts";
import * as z from "#http/schema/zod.ts";
import { maxAheadMs } from "./customer-columns.ts";

type SentRow = Readonly<Record<string, unknown>> & { readonly line: number };

interface Fault {
  readonly code: RowRefusal;
  readonly field: string;
}

type Cell<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: RowRefusal };

const faulty = (code: RowRefusal = "invalid_value") => ({ ok: false, code }) as const;
const valid = <T>(value: T) => ({ ok: true, value }) as const;

/** The trimmed text of a cell. Undefined if the cell is empty. */
function textOf(value: unknown): string | undefined {
  const isNumber = typeof value === "number" && (Number.isSafeInteger(value) || !Number.isInteger(value));
  const text = typeof value === "string" ? value.trim() : isNumber ? String(value) : value;
  if (text === "" || text === null || text === undefined) return undefined;
  return typeof text === "string" ? text : "\0";
}

type Read<T> = (text: string) => Cell<T>;

const matching =
  <T>(schema: z.ZodType<T>): Read<T> =>
  (text) => {
    const { data, success } = schema.safeParse(text);
    return success ? valid(data) : faulty();
  };

/** These schemas are created only once, because zod never releases a registered schema. */
const id64 = matching(fields.callerId("cell", 64));
const text200 = matching(fields.callerId("cell", 200));
const text255 = matching(fields.callerId("cell", 255));
const name255 = matching(fields.nonBlank("cell"));
const email = matching(fields.email("email"));
const status = matching(z.enum(activeStatuses));
const webUrl: Read<string> = (text) => (isWebUrl(text) ? valid(text) : faulty());
const currencyForm = matching(fields.currency("currency"));
const currencyIn =
  (units: Units): Read<string> =>
  (text) =>
    units.has(text.toUpperCase()) ? valid(text.toUpperCase()) : currencyForm(text);

/** True if the currency of a row may be a unit. The caller reads the program's units only in that case. */
export const mayHaveUnits = (rows: readonly SentRow[]): boolean =>
  rows.some(({ currency }) => typeof currency === "string" && isUnitCode(currency.trim().toUpperCase()));

const codes: Read<readonly [string, ...string[]]> = (text) => {
  const all = text
    .split(";")
    .map((code) => code.trim())
    .filter(Boolean);
  const unique = [...new Map(all.map((code) => [code.toLowerCase(), code])).values()];
  if (unique.length > caps.codes.max) return faulty("links_full");
  const [first, ...others] = unique;
  return first === undefined || !unique.every((code) => codeForm.test(code))
    ? faulty("invalid_code")
    : valid([first, ...others]);
};

/** Parses a decimal number with a decimal point, and at most as many decimals as the currency or unit has. */
function amountIn(text: string, digits: number): Cell<number> {
  const [, sign = "", whole = "", decimals = ""] = /^([+-]?)(\d{1,15})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === "" || decimals.length > digits) return faulty();
  const cents = Number(`${whole}${decimals.padEnd(digits, "0")}`);
  return cents > maxAmountCents ? faulty() : valid(sign === "-" ? -cents || 0 : cents);
}

const isDay = /^\d{4}-\d\d-\d\d$/;

/** Parses an instant to milliseconds. A date without a time is its midnight in UTC. */
const instantUpTo =
  (latest: number): Read<number> =>
  (text) => {
    const at = parseTimestamp(isDay.test(text) ? `${text}T00:00:00Z` : text);
    return at === undefined || at > latest ? faulty() : valid(at);
  };

const yesOrNo: Read<boolean> = (text) => {
  const isYes = text.toLowerCase() === "true";
  return isYes || text.toLowerCase() === "false" ? valid(isYes) : faulty();
};

/** Reads the cells of one row, and records the first error. */
class Row {
  readonly #row: SentRow;
  fault: Fault | undefined;

  constructor(row: SentRow) {
    this.#row = row;
  }

  optional<T>(field: string, read: Read<T>): T | undefined {
    const text = textOf(this.#row[field]);
    if (text === undefined) return undefined;
    const cell = read(text);
    if (cell.ok) return cell.value;
    this.fault ??= { code: cell.code, field };
    return undefined;
  }

  required<T>(field: string, read: Read<T>): T | undefined {
    if (textOf(this.#row[field]) === undefined) this.fault ??= { code: "invalid_value", field };
    return this.optional(field, read);
  }

  /** Reads a boolean, or a text with the meaning of a boolean. */
  flag(field: string): boolean {
    const value = this.#row[field];
    return typeof value === "boolean" ? value : (this.optional(field, yesOrNo) ?? false);
  }

  refuse(code: RowRefusal, field: string): void {
    this.fault ??= { code, field };
  }

  refuseIfFilled(code: RowRefusal, ...names: readonly string[]): void {
    const field = names.find((name) => textOf(this.#row[name]) !== undefined);
    if (field !== undefined) this.refuse(code, field);
  }
}

/** A partner as sent, with unencrypted payment details. They are encrypted before the row is sent to the Ledger. */
export type SentPartner = Omit<PartnerImport, "payment"> & { readonly payment: PaymentDetails | undefined };

const methodForm = matching<PaymentMethod>(z.enum(paymentMethods));
const paymentMethod: Read<PaymentMethod> = (text) => methodForm(text.toLowerCase());

function paymentOf(row: Row, holder: string): PaymentDetails | undefined {
  const account = row.optional("payment_account", text200);
  if (account === undefined) {
    row.optional("payment_method", () => faulty());
    return undefined;
  }
  const method = row.required("payment_method", paymentMethod);
  if (method === undefined) return undefined;
  const parsed = row.required("payment_account", () => {
    const known = parseAccount(method, account);
    return known === undefined ? faulty() : valid(known);
  });
  return parsed === undefined ? undefined : { method, account: parsed, holder, country: null, taxId: null };
}

function partnerOf(sent: SentRow, row: Row, isOwner: boolean): SentPartner | undefined {
  const name = row.required("name", name255);
  const own = row.required("code", codes);
  const others = {
    email: row.optional("email", email),
    externalId: row.optional("external_id", text255),
    destinationUrl: row.optional("destination_url", webUrl),
    group: row.optional("group", name255),
    status: row.optional("status", status),
  };
  if (!isOwner) row.refuseIfFilled("owner_only", "payment_method", "payment_account");
  const payment = paymentOf(row, name ?? "");
  return name === undefined || own === undefined
    ? undefined
    : { line: sent.line, name, codes: own, ...others, payment };
}

const reference = matching(fields.callerId("cell", 255 - importReference({ reference: "", currency: "EUR" }).length));

interface ForBalances {
  readonly isOwner: boolean;
  readonly units: Units;
}

/** Only an owner can import a balance, because a balance is paid out. A call with an API key can't. */
function balanceOf({ line }: SentRow, row: Row, { isOwner, units }: ForBalances): BalanceImport | undefined {
  if (!isOwner) row.refuse("owner_only", "amount");
  const partnerCode = row.required("partner_code", id64);
  const inCurrency = row.required("currency", currencyIn(units));
  const digits = digitsOf(inCurrency ?? "EUR", units);
  const amountCents = row.required("amount", (text) => amountIn(text, digits));
  const named = row.required("reference", (text) => {
    const isTooLong = importReference({ reference: text, currency: inCurrency ?? "EUR" }).length > 255;
    return isTooLong ? faulty() : reference(text);
  });
  if (partnerCode === undefined || inCurrency === undefined) return undefined;
  if (amountCents === undefined || named === undefined) return undefined;
  return { line, partnerCode, currency: inCurrency, amountCents, reference: named };
}

function customerOf({ line }: SentRow, row: Row, at: number, isOwner: boolean): CustomerImport | undefined {
  const customerKey = row.required("customer_key", text255);
  const partnerCode = row.required("partner_code", id64);
  const others = {
    since: row.optional("since", instantUpTo(at + maxAheadMs)),
    payPast: row.flag("pay_past"),
    firstSaleAt: row.optional("first_sale_at", instantUpTo(at)),
    subscriptionId: row.optional("subscription_id", text255),
  };
  if (others.payPast && !isOwner) row.refuse("owner_only", "pay_past");
  if (customerKey === undefined || partnerCode === undefined) return undefined;
  return { line, customerKey, partnerCode, ...others };
}

const couponCode: Read<string> = (text) => (isCouponCode(text) ? valid(text) : faulty());
const anyInstant = instantUpTo(Number.MAX_SAFE_INTEGER);

function couponOf({ line }: SentRow, row: Row): CouponImport | undefined {
  const code = row.required("code", couponCode);
  const partnerCode = row.required("partner_code", id64);
  const settings = {
    status: row.optional("status", status),
    validFrom: row.optional("valid_from", anyInstant),
    validUntil: row.optional("valid_until", anyInstant),
  };
  return code === undefined || partnerCode === undefined ? undefined : { line, code, partnerCode, ...settings };
}

interface Parsed<Read> {
  readonly valid: readonly Read[];
  readonly refused: readonly RowOutcome[];
}

/** Returns the valid rows, and the outcomes of the invalid ones. */
function parseWith<Read>(rows: readonly SentRow[], read: (sent: SentRow, row: Row) => Read | undefined): Parsed<Read> {
  const valid: Read[] = [];
  const refused: RowOutcome[] = [];
  for (const sent of rows) {
    const row = new Row(sent);
    const parsed = read(sent, row);
    const { fault } = row;
    if (fault !== undefined) refused.push(refusedRow(sent.line, fault.code, fault.field));
    else if (parsed !== undefined) valid.push(parsed);
  }
  return { valid, refused };
}

export const parsePartners = (rows: readonly SentRow[], isOwner: boolean) =>
  parseWith(rows, (sent, row) => partnerOf(sent, row, isOwner));
export const parseCustomers = (rows: readonly SentRow[], at: number, isOwner: boolean) =>
  parseWith(rows, (sent, row) => customerOf(sent, row, at, isOwner));
export const parseCoupons = (rows: readonly SentRow[]) => parseWith(rows, couponOf);
export const parseBalances = (rows: readonly SentRow[], as: ForBalances) =>
  parseWith(rows, (sent, row) => balanceOf(sent, row, as));
