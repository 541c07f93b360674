import { isJsonForm } from "#domain/erasure.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import type { PersonTable } from "#store/person.ts";
import { heldIn } from "#store/person-writes.ts";

/** Not those that say what members and the service did with it. */
export const exportedTables = [
  ...(["customers", "customerClicks", "clicks", "leads", "sales", "commissions"] as const),
  ...(["refunds", "commissionSignals", "notes"] as const),
] as const satisfies readonly PersonTable[];

const internal: readonly string[] = [
  "operationId",
  "movedOperationId",
  "unresolvedKey",
  "eventSeq",
  "isOtherKey",
  "isErased",
];
const isInstant = (name: string): boolean => name === "since" || /(At|Until)$/.test(name);

/** With instants as ISO 8601, and amounts in the currency's smallest unit. */
export const exportedRow = (of: (typeof exportedTables)[number], row: object) => ({
  of,
  ...Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      internal.includes(name) ? [] : [[name, exported(name, value, heldIn(of)[name] ?? "")]],
    ),
  ),
});

function exported(name: string, value: unknown, held: string): unknown {
  if (typeof value === "number" && isInstant(name)) return timestampOrNull(value);
  return typeof value === "string" && isJsonForm(held) ? JSON.parse(value) : value;
}
