import { afterAll, beforeAll, expect, test } from "vitest";
import { hourMs } from "#domain/calendar.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { auditAcross } from "../../scripts/audit/across.ts";
import { acrossRules } from "../../scripts/audit/across-rules.ts";

let server: TestDatabase;
beforeAll(async () => {
  server = await startDatabase();
});
afterAll(() => server.dispose());

const now = Date.now();
const longAgo = now - 2 * hourMs;
const columns = {
  partner_accounts: "partner_id, account_id, program_id, role, created_at",
  account_partners: "account_id, program_id, partner_id, entered_at",
};
const audit = async () =>
  Object.fromEntries((await auditAcross([{ shard: 0, url: server.url }])).map(({ broken, rows }) => [broken, rows]));

const granted = ({ programId, partner }: World, accountId: string, at: number) => ({
  sql: `insert into partner_accounts (${columns.partner_accounts}) values (?, ?, ?, 'view', ?)`,
  args: [partner.id, accountId, programId, at],
});
const listed = ({ programId, partner }: World, accountId: string, at: number) => ({
  sql: `insert into account_partners (${columns.account_partners}) values (?, ?, ?, ?)`,
  args: [accountId, programId, partner.id, at],
});
const ended = ({ programId, partner }: World, accountId: string) => ({
  sql: `insert into audit_entries (program_id, operation_id, actor_id, action, subject, before, created_at)
    values (?, ?, 'x', 'partner_access.ended', ?, ?, ?)`,
  args: [programId, `ended ${accountId}`, `partner ${partner.id}`, JSON.stringify({ accountId, role: "view" }), now],
});

test("the audit accepts the home database's index of partners' accounts if it matches the shards, or differs only by changes of the last hour", async () => {
  const world = await createWorld(server.url, { partners: [{}] });
  await world.write(
    ...[granted(world, "both", longAgo), listed(world, "both", longAgo)],
    ...[granted(world, "just granted", now - hourMs / 2), listed(world, "just listed", now - hourMs / 2)],
    ...[listed(world, "ended", longAgo), ended(world, "ended")],
  );
  expect(await audit()).toEqual({});
});

test("the audit reports the ids of accounts whose access the home database's index lacks, and of accounts in the index that have no access", async () => {
  const [world, left] = [await createWorld(server.url, { partners: [{}] }), await createWorld(server.url)];
  await world.write(granted(world, "unlisted", longAgo), listed(world, "lost", longAgo), ended(world, "another"));
  await left.write(listed(left, "elsewhere", longAgo), granted(left, "elsewhere too", longAgo), {
    sql: "update programs set place = 'left', left_to = 1, move_id = 1 where id = ?",
    args: [left.programId],
  });
  const ids = { program: world.programId, partner: world.partner.id };
  expect(await audit()).toEqual({
    [acrossRules.unlistedAccess]: [{ account: "unlisted", ...ids }],
    [acrossRules.lostAccess]: [{ account: "lost", ...ids }],
  });
});
