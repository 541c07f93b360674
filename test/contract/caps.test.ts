import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { createSalesFixture } from "../support/sales-fixture.ts";
import { sharedUser } from "../support/shared-service.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

/** A SQL series from 1 to `n`. */
const numbers = (n: number) =>
  `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${n})`;

/** Sends three concurrent calls when the limit allows one more, and expects that two are refused. */
async function expectOneOf(
  post: (i: number) => Promise<Reply<unknown>>,
  refusal: string,
  limit: number,
  status = 201,
): Promise<void> {
  const replies = await Promise.all([1, 2, 3].map(post));
  const [made, ...refused] = replies.toSorted((a, b) => a.status - b.status);
  expect(made?.status, made?.text).toBe(status);
  for (const reply of refused) {
    expect(refusalOf(reply)).toBe(`409 ${refusal}`);
    expect(reply.body.error.details).toEqual({ code: "cap_reached", limit });
  }
  expect(refused).toHaveLength(2);
}

const countOf = async ({ rows }: World, sql: string, ...args: (string | number)[]) =>
  Number((await rows(sql, ...args))[0]?.n);

function workspacesOf({ userId }: User, count: number, role: string) {
  const prefix = randomUUID();
  return [
    {
      sql: `${numbers(count)} insert into workspaces (id, name, created_at) select ? || n, 'W', 0 from numbers`,
      args: [prefix],
    },
    {
      sql: `${numbers(count)} insert into memberships (id, workspace_id, user_id, role, status, created_at)
        select ? || n, ? || n, ?, ?, 'active', 0 from numbers`,
      args: [prefix, prefix, userId, role],
    },
  ];
}

test("a user owns at most 20 workspaces, and is a member of any number", async () => {
  const user = await sharedUser();
  const world = await people.world();
  await world.write(...workspacesOf(user, 19, "owner"), ...workspacesOf(user, 5, "admin"));
  const post = () => user.post("/api/workspaces", { name: "W" });
  await expectOneOf(post, "A user can own at most 20 workspaces", 20);
  const owned = "select count(*) as n from memberships where user_id = ? and role = 'owner'";
  expect(await countOf(world, owned, user.userId)).toBe(20);
  expect(
    await countOf(
      world,
      "select count(*) as n from workspaces where name = 'W' and id not in (select workspace_id from memberships)",
    ),
  ).toBe(0);
});

test.each([
  ["made an owner", { role: "admin", status: "active" } as const, { role: "owner" }],
  ["reactivated as an owner", { role: "owner", status: "suspended" } as const, { status: "active" }],
])("a user who owns 20 workspaces can't be %s of another workspace", async (_, membership, change) => {
  const user = await sharedUser();
  const member = { user, ...membership };
  const worlds = await Promise.all([1, 2, 3].map(() => people.world({ members: [...people.members(), member] })));
  const [world] = worlds;
  await world?.write(...workspacesOf(user, 19, "owner"));
  const paths = await Promise.all(
    worlds.map(async ({ workspaceId, rows }) => {
      const sql = "select id from memberships where workspace_id = ? and user_id = ?";
      return `/api/workspaces/${workspaceId}/members/${(await rows(sql, workspaceId, user.userId))[0]?.id}`;
    }),
  );
  const patch = (i: number) => people.owner.patch(paths[i - 1] ?? "", change);
  await expectOneOf(patch, "A user can own at most 20 workspaces", 20, 200);

  // An owner of 20 workspaces can be made owner of one of these again, and can be demoted.
  const owned = (await Promise.all(paths.map((path) => people.owner.patch(path, change)))).filter(
    ({ status }) => status === 200,
  );
  expect(owned).toHaveLength(1);
  for (const path of paths) expect((await people.owner.patch(path, { role: "viewer" })).status).toBe(200);
});

test("a workspace has at most 100 programs", async () => {
  const world = await people.world();
  const { workspaceId, programId } = world;
  await world.write(
    {
      sql: `${numbers(98)} insert into programs (id, workspace_id, name, currency, timezone, lead_auth, attribution_model,
          attribution_window_days, payout_mode, status, created_at)
        select id + n, workspace_id, name, currency, timezone, lead_auth, attribution_model, attribution_window_days,
          payout_mode, status, created_at from programs, numbers where id = ?`,
      args: [programId],
    },
    // If one database has both tables, a trigger has inserted these rows already.
    {
      sql: `${numbers(98)} insert or ignore into program_places (program_id, workspace_id, shard, created_at)
        select program_id + n, workspace_id, shard, created_at from program_places, numbers where program_id = ?`,
      args: [programId],
    },
  );
  const post = () => people.admin.post("/api/programs", { workspaceId, name: "P" });
  await expectOneOf(post, "A workspace can have at most 100 programs", 100);
  expect(await countOf(world, "select count(*) as n from program_places where workspace_id = ?", workspaceId)).toBe(
    100,
  );
});

