/** @module-tag soak */
import { beforeAll, describe, expect, it } from "vitest";
import { clicks } from "#store/schema/clicks.ts";
import { partners } from "#store/schema/partners.ts";
import { commissionPolicies } from "#store/schema/policies.ts";
import { programKeys } from "#store/schema/programs.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { copiesOf } from "../support/copies.ts";
import { askExplain } from "../support/explain.ts";
import { firstMaintenance } from "../support/first-maintenance.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { at, clickOf, daysAgo } from "../support/program-fixture.ts";

const own = isolatedService({ runtime: "workerd" });

const many = 100_000;
const versions = 1_000;
/** The number of partners with a policy. Each list of policy versions counts these partners, by an index alone. */
const partnersWithPolicy = 20_000;
const session_id = "of a bot";

let user: User;
let empty: World;
let full: World;

const clicked = ({ programId, partner }: World, more: object = {}) =>
  own.api().click({ affiliate_url: partner.landingUrl, program_id: programId, session_id, ...more });
const sold = ({ key }: World, transaction_id: string, more: object = {}) =>
  own.api().sale({ transaction_id, amount_cents: 1_000, customer_key: "c", ...more }, { key });
const led = ({ key, programId, partner }: World, customer_key: string) =>
  own.api().lead({ customer_key, click_id: clickOf(programId, partner, daysAgo(9)) }, { key });

async function createWorlds() {
  const settings = {
    ...{ members: [{ user, role: "owner" as const }], partners: [{ policies: [{}] }, { policies: [{}] }] },
    keys: [{}, { retiresAt: daysAgo(50) }],
  };
  const worlds = await Promise.all([own.world(settings), own.world(settings)]);
  for (const world of worlds) {
    await clicked(world, { user_agent: "Googlebot" });
    await led(world, "c");
    await sold(world, "s", { occurred_at: at(daysAgo(1)) });
    await own.api().refund({ transaction_id: "s", refund_id: "r", refund_amount_cents: 1 }, { key: world.key });
  }
  return worlds;
}

/** The id of a copy of a row of the test world. It is far below the ids of other rows, whose distances are random. */
const farId = (column: string) => `${column} - 8000000000 - v`;

/** Fills each list up to its limit, or to 100,000 rows if it has none. */
async function fill(world: World) {
  const firstOf = async (table: string, condition = "1") => {
    const query = `select id from ${table} where program_id = ? and ${condition} limit 1`;
    return Number((await world.rows(query, world.programId))[0]?.id);
  };
  const [alice, bob] = world.partners.map(({ id }) => id);
  const policyOf = async (owner: string) => {
    const query = `select id from commission_policies where program_id = ? and partner_id is ${owner}`;
    return Number((await world.rows(query, world.programId))[0]?.id);
  };
  const olderOf = async (owner: string, from: number) =>
    copiesOf(commissionPolicies, await policyOf(owner), versions - 1, {
      id: `id - ${from} * 1000000 - v`,
      version: `${from} + v`,
      effective_from: "effective_from + v * 1000",
      rate_bps: "v",
    });
  await world.write(
    copiesOf(clicks, await firstOf("clicks"), many, { id: "id + v", click_id: "'copy' || (id + v)" }),
    copiesOf(programKeys, await firstOf("program_keys", "retires_at is not null"), many, {
      id: farId("id"),
      hash: "hash || v",
      retires_at: "retires_at - v",
    }),
    copiesOf(partners, bob ?? 0, partnersWithPolicy, { id: farId("id") }),
    copiesOf(commissionPolicies, await policyOf(String(bob)), partnersWithPolicy, {
      id: farId("id"),
      version: "10000 + v",
      partner_id: farId("partner_id"),
    }),
  );
  await world.change(await olderOf("null", 2_000), await olderOf(String(alice), 4_000));
}

beforeAll(async () => {
  user = await own.user();
  const worlds = await createWorlds();
  [empty, full] = worlds as [World, World];
  await fill(full);
  const other = await own.world();
  await firstMaintenance(own, async () => {
    await clicked(other, { session_id: "ends the Ledger" });
    await clicked(other, { session_id: "starts the next" });
  });
});

async function costOf(call: () => Promise<{ readonly status: number; readonly text: string }>) {
  own.proxy.resetCounts();
  const { status, text } = await call();
  expect(status, text).toBe(200);
  return own.proxy.counts;
}

type Call = (world: World) => Promise<{ readonly status: number; readonly text: string }>;

const path = ({ programId }: World) => `/api/programs/${programId}`;
const explained =
  (query: Readonly<Record<string, string>>): Call =>
  (world) =>
    askExplain(own.api(), query, { key: world.key });

/** The order matters: the first call of each kind needs data that the Ledger hasn't cached yet. */
const calls: Readonly<Record<string, Call>> = {
  "a click that needs its settings": (world) => clicked(world),
  "a click of a visitor who was a bot": (world) => clicked(world),
  "a click with a key": (world) => {
    const click = { affiliate_url: world.partner.landingUrl, program_id: world.programId };
    return own.api().click({ ...click, occurred_at: at(daysAgo(1)) }, { key: world.key });
  },
  "a lead": (world) => led(world, "d"),
  "a sale that needs policies": (world) => sold(world, "first"),
  "a sale": (world) => sold(world, "second"),
  "a sale from before the newest versions": (world) => sold(world, "late", { occurred_at: at(daysAgo(399)) }),
  "a refund": (world) => own.api().refund({ transaction_id: "first", refund_id: "r" }, { key: world.key }),
  readiness: (world) => own.api().readiness({ key: world.key }),
  "explain by transaction": explained({ transaction_id: "s", refund_id: "r" }),
  "explain by customer": explained({ customer_key: "c" }),
  "the program with its keys": (world) => user.get(path(world)),
};

const pages: Readonly<Record<string, Call>> = {
  "a page of versions": (world) => user.get(`${path(world)}/commission-policy?limit=1`),
  "a page of a partner's versions": (world) =>
    user.get(`${path(world)}/commission-policy?limit=1&partnerId=${world.partner.id}`),
};

async function compare(call: Call, rows: number): Promise<void> {
  const [few, most] = [await costOf(() => call(empty)), await costOf(() => call(full))];
  expect(most.rows).toBeLessThanOrEqual(few.rows + rows);
  expect(most.statements).toBeLessThanOrEqual(few.statements + 3);
  expect(most.bytes).toBeLessThanOrEqual(few.bytes + 26_000);
}

describe("a full program compared with an empty one", () => {
  it.each(Object.entries(calls))("a full program costs about as much as an empty one for %s", (_, call) =>
    compare(call, 300),
  );

  it.each(Object.entries(pages))("a full program costs about as much as an empty one for %s", (_, call) =>
    compare(call, 250 + partnersWithPolicy),
  );
});

it.each([
  ["returns 50 versions", "", 50],
  ["returns 200 versions if the largest page is requested", "?limit=200", 200],
])(
  "a list of policy versions %s, and costs few rows and bytes, however many versions exist",
  async (_, query, shown) => {
    let listed: unknown;
    const cost = await costOf(async () => {
      const reply = await user.get<{ data: readonly unknown[] }>(`${path(full)}/commission-policy${query}`);
      listed = reply.body.data;
      return reply;
    });
    expect(listed).toHaveLength(shown);
    expect(cost.rows).toBeLessThan(partnersWithPolicy + 8 * shown + 50);
    expect(cost.bytes).toBeLessThan(850 * shown + 5_000);
  },
);
