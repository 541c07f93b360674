import type { Case } from "./audit-cases.ts";

const ofBob = "(select program_id from partners where id = :bob)";
const claim = (more = "", values = "") => `
  insert into claims (id, program_id, partner_id, day, status, pays_past, has_texts, created_at${more})
  values (-1, ${ofBob}, :bob, '2026-07-01', 'open', 0, 0, 1${values})`;
const entry = (action: string, subject: string, after: string) => `
  insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, after, created_at)
  values (-1, ${ofBob}, 'claimed', 'x', '${action}', '${subject}', '${after}', 1)`;

export const claimCases: readonly Case[] = [
  ["claims that differ from the audit trail", claim()],
  ["claims that differ from the audit trail", `${claim()}; ${entry("claim.declined", "claim -1", "{}")}`],
  [
    "customers assigned by a claim about another sale",
    entry("customer.assigned", "customer 1", '{"partnerId":1,"claimId":-1}'),
  ],
  ["numbers of open claims that differ from the claims", `insert into claim_counts values (${ofBob}, 1)`],
  [
    "claims whose texts weren't emptied",
    `insert into notes (id, program_id, kind, subject, text) values (-1, ${ofBob}, 'note', 'claim -1', 'x');
      ${claim(", note_id", ", -1")}`,
  ],
];
