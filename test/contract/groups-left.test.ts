import { expect, test } from "vitest";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

test("removing several partners from their groups removes all of them or none", async () => {
  const world = await people.world({
    groups: [{ name: "Gold" }, { name: "Silver" }],
    partners: [{ group: 0 }, { group: 1 }, {}],
  });
  expectConsistentInTheEnd(world);
  const { programId, rows } = world;
  const program = `/api/programs/${programId}`;
  const [a = 0, b = 0, c = 0] = world.partners.map(({ id }) => id);
  const [gold, silver] = world.groups.map(({ id }) => id);
  const remove = (partnerIds: readonly number[]) =>
    people.admin.post<never>(`${program}/groups/none/partners`, { partnerIds: [...partnerIds] });
  const groupsOf = async () => {
    const { body } = await people.viewer.get<{ data: { id: number; groupId: number | null }[] }>(`${program}/partners`);
    return new Map(body.data.map(({ id, groupId }) => [id, groupId]));
  };
  expect(refusalOf(await remove([a, 1]))).toBe("404 Partner not found");
  expect((await people.viewer.post(`${program}/groups/none/partners`, { partnerIds: [a] })).status).toBe(403);
  const before = new Map([
    [a, gold],
    [b, silver],
    [c, null],
  ]);
  expect(await groupsOf()).toEqual(before);

  // The second time nothing changes.
  for (const _ of [1, 2]) {
    const { status, body } = await remove([a, b, c]);
    expect([status, body]).toEqual([200, { data: { partnerIds: [a, b, c] } }]);
  }
  expect(await groupsOf()).toEqual(new Map([a, b, c].map((id) => [id, null])));
  const trail = await rows(
    `select action, subject, after from audit_entries
     where program_id = ? and (action = 'group.partners_removed' or after = '{"groupId":null}')`,
    programId,
  );
  expect(trail.map(({ action, subject }) => `${action}, ${subject}`).toSorted()).toEqual(
    [
      `group.partners_removed, program ${programId}`,
      ...[a, b].map((id) => `partner.updated, partner ${id}`),
    ].toSorted(),
  );
  expect(trail.map(({ after }) => after)).toContain('{"partners":2}');
});
