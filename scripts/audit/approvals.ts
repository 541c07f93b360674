import { clockToleranceMs } from "#domain/calendar.ts";
import { field, type Invariants } from "./invariant.ts";

const now = `(unixepoch('now') * 1000 + ${clockToleranceMs})`;

/**
 * True if the approval of commission `c` isn't earlier than audit entry `a`. An approval has the instant of a posting,
 * which may be later than the call, because the instants of postings never decrease.
 */
const isPostedAfter = `c.approved_at >= a.created_at - ${clockToleranceMs}`;

export const approvalInvariants: Invariants = {
  "approvals by a person that are not in the audit trail": (of) => `
    select c.id as commission, c.approved_at from commissions c
    left join audit_entries a on a.program_id = c.program_id and a.subject = 'commission ' || c.id
      and a.action = 'commission.approved' and ${isPostedAfter}
    where ${of("c")} and c.approved_by = 'person' and a.id is null`,
  "approvals in the future": (of) => `
    select c.id as commission, c.approved_at from commissions c where ${of("c")} and c.approved_at > ${now}`,
  "rejected commissions whose rejection is not in the audit trail": (of) => `
    select c.id as commission from commissions c
    left join audit_entries a on a.program_id = c.program_id and a.subject = 'commission ' || c.id
      and a.action = 'commission.rejected'
    where ${of("c")} and c.status = 'rejected' and a.id is null`,
  "approvals and rejections in the audit trail that don't match their commission": (of) => `
    select a.id as audit_entry, c.id as commission, c.status from audit_entries a
    left join commissions c on c.id = cast(substr(a.subject, 12) as integer)
    left join ledger_entries e on e.commission_id = c.id and e.kind = 'rejected'
    where ${of("a")} and a.action in ('commission.approved', 'commission.rejected')
      and (c.id is null or c.program_id <> a.program_id or c.is_test
      or case a.action
        when 'commission.approved' then c.approved_by is not 'person' or not coalesce(${isPostedAfter}, 0)
          or ${field("a.after", "amountCents")} is not ${field("a.before", "amountCents")}
          or ${field("a.after", "status")} not in ('approved')
        else c.status <> 'rejected' or coalesce(${field("a.before", "amountCents")}, 0) <> -coalesce(e.amount_cents, 0)
          or ${field("a.after", "amountCents")} <> 0 or ${field("a.after", "status")} not in ('rejected')
          or (e.id is not null and e.occurred_at <> a.created_at)
      end)`,
};
