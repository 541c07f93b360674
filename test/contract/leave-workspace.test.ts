import { describe, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

const membersPath = ({ workspaceId }: World) => `/api/workspaces/${workspaceId}/members`;
const leave = ({ workspaceId }: World, user: User) => user.delete(`/api/workspaces/${workspaceId}/membership`);
const accept = (user: User, token: string) => user.post("/api/invitations/accept", { token });
const isUsed = "400 This invitation is invalid, expired or already used";

async function invite(world: World, by: User, role: string, email: string): Promise<string> {
  const { status, text, body } = await by.post<{ data: { inviteUrl: string } }>(membersPath(world), { email, role });
  expect(status, text).toBe(201);
  return body.data.inviteUrl.slice(-43);
}

describe("a member who leaves", () => {
  test("a member who leaves loses access immediately in any role, and the audit trail has an entry", async () => {
    const world = await people.world();
    const { body: members } = await people.owner.get<{ data: { id: string; userId: string }[] }>(membersPath(world));
    for (const user of [people.viewer, people.admin]) {
      const left = await leave(world, user);
      expect([left.status, left.body]).toEqual([200, { data: { id: world.workspaceId } }]);
      expect((await user.get(`/api/programs/${world.programId}`)).status).toBe(403);
      expect((await leave(world, user)).status).toBe(403);
      const { body } = await people.owner.get<{ data: object[] }>(`/api/workspaces/${world.workspaceId}/audit`);
      const id = members.data.find(({ userId }) => userId === user.userId)?.id;
      expect(body.data[0]).toMatchObject({ action: "member.left", actor: user.userId, subject: `member ${id}` });
    }
  });

  test("the last owner can't leave a workspace, even under concurrent calls", async () => {
    const three = [people.owner, people.stranger, people.admin];
    const world = await people.world({ members: three.map((user) => ({ user, role: "owner" })) });
    const replies = await Promise.all(three.map((user) => leave(world, user)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 409]);
    const stayed = three[replies.findIndex(({ status }) => status === 409)] ?? people.owner;
    expect(refusalOf(await leave(world, stayed))).toBe("409 A workspace needs at least one active owner");
  });

  test("when a member leaves a workspace, the invitations that the member received or created become invalid, and no others", async () => {
    const two = [people.owner, people.stranger];
    const world = await people.world({ members: two.map((user) => ({ user, role: "owner" })) });
    const other = await invite(world, people.owner, "admin", "somebody@people.example");
    const own = await invite(world, people.owner, "owner", people.stranger.email);
    const made = await invite(world, people.stranger, "admin", "friend@people.example");
    expect((await leave(world, people.stranger)).status).toBe(200);
    for (const token of [own, made]) expect(refusalOf(await accept(people.stranger, token))).toBe(isUsed);
    expect((await accept(people.admin, other)).status).toBe(200);
  });
});
