import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const path = ({ programId }: World) => `/api/programs/${programId}`;
const set = (world: World, payer: Json, user: User = people.owner) =>
  user.patch<{ data: JsonObject }>(path(world), { payer });
const read = async (world: World, user: User) => (await user.get<{ data: JsonObject }>(path(world))).body.data;

const account = { name: "Café & Söhne GmbH", iban: "DE89 3704 0044 0532 0130 00", bic: "cobadeffxxx" };
const stored = { name: account.name, iban: "DE89370400440532013000", bic: "COBADEFFXXX" };

test("owners set and remove the payer account for payment files, and only owners and admins see it", async () => {
  const world = await people.world();
  expect(await read(world, people.owner)).toHaveProperty("payer", null);
  expect((await set(world, account)).body.data.payer).toEqual(stored);
  expect([(await read(world, people.owner)).payer, (await read(world, people.admin)).payer]).toEqual([stored, stored]);
  expect(await read(world, people.viewer)).not.toHaveProperty("payer");
  const list = (user: User) => user.get<{ data: JsonObject[] }>(`/api/programs?workspaceId=${world.workspaceId}`);
  expect((await list(people.admin)).body.data[0]?.payer).toEqual(stored);
  expect((await list(people.viewer)).text).not.toContain("payer");

  const { bic, ...withoutBic } = stored;
  expect((await set(world, withoutBic)).body.data.payer).toEqual({ ...stored, bic: null });
  expect((await set(world, null)).body.data.payer).toBeNull();
});

test("admins and viewers can't change the payer account, but an admin can send it unchanged", async () => {
  const world = await people.world();
  for (const user of [people.admin, people.viewer]) expect((await set(world, account, user)).status).toBe(403);
  await set(world, account);
  expect((await set(world, account, people.admin)).status).toBe(200);
  for (const change of [null, { ...account, name: "Ada" }, { ...account, bic: null }]) {
    expect((await set(world, change, people.admin)).status).toBe(403);
  }
  expect((await read(world, people.owner)).payer).toEqual(stored);
});

test.each<[Json, string[]]>([
  [{ ...account, iban: "DE88370400440532013000" }, ["payer.iban"]],
  [{ ...account, iban: "" }, ["payer.iban"]],
  [{ name: "Ada" }, ["payer.iban"]],
  [{ iban: account.iban }, ["payer.name"]],
  [{ ...account, name: " " }, ["payer.name"]],
  [{ ...account, name: "x".repeat(71) }, ["payer.name"]],
  [{ ...account, bic: "COBADE" }, ["payer.bic"]],
  [{ ...account, bic: "COBADEFFX" }, ["payer.bic"]],
  ["DE89370400440532013000", ["payer"]],
])("an invalid payer account is refused: %j", async (payer, fields) => {
  const world = await people.world();
  const reply = await set(world, payer);
  expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
});

test("the audit trail contains only the end of the IBAN", async () => {
  const world = await people.world();
  await set(world, account);
  await set(world, { ...account, iban: "FR14 2004 1010 0505 0001 3M02 606" });
  await set(world, null);
  const { body, text } = await people.admin.get<{ data: JsonObject[] }>(`${path(world)}/audit`);
  expect(body.data).toMatchObject([
    { before: { payerIban: "2606" }, after: { payerName: null, payerIban: null, payerBic: null } },
    { before: { payerIban: "3000" }, after: { payerIban: "2606" } },
    { before: { payerIban: null }, after: { payerName: stored.name, payerIban: "3000", payerBic: stored.bic } },
  ]);
  expect(text).not.toMatch(/DE89|FR14/);
});

test("an archived program keeps its payer account", async () => {
  const world = await people.world();
  await set(world, account);
  await people.owner.patch(path(world), { status: "archived" });
  expect(refusalOf(await set(world, null))).toBe("409 This program is archived. Restore it first.");
});
