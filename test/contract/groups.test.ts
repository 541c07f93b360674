import { describe, expect, test } from "vitest";
import type { Json, JsonObject, Reply } from "../../harness/client.ts";
import type { World, WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { explained } from "../support/explain.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Group extends JsonObject {
  readonly id: number;
  readonly name: string;
  readonly partners: number;
}
interface Partner extends JsonObject {
  readonly id: number;
  readonly groupId: number | null;
}

const program = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}`;
const groups = (world: World) => `${program(world)}/groups`;
const group = (world: World, id: number) => `${groups(world)}/${id}`;

/** Creates a world whose ledger is checked when the test ends. */
async function openWorld(settings: WorldSettings = {}): Promise<World> {
  const world = await people.world({ partners: [{}, {}], ...settings });
  expectConsistentInTheEnd(world);
  return world;
}

async function taken<Body>(call: Promise<Reply<Body>>): Promise<Body> {
  const { status, text, body } = await call;
  expect([200, 201], text).toContain(status);
  return body;
}

/** Sorts groups by name. */
const listed = async (world: World) =>
  (await taken(people.viewer.get<{ data: Group[] }>(groups(world)))).data
    .map(({ name, partners }) => [name, partners] as const)
    .sort();
const create = async (world: World, name: string) =>
  (await taken(people.admin.post<{ data: Group }>(groups(world), { name }))).data;
const add = (world: World, id: number, partnerIds: Json) =>
  people.admin.post<{ data: Group }>(`${group(world, id)}/partners`, { partnerIds });
const patchPartner = (world: World, id: number, body: Json) =>
  people.admin.patch<{ data: Partner }>(`${program(world)}/partners/${id}`, body);
const setPolicy = (world: World, body: Json) =>
  people.admin.put<{ data: JsonObject }>(`${program(world)}/commission-policy`, body);
const percent = (rateBps: number) => ({ type: "percent", rateBps, scope: "lifetime" });

interface Entry {
  readonly action: string;
  readonly subject: string;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}
const audit = async (world: World) =>
  (await taken(people.admin.get<{ data: Entry[] }>(`${program(world)}/audit`))).data.map(
    ({ action, subject, before, after }) => [action, subject, before, after] as const,
  );

describe("groups", () => {
  test("groups are created, listed and renamed, each with an entry in the audit trail", async () => {
    const world = await openWorld();
    const gold = await create(world, " Gold ");
    expect(gold).toEqual({ id: gold.id, name: "Gold", partners: 0, policy: null, createdAt: expect.any(String) });
    const silver = await create(world, "Silver");
    const first = await taken(people.viewer.get<{ data: Group[]; meta: JsonObject }>(`${groups(world)}?limit=1`));
    expect(first.data).toEqual([silver]);
    const next = await taken(
      people.viewer.get<{ data: Group[] }>(`${groups(world)}?limit=1&cursor=${first.meta.nextCursor}`),
    );
    expect(next).toEqual({ data: [gold], meta: { nextCursor: null } });

    const renamed = await taken(people.admin.patch<{ data: Group }>(group(world, gold.id), { name: "GOLD" }));
    expect(renamed.data).toEqual({ ...gold, name: "GOLD" });
    await taken(people.admin.patch(group(world, gold.id), { name: "GOLD" }));
    expect(await audit(world)).toEqual([
      ["group.updated", `group ${gold.id}`, { name: "Gold" }, { name: "GOLD" }],
      ["group.created", `group ${silver.id}`, null, { groupId: silver.id, name: "Silver" }],
      ["group.created", `group ${gold.id}`, null, { groupId: gold.id, name: "Gold" }],
    ]);
  });

  test("groups have unique names, and are limited to 500", async () => {
    const world = await openWorld({ groups: [{ name: "Gold" }, { name: "Silver" }] });
    const taken = { code: "group_taken" };
    const again = await people.admin.post(groups(world), { name: "gOLD" });
    expect([refusalOf(again), again.body.error.details]).toEqual([
      "409 Another group in this program already has this name",
      taken,
    ]);
    const renamed = await people.admin.patch(group(world, world.groups[1]?.id ?? 0), { name: "Gold" });
    expect([renamed.status, renamed.body.error.details]).toEqual([409, taken]);
    const elsewhere = await openWorld();
    await create(elsewhere, "Gold");

    await world.write({
      sql: `with recursive numbers (n) as (select 3 union all select n + 1 from numbers where n < 500)
        insert into partner_groups (id, program_id, name, created_at)
        select program_id + n, program_id, 'G' || n, 0 from partner_groups, numbers where id = ?`,
      args: [world.groups[0]?.id ?? 0],
    });
    const full = await people.admin.post(groups(world), { name: "One more" });
    expect([refusalOf(full), full.body.error.details]).toEqual([
      "409 A program can have at most 500 groups",
      { code: "cap_reached", limit: 500 },
    ]);
  });

  test.each<[Json, string]>([
    [{}, "name"],
    [{ name: "  " }, "name"],
    [{ name: "x".repeat(61) }, "name"],
    [{ name: 5 }, "name"],
    [{ name: "a\nb" }, "name"],
  ])("groups can't be named %j", async (body, field) => {
    const world = await people.world({ groups: [{}] });
    for (const reply of [
      await people.admin.post<never>(groups(world), body),
      await people.admin.patch<never>(group(world, world.groups[0]?.id ?? 0), body),
    ])
      expect([reply.status, invalidFields(reply)]).toEqual([400, [field]]);
  });

  test("groups can't be changed in an archived program, and aren't found in another program", async () => {
    const other = await people.world({ groups: [{}] });
    const world = await people.world({ program: { archivedAt: 1 }, groups: [{ name: "Gold" }] });
    const [gold] = world.groups;
    const [foreign] = other.groups;
    const calls = [
      people.admin.post<never>(groups(world), { name: "Silver" }),
      people.admin.patch<never>(group(world, gold?.id ?? 0), { name: "Silver" }),
      people.admin.patch<never>(group(world, foreign?.id ?? 0), { name: "Silver" }),
      add(world, foreign?.id ?? 0, [world.partner.id]) as Promise<Reply<never>>,
      patchPartner(world, world.partner.id, { groupId: foreign?.id ?? 0 }) as Promise<Reply<never>>,
      setPolicy(world, { ...percent(1), groupId: foreign?.id ?? 0 }) as Promise<Reply<never>>,
      people.admin.patch<never>(`${groups(world)}/none`, { name: "Silver" }),
    ];
    const refusals = (await Promise.all(calls)).map(refusalOf);
    expect(refusals).toEqual([
      ...Array(2).fill("409 This program is archived. Restore it first."),
      ...Array(5).fill("404 Group not found"),
    ]);
    expect(await listed(world)).toEqual([["Gold", 0]]);
  });
});

describe("partners of a group", () => {
  test("partners of a group are added all together or not at all, and can be removed", async () => {
    const partners = [{}, { policies: [{ rateBps: 1_000 }] }, {}];
    const world = await openWorld({ partners, groups: [{ name: "Gold" }, { name: "Silver" }] });
    const [a, b, c] = world.partners.map(({ id }) => id) as [number, number, number];
    const [gold, silver] = world.groups.map(({ id }) => id) as [number, number];
    const other = await people.world();
    const foreign = (await add(world, gold, [a, other.partner.id])) as Reply<never>;
    expect(refusalOf(foreign)).toBe("404 Partner not found");
    for (const ids of [[], [0], "x", Array.from({ length: 1_001 }, (_, i) => i + 1)]) {
      const reply = (await add(world, gold, ids)) as Reply<never>;
      expect([reply.status, invalidFields(reply)?.[0]]).toEqual([400, expect.stringMatching(/^partnerIds/)]);
    }
    expect(await listed(world)).toEqual([
      ["Gold", 0],
      ["Silver", 0],
    ]);

    expect((await taken(add(world, gold, [a, b, a]))).data).toMatchObject({ id: gold, partners: 2 });
    const before = await audit(world);
    await taken(add(world, gold, [b, a]));
    await taken(patchPartner(world, a, { groupId: gold }));
    expect(await audit(world)).toEqual(before);
    await taken(add(world, silver, [b, c]));
    expect((await taken(patchPartner(world, a, { groupId: null }))).data).toMatchObject({ groupId: null });
    expect((await taken(patchPartner(world, c, { groupId: gold, name: "C" }))).data).toMatchObject({ groupId: gold });
    expect(await listed(world)).toEqual([
      ["Gold", 1],
      ["Silver", 1],
    ]);
    const inGroup = async (id: number) =>
      (await taken(people.viewer.get<{ data: Partner[] }>(`${program(world)}/partners?groupId=${id}`))).data.map(
        (partner) => [partner.id, partner.groupId, partner.hasOwnPolicy],
      );
    expect(await inGroup(gold)).toEqual([[c, gold, false]]);
    expect(await inGroup(silver)).toEqual([[b, silver, true]]);

    const moved = (id: number, from: number | null, to: number | null) =>
      ["partner.updated", `partner ${id}`, { groupId: from }, { groupId: to }] as const;
    const trail = await audit(world);
    expect(trail.slice(0, 2)).toEqual([
      [
        ...["partner.updated", `partner ${c}`],
        ...[expect.objectContaining({ groupId: silver }), expect.objectContaining({ groupId: gold })],
      ],
      moved(a, gold, null),
    ]);
    expect(trail).toContainEqual(moved(b, gold, silver));
    expect(trail).toContainEqual(["group.partners_added", `group ${silver}`, null, { partners: 2 }]);
  });

  test("partners can be created in a group", async () => {
    const world = await openWorld();
    const gold = await create(world, "Gold");
    const path = `${program(world)}/partners`;
    const partner = { name: "Anna", code: "anna", externalId: "a-1", groupId: gold.id };
    const { data } = await taken(people.admin.post<{ data: Partner }>(path, partner));
    expect(data.groupId).toBe(gold.id);
    expect((await people.admin.post(path, partner)).status).toBe(200);
    const silver = await create(world, "Silver");
    const differing = await people.admin.post(path, { ...partner, groupId: silver.id });
    expect([differing.status, differing.body.error.details]).toMatchObject([409, { differences: ["group_id"] }]);
    const unknown = await people.admin.post<never>(path, { name: "Ben", code: "ben", groupId: 1 });
    expect(refusalOf(unknown)).toBe("404 Group not found");
    expect(await listed(world)).toEqual([
      ["Gold", 1],
      ["Silver", 0],
    ]);
  });
});

describe("a group's policy", () => {
  test("a group's policy is set, listed and ended like a partner's policy, and a policy can't be for a group and a partner at once", async () => {
    const world = await openWorld({ groups: [{ name: "Gold" }] });
    const groupId = world.groups[0]?.id ?? 0;
    const both = (await setPolicy(world, {
      ...percent(3_000),
      groupId,
      partnerId: world.partner.id,
    })) as Reply<never>;
    expect([both.status, invalidFields(both)]).toEqual([400, ["groupId"]]);
    const { data } = await taken(setPolicy(world, { ...percent(3_000), groupId }));
    expect(data).toMatchObject({ version: 2, groupId, partnerId: null, rateBps: 3_000 });
    expect((await taken(setPolicy(world, { ...percent(3_000), groupId }))).data).toMatchObject({ version: 2 });
    await taken(setPolicy(world, percent(1_000)));
    const own = async () => (await taken(people.viewer.get<{ data: { policy: JsonObject }[] }>(groups(world)))).data[0];
    expect(await own()).toMatchObject({ policy: data });
    const versions = async (query: string) =>
      (
        await taken(
          people.viewer.get<{ data: JsonObject[]; meta: JsonObject }>(`${program(world)}/commission-policy${query}`),
        )
      ).data.map(({ version, groupName }) => [version, groupName]);
    expect(await versions("")).toEqual([
      [3, null],
      [2, "Gold"],
      [1, null],
    ]);
    expect(await versions(`?groupId=${groupId}`)).toEqual([[2, "Gold"]]);
    await taken(setPolicy(world, { type: "none", groupId }));
    expect(await own()).toMatchObject({ policy: null });
  });
});

describe("the commission of a sale", () => {
  const rates = { policies: [{ rateBps: 2_000 }], groups: [{ name: "Gold", policies: [{ rateBps: 3_000 }] }] };

  async function openShop(settings: WorldSettings = rates): Promise<SalesFixture & { readonly gold: number }> {
    const world = await openWorld({ partners: [{}, { group: 0 }], ...settings });
    return { ...salesFixture(programFixture(world, sharedApi())), gold: world.groups[0]?.id ?? 0 };
  }

  /** Records a sale of 10.00. Returns its commission in cents. */
  const earned = async (shop: SalesFixture, customer_key: string, instant: number) =>
    (await shop.sell({ customer_key, occurred_at: at(instant) })).body.commission.amount_cents;

  const since = async ({ row, alice }: SalesFixture) =>
    Number((await row("select max(effective_from) as at from group_memberships where partner_id = ?", alice.id)).at);

  test("the commission of a sale depends on the partner's group at the time of the sale, not at the time of the call", async () => {
    const shop = await openShop();
    const { world, alice, bob, gold } = shop;
    await shop.refer("of alice", { clickAt: daysAgo(20) });
    await shop.refer("of bob", { partner: bob, clickAt: daysAgo(50) });
    expect(await earned(shop, "of alice", daysAgo(3))).toBe(200);
    expect(await earned(shop, "of bob", daysAgo(49))).toBe(300);

    await taken(add(world, gold, [alice.id]));
    const joined = await since(shop);
    expect(await earned(shop, "of alice", joined)).toBe(300);
    expect(await earned(shop, "of alice", joined - 1)).toBe(200);
    await taken(patchPartner(world, alice.id, { groupId: null }));
    const left = await since(shop);
    expect(await earned(shop, "of alice", left)).toBe(200);
    expect(await earned(shop, "of alice", left - 1)).toBe(300);
    expect(await earned(shop, "of alice", joined - 1)).toBe(200);

    await taken(setPolicy(world, { ...percent(500), partnerId: bob.id }));
    expect(await earned(shop, "of bob", Date.now())).toBe(50);
    await taken(setPolicy(world, { type: "none", partnerId: bob.id }));
    expect(await earned(shop, "of bob", Date.now())).toBe(300);
    await taken(setPolicy(world, { type: "none", groupId: gold }));
    expect(await earned(shop, "of bob", Date.now())).toBe(200);
    expect(await earned(shop, "of bob", daysAgo(10))).toBe(300);
  });

  test("the commission of a sale follows the policy of the partner's group only from the policy's start, even if the partner was created in the group", async () => {
    const shop = await openShop({ ...rates, groups: [{}], partners: [{}, {}] });
    const { world, gold } = shop;
    await taken(people.admin.post(`${program(world)}/partners`, { name: "Anna", code: "Anna", groupId: gold }));
    const known = { customer_key: "c", partner_code: "Anna", since: at(daysAgo(30)), pay_past: true };
    const rows = [{ line: 1, ...known }];
    await taken(people.owner.post(`${program(world)}/imports/rows`, { kind: "customers", source: "x", rows }));
    await taken(setPolicy(world, { ...percent(3_000), groupId: gold }));
    expect(await earned(shop, "c", daysAgo(20))).toBe(200);
    expect(await earned(shop, "c", Date.now())).toBe(300);
  });

  test("the commission of a sale has the id and name of the group whose policy decided it, and its explanation shows them", async () => {
    const shop = await openShop();
    const { world, bob, gold } = shop;
    await shop.refer("of alice");
    await shop.refer("of bob", { partner: bob });
    const frozen = async (customer_key: string, changes: JsonObject = {}) => {
      const { body } = await shop.sell({ customer_key, ...changes });
      const { explanation } = await shop.commission(body.commission_id);
      return { sale_id: body.sale_id, explanation: JSON.parse(String(explanation)) };
    };
    const ofBob = await frozen("of bob");
    expect(ofBob.explanation).toMatchObject({ group: { id: gold, name: "Gold" }, amountCents: 300 });
    expect(ofBob.explanation.policy).not.toHaveProperty("groupId");
    expect((await frozen("of alice")).explanation).not.toHaveProperty("group");
    const { settings_then, settings_now } = await explained(shop, { sale_id: ofBob.sale_id });
    expect([settings_then, settings_now]).toMatchObject([{ policy_group: { id: gold, name: "Gold" } }, null]);

    await taken(people.admin.patch(group(world, gold), { name: "Platinum" }));
    expect((await frozen("of bob")).explanation).toMatchObject({ group: { id: gold, name: "Platinum" } });
    await taken(patchPartner(world, bob.id, { groupId: null }));
    const since = await explained(shop, { sale_id: ofBob.sale_id });
    expect(since.settings_then).toMatchObject({ policy_group: { id: gold, name: "Gold" } });
    expect(since.settings_now).toEqual({ policy_version: 1, policy_group: null });
  });

  test("the commission of a sale is recalculated by the group's policy if the sale moves to a partner of that group", async () => {
    const shop = await openShop();
    const { alice, bob } = shop;
    await shop.browserLead({ customer_key: "c", click_id: shop.click(alice, daysAgo(3)) });
    const { body } = await shop.sell({ customer_key: "c" });
    expect(body.commission.amount_cents).toBe(200);
    await shop.lead({ customer_key: "c", click_id: shop.click(bob, daysAgo(2)) });
    expect(await shop.entries(body.commission_id)).toEqual([
      ["earned", 200],
      ["moved", -200],
      ["moved", 300],
    ]);
  });
});
