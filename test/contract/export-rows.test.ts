import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { openDashboard } from "../support/dashboard.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const staff = usersOfFile();

async function exported(world: World, kind: string, user = staff.owner): Promise<string> {
  const { status, text } = await user.get(`/api/programs/${world.programId}/export?kind=${kind}`);
  expect(status, text).toBe(200);
  return text;
}

const rowsOf = (csv: string): Json => {
  const [header = [], ...lines] = parseCsv(csv);
  return lines.map((cells, i) => ({
    line: i + 2,
    ...Object.fromEntries(header.map((name, n) => [name, cells[n] ?? ""])),
  }));
};

async function imported(world: World, kind: string, csv: string): Promise<readonly JsonObject[]> {
  const { status, text, body } = await staff.owner.post<{ data: { rows: JsonObject[] } }>(
    `/api/programs/${world.programId}/imports/rows`,
    { kind, source: "Export", rows: rowsOf(csv) },
  );
  expect(status, text).toBe(200);
  return body.data.rows;
}

async function openShop() {
  const shop = await openDashboard(staff);
  const { world, alice, bob } = shop;
  const manage = `/api/programs/${world.programId}`;
  const carol = { name: "Carol", code: "carol", email: "carol@partners.example", externalId: "c-1" };
  const { body } = await staff.owner.post<{ data: { id: number } }>(`${manage}/partners`, {
    ...{ ...carol, destinationUrl: "https://shop.example/c" },
  });
  await staff.owner.post(`${manage}/partners/${body.data.id}/links`, { code: "further" });
  await staff.owner.patch(`${manage}/partners/${body.data.id}`, { status: "paused" });
  // One customer of each kind: attributed by a click, with a subscription; unconfirmed; organic; in the test book;
  // without a key; imported; assigned.
  await shop.lead({ customer_key: "clicked", click_id: shop.click(alice, daysAgo(9)), occurred_at: at(daysAgo(8)) });
  const subscription = { sale_type: "subscription", subscription_interval: "monthly" };
  const sold = { amount_cents: 100, customer_key: "clicked", ...subscription };
  await shop.sale({ ...sold, transaction_id: "1", subscription_id: "s-1", occurred_at: at(daysAgo(7)) });
  await shop.sale({ ...sold, transaction_id: "2", subscription_id: "s-2", occurred_at: at(daysAgo(6)) });
  await shop.browserLead({ customer_key: "unconfirmed", click_id: shop.click(alice, daysAgo(9)) });
  await shop.sale({ transaction_id: "3", amount_cents: 100, customer_key: "organic" });
  await shop.lead({ customer_key: "tested", additional_data: { test_mode: true } });
  await shop.browserLead({ click_id: shop.click(bob, daysAgo(9)) });
  const known = { first_sale_at: "2026-03-01", subscription_id: "s-3" };
  await staff.owner.post(`${manage}/imports/rows`, {
    ...{ kind: "customers", source: "Elsewhere" },
    rows: [{ line: 1, customer_key: "=imported", partner_code: "further", ...known }],
  });
  await staff.owner.post(`${manage}/customers/assign`, {
    ...{ customerKey: "assigned", partnerId: bob.id, reason: "told us", since: at(daysAgo(5)), payPast: true },
  });
  return shop;
}

test("a file downloaded by a member begins with a byte order mark, and one downloaded with a key doesn't", {
  tags: "finding",
}, async () => {
  const { world } = await openDashboard(staff);
  const cookie = [...staff.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const startOf = async (path: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`${sharedService.url}${path}?kind=partners`, { headers });
    return Buffer.from(await response.arrayBuffer()).toString("latin1", 0, 7);
  };
  expect(await startOf(`/api/programs/${world.programId}/export`, { cookie })).toBe('\u00ef\u00bb\u00bf"nam');
  const bearer = { authorization: `Bearer ${world.key}` };
  expect(await startOf("/api/v1/programs/me/export", bearer)).toBe('"name",');
});

test("the export contains customers whose attribution is final, in the import format", async () => {
  const { world, alice, bob } = await openShop();
  const [header, ...lines] = parseCsv(await exported(world, "customers"));
  expect(header?.join()).toBe("customer_key,partner_code,since,pay_past,first_sale_at,subscription_id");
  const [sinceImported] = await world.rows(
    "select since from customers where program_id = ? and source = 'import'",
    world.programId,
  );
  expect(lines).toEqual([
    ["'=imported", "carol", at(Number(sinceImported?.since)), "true", "2026-03-01T00:00:00.000Z", "s-3"],
    ["assigned", bob.code, at(daysAgo(5)), "true", "", ""],
    ["clicked", alice.code, at(daysAgo(8)), "true", at(daysAgo(7)), "s-2"],
  ]);
});

