import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { sharedApi, sharedUser } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Row {
  readonly line: number;
  readonly result: string;
  readonly code?: string;
  readonly field?: string;
  readonly id?: number;
  readonly warnings?: readonly string[];
}
interface Imported {
  readonly data: { readonly rows: readonly Row[] };
}

const send = (world: World, body: JsonObject, user = people.admin) =>
  user.post<Imported>(`/api/programs/${world.programId}/imports/rows`, {
    kind: "partners",
    source: "Former program",
    ...body,
  });
const numbered = (rows: readonly JsonObject[]): Json => rows.map((row, i) => ({ line: i + 1, ...row }));
const run = async (world: World, rows: readonly JsonObject[], options: JsonObject = {}) => {
  const { status, text, body } = await send(world, { rows: numbered(rows), ...options });
  expect(status, text).toBe(200);
  return body.data.rows;
};
const told = (rows: readonly Row[]) =>
  rows.map(({ result, code, field, warnings }) => [result, code, field, warnings?.[0]].filter(Boolean).join(" "));
const shown = async (world: World, id: number | undefined) =>
  (
    await people.owner.get<{ data: JsonObject & { links: { code: string }[] } }>(
      `/api/programs/${world.programId}/partners/${id}`,
    )
  ).body.data;
const books = async (world: World) =>
  JSON.stringify(
    await world.allRows({
      partners: "select * from partners where program_id = ? order by id",
      links: "select * from referral_links where program_id = ? order by id",
      audit: "select * from audit_entries where program_id = ? order by id",
      adjustments: "select * from adjustments where program_id = ? order by id",
      entries: "select * from ledger_entries where program_id = ? order by id",
    }),
  );

const anna = { name: "Anna", code: "anna; anna-blog", email: "anna@partners.example", external_id: "u-1" };

test("partners are imported with all their codes, whose links work immediately", async () => {
  const world = await people.world();
  const rows = await run(world, [
    { ...anna, destination_url: "https://shop.example/a", status: "active" },
    { name: "  Bea ", code: "bea", email: "" },
    { name: "Cy", code: "cy", status: "paused" },
  ]);
  expect(told(rows)).toEqual(["created", "created", "created"]);
  expect(await shown(world, rows[0]?.id)).toMatchObject({
    ...{ name: "Anna", code: "anna", email: anna.email, externalId: "u-1", status: "active" },
    links: [
      { code: "anna", madeBy: "import", link: "https://shop.example/a?aff=anna" },
      { code: "anna-blog", madeBy: "import", link: "https://shop.example/a?aff=anna-blog" },
    ],
  });
  expect(await shown(world, rows[1]?.id)).toMatchObject({ name: "Bea", email: null, externalId: null });
  const click = async (code: string) =>
    (await sharedApi().click({ affiliate_url: `https://shop.example/?aff=${code}`, program_id: world.programId })).body;
  expect(await click("ANNA-blog")).toMatchObject({ partner_code: "anna-blog" });
  expect(await click("cy")).toMatchObject({ success: false });
});

test("partners are imported into groups, and exported with their groups", async () => {
  const world = await people.world({ groups: [{ name: "Gold" }, { name: "Silver" }] });
  const [gold, silver] = world.groups;
  const grouped = { ...anna, group: "gold" };
  const [created] = await run(world, [grouped]);
  const groupOf = async () => (await shown(world, created?.id)).groupId;
  expect(await groupOf()).toBe(gold?.id);
  const before = await books(world);
  expect(told(await run(world, [grouped, anna, { ...anna, group: "Bronze" }]))).toEqual([
    ...["unchanged", "unchanged", "refused unknown_group group"],
  ]);
  const moved = { ...anna, group: "SILVER" };
  expect(told(await run(world, [moved]))).toEqual(["refused differs group"]);
  expect(await books(world)).toBe(before);
  expect(told(await run(world, [moved], { update: true }))).toEqual(["updated"]);
  expect(await groupOf()).toBe(silver?.id);
  const file = await people.admin.get<string>(`/api/programs/${world.programId}/export?kind=partners`);
  expect(file.text).toMatch(/"Anna","anna;anna-blog","anna@partners.example","u-1",[^,]*,"Silver","active"/);
  expect(await world.audit()).toEqual([]);
});

