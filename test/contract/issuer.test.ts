import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const path = ({ programId }: World) => `/api/programs/${programId}`;
const set = (world: World, issuer: Json, user: User = people.owner) =>
  user.patch<{ data: JsonObject }>(path(world), { issuer });

const issuer = { name: "Sample shop B.V.", address: "Keizersgracht 1\n1015 CC Amsterdam", taxId: "NL001234567B01" };

test("an owner sets and removes the issuer of statements, and every member sees it", async () => {
  const world = await people.world();
  const read = async (user: User) => (await user.get<{ data: JsonObject }>(path(world))).body.data.issuer;
  expect(await read(people.viewer)).toBeNull();
  const written = { ...issuer, name: ` ${issuer.name} `, address: "Keizersgracht 1 \r\n\r\n 1015 CC Amsterdam\n" };
  expect((await set(world, written)).body.data.issuer).toEqual(issuer);
  expect(await read(people.viewer)).toEqual(issuer);
  for (const user of [people.admin, people.viewer]) expect((await set(world, null, user)).status).toBe(403);
  const { taxId: _, ...withoutTaxId } = issuer;
  expect((await set(world, withoutTaxId)).body.data.issuer).toEqual({ ...issuer, taxId: null });
  expect((await set(world, null)).body.data.issuer).toBeNull();

  const { body, text } = await people.admin.get<{ data: JsonObject[] }>(`${path(world)}/audit`);
  expect(body.data).toMatchObject([
    { after: { issuerName: null, issuerAddress: null } },
    { before: { issuerTaxId: "7B01" }, after: { issuerTaxId: null } },
    { after: { issuerName: issuer.name, issuerAddress: issuer.address, issuerTaxId: "7B01" } },
  ]);
  expect(text).not.toContain(issuer.taxId);
  expect(await world.audit()).toEqual([]);
});

test.each<[Json, string[]]>([
  [{ ...issuer, name: "x".repeat(121) }, ["issuer.name"]],
  [{ ...issuer, address: "x".repeat(301) }, ["issuer.address"]],
  [{ ...issuer, address: "a\u0001b" }, ["issuer.address"]],
  [{ ...issuer, address: "1\n2\n3\n4\n5\n6\n7\n8\n9" }, ["issuer.address"]],
  [{ ...issuer, taxId: "x".repeat(41) }, ["issuer.taxId"]],
  [{ name: issuer.name }, ["issuer.address"]],
  [{ address: issuer.address }, ["issuer.name"]],
])("an invalid issuer of statements is refused: %j", async (wrong, fields) => {
  const world = await people.world();
  const reply = await set(world, wrong);
  expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
});
