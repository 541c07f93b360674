import type { Invariants, Scope } from "./invariant.ts";

/** The notes that audit entries refer to. Skips `tiers`, because its value is an object too, but never a note. */
const named = (of: Scope) => `(
  select a.id as audit_entry, a.program_id, a.subject, iif(f.key = 'partnerNote', 'partner_note', f.key) as kind,
    cast(f.value ->> '$.note' as integer) as note
  from audit_entries a, json_each(json_array(
    iif(json_valid(a.before), json(a.before), null), iif(json_valid(a.after), json(a.after), null))) side,
    json_each(coalesce(side.value, '{}')) f
  where ${of("a")} and f.type = 'object' and f.key <> 'tiers' and json_type(f.value, '$.note') is not null)`;

export const noteInvariants: Invariants = {
  "notes that differ from the audit trail": (of) => `
    select n.id as note, x.audit_entry from ${named(of)} x left join notes n on n.id = x.note
    where n.program_id is not x.program_id or n.subject is not x.subject or n.kind is not x.kind
    union all
    select n.id, x.times from notes n
    left join (select note, count(*) as times from ${named(of)} group by note) x on x.note = n.id
    where ${of("n")} and (x.times > 1 or (x.times is null and n.kind <> 'note'))`,
};