test("a click with an unknown code is refused, and accepted after an import has created the code", async () => {
  const world = await people.world();
  const click = () =>
    sharedApi().click({ affiliate_url: "https://shop.example/?aff=soon", program_id: world.programId });
  expect((await click()).status).toBe(400);
  await run(world, [{ name: "Soon", code: "soon" }]);
  expect((await click()).status).toBe(200);
});

test("importing the same partners again changes nothing, in any order and any division into calls", async () => {
  const world = await people.world();
  const rows = [anna, { name: "Bea", code: "bea" }, { name: "Cy", code: "cy", external_id: "u-3" }];
  const first = await run(world, rows);
  const before = await books(world);
  const again = await run(world, rows);
  expect(told(again)).toEqual(["unchanged", "unchanged", "unchanged"]);
  expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
  for (const row of rows.toReversed()) expect(told(await run(world, [row]))).toEqual(["unchanged"]);
  expect(await books(world)).toBe(before);
});

test("a dry run of an import of partners has the same response as the import, and changes nothing", async () => {
  const world = await people.world({ partners: [{ code: "taken" }] });
  await run(world, [anna]);
  const rows = [
    { ...anna, name: "Other" },
    { name: "Bea", code: "bea", email: anna.email },
    { name: "Bea", code: "BEA" },
    { name: "Cy", code: "bea" },
    { name: "Dee", code: "taken" },
    { name: "Eve", code: "no good" },
    { name: "", code: "eve" },
  ];
  const before = await books(world);
  const checked = await run(world, rows, { dryRun: true, update: true });
  expect(await books(world)).toBe(before);
  const imported = await run(world, rows, { update: true });
  expect(told(checked)).toEqual(told(imported));
  expect(checked.map(({ id }) => id === undefined)).toEqual([false, true, true, true, false, true, true]);
});

test("an import row finds its partner by external id, or else by its first code, and changes the partner's other values only with `update`", async () => {
  const world = await people.world();
  const [first] = await run(world, [anna]);
  const changed = { ...anna, code: "anna-new", name: "Anna B.", email: "b@partners.example" };
  expect(told(await run(world, [changed]))).toEqual(["refused differs name"]);
  const [updated] = await run(world, [changed], { update: true });
  expect(updated).toEqual({ line: 1, result: "updated", id: first?.id });
  expect(await shown(world, first?.id)).toMatchObject({
    ...{ name: "Anna B.", email: "b@partners.example", code: "anna", externalId: "u-1" },
    links: [{ code: "anna" }, { code: "anna-blog" }, { code: "anna-new" }],
  });
  expect(told(await run(world, [{ name: "Anna B.", code: "ANNA-blog" }]))).toEqual(["unchanged"]);
  expect(told(await run(world, [{ name: "Anna B.", code: "anna", status: "paused" }]))).toEqual([
    "refused differs status",
  ]);
  const [paused] = await run(world, [{ name: "Anna B.", code: "anna", status: "paused" }], { update: true });
  expect([paused?.result, (await shown(world, first?.id)).status]).toEqual(["updated", "paused"]);
  const click = await sharedApi().click({
    affiliate_url: "https://shop.example/?aff=anna-new",
    program_id: world.programId,
  });
  expect(click.body.success).toBe(false);
});

test("an import row with another partner's code is refused, also within one call", async () => {
  const world = await people.world({ partners: [{ code: "world" }] });
  await run(world, [anna]);
  const rows = [
    { name: "Bea", code: "bea; ANNA-BLOG" },
    { name: "Bea", code: "anna", external_id: "u-2" },
    { name: "Cy", code: "cy" },
    { name: "Dee", code: "dee;cy" },
    { name: "Anna", code: "anna; world", external_id: "u-1" },
  ];
  expect(told(await run(world, rows, { update: true }))).toEqual([
    "refused code_taken code",
    "refused code_taken code",
    "created",
    "refused code_taken code",
    "refused code_taken code",
  ]);
  const codes = await world.rows("select code from referral_links where program_id = ? order by code", world.programId);
  expect(codes.map(({ code }) => code)).toEqual(["anna", "anna-blog", "cy", "world"]);
});

