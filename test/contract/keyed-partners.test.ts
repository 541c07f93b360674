import { expect, test } from "vitest";
import type { JsonObject, Reply } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Partner {
  readonly id: number;
  readonly name: string;
  readonly code: string;
  readonly email?: string | null;
  readonly external_id: string | null;
  readonly link: string | null;
  readonly status: string;
}
interface One {
  readonly data: Partner;
}
interface List {
  readonly data: readonly Partner[];
  readonly meta: { readonly next_cursor: string | null };
}

const at = "/api/v1/programs/me/partners";
const create = (world: World, body: JsonObject, key = world.key) => sharedApi().request<One>("POST", at, { body, key });
const change = (world: World, id: number, body: JsonObject) =>
  sharedApi().request<One>("PATCH", `${at}/${id}`, { body, key: world.key });
const list = (world: World, query = "", key = world.key) => sharedApi().request<List>("GET", `${at}${query}`, { key });
const told = ({ status, body }: Reply<unknown>) => [status, body.error.details];

const anna = { name: "Anna", code: "anna", email: "anna@partners.example", external_id: "user-7" };

test("a key with the scope manage creates a partner, whose link works immediately", async () => {
  const world = await people.world();
  const { status, body } = await create(world, { ...anna, destination_url: "https://shop.example/welcome" });
  expect(status).toBe(201);
  expect(body.data).toEqual({
    ...anna,
    group_id: null,
    id: expect.any(Number),
    link: "https://shop.example/welcome?aff=anna",
    destination_url: "https://shop.example/welcome",
    status: "active",
    risk_exempt: false,
    created_at: expect.stringMatching(/Z$/),
  });
  const click = await sharedApi().click({
    affiliate_url: "https://shop.example/?aff=ANNA",
    program_id: world.programId,
  });
  expect(click.body.partner_code).toBe("anna");
  const seen = await people.owner.get<{ data: JsonObject }>(
    `/api/programs/${world.programId}/partners/${body.data.id}`,
  );
  expect(seen.body.data).toMatchObject({ externalId: "user-7", email: anna.email });
});

