import type { ExplainRequest } from "#store/reports/explain.ts";

/** One possible meaning of a search text. */
type Lookup = Pick<ExplainRequest, "by" | "key" | "refundId">;

const isNumber = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

/** A signed click id: base64url of 34 to 48 bytes, of which the first is a version. */
const isClickId = (text: string): boolean => /^A[Q-Za-f][\w-]{44,62}$/.test(text);

export const lookup = (by: Lookup["by"], key: Lookup["key"], refundId?: string): Lookup => ({ by, key, refundId });

export function lookupsOf(text: string): readonly Lookup[] {
  const id = Number(text);
  return [
    ...(isClickId(text) ? [lookup("click", text)] : []),
    ...(isNumber(text) ? [lookup("sale", id), lookup("commission", id), lookup("lead", id)] : []),
    ...refundLookups(text),
    lookup("transaction", text),
    lookup("customer", text),
  ];
}

/** For a text such as "order-17 / refund-3". A refund id is unique only within its sale. */
function refundLookups(text: string): readonly Lookup[] {
  const separator = text.includes(" / ") ? " / " : "/";
  const at = text.lastIndexOf(separator);
  const transactionId = text.slice(0, Math.max(at, 0)).trim();
  const refundId = text.slice(at + separator.length).trim();
  return transactionId === "" || refundId === "" ? [] : [lookup("transaction", transactionId, refundId)];
}
