import type { Case } from "./audit-cases.ts";

const ofBob = "(select program_id from partners where id = :bob)";
const granted = `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, after, created_at)
  values (-1, ${ofBob}, 'granted', 'x', 'partner_access.granted', 'partner ' || :bob`;

const opened = (count: number, more: string) => `
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
  insert into applications (id, program_id, account_id, name, answers, status, partner_id, decided_at, opened_on, created_at)
  select -n, ${ofBob}, 'x' || n, 'A', '{}', 'approved', :bob, 1, '2026-07-01', 1 from numbers;
  insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, after, created_at)
  values (-9, ${ofBob}, 'opened', 'x1', 'application.approved', 'application -1', '{"openedOn":"2026-07-01"}', 1)${more}`;
const savedAs = (mode: string) => `,
  (-99, ${ofBob}, 'saved', 'y', 'join_page.saved', 'join page', '{"mode":"${mode}"}', 1)`;

export const accessCases: readonly Case[] = [
  ...[
    `insert into partner_accounts (partner_id, account_id, program_id, role, created_at) values (:bob, 'x', ${ofBob}, 'view', 1)`,
    `${granted}, '{"accountId":"x","role":"view","termsVersion":null}', 1)`,
  ].map((by): Case => ["accounts whose access to a partner differs from the audit trail", by]),
  ...[
    `insert into accepted_terms (partner_id, version, account_id, program_id, accepted_at) values (:bob, 1, 'x', ${ofBob}, 1)`,
    `${granted}, '{"accountId":"x","role":"view","termsVersion":2}', 1)`,
  ].map((by): Case => ["accepted terms that differ from the audit trail", by]),
  [
    "open join pages without the settings that they require",
    `insert or replace into join_pages (program_id, mode, slug, headline, description, questions)
      values (${ofBob}, 'open', 's', '', '', '[]');
      update programs set self_referral = 'flag' where id = ${ofBob}`,
  ],
  ...[
    `insert into applications (id, program_id, account_id, name, answers, status, partner_id, decided_at, created_at)
      values (-1, ${ofBob}, 'x', 'A', '{}', 'approved', :bob, 1, 1)`,
    opened(1, ""),
    opened(1, savedAs("approval")),
    `${opened(1, savedAs("open"))}; update audit_entries set actor_id = 'y' where id = -9`,
    `${opened(1, savedAs("open"))}; update applications set opened_on = null where id = -1`,
  ].map((by): Case => ["applications approved by neither a member nor an open page", by]),
  ["days on which an open page approved too many applications", opened(201, savedAs("open"))],
];