test("importing an exported file into an empty program and exporting it again returns the same file", async () => {
  const { world } = await openShop();
  const other = await staff.world({ partners: [] });
  for (const kind of ["partners", "customers"]) {
    const csv = (await exported(world, kind)).replaceAll("'=", "=");
    const rows = await imported(other, kind, csv);
    expect(rows.map(({ result }) => result)).toEqual(rows.map(() => "created"));
    expect((await exported(other, kind)).replaceAll("'=", "=")).toBe(csv);
    expect((await imported(other, kind, csv)).map(({ result }) => result)).toEqual(rows.map(() => "unchanged"));
    expect((await imported(world, kind, csv)).map(({ result }) => result)).toEqual(rows.map(() => "unchanged"));
  }
});

test("the export lists a subscription only with the customer who has it now", async () => {
  const { world, alice, bob, ...shop } = await openDashboard(staff);
  const rows = [{ line: 1, customer_key: "a", partner_code: alice.code, subscription_id: "s" }];
  await staff.owner.post(`/api/programs/${world.programId}/imports/rows`, {
    kind: "customers",
    source: "Elsewhere",
    rows,
  });
  await shop.lead({ customer_key: "b", click_id: shop.click(bob, daysAgo(2)) });
  await shop.sale({ transaction_id: "t", amount_cents: 100, customer_key: "b", subscription_id: "s" });
  const [, ...lines] = parseCsv(await exported(world, "customers"));
  expect(lines.map((cells) => [cells[0], cells[5]])).toEqual([
    ["a", ""],
    ["b", "s"],
  ]);
  const again = await imported(world, "customers", await exported(world, "customers"));
  expect(again.map(({ result }) => result)).toEqual(["unchanged", "unchanged"]);
});

test("the export contains partners with their codes, and with email addresses only for admins", async () => {
  const { world } = await openShop();
  const carol = async (user = staff.owner) =>
    parseCsv(await exported(world, "partners", user)).find(([name]) => name === "Carol");
  expect(parseCsv(await exported(world, "partners"))[0]?.join()).toBe(
    "name,code,email,external_id,destination_url,group,status",
  );
  const cells = ["Carol", "carol;further", "carol@partners.example", "c-1", "https://shop.example/c", "", "paused"];
  expect(await carol(staff.admin)).toEqual(cells);
  expect(await carol(staff.viewer)).toEqual(cells.with(2, ""));
});

test("the export contains all customers if they fill more than one page", async () => {
  const { world, api, alice } = await openDashboard(staff);
  const rows = Array.from({ length: 501 }, (_, n) => ({
    line: n + 1,
    customer_key: `c${n}`,
    partner_code: alice.code,
  }));
  for (let n = 0; n < rows.length; n += 100) {
    const body = { kind: "customers", source: "Elsewhere", rows: rows.slice(n, n + 100) };
    await staff.owner.post(`/api/programs/${world.programId}/imports/rows`, body);
  }
  const csv = await exported(world, "customers");
  expect(new Set(parseCsv(csv).map(([key]) => key)).size).toBe(502);
  const keyed = await api.request("GET", "/api/v1/programs/me/export?kind=customers", { key: world.key });
  expect(keyed.text).toBe(csv);
});

test("a program key exports rows as JSON, with the columns of the file", async () => {
  const { world, api } = await openShop();
  for (const kind of ["partners", "customers"]) {
    const [head = [], ...lines] = parseCsv(await exported(world, kind));
    const address = `/api/v1/programs/me/export?kind=${kind}&format=json`;
    const { body, headers } = await api.request<{ data: JsonObject[] }>("GET", address, { key: world.key });
    expect(headers.get("Content-Type")).toBe("application/json");
    const cells = body.data.map((row) => head.map((name) => String(row[name] ?? "")));
    // In a file, an apostrophe keeps a spreadsheet from evaluating a formula.
    expect(cells).toEqual(lines.map((line) => line.map((cell) => cell.replace(/^'=/, "="))));
    expect(cells.length).toBeGreaterThan(0);
  }
});

test("an export without rows is an empty list in JSON", async () => {
  const { world, api } = await openDashboard(staff);
  const address = "/api/v1/programs/me/export?kind=customers&format=json";
  expect((await api.request("GET", address, { key: world.key })).body).toEqual({ data: [] });
});

test("an export in an unknown format is refused", async () => {
  const { world, api } = await openDashboard(staff);
  const address = "/api/v1/programs/me/export?kind=customers&format=xml";
  expect((await api.request("GET", address, { key: world.key })).status).toBe(400);
});

test("an export of an unknown kind is refused, and so is one requested by a member of another program", async () => {
  const { world } = await openDashboard(staff);
  expect((await staff.owner.get(`/api/programs/${world.programId}/export?kind=balances`)).status).toBe(400);
  expect((await (await sharedUser()).get(`/api/programs/${world.programId}/export?kind=partners`)).status).toBe(403);
});