test("creating a partner again with the same external id returns the same partner, or a conflict if values differ", async () => {
  const world = await people.world();
  const all = await Promise.all(Array.from({ length: 8 }, () => create(world, anna)));
  expect(all.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
  expect(new Set(all.map(({ body }) => body.data.id)).size).toBe(1);
  const { email: _, ...without } = anna;
  expect((await create(world, without)).status).toBe(200);
  expect(told(await create(world, { ...anna, name: "Bea", code: "bea" }))).toEqual([
    409,
    { code: "differs", differences: ["name", "code"] },
  ]);
  expect(told(await create(world, { ...anna, email: "other@partners.example" }))).toEqual([
    409,
    { code: "differs", differences: ["email"] },
  ]);
  expect((await list(world)).body.data).toHaveLength(2);
  const entries = await world.rows(
    "select actor_id, after from audit_entries where program_id = ? and action = 'partner.created'",
    world.programId,
  );
  expect(entries).toHaveLength(1);
  expect(entries[0]?.actor_id).toMatch(/^key \d+$/);
});

test("a code that another partner has is refused, with and without an external id", async () => {
  const world = await people.world();
  await create(world, anna);
  for (const external_id of [undefined, "user-8"]) {
    const refused = await create(world, { name: "Bea", code: "ANNA", external_id });
    expect(told(refused)).toEqual([409, { code: "code_taken" }]);
  }
});

test("a partner's external id is unique within one program", async () => {
  const [one, other] = [await people.world(), await people.world()];
  const first = (await create(one, anna)).body.data;
  const second = (await create(other, anna)).body.data;
  expect(second.id).not.toBe(first.id);
  expect((await list(other, "?external_id=user-7")).body.data.map(({ id }) => id)).toEqual([second.id]);
  expect(told(await change(other, first.id, { name: "x" }))).toEqual([404, {}]);
});

test.each<[JsonObject, string[]]>([
  [{}, ["name", "code"]],
  [{ name: "x", code: "a" }, ["code"]],
  [{ name: "x", code: "anna", email: "no" }, ["email"]],
  [{ name: "x", code: "anna", external_id: "" }, ["external_id"]],
  [{ name: "x", code: "anna", external_id: "x".repeat(256) }, ["external_id"]],
  [{ name: "x", code: "anna", destination_url: "ftp://x" }, ["destination_url"]],
])("a key can't create a partner with %j", async (body, fields) => {
  const world = await people.world();
  const refused = await create(world, body);
  expect([refused.status, invalidFields(refused)]).toEqual([400, fields]);
  expect((await list(world)).body.data).toHaveLength(1);
});

test("a key changes a partner without changing omitted fields, and the external id must be unique", async () => {
  const world = await people.world();
  const { id } = (await create(world, anna)).body.data;
  const changed = await change(world, id, { name: "Anna B.", status: "paused" });
  expect([changed.status, changed.body.data]).toEqual([
    200,
    expect.objectContaining({ ...anna, name: "Anna B.", status: "paused" }),
  ]);
  const bea = (await create(world, { name: "Bea", code: "bea" })).body.data;
  expect(told(await change(world, bea.id, { external_id: "user-7" }))).toEqual([409, { code: "external_id_taken" }]);
  expect((await change(world, id, { external_id: null })).body.data.external_id).toBeNull();
  expect((await change(world, bea.id, { external_id: "user-7" })).body.data.external_id).toBe("user-7");
  for (const unknown of ["x", 1, -1]) {
    expect((await sharedApi().request("PATCH", `${at}/${unknown}`, { body: {}, key: world.key })).status).toBe(404);
  }
});

test("a key without the scope manage sees no email address", async () => {
  const world = await people.world({ keys: [{}, { scopes: ["read"] }] });
  await create(world, anna);
  const [managing, reading] = [await list(world), await list(world, "", world.keys[1])];
  expect(managing.body.data).toContainEqual(expect.objectContaining(anna));
  expect(reading.body.data).toContainEqual(expect.objectContaining({ code: "anna", external_id: "user-7" }));
  expect(reading.text).not.toContain("email");
});

test("a key lists partners 50 per page, newest first, each once", async () => {
  const world = await people.world({ partners: Array.from({ length: 60 }, () => ({})) });
  const first = await list(world);
  const second = await list(world, `?cursor=${first.body.meta.next_cursor}`);
  const ids = [...first.body.data, ...second.body.data].map(({ id }) => id);
  expect([first.body.data.length, ids.length, new Set(ids).size]).toEqual([50, 60, 60]);
  expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  expect(second.body.meta.next_cursor).toBeNull();
  const other = await list(world, "?cursor=x");
  expect([other.status, invalidFields(other)]).toEqual([400, ["cursor"]]);
});

test("the audit trail names the key as the author of its changes to partners", async () => {
  const world = await people.world({ keys: [{ name: "Partner sync" }] });
  const { id } = (await create(world, anna)).body.data;
  await change(world, id, { name: "Bea" });
  const { body } = await people.owner.get<{ data: JsonObject[] }>(`/api/programs/${world.programId}/audit`);
  expect(body.data).toMatchObject([
    { action: "partner.updated", actorName: "API key Partner sync", before: { name: "Anna" }, after: { name: "Bea" } },
    { action: "partner.created", actorName: "API key Partner sync", after: { externalId: "user-7" } },
  ]);
});

test("an email address replaced by a key excludes the partner from the next payout", async () => {
  const world = await people.world();
  const { id } = (await create(world, anna)).body.data;
  await change(world, id, { email: "thief@elsewhere.example" });
  const program = `/api/programs/${world.programId}`;
  const bonus = { amountCents: 500, currency: "EUR", reason: "Bonus", reference: "b" };
  expect((await people.owner.post(`${program}/partners/${id}/adjustments`, bonus)).status).toBe(201);
  const { body } = await people.owner.post<{ data: { id: number; lines: JsonObject[] } }>(`${program}/payouts`, {
    currency: "EUR",
    reference: "p",
  });
  expect(body.data.lines).toMatchObject([{ partnerId: id, detailsChangedAt: expect.any(String) }]);
  const finalized = await people.owner.post(`${program}/payouts/${body.data.id}/finalize`, {});
  expect(finalized.body.error.details.code).toBe("all_left_out");
});