test("a workspace has at most 50 open invitations, not counting used, revoked and expired ones", async () => {
  const world = await people.world();
  const { workspaceId } = world;
  const now = Date.now();
  const insert = (count: number, expiresAt: number, acceptedAt: number | null, revokedAt: number | null) => ({
    sql: `${numbers(count)} insert into invitations (id, workspace_id, token_hash, role, invited_by, expires_at, accepted_at, revoked_at, created_at)
      select ? || n, ?, ? || n, 'viewer', ?, ?, ?, ?, 0 from numbers`,
    args: [randomUUID(), workspaceId, randomUUID(), people.owner.userId, expiresAt, acceptedAt, revokedAt],
  });
  const later = now + 86_400_000;
  await world.write(
    insert(49, later, null, null),
    insert(2, later, 1, null),
    insert(2, later, null, 1),
    insert(2, now - 1, null, null),
  );
  const post = () =>
    people.owner.post(`/api/workspaces/${workspaceId}/members`, { email: "a@people.example", role: "viewer" });
  await expectOneOf(post, "A workspace can have at most 50 open invitations", 50);
  expect(await countOf(world, "select count(*) as n from invitations where workspace_id = ?", workspaceId)).toBe(56);
});

test("a program has at most 50,000 partners, not counting the partner that verification runs use", async () => {
  const world = await people.world({ partners: [{}] });
  const { programId } = world;
  expect((await people.admin.post(`/api/tracking/run-verification/${programId}`, {})).status).toBe(200);
  await world.write({
    sql: `${numbers(49_998)} insert into partners (id, program_id, name, status, is_synthetic, created_at)
      select ? + n, ?, 'Partner', 'active', 0, 0 from numbers`,
    args: [world.partner.id, programId],
  });
  const post = (i: number) =>
    people.admin.post(`/api/programs/${programId}/partners`, { name: "P", code: `code-${i}` });
  await expectOneOf(post, "A program can have at most 50,000 partners", 50_000);
  const real = "select count(*) as n from partners where program_id = ? and is_synthetic = 0";
  expect(await countOf(world, real, programId)).toBe(50_000);
});

test("a sale has at most 1,000 refund calls, and repeats of accepted refund calls still succeed", async () => {
  const shop = await createSalesFixture();
  const { world, sell, giveBack } = shop;
  await sell({ transaction_id: "t", amount_cents: 5_000 });
  const first = await giveBack("t", { refund_id: "r0", refund_amount_cents: 1 });
  const saleId = first.body.sale_id;
  // Ids below the first refund's: the service assigns those above it to other calls.
  const [row] = await world.rows("select id from refunds where sale_id = ?", saleId);
  const columns = (await world.rows("select name from pragma_table_info('refunds')")).map(({ name }) => String(name));
  const changed: Readonly<Record<string, string>> = {
    id: `n - ${saleId} * 1000`,
    refund_id: "'r' || n",
    operation_id: "'o' || n",
    refunded_total_cents: "n",
  };
  await world.write(
    {
      sql: `${numbers(998)} insert into refunds (${columns}) select ${columns.map((name) => changed[name] ?? name)}
        from refunds, numbers where id = ?`,
      args: [Number(row?.id)],
    },
    { sql: "update refunds set refunded_total_cents = 999 where id = ?", args: [Number(row?.id)] },
    { sql: "update sales set refunded_cents = 999 where id = ?", args: [saleId] },
  );
  const post = (i: number) => giveBack("t", { refund_id: `x${i}`, refund_amount_cents: 1 });
  const replies = (await Promise.all([1, 2, 3].map(post))).toSorted((a, b) => a.status - b.status);
  expect(replies.map(({ status }) => status)).toEqual([200, 409, 409]);
  const message = "A sale can have at most 1,000 refund calls";
  const details = { code: "too_many_refunds", limit: 1_000 };
  for (const { body } of replies.slice(1)) expect(body).toMatchObject({ error: { message, details } });
  const repeated = await giveBack("t", { refund_id: "r7", refund_amount_cents: 1 });
  expect(repeated.body).toMatchObject({ status: "skipped", reason: "duplicate refund_id" });
});

test("a program has at most 200 versions of its terms, and saving the same text again creates no new version", async () => {
  const world = await people.world();
  const { programId } = world;
  await world.write({
    sql: `${numbers(198)} insert into partner_terms (program_id, version, text, created_at) select ?, n, 'v' || n, 0 from numbers`,
    args: [programId],
  });
  const post = (text: string) =>
    people.admin.post<{ data: { version: number } }>(`/api/programs/${programId}/terms`, { text });
  expect((await post("v199")).body.data.version).toBe(199);
  expect((await post("v200")).body.data.version).toBe(200);
  const refused = await post("v201");
  expect(refusalOf(refused)).toBe("409 A program can have at most 200 versions of its terms");
  expect(refused.body.error.details).toEqual({ code: "terms_full", limit: 200 });
  expect((await post("v200")).body.data.version).toBe(200);
  expect(await countOf(world, "select count(*) as n from partner_terms where program_id = ?", programId)).toBe(200);
});