test.each<[JsonObject, string]>([
  [{ name: "x" }, "refused invalid_value code"],
  [{ name: "x", code: " ; " }, "refused invalid_code code"],
  [{ name: "x", code: "a" }, "refused invalid_code code"],
  [{ name: "x", code: "ok;~verification-1" }, "refused invalid_code code"],
  [{ code: "ok" }, "refused invalid_value name"],
  [{ name: "x\u0007", code: "ok" }, "refused invalid_value name"],
  [{ name: "\u200b\u00a0", code: "ok" }, "refused invalid_value name"],
  [{ name: ["x"], code: "ok" }, "refused invalid_value name"],
  [{ name: "x", code: "ok", email: "no" }, "refused invalid_value email"],
  [{ name: "x", code: "ok", destination_url: "ftp://x" }, "refused invalid_value destination_url"],
  [{ name: "x", code: "ok", status: "gone" }, "refused invalid_value status"],
  [{ name: "x", code: "ok", group: "Gold" }, "refused unknown_group group"],
  [{ name: "x", code: "ok", payment_method: "paypal" }, "refused owner_only payment_method"],
  [{ name: "x", code: Array.from({ length: 50_000 }, (_, i) => `c${i}`).join(";") }, "refused links_full code"],
  [{ name: "x", code: Array.from({ length: 21 }, (_, i) => `c-${i}`).join(";") }, "refused links_full code"],
  [{ name: 12, code: 34 }, "created"],
  [{ name: "x", code: "ok", group: " ", payment_account: null, column_of_another: {} }, "created"],
])("importing a partner with %j has the result: %s", async (row, result) => {
  const world = await people.world();
  expect(told(await run(world, [row, { name: "Good", code: "good" }]))).toEqual([result, "created"]);
});

test("the second of two conflicting import rows about one partner is refused, so importing both again changes nothing", async () => {
  const world = await people.world();
  const rows = [
    { name: "A", code: "flip" },
    { name: "B", code: "flip" },
  ];
  for (const first of ["created", "unchanged", "unchanged"]) {
    expect(told(await run(world, rows, { update: true }))).toEqual([first, "refused differs name"]);
  }
});

test("importing payment columns requires an owner, and importing the same rows again changes nothing", async () => {
  const world = await people.world();
  const row = { name: "Paid", code: "paid", payment_method: "Bank", payment_account: "DE89 3704 0044 0532 0130 00" };
  const import_ = async (rows: JsonObject[], others = {}) =>
    told((await send(world, { rows: numbered(rows), ...others }, people.owner)).body.data.rows);
  expect(
    await import_([
      { ...row, payment_account: "DE89" },
      { ...row, payment_method: "" },
      { ...row, payment_account: "" },
    ]),
  ).toEqual([
    "refused invalid_value payment_account",
    "refused invalid_value payment_method",
    "refused invalid_value payment_method",
  ]);
  expect(await import_([row], { dryRun: true })).toEqual(["created"]);
  expect(await import_([row])).toEqual(["created"]);
  expect(await import_([row])).toEqual(["unchanged"]);
  const other = { ...row, payment_method: "paypal", payment_account: "paid@example.com" };
  expect(await import_([other])).toEqual(["refused differs payment_account"]);
  expect(await import_([other], { update: true })).toEqual(["updated"]);
  expect(await import_([other], { update: true })).toEqual(["unchanged"]);
  expect(await import_([{ name: "Paid", code: "paid" }], { update: true })).toEqual(["unchanged"]);
  const versions = await world.rows(
    "select method, last4, details_changed_at > 0 as is_changed from payment_details d join partners p on p.id = d.partner_id where d.program_id = ? order by d.id",
    world.programId,
  );
  expect(versions).toEqual([
    { method: "bank", last4: "3000", is_changed: 1 },
    { method: "paypal", last4: "p•••@example.com", is_changed: 1 },
  ]);
});

test("an import can replace an email address only after a recent sign-in", async () => {
  const admin = await sharedUser("Importer");
  const world = await people.world({ members: [...people.members(), { user: admin, role: "admin" }] });
  await run(world, [anna]);
  await world.write({
    sql: "update sessions set confirmed_at = confirmed_at - 7200000 where user_id = ?",
    args: [admin.userId],
  });
  const rows = numbered([{ ...anna, email: "thief@elsewhere.example" }]);
  const refused = await send(world, { rows, update: true }, admin);
  expect([refused.status, refused.body.error.details.code]).toEqual([403, "reauthenticate"]);
  expect((await send(world, { rows, update: true, dryRun: true }, admin)).status).toBe(200);
  expect((await send(world, { rows: numbered([{ name: "Bea", code: "bea" }]), update: true }, admin)).status).toBe(200);
});

