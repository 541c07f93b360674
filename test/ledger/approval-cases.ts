import type { Case } from "./audit-cases.ts";

export const approvalCases: readonly Case[] = [
  [
    "approvals by a person that are not in the audit trail",
    `update commissions set status = 'approved', approved_at = created_at, approved_by = 'person', payable_number = -id
     where :own and status = 'pending'`,
  ],
  [
    "approvals in the future",
    `update commissions set status = 'approved', approved_at = hold_until, approved_by = 'hold', payable_number = -id
     where :own and status = 'pending' and hold_until > unixepoch('now') * 1000 + 3600000`,
  ],
  [
    "rejected commissions whose rejection is not in the audit trail",
    "update commissions set status = 'rejected' where :own and status = 'pending'",
  ],
  [
    "approvals and rejections in the audit trail that don't match their commission",
    `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, created_at)
     select -id, program_id, 'op' || id, 'u', 'commission.approved', 'commission ' || id, 1 from commissions
     where :own and status = 'pending'`,
  ],
];
