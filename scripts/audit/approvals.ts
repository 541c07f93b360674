import { clockToleranceMs } from "../../src/domain/calendar.ts";
import { field, type Invariants } from "./invariant.ts";

const decisions = `(
  select a.id, a.program_id, a.action, a.before, a.after, a.created_at, cast(substr(a.subject, 12) as integer) as commission_id
  from audit_entries a where a.action in ('commission.approved', 'commission.rejected')
)`;

const now = `(unixepoch('now') * 1000 + ${clockToleranceMs})`;

export const approvalInvariants: Invariants = {
  "approvals by a person that are not in the audit trail": (of) => `
    select c.id as commission, c.approved_at from commissions c
    left join ${decisions} a on a.commission_id = c.id and a.program_id = c.program_id
      and a.action = 'commission.approved' and a.created_at = c.approved_at
    where ${of("c")} and c.approved_by = 'person' and a.id is null`,
  "approvals that are yet to come": (of) => `
    select c.id as commission, c.approved_at from commissions c where ${of("c")} and c.approved_at > ${now}`,
  "rejected commissions whose rejection is not in the audit trail": (of) => `
    select c.id as commission from commissions c
    left join ${decisions} a on a.commission_id = c.id and a.program_id = c.program_id
      and a.action = 'commission.rejected'
    where ${of("c")} and c.status = 'rejected' and a.id is null`,
  "decisions in the audit trail that their commission does not show": (of) => `
    select a.id as audit_entry, c.id as commission, c.status from ${decisions} a
    left join commissions c on c.id = a.commission_id
    left join ledger_entries e on e.commission_id = c.id and e.kind = 'rejected'
    where ${of("a")} and (c.id is null or c.program_id <> a.program_id or c.is_test
      or case a.action
        when 'commission.approved' then c.approved_by is not 'person' or c.approved_at is not a.created_at
          or ${field("a.after", "amountCents")} is not ${field("a.before", "amountCents")}
          or ${field("a.after", "status")} not in ('approved')
        else c.status <> 'rejected' or coalesce(${field("a.before", "amountCents")}, 0) <> -coalesce(e.amount_cents, 0)
          or ${field("a.after", "amountCents")} <> 0 or ${field("a.after", "status")} not in ('rejected')
          or (e.id is not null and e.occurred_at <> a.created_at)
      end)`,
};
