import { expect, test } from "vitest";
import type { World } from "../../harness/world.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const path = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}`;
const keysOf = async (world: World) =>
  (await people.owner.get<{ data: { apiKeys: { id: number }[] } }>(path(world))).body.data.apiKeys;
const rotate = async (world: World) =>
  (await people.owner.post<{ data: { apiToken: string } }>(`${path(world)}/api-token/rotate`, {})).body.data;
const sell = (key: string, transaction_id: string) =>
  sharedApi().sale({ transaction_id, amount_cents: 100, customer_key: "c1" }, { key });

test("an owner ends a key at once and for good, and other keys still work", async () => {
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
