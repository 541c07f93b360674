import { expect, test } from "vitest";
import type { JsonObject, Reply } from "../../harness/client.ts";
import type { Session, User } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { sharedApi, sharedService, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Removed {
  readonly data: {
    readonly ended: boolean;
    readonly keys: readonly JsonObject[];
    readonly webhooks: readonly JsonObject[];
    readonly invitations: readonly JsonObject[];
  };
}

const tokenOf = ({ body }: Reply<{ data: { inviteUrl: string } }>) => body.data.inviteUrl.split("token=")[1] ?? "";
const accept = async (user: Session, token: string) =>
  (await user.post("/api/partner/invitations/accept", { token })).status;
const preview = async (token: string) =>
  (await people.owner.post("/api/partner/invitations/preview", { token })).status;

async function openShop() {
  const leaving = await sharedUser("Leaving");
  const world = await people.world({
    members: [...people.members(), { user: leaving, role: "owner" }],
    partners: [{}, {}],
  });
  expectConsistentInTheEnd(world);
  const path = `/api/programs/${world.programId}`;
  const [first, second] = world.partners;
  const key = async (user: User, name: string) => {
    const grant = { name, scopes: ["read"], book: "both" };
    const { body } = await user.post<{ data: { id: number; apiKey: string } }>(`${path}/api-keys`, grant);
    return body.data;
  };
  const webhook = async (user: User, url: string) =>
    (await user.post<{ data: { id: number } }>(`${path}/webhooks`, { url })).body.data.id;
  const invite = async (user: User, partnerId = first?.id) =>
    tokenOf(await user.post<{ data: { inviteUrl: string } }>(`${path}/partners/${partnerId}/invitations`, {}));
  const members = await people.owner.get<{ data: { id: string; userId: string }[] }>(
    `/api/workspaces/${world.workspaceId}/members`,
  );
  const memberId = members.body.data.find(({ userId }) => userId === leaving.userId)?.id;
  return {
    ...{ world, path, leaving, key, webhook, invite, secondPartner: second?.id },
    remove: (body?: JsonObject) =>
      people.owner.delete<Removed>(`/api/workspaces/${world.workspaceId}/members/${memberId}`, { body }),
    works: async (apiKey: string) =>
      (await sharedApi().request("GET", "/api/v1/programs/me/balances", { key: apiKey })).status === 200,
    hooks: async () =>
      (await people.owner.get<{ data: { id: number; status: string }[] }>(`${path}/webhooks`)).body.data.map(
        ({ id, status }) => [id, status],
      ),
  };
}

test("removing a member revokes the partner invitations they created, and the response lists their keys and webhooks", async () => {
  const shop = await openShop();
  const { leaving, world } = shop;
  const theirs = await shop.key(leaving, "Mine");
  await shop.key(people.owner, "The owner's");
  const [hook, other] = [
    await shop.webhook(leaving, "https://leaving.example/hook"),
    await shop.webhook(people.owner, "https://shop.example/hook"),
  ];
  const [made, kept] = [await shop.invite(leaving), await shop.invite(people.owner, shop.secondPartner)];
  const { status, body } = await shop.remove();
  expect(status).toBe(200);
  const ofProgram = { programId: world.programId, programName: expect.any(String) };
  expect(body.data).toEqual({
    id: expect.any(String),
    ended: false,
    keys: [{ ...ofProgram, id: theirs.id, name: "Mine", masked: expect.stringContaining(theirs.apiKey.slice(-4)) }],
    webhooks: [{ ...ofProgram, id: hook, url: "https://leaving.example/hook" }],
    invitations: [{ ...ofProgram, count: 1 }],
  });
  expect(await shop.works(theirs.apiKey)).toBe(true);
  expect(await shop.hooks()).toEqual([
    [hook, "active"],
    [other, "active"],
  ]);
  expect(await preview(made)).toBe(400);
  expect(await accept(leaving, made)).toBe(400);
  expect(await accept(await sharedUser(), kept)).toBe(200);
});

test("with `end`, removing a member also revokes the keys and disables the webhooks that the member created, rotated or changed", async () => {
  const shop = await openShop();
  const { leaving, path } = shop;
  const [theirs, foreign, rotated] = [
    await shop.key(leaving, "Mine"),
    await shop.key(people.owner, "The owner's"),
    await shop.key(people.owner, "Rotated"),
  ];
  const successor = await leaving.post<{ data: { apiKey: string } }>(`${path}/api-keys/${rotated.id}/rotate`, {});
  const [changed, kept] = [
    await shop.webhook(people.owner, "https://shop.example/a"),
    await shop.webhook(people.owner, "https://shop.example/b"),
  ];
  await leaving.patch(`${path}/webhooks/${changed}`, { url: "https://leaving.example/hook" });
  const { body } = await shop.remove({ end: true });
  expect(body.data.ended).toBe(true);
  expect([body.data.keys.length, body.data.webhooks.length]).toEqual([2, 1]);
  expect(await Promise.all([theirs.apiKey, successor.body.data.apiKey, foreign.apiKey].map(shop.works))).toEqual([
    false,
    false,
    true,
  ]);
  expect(await shop.hooks()).toEqual([
    [changed, "disabled"],
    [kept, "active"],
  ]);
});

test("a program's first key counts as created by the program's creator", async () => {
  const leaving = await sharedUser("Leaving");
  const { workspaceId } = await createWorld(sharedService.databaseUrl, {
    members: [
      { user: people.owner, role: "owner" },
      { user: leaving, role: "owner" },
    ],
  });
  const made = await leaving.post<{ data: { id: number } }>("/api/programs", { workspaceId, name: "Second" });
  const members = await people.owner.get<{ data: { id: string; userId: string }[] }>(
    `/api/workspaces/${workspaceId}/members`,
  );
  const memberId = members.body.data.find(({ userId }) => userId === leaving.userId)?.id;
  const { body } = await people.owner.delete<Removed>(`/api/workspaces/${workspaceId}/members/${memberId}`);
  expect(body.data.keys).toMatchObject([{ programId: made.body.data.id, programName: "Second" }]);
});

test("a partner invitation is valid only while the member who created it is active", async () => {
  const shop = await openShop();
  const token = await shop.invite(shop.leaving);
  expect(await preview(token)).toBe(200);
  const setStatus = (status: string) =>
    shop.world.write({
      sql: "update memberships set status = ? where user_id = ?",
      args: [status, shop.leaving.userId],
    });
  await setStatus("suspended");
  expect(await preview(token)).toBe(400);
  expect(await accept(await sharedUser(), token)).toBe(400);
  await setStatus("active");
  const { status } = await shop.leaving.delete(`/api/workspaces/${shop.world.workspaceId}/membership`);
  expect([status, await accept(await sharedUser(), token)]).toEqual([200, 400]);
});

test("a key that a member creates while being removed is revoked, listed in the response to the owner, or not created", {
  tags: "finding",
}, async () => {
  for (let round = 0; round < 3; round += 1) {
    const shop = await openShop();
    const create = (i: number) =>
      shop.leaving.post<{ data: { id: number; apiKey: string } }>(`/api/programs/${shop.world.programId}/api-keys`, {
        ...{ name: `key ${i}`, scopes: ["read"], book: "both" },
      });
    const [removed, ...made] = await Promise.all([
      shop.remove({ end: true }),
      ...Array.from({ length: 12 }, (_, i) => create(i)),
    ]);
    expect(removed.status, removed.text).toBe(200);
    const named = removed.body.data.keys.map(({ id }) => id);
    for (const { body } of made.filter(({ status }) => status === 201)) {
      expect((await shop.works(body.data.apiKey)) && !named.includes(body.data.id)).toBe(false);
    }
  }
});

test("the response to removing a member lists the webhooks whose secret the member rotated", async () => {
  const shop = await openShop();
  const hook = await shop.webhook(people.owner, "https://shop.example/rotated");
  const rotate = `/api/programs/${shop.world.programId}/webhooks/${hook}/rotate`;
  expect((await shop.leaving.post(rotate, {})).status).toBe(201);
  expect((await shop.remove({})).body.data.webhooks.map(({ id }) => id)).toContain(hook);
});
