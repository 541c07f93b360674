import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { ProgramCreated } from "#operations/manage/create-program.ts";
import { deleteAccount } from "#store/accounts/delete-account.ts";
import { acceptInvitation } from "#store/accounts/invitations.ts";
import { startSecondFactor } from "#store/accounts/second-factors.ts";
import { renameUser } from "#store/accounts/users.ts";
import { createWorkspace } from "#store/accounts/workspaces.ts";
import { insertPlaceOfMember, insertProgramOfMember } from "#store/new-programs.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { addMember, createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { type ChangeCall, ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();
const now = daysAgo(0);

test("a user's request that is committed after the user's deletion restores none of the user's data", async () => {
  const { rows, write, workspaceId } = await createWorld(own.server.url);
  const database = databaseAt(own.server.url);
  const person = (id: string) => ({
    sql: `insert into users (id, name, email, email_verified, created_at, updated_at)
      values (?1, 'Jo Quagga', ?1 || '@mail.example', 1, 0, 0)`,
    args: [id],
  });
  await write(
    ...[person("jo"), person("owner")],
    {
      sql: `insert into memberships (id, workspace_id, user_id, role, status, created_at)
        values ('of owner', ?, 'owner', 'owner', 'active', 0)`,
      args: [workspaceId],
    },
    {
      sql: `insert into invitations (id, workspace_id, token_hash, email, role, invited_by, expires_at, created_at)
        values ('i', ?, 'hash', 'else@mail.example', 'owner', 'owner', ?, 0)`,
      args: [workspaceId, daysAgo(-3)],
    },
  );
  const by = (actorId: string) => ({ operationId: randomBytes(8).toString("hex"), at: now, actorId });
  const remove = (userId: string) => deleteAccount(database, { userId, email: `${userId}@mail.example` }, by(userId));
  expect(await remove("jo")).toBe(true);

  const invitation = { membershipId: "of jo", tokenHash: "hash" };
  expect((await acceptInvitation(database, invitation, by("jo"))).outcome).not.toBe("accepted");
  const workspace = { id: "new", name: "Jo's", membershipId: "of jo" };
  expect(await createWorkspace(database, workspace, by("jo"), "open")).toBe("not_allowed");
  await renameUser(database, "jo", "Jo Quagga", now);
  expect(await startSecondFactor(database, { userId: "jo", secret: "s", codeHashes: ["c"] }, now)).toBe(false);
  await write(`insert into account_partners (account_id, program_id, partner_id, entered_at) values ('jo', 1, 1, 1)`);

  expect(await rows("select name, email from users where id = 'jo'")).toEqual([
    { name: "Deleted user", email: "deleted:jo" },
  ]);
  expect(await rows("select id from workspaces where id = 'new'")).toEqual([]);
  expect(await rows("select user_id from memberships")).toEqual([{ user_id: "owner" }]);
  expect(await rows("select account_id from account_partners")).toEqual([]);
  expect(await remove("owner")).toBe(false);
});

test("no program is created on any shard for a user who was deleted before the commit", async () => {
  const { rows, write, workspaceId, programId } = await createWorld(own.server.url);
  const user = { userId: "alone" };
  await addMember(own.server.url, workspaceId, { user, role: "owner" });
  const clock = { now: () => now, sleep: async () => {}, random: Math.random };
  const ledger = ownLedger(own.server.url, clock);
  const run = async (call: object) => {
    const by = { operationId: randomBytes(8).toString("hex"), at: now, actorId: user.userId };
    return ledger.submit(ledger.changeTask({ ...by, ...call } as ChangeCall, now)).outcome;
  };
  const program = { workspaceId, name: "Shop", websiteUrl: null, currency: "EUR", timezone: "UTC" };
  const create = { kind: "create-program", secret: randomBytes(32).toString("base64url"), program };
  const first = await run(create);
  if (!first.ok) throw new Error(first.refusal.code);
  await write(`delete from memberships where user_id = 'alone'`);

  const refused = { ok: false, refusal: { code: "not_a_member" } };
  expect(await run(create)).toMatchObject(refused);
  const placing = { workspaceId, websiteUrl: null };
  expect(await run({ kind: "place-program", ...placing, location: undefined })).toMatchObject(refused);

  // These inserts were decided before the deletion and are committed after it.
  const late = { ...(first.answer as ProgramCreated).program, id: programId + 1, actorId: user.userId };
  await expect(write(insertProgramOfMember(late))).rejects.toThrow("NOT NULL");
  const place = { programId: late.id, shard: 1, operationId: "late", isArchived: false, moveId: null, createdAt: now };
  await expect(write(insertPlaceOfMember({ ...placing, ...place, actorId: user.userId }))).rejects.toThrow("NOT NULL");
  expect(await rows("select id from programs where workspace_id = ?", workspaceId)).toHaveLength(2);
});
