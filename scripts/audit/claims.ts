import { field, type Invariants } from "./invariant.ts";

const recorded = (name: string): string => field("a.after", name);
const isAbout = "a.program_id = k.program_id and a.subject = 'claim ' || k.id";

export const claimInvariants: Invariants = {
  "claims that differ from the audit trail": (of) => `
    select k.id as claim, a.id as audit_entry from claims k
    left join audit_entries a on ${isAbout} and a.action = 'claim.opened'
    where ${of("k")} and (a.id is null or a.created_at <> k.created_at or ${recorded("partnerId")} is not k.partner_id
      or ${recorded("day")} is not k.day or ${recorded("amountCents")} is not k.amount_cents or ${recorded("currency")} is not k.currency
      or ${recorded("reference.note")} is not k.reference_id or ${recorded("note.note")} is not k.note_id)
    union all
    select k.id, a.id from claims k
    left join audit_entries a on ${isAbout} and a.action in ('claim.theirs', 'claim.declined')
    where ${of("k")} and (k.status <> coalesce(substr(a.action, 7), 'open') or a.created_at is not k.decided_at
      or ${recorded("saleId")} is not k.sale_id or coalesce(${recorded("payPast")}, 0) <> k.pays_past
      or ${recorded("partnerNote.note")} is not k.partner_note_id)
    union all
    select cast(substr(a.subject, 7) as integer), max(a.id) from audit_entries a where ${of("a")} and a.action like 'claim.%'
    group by a.program_id, a.subject, a.action = 'claim.opened' having count(*) > 1`,
  "customers assigned by a claim about another sale": (of) => `
    select a.id as audit_entry, k.id as claim from audit_entries a
    left join claims k on k.id = ${recorded("claimId")} and k.program_id = a.program_id
    left join sales s on s.id = k.sale_id and s.program_id = a.program_id and s.is_test = 0
    where ${of("a")} and a.action = 'customer.assigned' and ${recorded("claimId")} is not null
      and (a.subject is not 'customer ' || s.customer_id or ${recorded("partnerId")} is not k.partner_id
        or a.created_at is not k.decided_at)
    union all
    select null, k.id from claims k left join sales s on s.id = k.sale_id
    where ${of("k")} and k.sale_id is not null and (s.program_id is not k.program_id or s.is_test)`,
  "numbers of open claims that differ from the claims": (of) => `
    select g.id as program, n.open, count(k.id) as claims from programs g
    left join claim_counts n on n.program_id = g.id left join claims k on k.program_id = g.id and k.status = 'open'
    where ${of("g", "id")} group by g.id having coalesce(n.open, 0) <> count(k.id)`,
  "claims whose texts weren't emptied": (of) => `
    select k.id as claim, n.id as note from claims k
    join notes n on n.id in (k.reference_id, k.note_id, k.partner_note_id) and n.text is not null
    where ${of("k")} and not k.has_texts`,
};
