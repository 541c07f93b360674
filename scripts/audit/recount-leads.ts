import { clockToleranceMs } from "#domain/calendar.ts";
import { candidateFaults, type DecidedEvent, type Json, type Links, linksOfCandidates, parsed } from "./candidates.ts";
import { isBehind, jsonOf, type Recount } from "./invariant.ts";

const rule = "leads whose explanation has another click, partner or reason";

interface RecordedLead {
  readonly id: number;
  readonly program_id: number;
  readonly is_test: number;
  readonly customer_id: number | null;
  readonly partner_id: number | null;
  readonly partner_code: string | null;
  readonly click_id: string | null;
  readonly reason: string | null;
  readonly explanation: string;
  readonly created_at: number;
}

const columns = [
  "id",
  "program_id",
  "is_test",
  "customer_id",
  "partner_id",
  "partner_code",
  "click_id",
  "reason",
  "explanation",
  "created_at",
];

export const leadRecount: Recount<RecordedLead> = {
  finds: [rule],

  page: (of, last) => `
    select ${jsonOf("l", columns)} from leads l where ${of("l")} and ${isBehind("l", last)} order by l.id`,

  async *check(page, read) {
    const explained = page.map((lead) => ({ lead, explanation: parsed(lead.explanation) }));
    const links = await linksOfCandidates(
      read,
      explained.map(({ explanation }) => explanation),
    );
    for (const { lead, explanation } of explained) {
      for (const field of faultsOf(lead, explanation, links)) yield { broken: rule, row: { lead: lead.id, field } };
    }
  },
};

function faultsOf(lead: RecordedLead, explanation: Json, links: Links): readonly string[] {
  const { decidedAt, reason } = explanation;
  return [
    ...(typeof decidedAt === "number" && decidedAt >= lead.created_at - clockToleranceMs ? [] : ["decidedAt"]),
    ...(isReason(reason, lead) ? [] : ["reason"]),
    ...candidateFaults(explanation, eventOf(lead), links),
  ];
}

/** Reasons that depend only on the call itself. */
const ownReasons: readonly unknown[] = ["no_click", "invalid_click_id"];

/**
 * True if the lead has the right reason. If an earlier sale left the customer without a partner, the lead has that
 * sale's reason.
 */
const isReason = (frozen: unknown, { customer_id, reason }: RecordedLead): boolean =>
  frozen === reason || (customer_id !== null && reason !== null && ownReasons.includes(frozen));

const eventOf = ({ program_id, is_test, partner_id, partner_code, click_id }: RecordedLead): DecidedEvent => ({
  programId: program_id,
  isTest: is_test === 1,
  occurredAt: undefined,
  deciding:
    partner_id === null || click_id === null
      ? undefined
      : { clickId: click_id, partnerCode: partner_code, outcome: "chosen" },
  sentClickId: null,
  mayKeepEarlierClick: true,
  mayConsiderOthers: false,
});
