import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Row {
  readonly result: string;
  readonly code?: string;
  readonly field?: string;
  readonly id?: number;
  readonly warnings?: readonly string[];
}

async function newWorld(): Promise<World> {
  const world = await people.world({
    partners: [{ code: "anna" }, { code: "bob" }],
    coupons: [{ codes: ["BOB10"], partner: 1 }],
  });
  expectConsistentInTheEnd(world);
  return world;
}

const send = (world: World, rows: readonly JsonObject[], options: JsonObject = {}, by = people.admin) =>
  by.post<{ data: { rows: readonly Row[] } }>(`/api/programs/${world.programId}/imports/rows`, {
    kind: "coupons",
    source: "Pasted list",
    rows: rows.map((row, i) => ({ line: i + 1, ...row })) as Json,
    ...options,
  });
const run = async (...call: Parameters<typeof send>) => {
  const { status, text, body } = await send(...call);
  expect(status, text).toBe(200);
  return body.data.rows;
};
const resultsOf = (rows: readonly Row[]) =>
  rows.map(({ result, code, field }) => [result, code, field].filter(Boolean).join(" "));
const coupons = async ({ programId }: World) =>
  (await people.viewer.get<{ data: JsonObject[] }>(`/api/programs/${programId}/coupons`)).body.data
    .map(({ codes, partnerCode, status }) => `${String(codes)} ${partnerCode} ${status}`)
    .toSorted();

const ben = { code: "BEN10", partner_code: "anna" };

test("imported coupons are created in one call, with a result for each row", async () => {
  const world = await newWorld();
  const rows = [
    ben,
    { code: "ben10", partner_code: "ANNA" },
    { code: "ben10", partner_code: "bob" },
    { code: "bob10", partner_code: "bob" },
    { code: "BOB10", partner_code: "anna" },
    { code: "with space", partner_code: "anna" },
    { code: "", partner_code: "anna" },
    { code: "C".repeat(65), partner_code: "anna" },
    { code: "null", partner_code: "anna" },
    { code: "NEW", partner_code: "nina" },
    { code: "LATE", partner_code: "anna", valid_from: "2026-03-02", valid_until: "2026-03-01" },
    { code: "PAUSED", partner_code: "bob", status: "paused", valid_until: "2099-12-31T22:59:59.999Z" },
  ];
  const expected = [
    "created",
    "unchanged",
    "refused coupon_taken code",
    "unchanged",
    "refused coupon_taken code",
    "refused invalid_value code",
    "refused invalid_value code",
    "refused invalid_value code",
    "refused placeholder_id code",
    "refused unknown_partner partner_code",
    "refused never_valid valid_until",
    "created",
  ];
  expect(resultsOf(await run(world, rows, { dryRun: true }))).toEqual(expected);
  expect(await coupons(world)).toEqual(["BOB10 bob active"]);
  await world.change({ sql: "update partners set status = 'paused' where id = ?", args: [world.partners[1]?.id ?? 0] });
  const made = await run(world, rows);
  expect(resultsOf(made)).toEqual(expected);
  expect(made.map(({ warnings }) => warnings).filter(Boolean)).toEqual([["partner_paused"]]);
  expect(made[1]?.id).toBe(made[0]?.id);
  expect(await coupons(world)).toEqual(["BEN10 anna active", "BOB10 bob active", "PAUSED bob paused"]);
});

test("an imported coupon that is sent again after a lost response, or in parallel, is created once", async () => {
  const world = await newWorld();
  const rows = Array.from({ length: 20 }, (_, i) => ({ code: `ANNA${i}`, partner_code: "anna" }));
  const all = await Promise.all([run(world, rows), run(world, rows), run(world, rows.slice(0, 5))]);
  const created = all.flat().filter(({ result }) => result === "created");
  expect(created).toHaveLength(20);
  expect(new Set(all.flat().map(({ id }) => id)).size).toBe(20);
  expect(resultsOf(await run(world, rows))).toEqual(rows.map(() => "unchanged"));
  expect(await coupons(world)).toHaveLength(21);
  const audit = await people.admin.get<{ data: { action: string }[] }>(`/api/programs/${world.programId}/audit`);
  expect(audit.body.data.filter(({ action }) => action === "coupon.created").length).toBeGreaterThanOrEqual(20);
});

test("an import pauses and resumes an existing coupon only with `update`", async () => {
  const world = await newWorld();
  await run(world, [ben]);
  const paused = [{ ...ben, status: "paused" }];
  expect(resultsOf(await run(world, paused))).toEqual(["refused differs status"]);
  expect(resultsOf(await run(world, paused, { update: true }))).toEqual(["updated"]);
  expect(resultsOf(await run(world, paused, { update: true }))).toEqual(["unchanged"]);
  expect(resultsOf(await run(world, [ben], { update: true }))).toEqual(["unchanged"]);
  expect(resultsOf(await run(world, [{ ...ben, partner_code: "bob" }], { update: true }))).toEqual([
    "refused coupon_taken code",
  ]);
  expect(await coupons(world)).toEqual(["BEN10 anna paused", "BOB10 bob active"]);
  expect(resultsOf(await run(world, [{ ...ben, status: "active" }], { update: true }))).toEqual(["updated"]);
  expect(await coupons(world)).toEqual(["BEN10 anna active", "BOB10 bob active"]);
});

test("an import of coupons is refused from a viewer, and for an archived program or an erased partner", async () => {
  const world = await newWorld();
  expect((await send(world, [ben], {}, people.viewer)).status).toBe(403);
  const path = `/api/programs/${world.programId}`;
  expect((await people.owner.post(`${path}/partners/${world.partner.id}/erase`, { confirm: true })).status).toBe(200);
  expect(resultsOf(await run(world, [ben]))).toEqual(["refused partner_erased partner_code"]);
  expect((await people.owner.patch(path, { status: "archived" })).status).toBe(200);
  expect((await send(world, [ben])).status).toBe(409);
});
