import type { Case } from "./audit-cases.ts";

const ofBob = "(select program_id from partners where id = :bob)";
const granted = `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, after, created_at)
  values (-1, ${ofBob}, 'granted', 'x', 'partner_access.granted', 'partner ' || :bob`;

export const accessCases: readonly Case[] = [
  ...[
    `insert into partner_accounts (partner_id, account_id, program_id, role, created_at) values (:bob, 'x', ${ofBob}, 'view', 1)`,
    `${granted}, '{"accountId":"x","role":"view","termsVersion":null}', 1)`,
  ].map((by): Case => ["accounts with another access to a partner than the audit trail gives them", by]),
  ...[
    `insert into accepted_terms (partner_id, version, account_id, program_id, accepted_at) values (:bob, 1, 'x', ${ofBob}, 1)`,
    `${granted}, '{"accountId":"x","role":"view","termsVersion":2}', 1)`,
  ].map((by): Case => ["terms that were accepted otherwise than the audit trail says", by]),
];
