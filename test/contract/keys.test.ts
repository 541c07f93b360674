import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { mintProgramKey } from "#domain/program-key.ts";
import { at, createProgramFixture, daysAgo, type ProgramFixture } from "../support/program-fixture.ts";
import { searchedTables } from "../support/searched-tables.ts";

const missing = "Missing API key. Send it as Authorization: Bearer <key>.";
const never = "Invalid API token";

/** Every call that takes a key, with a valid and an invalid body. */
const calls = {
  click: ({ api, alice }: ProgramFixture, key?: string, isGood = true) => {
    const occurred_at = at(daysAgo(1));
    return api.click({ affiliate_url: isGood ? alice.landingUrl : 5, occurred_at }, { key });
  },
  lead: ({ api }: ProgramFixture, key?: string, isGood = true) => api.lead({ customer_key: isGood ? "u" : 5 }, { key }),
  sale: ({ api }: ProgramFixture, key?: string, isGood = true) =>
    api.sale({ transaction_id: "t", amount_cents: isGood ? 100 : 0, customer_key: "u" }, { key }),
  refund: ({ api }: ProgramFixture, key?: string, isGood = true) =>
    api.refund({ transaction_id: isGood ? "t" : 5, refund_amount_cents: 1 }, { key }),
  readiness: ({ api }: ProgramFixture, key?: string) => api.readiness({ key }),
} as const;
type Call = keyof typeof calls;
const all = Object.keys(calls) as Call[];

const refusalOf = (call: Call, message: string, code: string) => ({
  status: 401,
  body: { error: call === "readiness" ? { code, message } : { status: 401, name: "UnauthorizedError", message } },
});

describe.each(["sale", "refund", "readiness"] as const)("%s without a key", (call) => {
  it.each([{}, { authorization: "Basic dTpw" }, { authorization: "Bearer " }, { cookie: "session=valid" }])(
    "a call without a key is refused with the headers %j",
    async (headers) => {
      const shop = await createProgramFixture();
      const [method, path] = call === "readiness" ? ["GET", "programs/me/readiness"] : ["POST", `track/${call}`];
      const body = call === "readiness" ? undefined : { transaction_id: "t", amount_cents: 1, customer_key: "u" };
      const reply = await shop.api.request(method, `/api/v1/${path}`, { headers: { ...headers }, body });
      expect(reply).toMatchObject(refusalOf(call, missing, "missing_key"));
      expect(await shop.all("sales")).toEqual([]);
    },
  );
});

describe.each(all)("%s with a wrong key", (call) => {
  it.each<[string, (programId: number) => string]>([
    ["never issued to this program", (programId) => mintProgramKey(programId, randomBytes(32))],
    ["of an unknown program", () => mintProgramKey(2 ** 48 + 1, randomBytes(32))],
    ["malformed", () => "nonsense"],
  ])("a call with a wrong key, %s, is refused with any body", async (_, keyOf) => {
    const shop = await createProgramFixture();
    const key = keyOf(shop.world.programId);
    const expected = refusalOf(call, call === "readiness" ? `${never}.` : never, "invalid_key");
    expect(await calls[call](shop, key)).toMatchObject(expected);
    expect(await calls[call](shop, key, false)).toMatchObject(expected);
    for (const table of ["clicks", "leads", "sales"] as const) expect(await shop.all(table)).toEqual([]);
  });
});

it("two keys of a program can be active at the same time, with the same access", async () => {
  const shop = await createProgramFixture({ keys: [{}, {}] });
  const [older, newer] = shop.world.keys;
  expect(await calls.sale(shop, older)).toMatchObject({ status: 200 });
  expect(await calls.sale(shop, newer)).toMatchObject({ status: 409 });
  expect(await calls.refund(shop, older)).toMatchObject({ status: 200 });
  expect((await calls.readiness(shop, older)).body.program_id).toBe(shop.world.programId);
  expect((await calls.readiness(shop, newer)).body.program_id).toBe(shop.world.programId);
});

it("a key accesses only its own program's data", async () => {
  const [shop, other] = [await createProgramFixture(), await createProgramFixture()];
  await calls.sale(shop, shop.world.key);
  expect(await calls.refund(shop, other.world.key)).toMatchObject({ status: 404 });
  expect(await calls.sale(shop, other.world.key)).toMatchObject({ status: 200 });
  expect(await shop.all("sales")).toHaveLength(1);
  expect(await other.all("sales")).toHaveLength(1);
  expect((await calls.readiness(shop, other.world.key)).body.program_id).toBe(other.world.programId);
});

it("the Authorization scheme before a key is case-insensitive", async () => {
  const { api, world } = await createProgramFixture();
  const reply = await api.readiness({ headers: { authorization: `bEARER  ${world.key}` } });
  expect(reply).toMatchObject({ status: 200, body: { program_id: world.programId } });
});

it("the database contains only the hash of a key", async () => {
  const shop = await createProgramFixture();
  const { key } = shop.world;
  for (const call of all) await calls[call](shop, key);
  const secret = key.slice(-43);
  for (const { name, where } of await searchedTables(shop.world)) {
    // The search runs in SQL, because the rows of all tests may exceed the size of one response.
    const columns = await shop.world.rows(`select name from pragma_table_info('${name}')`);
    const places = columns.map((column) => `instr(coalesce("${column.name}", ''), '${secret}')`);
    const found = await shop.world.rows(`select 1 from ${name} where ${where} and (${places.join(" or ")})`);
    expect(found, name).toEqual([]);
  }
});
