import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { partnerSide } from "../support/partner-side.ts";
import { sharedApi, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Row {
  readonly result: string;
  readonly id?: number;
  readonly warnings?: readonly string[];
}
interface Imported {
  readonly data: { readonly rows: readonly Row[] };
}

const bodyOf = (rows: readonly JsonObject[]) => ({
  ...{ kind: "partners", source: "Former program" },
  rows: rows.map((row, i) => ({ line: i + 1, ...row })),
});
const run = async (world: World, rows: readonly JsonObject[]) => {
  const reply = await people.admin.post<Imported>(`/api/programs/${world.programId}/imports/rows`, bodyOf(rows));
  return reply.body.data.rows;
};
const told = (rows: readonly Row[]) => rows.map(({ result, warnings = [] }) => [result, ...warnings].join(" "));

const anna = { name: "Anna", code: "anna", email: "anna@partners.example" };

test("an imported partner with another partner's email address has a warning", async () => {
  const world = await people.world();
  await run(world, [anna]);
  const rows = [
    { name: "Bea", code: "bea", email: anna.email },
    { name: "Cy", code: "cy", email: "cy@partners.example" },
    { name: "Dee", code: "dee", email: "cy@partners.example" },
  ];
  expect(told(await run(world, rows))).toEqual([...["created same_email", "created same_email", "created same_email"]]);
});

test("the warning about another partner's email address ignores case, and also compares the addresses of partners' accounts", async () => {
  const world = await people.world();
  const [first] = await run(world, [anna, { name: "Bea", code: "bea" }]);
  const account = await sharedUser();
  await partnerSide(world, account, Number(first?.id) + 1);
  const rows = [
    { name: "Cy", code: "cy", email: anna.email.toUpperCase() },
    { name: "Dee", code: "dee", email: account.email },
    { name: "Eve", code: "eve", email: "eve@partners.example" },
  ];
  expect(told(await run(world, rows))).toEqual(["created same_email", "created same_email", "created"]);
  expect(told(await run(world, rows))).toEqual(["unchanged same_email", "unchanged same_email", "unchanged"]);
});

test("if a key imports partners, the warning about equal email addresses compares only the rows of the same call", async () => {
  const world = await people.world();
  await run(world, [anna]);
  const rows = [
    { name: "Anna", code: "anna" },
    { name: "Bea", code: "bea", email: anna.email },
    { name: "Cy", code: "cy", email: "cy@partners.example" },
    { name: "Dee", code: "dee", email: "CY@partners.example" },
  ];
  for (const result of ["created", "unchanged"]) {
    const address = "/api/v1/programs/me/imports/rows";
    const reply = await sharedApi().request<Imported>("POST", address, { key: world.key, body: bodyOf(rows) });
    const same = `${result} same_email`;
    expect(told(reply.body.data.rows)).toEqual(["unchanged", result, same, same]);
  }
});
