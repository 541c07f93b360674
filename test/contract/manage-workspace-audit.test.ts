import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { removeMember, updateMember } from "#store/accounts/members.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { signUp, type User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const { url } = sharedService;

interface Entry {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly actorName: string | null;
  readonly action: string;
  readonly subject: string;
  readonly subjectName: string | null;
  readonly subjectEmail: string | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}
interface Page {
  readonly data: Entry[];
  readonly meta: { readonly nextCursor: string | null };
}

const workspace = ({ workspaceId }: Pick<World, "workspaceId">) => `/api/workspaces/${workspaceId}`;
const auditOf = async (world: Pick<World, "workspaceId">, user: User = people.owner, cursor?: string) =>
  (await user.get<Page>(`${workspace(world)}/audit${cursor === undefined ? "" : `?cursor=${cursor}`}`)).body;
const entriesOf = async (world: Pick<World, "workspaceId">, user?: User) => (await auditOf(world, user)).data;
const memberId = async (world: World, { userId }: User) =>
  String(
    (
      await world.rows("select id from memberships where workspace_id = ? and user_id = ?", world.workspaceId, userId)
    )[0]?.id,
  );
const memberPath = async (world: World, user: User) => `${workspace(world)}/members/${await memberId(world, user)}`;

async function invite(world: World, email = "new@people.example"): Promise<string> {
  const body = { role: "admin", email };
  const reply = await people.owner.post<{ data: { inviteUrl: string } }>(`${workspace(world)}/members`, body);
  return reply.body.data.inviteUrl.slice(-43);
}
const invitationId = async (world: World) =>
  (await people.owner.get<{ data: { id: string }[] }>(`${workspace(world)}/invitations`)).body.data[0]?.id;

