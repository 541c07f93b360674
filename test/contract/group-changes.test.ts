import { expect, test } from "vitest";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

test("a partner's group can be changed 1,000 times, after which the partner can only be removed from it", async () => {
  const world = await people.world({ groups: [{ name: "gold" }, { name: "silver" }] });
  const [gold, silver] = world.groups;
  const { id } = world.partner;
  const program = `/api/programs/${world.programId}`;
  const patch = (groupId: number | null) => people.admin.patch(`${program}/partners/${id}`, { groupId });
  const add = (groupId: number) => people.admin.post(`${program}/groups/${groupId}/partners`, { partnerIds: [id] });
  world.forged.add("memberships of groups that differ from the audit trail");
  await world.change({
    sql: `insert into group_memberships with recursive numbers(v) as (select 1 union all select v + 1 from numbers where v < 999)
      select ?, ?, ?, v, 'change ' || v from numbers`,
    args: [world.programId, id, gold?.id ?? 0],
  });
  expect((await patch(silver?.id ?? 0)).status).toBe(200);
  const refused = await patch(gold?.id ?? 0);
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('"details":{"code":"too_many_memberships","limit":1000}');
  expect((await add(gold?.id ?? 0)).status).toBe(409);
  expect((await add(silver?.id ?? 0)).status).toBe(200);
  expect(await patch(null)).toMatchObject({ status: 200, body: { data: { groupId: null } } });
  expect((await patch(silver?.id ?? 0)).status).toBe(409);
});
