import { expect, test } from "vitest";
import { columnsAbout } from "#store/erased-columns.ts";
import { personal } from "#store/schema/personal.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";

const own = isolatedDatabase();

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test("every table declares which of its text columns may contain personal data", async () => {
  const client = openDatabaseClient(own.server.url);
  const { rows } = await client.execute(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name <> 'schema_migrations'",
  );
  expect(Object.keys(personal).map(snakeCase).sort()).toEqual(rows.map(({ name }) => String(name)).sort());
});

test("every column that may contain a partner's data is emptied by the partner's erasure, except columns that contain a code", () => {
  const emptied = ["partners", "payoutLines", "claims", "paymentDetails"];
  const tables = Object.keys(personal) as (keyof typeof personal)[];
  const others = tables.filter((table) => !emptied.includes(table));
  expect(others.flatMap((table) => columnsAbout(table, "partner").map((name) => `${table}.${name}`)).sort()).toEqual([
    "couponCodes.code",
    "couponCodes.codeKey",
    "foreignCodes.codeKey",
    "leads.partnerCode",
    "referralLinks.code",
    "referralLinks.codeKey",
    "sales.partnerCode",
  ]);
});
