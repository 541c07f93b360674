import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { idsPerRange, shardOf } from "#domain/shard.ts";
import type { Json } from "../../harness/client.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import type { User } from "../../harness/session.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { shardedService } from "../support/sharded-service.ts";
import { uniqueWord } from "../support/unique-word.ts";

const own = shardedService("weur", "enam");

interface Program {
  readonly id: number;
  readonly apiToken: string;
}
interface Data<T> {
  readonly data: T;
}

let owner: User;
beforeAll(async () => {
  owner = await own.user("Grace Hopper");
});

async function createWorkspace(): Promise<string> {
  return (await owner.post<Data<{ id: string }>>("/api/workspaces", { name: "Shop" })).body.data.id;
}

async function createProgram(workspaceId: string, more: Readonly<Record<string, Json>> = {}): Promise<Program> {
  const made = await owner.post<Data<Program>>("/api/programs", {
    workspaceId,
    name: "Shop",
    currency: "EUR",
    ...more,
  });
  expect(made.status, made.text).toBe(201);
  return made.body.data;
}

async function createPartner(programId: number, code: string, more: Readonly<Record<string, Json>> = {}) {
  const made = await owner.post(`/api/programs/${programId}/partners`, { name: "Anna", code, ...more });
  expect(made.status, made.text).toBe(201);
}

const { rows } = own;

const ownCode = () => uniqueWord("c");
const landing = (code: string, host = "shop.example") => `https://${host}/?aff=${code}`;

test("a workspace's first program is created on the open shard with the fewest programs, and later ones on the same shard", async () => {
  const [first, second] = [await createWorkspace(), await createWorkspace()];
  const placed = [await createProgram(first), await createProgram(first), await createProgram(second)];
  const [a, b, c] = placed.map(({ id }) => shardOf(id));
  expect(a).toBe(b);
  expect(c).not.toBe(a);
});

test("a program is created in the requested location, and the locations are listed", async () => {
  const { data } = (await owner.get<Data<{ location: string }[]>>("/api/locations")).body;
  expect(data).toEqual([{ location: "weur" }, { location: "enam" }]);
  const workspaceId = await createWorkspace();
  expect(shardOf((await createProgram(workspaceId, { location: "enam" })).id)).toBe(2);
  expect(shardOf((await createProgram(workspaceId, { location: "weur" })).id)).toBe(1);
  const refused = await owner.post("/api/programs", { workspaceId, name: "Shop", location: "moon" });
  expect(refused.status).toBe(400);
  expect(refused.body.error.message).toBe("location must be one that listLocations returns: weur, enam");
});

test("a program on another shard can do everything that a program on the home shard can, and the home shard stores none of its data", async () => {
  const workspaceId = await createWorkspace();
  const { id, apiToken: key } = await createProgram(workspaceId, {
    location: "enam",
    websiteUrl: "https://shop.example",
  });
  const code = ownCode();
  await createPartner(id, code);
  const policy = { type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 0 };
  expect((await owner.put(`/api/programs/${id}/commission-policy`, policy)).status).toBe(200);
  const api = own.api();

  const click = await api.click({ affiliate_url: landing(code), program_id: id }, { browser: true });
  expect(click.status, click.text).toBe(200);
  const lead = await api.lead({ click_id: click.body.click_id, customer_key: "u1" }, { key });
  expect(lead.body).toMatchObject({ attributed: true, partner_code: code });
  const browserLead = await api.lead({ click_id: click.body.click_id, customer_key: "u2" }, { browser: true });
  expect(browserLead.status, browserLead.text).toBe(200);
  const sale = await api.sale({ transaction_id: "t1", amount_cents: 4_900, customer_key: "u1" }, { key });
  expect(sale.body.commission).toMatchObject({ amount_cents: 980, status: "approved" });
  expect(Math.floor(sale.body.sale_id / idsPerRange)).toBe(2);
  const again = await api.sale({ transaction_id: "t1", amount_cents: 4_900, customer_key: "u1" }, { key });
  expect(again.status).toBe(409);
  const refund = await api.refund({ transaction_id: "t1", refund_amount_cents: 900, refund_id: "r1" }, { key });
  expect(refund.body).toMatchObject({ status: "refunded", commission_reversed_cents: 180 });

  const readiness = await api.readiness({ key });
  expect(readiness.body).toMatchObject({ program_id: id, state: "live_verified" });
  const why = await api.request("GET", "/api/v1/programs/me/explain?transaction_id=t1", { key });
  expect(why.body).toMatchObject({ verdict: { commission_cents: 800 } });
  const chain = await owner.post<Data<{ attributed: boolean }>>(`/api/tracking/run-verification/${id}`);
  expect(chain.body.data.attributed, chain.text).toBe(true);

  const draft = await owner.post<Data<{ id: number }>>(`/api/programs/${id}/payouts`, { currency: "EUR" });
  expect(draft.status, draft.text).toBe(201);
  const payout = `/api/programs/${id}/payouts/${draft.body.data.id}`;
  expect((await owner.post(`${payout}/confirm`, { expectedTotalCents: 800 })).status).toBe(200);
  const balances = await owner.get<Data<object[]>>(`/api/programs/${id}/balances`);
  expect(balances.body.data).toMatchObject([{ paidCents: 800, payableCents: 0 }]);
  const performance = await owner.get<{ metrics: object }>(`/api/tracking/performance/${id}`);
  expect(performance.body.metrics).toMatchObject({ totalSales: 1, totalRevenueCents: 4_900 });

  const database = openDatabaseClient(own.databases[2]?.url ?? "");
  expect(await auditLedger(database, { programId: id })).toEqual([]);
  for (const table of ["programs", "partners", "clicks", "sales", "ledger_entries"]) {
    const column = table === "programs" ? "id" : "program_id";
    expect(await rows(0, `select * from ${table} where ${column} = ?`, id)).toEqual([]);
  }
});

