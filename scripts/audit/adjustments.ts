import { field, type Invariants } from "./invariant.ts";

const columns = {
  adjustmentId: "id",
  amountCents: "amount_cents",
  currency: "currency",
  "reason.note": "reason_id",
  "partnerNote.note": "partner_note_id",
  reference: "reference",
} as const;

const auditedId = field("a.after", "adjustmentId");

const isUnlikeTrail = Object.entries(columns)
  .map(([name, column]) => `${field("a.after", name)} is not j.${column}`)
  .join(" or ");

export const adjustmentInvariants: Invariants = {
  "adjustments of another program's partner": (of) => `
    select j.id as adjustment, j.partner_id as partner from adjustments j left join partners p on p.id = j.partner_id
    where ${of("j")} and p.program_id is not j.program_id`,
  "adjustments whose entry has another time": (of) => `
    select j.id as adjustment, e.id as entry from adjustments j join ledger_entries e on e.adjustment_id = j.id
    where ${of("j")} and e.occurred_at <> j.created_at`,
  "adjustments that differ from the audit trail": (of) => `
    select j.id as adjustment, a.id as audit_entry from audit_entries a
    left join adjustments j on j.id = ${auditedId}
    where ${of("a")} and a.action = 'adjustment.created' and (j.id is null or j.program_id <> a.program_id
      or a.subject <> 'partner ' || j.partner_id or a.created_at <> j.created_at or a.actor_id <> j.created_by
      or ${isUnlikeTrail})
    union all
    select j.id, null from adjustments j where ${of("j")} and j.id not in (
      select ${auditedId} from audit_entries a where ${of("a")} and a.action = 'adjustment.created' and ${auditedId} is not null)`,
};