test("an email address replaced by an import excludes the partner from payouts, like any other change of the address", async () => {
  const world = await people.world();
  const [row] = await run(world, [anna]);
  await run(world, [{ ...anna, email: "new@partners.example" }], { update: true });
  const [partner] = await world.rows("select details_changed_at from partners where id = ?", row?.id ?? 0);
  expect(partner?.details_changed_at).toEqual(expect.any(Number));
});

test("parallel imports create each partner once", async () => {
  const world = await people.world();
  const rows = Array.from({ length: 30 }, (_, i) => ({ name: `P${i}`, code: `p-${i}`, external_id: `u-${i}` }));
  const all = await Promise.all([rows, rows.toReversed(), rows, rows.slice(10)].map((part) => run(world, part)));
  expect(all.flat().filter(({ result }) => result === "created")).toHaveLength(30);
  expect(all.flat().filter(({ result }) => result === "unchanged")).toHaveLength(80);
  const [count] = await world.rows("select count(*) as n from partners where program_id = ?", world.programId);
  expect(count?.n).toBe(31);
});

test("the audit trail has an entry for each import of partners, with its counts", async () => {
  const world = await people.world();
  await run(world, [anna, { name: "Bea", code: "anna" }]);
  const { body } = await people.owner.get<{ data: JsonObject[] }>(`/api/programs/${world.programId}/audit`);
  expect(body.data.map(({ action }) => action)).toEqual(["rows.imported", "link.created", "partner.created"]);
  expect(body.data[0]).toMatchObject({
    actorName: "admin",
    after: { kind: "partners", source: "Former program", created: 1, refused: 1 },
  });
});

test.each<[string, JsonObject, string]>([
  ["no rows", { rows: [] }, "rows"],
  ["101 rows", { rows: numbered(Array(101).fill({ name: "x", code: "x1" })) }, "rows"],
  ["a row without a line", { rows: [{ name: "x", code: "ok" }] }, "rows"],
  ["two rows with the same line", { rows: [{ line: 1 }, { line: 1 }] }, "rows"],
  ["an unknown kind", { kind: "sales", rows: numbered([{}]) }, "kind"],
  ["a blank source", { source: " ", rows: numbered([{}]) }, "source"],
  ["a long source", { source: "x".repeat(41), rows: numbered([{}]) }, "source"],
  ["a dryRun that isn't boolean", { dryRun: "true", rows: numbered([{}]) }, "dryRun"],
])("an import call with %s is refused", async (_, body, field) => {
  const refused = await send(await people.world(), body);
  expect([refused.status, invalidFields(refused)?.[0]?.split(".")[0]]).toEqual([400, field]);
});

test("an import call can have a body of up to 512 KiB", async () => {
  const world = await people.world();
  const rows = Array.from({ length: 100 }, (_, i) => ({ name: `P${i}`, code: `p-${i}`, note: "x".repeat(5_000) }));
  expect(told(await run(world, rows))).toEqual(Array(100).fill("created"));
  const larger = await send(world, { rows: numbered(rows.map((row) => ({ ...row, note: "x".repeat(5_400) }))) });
  expect([larger.status, larger.body.error.message]).toEqual([413, "Request body is larger than 512 KiB"]);
});

test("only admins can import partners, and an archived program accepts no rows", async () => {
  const world = await people.world();
  expect((await send(world, { rows: numbered([anna]) }, people.viewer)).status).toBe(403);
  await people.owner.patch(`/api/programs/${world.programId}`, { status: "archived" });
  expect((await send(world, { rows: numbered([anna]) })).status).toBe(409);
});

test("a key with the scope manage can import partners, with snake_case fields", async () => {
  const world = await people.world({ keys: [{ name: "Mover" }] });
  const call = (body: JsonObject) =>
    sharedApi().request<Imported>("POST", "/api/v1/programs/me/imports/rows", {
      key: world.key,
      body: { kind: "partners", source: "Script", rows: numbered([anna]), ...body },
    });
  expect(told((await call({ dry_run: true })).body.data.rows)).toEqual(["created"]);
  expect(told((await call({})).body.data.rows)).toEqual(["created"]);
  expect(told((await call({})).body.data.rows)).toEqual(["unchanged"]);
  const { body } = await people.owner.get<{ data: JsonObject[] }>(`/api/programs/${world.programId}/audit`);
  expect(body.data.map(({ actorName }) => actorName)).toEqual(Array(3).fill("API key Mover"));
});
