import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import type { World } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const path = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}`;
const keysOf = async (world: World) =>
  (await people.owner.get<{ data: { apiKeys: { id: number }[] } }>(path(world))).body.data.apiKeys;
const rotate = async (world: World) =>
  (await people.owner.post<{ data: { apiToken: string } }>(`${path(world)}/api-token/rotate`, {})).body.data;
const sell = (key: string, transaction_id: string) =>
  sharedApi().sale({ transaction_id, amount_cents: 100, customer_key: "c1" }, { key });

test("an owner revokes a key immediately and permanently, and other keys still work", async () => {
  const world = await people.world();
  const { apiToken } = await rotate(world);
  const [, old] = await keysOf(world);
  const end = (user: typeof people.owner, id: unknown) => user.delete(`${path(world)}/api-keys/${id}`);
  expect((await end(people.admin, old?.id)).status).toBe(403);
  expect((await sell(world.key, "t1")).status).toBe(200);
  for (let i = 0; i < 2; i += 1) expect((await end(people.owner, old?.id)).status).toBe(200);
  expect((await sell(world.key, "t2")).body.error.code).toBe("api_key_rotation_required");
  expect((await sell(apiToken, "t3")).status).toBe(200);
  const entries = await world.rows(
    "select action from audit_entries where program_id = ? order by id",
    world.programId,
  );
  expect(entries.map(({ action }) => action)).toEqual(["key.rotated", "key.ended"]);
  const other = await people.world();
  for (const id of [(await keysOf(other))[0]?.id, "x", 0]) expect((await end(people.owner, id)).status).toBe(404);
});

interface NewKey {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly book: string;
  readonly apiKey: string;
}
const create = async (world: World, grant: Partial<Omit<NewKey, "id" | "apiKey">> = {}) =>
  people.owner.post<{ data: NewKey }>(`${path(world)}/api-keys`, {
    ...{ name: "Backend", scopes: ["track"], book: "both" },
    ...(grant as JsonObject),
  });
const listed = async (world: World) =>
  (await people.owner.get<{ data: JsonObject[]; meta: { nextCursor: string | null } }>(`${path(world)}/api-keys`)).body;

test("a key is created with a name, scopes and a book, and listed without its secret", async () => {
  const world = await people.world();
  const { status, body } = await create(world, { scopes: ["read", "track", "read"], book: "test" });
  expect(status).toBe(201);
  const { apiKey, ...grant } = body.data;
  expect(grant).toEqual({ id: expect.any(Number), name: "Backend", scopes: ["track", "read"], book: "test" });
  expect(apiKey).toMatch(new RegExp(`^svc_${world.programId.toString(36)}_[\\w-]{43}$`));
  const { data: all, meta } = await listed(world);
  const data = all.toSorted((a, b) => (String(a.createdAt) < String(b.createdAt) ? 1 : -1));
  expect(data).toMatchObject([
    { ...grant, masked: expect.stringContaining(apiKey.slice(-4)), retiresAt: null },
    { name: "First key", scopes: ["track", "read", "manage"], book: "both" },
  ]);
  expect(meta).toEqual({ nextCursor: null });
  expect(JSON.stringify(data)).not.toContain(apiKey);
  expect(await keysOf(world)).toMatchObject(data);
});

test.each<[string, JsonObject, string]>([
  ["no name", { name: " " }, "name"],
  ["a long name", { name: "x".repeat(61) }, "name"],
  ["no scope", { scopes: [] }, "scopes"],
  ["an unknown scope", { scopes: ["write"] }, "scopes"],
  ["scopes that aren't an array", { scopes: "track" }, "scopes"],
  ["an unknown book", { book: "live" }, "book"],
  ["the scope manage in the test book", { scopes: ["track", "manage"], book: "test" }, "scopes"],
])("creating an API key with %s is refused", async (_, grant, field) => {
  const world = await people.world();
  const { status, body } = await create(world, grant as Partial<NewKey>);
  expect([status, body.error.details.errors?.map((error) => error.path[0])]).toEqual([400, [field]]);
  expect((await listed(world)).data).toHaveLength(1);
});

test("only an owner creates, changes, rotates and lists keys", async () => {
  const world = await people.world();
  const { id } = (await create(world)).body.data;
  for (const user of [people.admin, people.viewer]) {
    const keys = `${path(world)}/api-keys`;
    const statuses = [
      await user.get(keys),
      await user.post(keys, { name: "x", scopes: ["track"], book: "both" }),
      await user.patch(`${keys}/${id}`, { name: "x" }),
      await user.post(`${keys}/${id}/rotate`, {}),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 403]);
  }
  const other = await people.world();
  expect((await people.owner.patch(`${path(other)}/api-keys/${id}`, { name: "x" })).status).toBe(404);
  expect((await people.owner.post(`${path(other)}/api-keys/${id}/rotate`, {})).status).toBe(404);
});

test("new scopes of a rotated API key apply from the next call, both to its new secret and to its previous one", async () => {
  const world = await people.world();
  const { id, apiKey } = (await create(world)).body.data;
  const rotated = await people.owner.post<{ data: NewKey }>(`${path(world)}/api-keys/${id}/rotate`, { graceHours: 1 });
  expect(rotated.status).toBe(201);
  const { apiKey: next, id: nextId, ...grant } = rotated.body.data;
  expect(grant).toMatchObject({ name: "Backend", scopes: ["track"], book: "both" });
  const statuses = async () => [(await sell(apiKey, "a")).status, (await sell(next, "b")).status];
  expect(await statuses()).toEqual([200, 200]);
  const patch = await people.owner.patch<{ data: JsonObject }>(`${path(world)}/api-keys/${nextId}`, {
    name: "Reports",
    scopes: ["read"],
  });
  expect(patch.body.data).toMatchObject({ id: nextId, name: "Reports", scopes: ["read"] });
  expect(await statuses()).toEqual([403, 403]);
  expect((await listed(world)).data.map(({ name }) => name).toSorted()).toEqual(["First key", "Reports", "Reports"]);
  expect((await sell(world.key, "c")).status).toBe(200);
  const rows = (await listed(world)).data;
  expect(rows.filter(({ originId }) => originId === id).map((row) => row.id)).toEqual([nextId, id]);
  const none = await people.owner.patch(`${path(world)}/api-keys/${nextId}`, { name: "Reports" });
  expect(none.status).toBe(200);
  const entries = await world.rows("select action from audit_entries where program_id = ?", world.programId);
  expect(entries.map(({ action }) => action)).toEqual(["key.created", "key.rotated", "key.updated"]);
});

test("a test key can't receive the scope manage", async () => {
  const world = await people.world();
  const { id } = (await create(world, { book: "test" })).body.data;
  const { status, body } = await people.owner.patch(`${path(world)}/api-keys/${id}`, { scopes: ["track", "manage"] });
  expect([status, body.error.details.errors?.[0]?.path]).toEqual([400, ["scopes"]]);
});

test("the two newest secrets of a rotated API key work at the same time, and rotating one key doesn't affect the others", async () => {
  const world = await people.world();
  const { id, apiKey } = (await create(world)).body.data;
  const turn = async (of: number) =>
    (await people.owner.post<{ data: NewKey }>(`${path(world)}/api-keys/${of}/rotate`, {})).body.data;
  const second = await turn(id);
  const third = await turn(second.id);
  const statuses = async () =>
    Promise.all(
      [apiKey, second.apiKey, third.apiKey, world.key].map(async (key, i) => (await sell(key, `s${i}`)).status),
    );
  expect(await statuses()).toEqual([401, 200, 200, 200]);
  const { apiToken } = await rotate(world);
  expect((await sell(apiToken, "t")).status).toBe(200);
  expect((await sell(world.key, "u")).status).toBe(200);
  expect((await sell(third.apiKey, "v")).status).toBe(200);
});

test("a program has at most 20 active keys, not counting rotated secrets", { tags: "soak" }, async () => {
  const world = await people.world();
  const ids: number[] = [];
  for (let i = 0; i < 19; i += 1) ids.push((await create(world)).body.data.id);
  const full = await create(world);
  expect([full.status, full.body.error.details]).toEqual([409, { code: "keys_full", limit: 20 }]);
  expect((await people.owner.post(`${path(world)}/api-keys/${ids[0]}/rotate`, {})).status).toBe(201);
  expect((await rotate(world)).apiToken).toMatch(/^svc_/);
  expect((await create(world)).status).toBe(409);
  expect((await people.owner.delete(`${path(world)}/api-keys/${ids[1]}`)).status).toBe(200);
  expect((await create(world)).status).toBe(201);
  // Rotating a revoked key would create the 21st active key.
  const ended = await people.owner.post(`${path(world)}/api-keys/${ids[1]}/rotate`, {});
  expect([ended.status, ended.body.error.details.code]).toEqual([409, "keys_full"]);
});

test("a program never has more than 20 active API keys, even if they are created in parallel", async () => {
  const world = await people.world();
  const all = await Promise.all(Array.from({ length: 25 }, () => create(world)));
  expect(all.filter(({ status }) => status === 201)).toHaveLength(19);
  expect(all.filter(({ status }) => status === 409)).toHaveLength(6);
});

test("once a rotated key's new secret is revoked, the previous secret can be rotated again", async () => {
  const { workspaceId } = await people.world();
  const made = await people.owner.post<{ data: { id: number } }>("/api/programs", { workspaceId, name: "Bakery" });
  const at = `/api/programs/${made.body.data.id}/api-keys`;
  const grant = { name: "Backend", scopes: ["track"], book: "both" };
  const first = (await people.owner.post<{ data: NewKey }>(at, grant)).body.data;
  const second = (await people.owner.post<{ data: NewKey }>(`${at}/${first.id}/rotate`, {})).body.data;
  await people.owner.delete(`${at}/${second.id}`);
  const third = await people.owner.post<{ data: NewKey }>(`${at}/${first.id}/rotate`, { graceHours: 1 });
  expect(third.status).toBe(201);
  expect((await sell(first.apiKey, "a")).status).toBe(200);
  expect((await sell(second.apiKey, "b")).status).toBe(401);
  const audited = await auditLedger(openDatabaseClient(sharedService.databaseUrl), { programId: made.body.data.id });
  expect(audited).toEqual([]);
});

test("a program's 50 newest retired keys are refused as retired, and older ones as unknown; retiring keys don't count among the 50", async () => {
  const now = Date.now();
  const retired = Array.from({ length: 50 }, (_, i) => ({ retiresAt: now - 1_000 * (i + 1) }));
  const retiring = Array.from({ length: 19 }, () => ({ retiresAt: now + 3_600_000 }));
  const older = { retiresAt: now - 3_600_000 };
  const world = await people.world({ keys: [{}, ...retired, ...retiring, older] });
  const told = async (key: string | undefined) => (await sell(key ?? "", "t")).body.error;
  expect((await told(world.keys[50])).code).toBe("api_key_rotation_required");
  expect((await told(world.keys.at(-1))).message).toBe("Invalid API token");
});
