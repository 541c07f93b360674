import { earliest } from "#domain/calendar.ts";
import { isPlaceholderId } from "#domain/caller-id.ts";
import type { CustomerId, PartnerId } from "#domain/ids.ts";
import { type CustomerImport, type RefusedRow, type RowRefusal, refusedRow } from "#domain/import.ts";
import type { CustomerRow } from "#store/customers.ts";

export type ImportedColumns = Pick<CustomerRow, "importedFirstSaleAt" | "importedSubscriptionId">;

/**
 * The effect of a row. `bind` attributes the customer to the row's partner from `since` on (ms). `fill` adds missing
 * data to a customer of that partner.
 */
export type CustomerPlan =
  | { readonly kind: "bind"; readonly since: number; readonly imported: ImportedColumns }
  | { readonly kind: "fill"; readonly imported: ImportedColumns }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refuse"; readonly outcome: RefusedRow };

export interface CustomerFacts {
  readonly customer: CustomerRow;
  readonly partnerId: PartnerId | undefined;
  /** The customer that the row's subscription already belongs to. */
  readonly subscriberId: CustomerId | undefined;
  readonly at: number;
}

/** Decides what a row does. A confirmed attribution doesn't change, so the row can only add missing data to it. */
export function planCustomer(row: CustomerImport, facts: CustomerFacts): CustomerPlan {
  const { customer, partnerId, subscriberId, at } = facts;
  const refuse = (code: RowRefusal, field: string): CustomerPlan => ({
    kind: "refuse",
    outcome: refusedRow(row.line, code, field),
  });
  if (partnerId === undefined) return refuse("unknown_partner", "partner_code");
  const isBound = customer.confirmedAt !== null;
  if (isBound && customer.partnerId !== partnerId) return refuse("other_partner", "partner_code");
  const boundSince = customer.since ?? customer.boundAt;
  if (isBound && row.since !== undefined && row.since !== boundSince) return refuse("differs", "since");
  const since = row.since ?? at;
  if (!isBound && since < at && !row.payPast) return refuse("past_needs_consent", "since");

  const importedFirstSaleAt = firstSaleAfter(row, facts, isBound);
  if (importedFirstSaleAt === "differs") return refuse("differs", "first_sale_at");
  if (subscriberId !== undefined && subscriberId !== customer.id) {
    return refuse("subscription_taken", "subscription_id");
  }
  const importedSubscriptionId = subscriptionAfter(row, facts);
  if (typeof importedSubscriptionId === "string") return refuse(importedSubscriptionId, "subscription_id");
  const imported = { importedFirstSaleAt, importedSubscriptionId: importedSubscriptionId.id };
  if (!isBound) return { kind: "bind", since, imported };
  const isFilled = Object.entries(imported).some(
    ([column, value]) => customer[column as keyof ImportedColumns] !== value,
  );
  return isFilled ? { kind: "fill", imported } : { kind: "unchanged" };
}

/**
 * The instant (ms) of the customer's first sale in their former program, after the row is imported. Null if it is
 * unknown, or if the row needn't add it. `differs` if the row contradicts a stored instant.
 */
function firstSaleAfter(
  { firstSaleAt }: CustomerImport,
  { customer: { importedFirstSaleAt: imported, firstAttributedSaleAt } }: CustomerFacts,
  isBound: boolean,
): number | null | "differs" {
  const recorded = isBound ? (firstAttributedSaleAt ?? undefined) : undefined;
  const known = earliest(imported ?? undefined, recorded);
  if (firstSaleAt === undefined || firstSaleAt === imported || firstSaleAt === known) return imported;
  return imported === null && firstSaleAt < (known ?? Number.POSITIVE_INFINITY) ? firstSaleAt : "differs";
}

/**
 * The subscription to store with the customer. If the service has a sale of the subscription, the subscription needn't
 * be stored.
 */
function subscriptionAfter(
  { subscriptionId }: CustomerImport,
  { customer: { id, importedSubscriptionId: imported }, subscriberId }: CustomerFacts,
): { readonly id: string | null } | "differs" | "placeholder_id" {
  if (subscriptionId === undefined || subscriptionId === imported || subscriberId === id) return { id: imported };
  if (imported !== null) return "differs";
  return isPlaceholderId(subscriptionId) ? "placeholder_id" : { id: subscriptionId };
}
