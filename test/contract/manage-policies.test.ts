import { getTableColumns } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { policyRecord } from "#api/policies.ts";
import { commissionPolicies } from "#store/schema/policies.ts";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const api = sharedApi();

interface Policy {
  readonly version: number;
  readonly effectiveFrom: string;
  readonly [term: string]: unknown;
}

interface Page {
  readonly data: readonly (Policy & { readonly replaced: Policy | null })[];
  readonly meta: { readonly nextCursor: string | null; readonly current: Policy | null };
}

const path = ({ programId }: World) => `/api/programs/${programId}/commission-policy`;
const put = (world: World, body: Json) => people.admin.put<{ data: Policy }>(path(world), body);
const versions = async (world: World) => (await people.viewer.get<{ data: Policy[] }>(path(world))).body.data;

const percent = { type: "percent", rateBps: 1_000, scope: "lifetime" } as const;
const flat = { type: "flat", amountCents: 500, scope: "lifetime" } as const;
const none = {
  ...{ partnerId: null, groupId: null },
  rateBps: null,
  amountCents: null,
  currency: null,
  durationMonths: null,
  minSaleCents: null,
  maxCommissionCents: null,
  rules: null,
  tiers: null,
  unit: null,
  holdDays: 15,
};

describe("a policy", () => {
  test("each policy version shows its author, if a user created it", async () => {
    const world = await people.world();
    await put(world, percent);
    await people.owner.put(path(world), { ...flat, partnerId: world.partner.id });
    expect((await versions(world)).map(({ version, setByName }) => [version, setByName])).toEqual([
      [3, people.owner.name],
      [2, people.admin.name],
      [1, null],
    ]);
  });

  test("the policy versions of a program and its partners, or of one partner, are listed in pages, with the program's current policy", async () => {
    const own = (rateBps: number) => ({ rateBps });
    const world = await people.world({
      policies: [{ rateBps: 1 }, { rateBps: 2 }],
      partners: [{ name: "Alice", policies: [own(10), own(11)] }, { name: "Bob", policies: [own(20)] }, {}],
    });
    const [alice, bob] = world.partners;
    expect(await put(world, { type: "none", partnerId: bob?.id ?? 0 })).toMatchObject({ status: 200 });
    const read = async (query = "") => {
      const { status, body, text } = await people.viewer.get<Page>(`${path(world)}?${query}`);
      expect(status, text).toBe(200);
      const rates = body.data.map(({ version, partnerName, rateBps, replaced }) => [
        ...[version, partnerName, rateBps, replaced?.rateBps],
      ]);
      return { rates, meta: body.meta };
    };
    const all = [
      [6, "Bob", null, 20],
      [5, "Bob", 20, undefined],
      [4, "Alice", 11, 10],
      [3, "Alice", 10, undefined],
      [2, null, 2, 1],
      [1, null, 1, undefined],
    ];
    const { rates, meta } = await read();
    expect(rates).toEqual(all);
    expect(meta).toEqual({ nextCursor: null, current: expect.objectContaining({ version: 2 }), customPartners: 1 });
    const first = await read("limit=4");
    expect(first).toEqual({ rates: all.slice(0, 4), meta: { ...meta, nextCursor: expect.any(String) } });
    expect(await read(`limit=4&cursor=${first.meta.nextCursor}`)).toEqual({ rates: all.slice(4), meta });
    const ofAlice = await read(`partnerId=${alice?.id}&limit=1`);
    expect(ofAlice).toEqual({ rates: [all[2]], meta: { ...meta, nextCursor: expect.any(String) } });
    expect((await read("partnerId=1")).rates).toEqual([]);
  });

  test("the list of policy versions refuses an invalid page size, cursor or partner", async () => {
    const world = await people.world();
    for (const query of ["limit=0", "limit=201", "cursor=x", "partnerId=x"]) {
      const reply = await people.viewer.get<never>(`${path(world)}?${query}`);
      expect([reply.status, invalidFields(reply)]).toEqual([400, [query.slice(0, query.indexOf("="))]]);
    }
  });

  test.each<[JsonObject, JsonObject?]>([
    [percent],
    [{ ...percent, rateBps: 0 }],
    [{ ...percent, rateBps: 10_000, holdDays: 0 }],
    [{ ...percent, holdDays: 365 }],
    [{ ...percent, scope: "one_time" }],
    [
      {
        ...percent,
        rules: [{ rateBps: 500, when: { productIds: ["a"], isFirst: true, interval: "monthly", coupon: true } }],
      },
    ],
    [{ ...percent, scope: "recurring", durationMonths: 12 }],
    [{ ...percent, currency: "usd" }, { currency: "USD" }],
    [{ ...percent, minSaleCents: 0 }, { currency: "EUR" }],
    [{ ...percent, maxCommissionCents: 10 ** 11, currency: "JPY" }],
    [flat, { currency: "EUR" }],
    [{ ...flat, amountCents: 0, currency: "KWD" }],
    [{ ...flat, rateBps: null, durationMonths: null, partnerId: null }, { currency: "EUR" }],
    [{ type: "none" }, { scope: "lifetime" }],
    [
      { type: "none", rateBps: 5, scope: "recurring", currency: "USD" },
      { ...none, scope: "lifetime" },
    ],
  ])("a policy can be set to %j", async (body, understood = {}) => {
    const world = await people.world({ policies: [] });
    const { status, body: answer, text } = await put(world, body);
    const policy = { version: 1, effectiveFrom: expect.any(String), ...none, ...body, ...understood };
    expect([status, answer], text).toEqual([200, { data: policy }]);
    expect(policyRecord.schema.parse(answer.data)).toEqual(answer.data);
    expect(await versions(world)).toEqual([
      { ...answer.data, partnerName: null, groupName: null, setByName: people.admin.name, replaced: null },
    ]);
    expect(Math.abs(Date.parse(answer.data.effectiveFrom) - Date.now())).toBeLessThan(60_000);
  });

  test.each<[Json, string[]]>([
    [{}, ["type", "scope"]],
    [{ type: "tiered", scope: "lifetime" }, ["type"]],
    [{ type: "percent", scope: "lifetime" }, ["rateBps"]],
    [{ ...percent, rateBps: -1 }, ["rateBps"]],
    [{ ...percent, rateBps: 10_001 }, ["rateBps"]],
    [{ ...percent, rateBps: 12.5 }, ["rateBps"]],
    [{ ...percent, rateBps: "10" }, ["rateBps"]],
    [{ ...percent, amountCents: 500 }, ["amountCents"]],
    [{ type: "flat", scope: "lifetime" }, ["amountCents"]],
    [{ ...flat, amountCents: -1 }, ["amountCents"]],
    [{ ...flat, amountCents: 10 ** 11 + 1 }, ["amountCents"]],
    [{ ...flat, rateBps: 100 }, ["rateBps"]],
    [{ ...flat, currency: "EURO" }, ["currency"]],
    [{ type: "percent", rateBps: 1 }, ["scope"]],
    [{ ...percent, scope: "yearly" }, ["scope"]],
    [{ ...percent, scope: "recurring" }, ["durationMonths"]],
    [{ ...percent, scope: "recurring", durationMonths: 0 }, ["durationMonths"]],
    [{ ...percent, scope: "recurring", durationMonths: 1_201 }, ["durationMonths"]],
    [{ ...percent, durationMonths: 12 }, ["durationMonths"]],
    [{ ...percent, holdDays: -1 }, ["holdDays"]],
    [{ ...percent, holdDays: 366 }, ["holdDays"]],
    [{ ...percent, holdDays: 0.5 }, ["holdDays"]],
    [{ ...percent, minSaleCents: -1, maxCommissionCents: 1.5 }, ["minSaleCents", "maxCommissionCents"]],
    [{ ...percent, partnerId: 0 }, ["partnerId"]],
    [{ type: "none", partnerId: "x" }, ["partnerId"]],
  ])("a policy can't be set to %j", async (body, fields) => {
    const world = await people.world({ policies: [] });
    const reply = await put(world, body);
    expect([reply.status, invalidFields(reply)], reply.text).toEqual([400, fields]);
    expect(await versions(world)).toEqual([]);
  });

  test("a policy keeps its version and adds no audit entry if the same terms are set again", async () => {
    const world = await people.world({ policies: [] });
    const { id: partnerId } = world.partner;
    for (const policy of [percent, { ...flat, partnerId }, { ...percent, currency: "USD", minSaleCents: 5 }]) {
      const first = await put(world, policy);
      const again = await put(world, policy);
      expect([again.status, again.body]).toEqual([200, first.body]);
    }
    await put(world, percent);
    expect((await versions(world)).map(({ version }) => version)).toEqual([4, 3, 2, 1]);
    const entries = await world.rows("select 1 from audit_entries where program_id = ?", world.programId);
    expect(entries).toHaveLength(4);
  });

  test("the policy of a program or a partner has at most 1,000 versions, after which it can only be ended", async () => {
    const world = await people.world({ partners: [{}, {}], policies: [{ rateBps: 1 }] });
    const [alice, bob] = world.partners.map(({ id }) => id);
    const { id: _, version, rateBps, ...kept } = getTableColumns(commissionPolicies);
    const columns = Object.values(kept).map(({ name }) => name);
    await world.write({
      sql: `insert into commission_policies (id, version, rate_bps, ${columns})
        with recursive n(v) as (select 2 union all select v + 1 from n where v < 1000)
        select id + ${2 ** 47} + v, v, v, ${columns} from n, commission_policies where program_id = ? order by v`,
      args: [world.programId],
    });
    const refused = await put(world, { ...percent, rateBps: 5 });
    expect(refusalOf(refused)).toBe(
      "409 This policy already has 1,000 versions. It can only be ended, with type none.",
    );
    expect(refused.text).toContain('"details":{"code":"too_many_versions","limit":1000}');
    expect(await put(world, { ...percent, rateBps: 1_000, partnerId: alice ?? 0 })).toMatchObject({ status: 200 });
    const first = await people.viewer.get<Page>(path(world));
    expect(first.body).toMatchObject({ data: { length: 50 }, meta: { nextCursor: expect.any(String) } });
    const { body: next } = await people.viewer.get<Page>(`${path(world)}?cursor=${first.body.meta.nextCursor}`);
    expect(next.data[0]).toMatchObject({ version: (first.body.data.at(-1)?.version ?? 0) - 1 });
    const { body: second } = await people.viewer.get<Page>(`${path(world)}?partnerId=${bob}`);
    expect(second).toMatchObject({ data: [], meta: { nextCursor: null, customPartners: 1 } });
    expect((await put(world, { type: "none" })).body.data).toMatchObject({ version: 1_002, type: "none" });
    expect(await put(world, { type: "none", holdDays: 1 })).toMatchObject({ body: { data: { version: 1_002 } } });
    expect(refusalOf(await put(world, percent))).toContain("409");
  });

  test("a policy can be set only for a partner of the program", async () => {
    const world = await people.world({ policies: [] });
    const other = await people.world();
    for (const partnerId of [other.partner.id, 12_345]) {
      expect(refusalOf(await put(world, { ...percent, partnerId }))).toBe("404 Partner not found");
    }
    expect(await versions(world)).toEqual([]);
    const { body } = await put(world, { ...percent, partnerId: String(world.partner.id) });
    expect(body.data).toMatchObject({ version: 1, partnerId: world.partner.id });
  });
});

