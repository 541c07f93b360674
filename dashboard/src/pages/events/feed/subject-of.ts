import type { FeedEvent } from "../../../api/types.ts";
import { shownName } from "../../../components/partner-name.tsx";
import { type ExplainQuery, explainAddress } from "../../../explain-address.ts";
import { partnerAddress, payoutAddress, programAddress, webhookAddress } from "../../../url.ts";

interface Subject {
  readonly title: string;
  /** Address of the subject's page. Undefined if it has none. */
  readonly href?: string;
}

/** The subject of an event, as the feed shows it. */
export function subjectOf({ type, program_id: programId, test_mode, data }: FeedEvent): Subject {
  const text = (name: string): string => String(data.object[name] ?? "");
  const explained = (query: ExplainQuery) =>
    explainAddress(programId, { ...query, ...(test_mode && { testMode: "true" }) });
  switch (type.slice(0, type.indexOf("."))) {
    case "lead":
      return { title: text("customer_key") || "Anonymous customer", href: explained({ leadId: text("lead_id") }) };
    case "sale":
      return { title: text("transaction_id"), href: explained({ saleId: text("sale_id") }) };
    case "refund":
      return {
        title: text("refund_id") || text("transaction_id"),
        href: explained({ transactionId: text("transaction_id") }),
      };
    case "commission":
      return { title: text("transaction_id"), href: explained({ commissionId: text("commission_id") }) };
    case "payout":
      return { title: text("reference"), href: payoutAddress(programId, Number(text("payout_id"))) };
    case "partner":
      if (type === "partner.claim_opened")
        return { title: `Missing sale of ${text("day")}`, href: programAddress(programId, "partners/claims") };
      return type === "partner.applied"
        ? { title: text("name"), href: programAddress(programId, "partners/applications") }
        : {
            title: shownName(text("name"), `Partner ${text("partner_id")}`),
            href: partnerAddress(programId, Number(text("partner_id"))),
          };
    case "webhook":
      return { title: text("url"), href: webhookAddress(programId, text("webhook_id")) };
    case "feed":
      return {
        title:
          text("from") === text("to")
            ? `Event ${text("from")} was lost by a restore`
            : `Events ${text("from")} to ${text("to")} were lost by a restore`,
      };
    default:
      return { title: type };
  }
}
