import { describe, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { addUsers } from "../../harness/users.ts";
import { createWorld } from "../../harness/world.ts";
import { partnerWithTraces } from "../support/partner-traces.ts";
import { rowsNaming } from "../support/rows-naming.ts";
import { sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const newUser = async (name: string): Promise<User> => {
  const [user] = await addUsers(sharedService, [name]);
  if (user === undefined) throw new Error("no user was added");
  return user;
};
const leave = (user: User, password = user.password) => user.delete("/api/auth/user", { body: { password } });

describe("deleting an account", () => {
  test("deleting an account removes the person's data from the home database, which has the accounts, and from the program where they are a partner", async () => {
    const world = await people.world({ partners: [{}] });
    const mark = `quagga${world.programId}`;
    const user = await newUser(`${mark} Jo`);
    const { partnerId, path } = await partnerWithTraces(world, people.admin, user, mark);
    expect((await rowsNaming(world, mark, user.email)).length).toBeGreaterThan(3);
    const deleted = await leave(user);
    expect(deleted.status, deleted.text).toBe(200);
    // The partner record and its name belong to the program, so they stay.
    const left = await rowsNaming(world, mark, user.email);
    expect(left.filter((row) => !/^(partners|notes): [^@]*$/s.test(row))).toEqual([]);
    const partner = await people.owner.get(`${path}/partners/${partnerId}`);
    expect(partner.body).toMatchObject({
      data: { name: `${mark} Blogs`, email: null, payment: null, status: "active", erased: false },
    });
    const access = await people.owner.get(`${path}/partners/${partnerId}/access`);
    expect(access.body).toMatchObject({ data: [] });
    expect((await leave(user)).status).toBe(401);
    expect((await user.get("/api/auth/get-session")).body).toBeNull();
    expect(await world.audit()).toEqual([]);
  });

  test("deleting an account makes the audit trails show the author as a deleted user", async () => {
    const user = await newUser("Quinn Quagga");
    const world = await createWorld(sharedService.databaseUrl, {
      members: [...people.members(), { user, role: "admin" }],
    });
    const path = `/api/programs/${world.programId}`;
    expect((await user.post(`${path}/partners`, { name: "Anna", code: "anna" })).status).toBe(201);
    expect((await leave(user)).status).toBe(200);
    const { body: trail } = await people.owner.get<{ data: object[] }>(`${path}/audit`);
    expect(trail.data[0]).toMatchObject({ action: "partner.created", actor: user.userId, actorName: "Deleted user" });
    const workspace = await people.owner.get<{ data: object[] }>(`/api/workspaces/${world.workspaceId}/audit`);
    const actor = { actor: user.userId, actorName: "Deleted user", actorEmail: null };
    expect(workspace.body.data[0]).toMatchObject({ action: "member.left", ...actor });
    const { text } = await people.owner.get(`/api/workspaces/${world.workspaceId}/members`);
    expect(text).not.toContain(user.userId);
    expect(await rowsNaming(world, user.email, "quinn quagga")).toEqual([]);
  });

  test("deleting an account is refused for the last owner of a program, with the program's name", async () => {
    const user = await newUser("Alone");
    const world = await createWorld(sharedService.databaseUrl, { members: [{ user, role: "owner" }] });
    const refused = await leave(user);
    const programs = [{ programId: world.programId, programName: expect.any(String) }];
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { details: { code: "last_owner", workspaces: [{ workspaceId: world.workspaceId, programs }] } } },
    });
    expect((await user.get("/api/auth/get-session")).body).toMatchObject({ user: { id: user.userId } });
  });

  test("deleting an account succeeds for the only member of a workspace without programs", async () => {
    const user = await newUser("Empty");
    expect((await user.post("/api/workspaces", { name: "Nothing yet" })).status).toBe(201);
    expect((await leave(user)).status).toBe(200);
  });

  test("deleting an account requires the password, and makes the email address available again", async () => {
    const user = await newUser("Back Again");
    const wrong = await leave(user, "not the password");
    expect([wrong.status, (await user.get("/api/auth/get-session")).status]).toEqual([400, 200]);
    const both = await Promise.all([leave(user), leave(user)]);
    expect(both.map(({ status }) => status)).toContain(200);
    const { email } = user;
    const again = await people.owner.post("/api/auth/sign-up/email", { name: "Back", email, password: user.password });
    expect(again.status, again.text).toBe(200);
  });
});