test("policy versions are listed newest first, and none is lost if several are set in parallel", async () => {
  const world = await people.world({ policies: [] });
  const made = await Promise.all(Array.from({ length: 6 }, (_, i) => put(world, { ...percent, rateBps: 100 + i })));
  expect(made.map(({ body }) => body.data.version).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  const listed = await versions(world);
  expect(listed.map(({ version }) => version)).toEqual([6, 5, 4, 3, 2, 1]);
  const instants = listed.map(({ effectiveFrom }) => Date.parse(effectiveFrom));
  expect(instants).toEqual(instants.toSorted((a, b) => b - a));

  const { alice, lead, click, sale } = programFixture(await people.world({ partners: [{}, {}] }), api);
  await lead({ customer_key: "c1", click_id: click(alice) });
  expect((await sale({ customer_key: "c1" })).commission.amount_cents).toBe(2_000);
});

describe("the version of a policy in force", () => {
  test("the version of a policy in force applies from the next sale until another version is set, and earlier commissions don't change", async () => {
    const world = await people.world({ partners: [{}, {}], policies: [] });
    const { alice, bob, click, lead, sale, all } = programFixture(world, api);
    await lead({ customer_key: "alice's", click_id: click(alice) });
    await lead({ customer_key: "bob's", click_id: click(bob) });
    const earn = async (customer_key: string) => {
      const { commission } = await sale({ customer_key });
      return commission.reason ?? commission.amount_cents;
    };

    expect(await earn("alice's")).toBe("no_commission_policy");
    await put(world, percent);
    expect(await earn("alice's")).toBe(1_000);
    await put(world, { ...percent, rateBps: 2_000 });
    expect(await earn("alice's")).toBe(2_000);
    await put(world, { ...flat, partnerId: alice.id });
    expect([await earn("alice's"), await earn("bob's")]).toEqual([500, 2_000]);
    await put(world, { type: "none", partnerId: alice.id });
    expect(await earn("alice's")).toBe(2_000);
    await put(world, { type: "none" });
    expect([await earn("alice's"), await earn("bob's")]).toEqual(["no_commission_policy", "no_commission_policy"]);
    const amounts = (await all("commissions")).map(({ amount_cents }) => Number(amount_cents));
    expect(amounts).toEqual([0, 1_000, 2_000, 500, 2_000, 2_000, 0, 0]);
  });

  test("a policy version doesn't apply to sales from before it was set", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const { alice, click, lead, sale } = programFixture(world, api);
    await lead({ customer_key: "c1", click_id: click(alice, daysAgo(9)), occurred_at: at(daysAgo(9)) });
    await put(world, { ...percent, rateBps: 5_000 });
    expect((await sale({ customer_key: "c1", occurred_at: at(daysAgo(1)) })).commission.amount_cents).toBe(2_000);
    expect((await sale({ customer_key: "c1" })).commission.amount_cents).toBe(5_000);
  });
});