test("the activity of users is shown with their names, which only the home database stores", {
  tags: "soak",
}, async () => {
  const { id } = await createProgram(await createWorkspace(), { location: "weur" });
  await owner.put(`/api/programs/${id}/commission-policy`, { type: "percent", rateBps: 1_000, scope: "lifetime" });
  const trail = await owner.get<Data<{ actorName: string }[]>>(`/api/programs/${id}/audit`);
  expect(trail.body.data.map(({ actorName }) => actorName)).toEqual(["Grace Hopper", "Grace Hopper"]);
  const policies = await owner.get<Data<object[]>>(`/api/programs/${id}/commission-policy`);
  expect(policies.body.data).toMatchObject([{ setByName: "Grace Hopper" }]);
  expect(await rows(1, "select name from users")).toEqual([]);
  expect(await rows(1, "select name from workspaces where name <> ''")).toEqual([]);
});

test("a workspace's list contains the programs of all shards, oldest first", async () => {
  const workspaceId = await createWorkspace();
  const ids: number[] = [];
  for (const location of ["enam", "weur", "enam"]) ids.push((await createProgram(workspaceId, { location })).id);
  const list = await owner.get<Data<Program[]>>(`/api/programs?workspaceId=${workspaceId}`);
  expect(list.body.data.map(({ id }) => id)).toEqual(ids);
});

test("a click without a program id finds the only program that has the code, on any shard", async () => {
  const { id } = await createProgram(await createWorkspace(), { location: "enam" });
  const code = ownCode();
  await createPartner(id, code);
  const api = own.api();
  const click = await api.click({ affiliate_url: landing(code) }, { browser: true });
  expect(click.status, click.text).toBe(200);
  expect(await rows(2, "select program_id from clicks where click_id = ?", click.body.click_id)).toMatchObject([
    { program_id: id },
  ]);
});

test("a click with a code of programs on two shards is attributed by the programs' sites, or requires the program id", async () => {
  const code = ownCode();
  const one = await createProgram(await createWorkspace(), { location: "weur", websiteUrl: "https://one.example" });
  const two = await createProgram(await createWorkspace(), { location: "enam", websiteUrl: "https://two.example" });
  await createPartner(one.id, code);
  await createPartner(two.id, code);
  const api = own.api();
  const programOf = async (host: string) => {
    const click = await api.click({ affiliate_url: landing(code, host) }, { browser: true });
    if (click.status !== 200) return click.body.error.message;
    const found = await Promise.all(
      [1, 2].map((n) => rows(n, "select program_id from clicks where click_id = ?", click.body.click_id)),
    );
    return found.flat()[0]?.program_id;
  };
  expect(await programOf("one.example")).toBe(one.id);
  expect(await programOf("two.example")).toBe(two.id);
  expect(await programOf("three.example")).toBe("program_id is required");

  await owner.patch(`/api/programs/${one.id}`, { websiteUrl: "https://three.example" });
  expect(await programOf("three.example")).toBe(one.id);
  await owner.patch(`/api/programs/${one.id}`, { status: "archived" });
  expect(await programOf("five.example")).toBe(two.id);
});

test("a program id that belongs to an unconfigured shard or to no program is answered as not found", async () => {
  const api = own.api();
  for (const id of [7 * idsPerRange + 1, 2 * idsPerRange - 1, 999_999]) {
    const click = await api.click({ affiliate_url: landing("x-1"), program_id: id }, { browser: true });
    expect(click.body.error.message, String(id)).toBe("Referral link not found");
    expect((await owner.get(`/api/programs/${id}`)).status).toBe(404);
  }
});

test("a stopped shard affects only its own programs", async () => {
  const here = await createProgram(await createWorkspace(), { location: "weur" });
  const there = await createProgram(await createWorkspace(), { location: "enam" });
  const api = own.api();
  const sell = (key: string) =>
    api.sale({ transaction_id: randomUUID(), amount_cents: 100, customer_key: "u" }, { key });
  const resume = own.proxies[2]?.inject({ kind: "hang" });
  try {
    const stalled = [sell(there.apiToken), owner.get(`/api/programs/${there.id}`)];
    for (let i = 0; i < 20; i += 1) expect((await sell(here.apiToken)).status).toBe(200);
    expect((await owner.get(`/api/programs/${here.id}`)).status).toBe(200);
    expect((await Promise.all(stalled)).map(({ status }) => status)).toEqual([503, 503]);
  } finally {
    resume?.();
  }
});