describe("the audit trail of a workspace", () => {
  test("the audit trail of a workspace begins with the creation of the workspace and its author", async () => {
    const { body } = await people.stranger.post<{ data: { id: string } }>("/api/workspaces", { name: "Bakery" });
    const { id } = body.data;
    expect(await entriesOf({ workspaceId: id }, people.stranger)).toEqual([
      {
        id: expect.any(Number),
        at: expect.stringMatching(/Z$/),
        actor: people.stranger.userId,
        actorName: "stranger",
        actorEmail: people.stranger.email,
        action: "workspace.created",
        subject: `workspace ${id}`,
        subjectName: null,
        subjectEmail: null,
        before: null,
        after: { name: "Bakery" },
      },
    ]);
  });

  test("the audit trail of a workspace lists every change to members and invitations, newest first", async () => {
    const world = await people.world();
    const viewer = await memberId(world, people.viewer);
    const path = `${workspace(world)}/members/${viewer}`;
    const token = await invite(world, "ada@people.example");
    const first = await invitationId(world);
    await people.stranger.post("/api/invitations/accept", { token });
    await invite(world, "grace@people.example");
    const second = await invitationId(world);
    await people.owner.delete(`${workspace(world)}/invitations/${second}`);
    const newcomer = await signUp(url, { name: "Joan", invitation: await invite(world) });
    await people.owner.patch(path, { role: "admin" });
    await people.owner.patch(path, { status: "suspended", role: "admin" });
    await people.owner.patch(path, { status: "active" });
    await people.owner.delete(path);

    const member = { subject: `member ${viewer}`, subjectName: "viewer", subjectEmail: people.viewer.email };
    const { userId } = people.viewer;
    const made = { role: "admin", expiresAt: expect.stringMatching(/Z$/) };
    const joined = (newAccount: boolean) => ({ memberId: expect.any(String), role: "admin", newAccount });
    expect(await entriesOf(world)).toMatchObject([
      { action: "member.removed", ...member, before: { userId, role: "admin", status: "active" }, after: null },
      { action: "member.updated", ...member, before: { userId, status: "suspended" }, after: { status: "active" } },
      { action: "member.updated", ...member, before: { status: "active" }, after: { userId, status: "suspended" } },
      { action: "member.updated", ...member, before: { userId, role: "viewer" }, after: { userId, role: "admin" } },
      { action: "account.signed_in", actor: newcomer.userId, subjectName: "Joan", before: null },
      { action: "invitation.accepted", actor: newcomer.userId, actorName: "Joan", after: joined(true) },
      { action: "invitation.created", before: null, after: made },
      { action: "invitation.revoked", subject: `invitation ${second}`, before: made, after: null },
      { action: "invitation.created", subject: `invitation ${second}`, subjectEmail: "grace@people.example" },
      {
        action: "invitation.accepted",
        actor: people.stranger.userId,
        subject: `invitation ${first}`,
        after: joined(false),
      },
      {
        action: "invitation.created",
        actor: people.owner.userId,
        actorName: "owner",
        subjectEmail: "ada@people.example",
      },
    ]);
    const [, updated] = await entriesOf(world);
    expect(updated?.after).toEqual({ userId, status: "active" });
  });

  test("the audit trail of a workspace has no entry for a call that changed nothing or was refused", async () => {
    const world = await people.world();
    const owner = await memberPath(world, people.owner);
    const viewer = await memberPath(world, people.viewer);
    const token = await invite(world);
    expect(await entriesOf(world)).toHaveLength(1);
    const replies = [
      await people.owner.patch(viewer, { role: "viewer", status: "active" }),
      await people.owner.patch(viewer, {}),
      await people.owner.patch(owner, { role: "admin" }),
      await people.owner.delete(owner),
      await people.owner.delete(`${owner}x`),
      await people.admin.patch(viewer, { role: "owner" }),
      await people.owner.delete(`${workspace(world)}/invitations/${randomUUID()}`),
      await people.viewer.post("/api/invitations/accept", { token }),
      await people.stranger.post("/api/invitations/accept", { token: "x" }),
      await people.admin.post(`${workspace(world)}/members`, { email: "a@b.example", role: "viewer" }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 409, 409, 404, 403, 404, 409, 400, 403]);
    expect(await entriesOf(world)).toHaveLength(1);
  });

  test("the audit trail of a workspace has one entry for the same change made in parallel", async () => {
    const world = await people.world();
    const viewer = await memberPath(world, people.viewer);
    const token = await invite(world);
    await invite(world);
    const revoked = `${workspace(world)}/invitations/${await invitationId(world)}`;
    const many = <T>(act: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, act));
    const accepted = await many(() => people.stranger.post("/api/invitations/accept", { token }));
    const revocations = await many(() => people.owner.delete(revoked));
    const changes = await many(() => people.owner.patch(viewer, { status: "suspended" }));
    const removals = await many(() => people.owner.delete(viewer));
    const succeeded = (replies: readonly { status: number }[]) => replies.filter(({ status }) => status === 200).length;
    expect(succeeded(accepted) + succeeded(revocations)).toBe(succeeded(accepted) === 1 ? 1 : 2);
    expect([succeeded(changes), succeeded(removals)]).toEqual([5, 1]);
    const actions = (await entriesOf(world))
      .map(({ action }) => action)
      .filter((action) => !action.endsWith("created"));
    const ofInvitations = actions.filter((action) => action.startsWith("invitation."));
    expect(ofInvitations).toHaveLength(succeeded(accepted) + succeeded(revocations));
    expect(actions.slice(0, 2)).toEqual(["member.removed", "member.updated"]);
    expect(actions).toHaveLength(2 + ofInvitations.length);
  });

  test("the audit trail of a workspace stores only the ids of users, and shows their current names", async () => {
    const world = await people.world();
    const person = await sharedUser("Firstname");
    await person.post("/api/invitations/accept", { token: await invite(world, "private@people.example") });
    await people.owner.patch(await memberPath(world, person), { role: "viewer" });
    const kept = await world.rows("select * from workspace_audit_entries where workspace_id = ?", world.workspaceId);
    expect(kept).toHaveLength(3);
    for (const text of ["Firstname", person.email, "private@people.example", people.owner.email, '"owner"'])
      expect(JSON.stringify(kept)).not.toContain(text);
    await world.write({ sql: "update users set name = 'Lastname' where id = ?", args: [person.userId] });
    expect(await entriesOf(world)).toMatchObject([{ subjectName: "Lastname" }, { actorName: "Lastname" }, {}]);
  });

  test("the audit trail of a workspace has pages of 50, and contains only this workspace's entries", async () => {
    const world = await people.world();
    const insert =
      "insert into workspace_audit_entries (workspace_id, operation_id, actor_id, action, subject, created_at) values (?, ?, 'gone', 'member.removed', 'member x', 1)";
    for (let n = 0; n < 51; n += 1) await world.write({ sql: insert, args: [world.workspaceId, randomUUID()] });
    const first = await auditOf(world);
    expect(first.data).toHaveLength(50);
    expect(first.data[0]).toMatchObject({ actor: "gone", actorName: null });
    const second = await auditOf(world, people.owner, first.meta.nextCursor ?? "");
    expect([second.data.length, second.meta.nextCursor]).toEqual([1, null]);
    const ids = [...first.data, ...second.data].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(await entriesOf(await people.world())).toEqual([]);
    const reply = await people.owner.get(`${workspace(world)}/audit?cursor=1`);
    expect([reply.status, invalidFields(reply)]).toEqual([400, ["cursor"]]);
  });

  test("the audit trail of a workspace can be read only by owners", async () => {
    const world = await people.world();
    expect(refusalOf(await people.admin.get(`${workspace(world)}/audit`))).toBe(
      "403 Your role in this workspace does not allow this",
    );
  });
});

test("repeating the database write of a change doesn't overwrite a later change", async () => {
  const world = await people.world();
  const database = databaseAt(sharedService.databaseUrl);
  const place = { id: await memberId(world, people.viewer), workspaceId: world.workspaceId };
  const by = (operationId: string) => ({ operationId, actorId: people.owner.userId, at: Date.now() });
  const [suspension, promotion, removal] = [by(randomUUID()), by(randomUUID()), by(randomUUID())];
  const suspend = () => updateMember(database, place, { role: undefined, status: "suspended" }, suspension);
  const back = { outcome: "changed", member: expect.objectContaining({ role: "admin", status: "active" }) };

  expect(await suspend()).toMatchObject({ outcome: "changed", member: { status: "suspended" } });
  expect(await updateMember(database, place, { role: "admin", status: "active" }, promotion)).toEqual(back);
  expect(await suspend()).toEqual(back);
  expect(await entriesOf(world)).toHaveLength(2);

  expect(await removeMember(database, place, removal)).toBe("removed");
  expect(await removeMember(database, place, removal)).toBe("removed");
  expect(await removeMember(database, place, by(randomUUID()))).toBe("missing");
  expect(await entriesOf(world)).toHaveLength(3);
});
