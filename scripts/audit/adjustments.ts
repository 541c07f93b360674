import { field, type Invariants } from "./invariant.ts";

const columns = {
  adjustmentId: "id",
  amountCents: "amount_cents",
  currency: "currency",
  reason: "reason",
  reference: "reference",
} as const;

const isUnlikeTrail = Object.entries(columns)
  .map(([name, column]) => `${field("a.after", name)} is not j.${column}`)
  .join(" or ");

export const adjustmentInvariants: Invariants = {
  "adjustments of another program's partner": (of) => `
    select j.id as adjustment, j.partner_id as partner from adjustments j left join partners p on p.id = j.partner_id
    where ${of("j")} and p.program_id is not j.program_id`,
  "adjustments whose entry is of another instant": (of) => `
    select j.id as adjustment, e.id as entry from adjustments j join ledger_entries e on e.adjustment_id = j.id
    where ${of("j")} and e.occurred_at <> j.created_at`,
  "adjustments that are not what the audit trail says": (of) => `
    select j.id as adjustment, a.id as audit_entry from adjustments j
    left join audit_entries a on a.program_id = j.program_id and a.action = 'adjustment.created'
      and a.subject = 'partner ' || j.partner_id and ${field("a.after", "reference")} = j.reference
    where ${of("j")} and (a.id is null or a.created_at <> j.created_at or a.actor_id <> j.created_by or ${isUnlikeTrail})
    union all
    select j.id, a.id from audit_entries a
    left join adjustments j on j.id = ${field("a.after", "adjustmentId")} and j.program_id = a.program_id
    where ${of("a")} and a.action = 'adjustment.created' and j.id is null`,
};
