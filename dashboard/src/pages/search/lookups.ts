import type { ExplainQuery } from "../../explain-address.ts";

/** One way to read the text that the user searches for. */
export interface Lookup {
  readonly name: string;
  readonly query: ExplainQuery;
}

const isNumber = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

/** Base64url of 34 to 48 bytes, the first of them the version. */
const isClickId = (text: string): boolean => /^A[Q-Za-f][\w-]{44,62}$/.test(text);

export function lookupsOf(text: string): readonly Lookup[] {
  return [
    ...(isClickId(text) ? [{ name: "click ID", query: { clickId: text } }] : []),
    ...(isNumber(text)
      ? [
          { name: "sale ID", query: { saleId: text } },
          { name: "commission ID", query: { commissionId: text } },
          { name: "lead ID", query: { leadId: text } },
        ]
      : []),
    ...refundLookups(text),
    { name: "transaction ID", query: { transactionId: text } },
    { name: "customer key", query: { customerKey: text } },
  ];
}

/** "order-17 / refund-3": a refund ID is unique only within its sale. */
function refundLookups(text: string): readonly Lookup[] {
  const separator = text.includes(" / ") ? " / " : "/";
  const at = text.lastIndexOf(separator);
  const transactionId = text.slice(0, Math.max(at, 0)).trim();
  const refundId = text.slice(at + separator.length).trim();
  if (transactionId === "" || refundId === "") return [];
  return [{ name: "transaction ID and refund ID", query: { transactionId, refundId } }];
}
