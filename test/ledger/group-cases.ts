import type { Case } from "./audit-cases.ts";

const foreign = "groups, or memberships, of another program";
const named = "commissions whose explanation has another group than their policy";
const ofStranger = "(select program_id from partners where id = :stranger)";
const grouped = ":own and explanation ->> '$.group.id' is not null";

export const groupCases: readonly Case[] = [
  ...[
    "update group_memberships set group_id = (select id from partner_groups where :own and name = 'Silver') where :own",
    "update group_memberships set group_id = null where :own",
    "delete from group_memberships where :own",
    "update group_memberships set effective_from = unixepoch() * 1000 + 100000000 where :own",
  ].map((by): Case => ["commissions by another policy than the one in force at their sale", by]),
  ...[
    `update partner_groups set program_id = ${ofStranger} where :own`,
    "update group_memberships set partner_id = :stranger where :own",
    `insert into join_pages (program_id, mode, slug, headline, description, questions, group_id)
      values ((select program_id from partners where id = :bob), 'closed', 's', '', '', '[]', -1)`,
  ].map((by): Case => [foreign, by]),
  [
    "memberships of groups that differ from the audit trail",
    "update group_memberships set operation_id = operation_id || 'x' where :own",
  ],
  ...[
    `update commissions set explanation = json_set(explanation, '$.group.name', 'Platinum') where ${grouped}`,
    `update commissions set explanation = json_remove(explanation, '$.group') where ${grouped}`,
    `update commissions set explanation = json_set(explanation, '$.group', json('{"id":1,"name":"Gold"}')) where :own`,
  ].map((by): Case => [named, by]),
];
