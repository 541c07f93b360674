import type { TrackedEvent } from "./api/types.ts";
import { addressWith, type Filters, programAddress } from "./url.ts";

const names = ["clickId", "leadId", "saleId", "commissionId", "transactionId", "refundId", "customerKey"] as const;
type IdName = (typeof names)[number];

/** The id to explain, under the name that the API and the page's address give it. */
export type ExplainQuery = { readonly [Name in IdName]?: string | undefined } & {
  readonly testMode?: "true" | undefined;
};

export const readExplainQuery = (filters: Filters): ExplainQuery => ({
  ...Object.fromEntries(names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : []))),
  ...(filters.testMode === "true" && { testMode: "true" as const }),
});

/** With `assignTo`, the page opens the form that assigns the customer, with this partner chosen. */
export const explainAddress = (programId: number, query: ExplainQuery & { readonly assignTo?: string }): string =>
  addressWith(programAddress(programId, "explain"), query);

/** The ids as text for the search field. */
export const idText = (query: ExplainQuery): string => names.flatMap((name) => query[name] ?? []).join(" / ");

/** Returns the query that explains an event. A refund is explained with its sale. */
export function explainQueryOf(event: TrackedEvent): ExplainQuery {
  const book = event.is_test ? ({ testMode: "true" } as const) : {};
  switch (event.event_type) {
    case "click":
      return { clickId: event.click_id ?? "", ...book };
    case "lead":
      return { leadId: String(event.id), ...book };
    case "sale":
      return { saleId: String(event.id), ...book };
    case "refund":
      return { transactionId: event.transaction_id, ...book };
  }
}
