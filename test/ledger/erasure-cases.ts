import { columnsAbout } from "#store/erased-columns.ts";
import type { Case } from "./audit-cases.ts";

// Damage to erased rows, and to rows that expire.

/** Marks the customers as erased, without writing a receipt. */
const eraseCustomers =
  "update customers set is_erased = 1, customer_key = 'erased_' || id, email_hash = null, email_mask = null where :own;";

/** Marks the customers as erased an hour from now, with a receipt. Their sales stay unerased. */
const eraseLater = `${eraseCustomers}
  insert into erasures (id, program_id, subject, requested_by, requested_at, erased_at, customer_ids, rows, "before", after)
  select 'erasure_later', program_id, 'customer', 'u', unixepoch() * 1000 + 3600000, unixepoch() * 1000 + 3600000,
    json_group_array(id), '{}', '{}', '{}' from customers where :own group by program_id;`;

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const nullable = columnsAbout("partners", "partner").filter((name) => name !== "name");

/** Marks the partner as erased with a receipt that the audit trail lacks. */
const erasePartner = `insert into erasures (id, program_id, subject, requested_by, requested_at, erased_at, rows, "before", after)
    select 'erasure_' || id, program_id, 'partner', 'u', 1, 1, '{}', '{}', '{}' from partners where :own and id = :bob;
  update partners set erasure_id = 'erasure_' || id, status = 'paused', ${nullable.map((name) => `${snakeCase(name)} = null`).join(", ")},
    name = 'Partner ' || (select count(*) from partners o where o.program_id = partners.program_id and o.id <= partners.id and not o.is_synthetic)
    where :own and id = :bob;`;

export const erasureCases: readonly Case[] = [
  [
    "daily counts that don't match the clicks",
    "insert into removed_clicks select program_id, is_test, day, partner_id, 0, 1, 0 from daily_counts where :own limit 1",
  ],
  [
    "erasures that the audit trail doesn't have, or has differently",
    `insert into erasures (id, program_id, subject, requested_by, requested_at, erased_at, rows, "before", after)
      select 'erasure_lost', program_id, 'customer', 'u', 1, 1, '{}', '{}', '{}' from partners where :own limit 1`,
  ],
  [
    "erasures that the audit trail doesn't have, or has differently",
    `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, after, created_at)
      select -id, program_id, 'lost ' || id, 'u', 'person.erased', 'privacy', '{}', 1 from partners where :own limit 1`,
  ],
  [
    "erasures of customers who aren't erased",
    `insert into erasures (id, program_id, subject, requested_by, requested_at, erased_at, customer_ids, rows, "before", after)
      select 'erasure_lost', program_id, 'customer', 'u', 1, 1, json_array(id), '{}', '{}', '{}' from customers where :own limit 1`,
  ],
  [
    "erasures that changed a sum",
    `insert into erasures (id, program_id, subject, requested_by, requested_at, erased_at, rows, "before", after)
      select 'erasure_lost', program_id, 'customer', 'u', 1, 1, '{}', '{"a":1}', '{"a":2}' from partners where :own limit 1`,
  ],
  [
    "erased customers with identifying data",
    `${eraseCustomers} update customers set customer_key = 'back again' where :own and id = (select max(id) from customers where :own)`,
  ],
  [
    "erased customers with identifying data",
    "update sales set is_erased = 1, line_items = '[1]' where :own and id = (select max(id) from sales where :own)",
  ],
  ["erased customers with identifying data", `${eraseCustomers} update leads set click_id = null where :own`],
  [
    "erased customers with identifying data",
    `update sales set is_erased = 1, sent_customer_key = null, line_items = null, event_name = null
      where :own and sent_click_id is not null`,
  ],
  [
    "sales with another customer's key, or a code of another partner",
    "update sales set is_other_key = 1 where :own and sent_customer_key is not null",
  ],
  [
    "erasures that skipped a sale",
    `${eraseCustomers} update sales set is_erased = 1, sent_customer_key = null, line_items = null, event_name = null
      where :own and id in (select max(id) from sales where :own group by customer_id having count(*) > 1)`,
  ],
  ["erasures that skipped a sale", eraseLater],
  ["erased customers without a receipt", eraseCustomers],
  [
    "fewer erased sales than their receipts say",
    `${eraseLater} update erasures set rows = '{"sales":1000}' where :own`,
  ],
  [
    "digests of erased people that are missing or too many",
    `${eraseLater} update erasures set identifiers = 2 where :own`,
  ],
  [
    "digests of erased people that are missing or too many",
    `${eraseLater} update erasures set identifiers = 0 where :own;
     insert into erased_identifiers (program_id, digest, erasure_id) select program_id, 'd', id from erasures where :own`,
  ],
  [
    "erased partners with identifying data",
    `${erasePartner} update partners set name = 'Back again' where :own and erasure_id is not null`,
  ],
  ...nullable.map(
    (name): Case => [
      "erased partners with identifying data",
      `${erasePartner} update partners set ${snakeCase(name)} = 'Back again' where :own and erasure_id is not null`,
    ],
  ),
  [
    "erased partners with identifying data",
    `${erasePartner} insert into partner_invitations (partner_id, program_id, token_hash, role, expires_at, created_at)
      select id, program_id, 'erased ' || id, 'view', 1, 1 from partners where :own and erasure_id is not null`,
  ],
  [
    "erased partners without a receipt, and receipts without an erased partner",
    `insert into erasures (id, program_id, subject, requested_by, requested_at, erased_at, rows, "before", after)
      select 'erasure_lost', program_id, 'partner', 'u', 1, 1, '{}', '{}', '{}' from partners where :own limit 1`,
  ],
];
