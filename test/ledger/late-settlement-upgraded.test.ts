import { expect, it } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";

const own = isolatedService();

it("a late settlement is deducted under another reference if an adjustment from an earlier release already has the reference for the line", async () => {
  const owner = await own.user();
  const keys = [{}, { name: "Billing", scopes: ["read", "settle"], book: "both" } as const];
  const world = await own.world({ members: [{ user: owner, role: "owner" }], keys });
  const key = world.keys[1] ?? "";
  const program = `/api/programs/${world.programId}`;
  for (const [reference, amountCents] of [
    ["bonus", 2_000],
    ["earlier", -500],
  ] as const) {
    const body = { currency: "EUR", reason: "Agreed", reference, amountCents };
    expect((await owner.post(`${program}/partners/${world.partner.id}/adjustments`, body)).status).toBe(201);
  }
  const terms = { currency: "EUR", settledBy: "api" };
  const { data } = (await owner.post<{ data: { id: number } }>(`${program}/payouts`, terms)).body;
  expect((await owner.post(`${program}/payouts/${data.id}/finalize`, {})).status).toBe(200);
  const path = `/api/v1/programs/me/payouts/${data.id}/lines`;
  const listed = await own.api().request<{ data: { line_id: number }[] }>("GET", path, { key });
  const line = listed.body.data[0]?.line_id;

  // The earlier version knew no reserved references.
  const rename = [
    `update adjustments set reference = 'settled:${line}' where reference = 'earlier'`,
    `update audit_entries set after = json_set(after, '$.reference', 'settled:${line}') where after ->> '$.reference' = 'earlier'`,
  ];
  const triggers = await world.rows(
    "select name, sql from sqlite_master where type = 'trigger' and tbl_name in ('adjustments', 'audit_entries')",
  );
  for (const { name } of triggers) await world.write({ sql: `drop trigger ${name}`, args: [] });
  for (const sql of rename) await world.write({ sql, args: [] });
  for (const { sql } of triggers) await world.write({ sql: String(sql), args: [] });
  expect(await world.audit()).toEqual([]);

  const tell = async (what: string, body: Record<string, string>) =>
    (await own.api().request<{ data: { late?: boolean } }>("POST", `${path}/${line}/${what}`, { key, body })).body;
  await tell("fail", { reason: "No customer" });
  expect(await world.audit()).toEqual([]);
  for (const _ of ["first", "again"]) {
    expect(await tell("settle", { settlement_id: "one" })).toMatchObject({ data: { late: true } });
  }
  expect(await world.rows("select reference, amount_cents from adjustments order by id desc limit 1")).toEqual([
    { reference: `settled:${line}:late`, amount_cents: -1_500 },
  ]);
  expect(await world.audit()).toEqual([]);
});
