import { expect, it } from "vitest";
import { createProgramFixture, type ProgramFixture } from "../support/program-fixture.ts";

const storedOf = async ({ all }: ProgramFixture) =>
  (await all("customers")).map(({ email_hash, email_mask }) => [email_hash, email_mask]);

it("a lead's email address is stored as a hash and a mask, which are the same for every spelling", async () => {
  const shop = await createProgramFixture();
  await shop.lead({ customer_key: "u", email: "john@example.com" });
  await shop.lead({ customer_key: "v", email: "  John@EXAMPLE.com " });
  await shop.browserLead({ customer_key: "w", click_id: shop.click(shop.alice), email: "john@example.com" });
  const [first, ...others] = await storedOf(shop);
  expect(first).toEqual([expect.stringMatching(/^[\w-]{43}$/), "j•••@e•••.com"]);
  expect(others).toEqual([first, first]);
});

it("the hash of an email address uses a key per program, so that addresses can't be matched across programs", async () => {
  const [shop, other] = [await createProgramFixture(), await createProgramFixture()];
  for (const each of [shop, other]) await each.lead({ customer_key: "u", email: "john@example.com" });
  expect((await storedOf(shop))[0]?.[0]).not.toBe((await storedOf(other))[0]?.[0]);
});

it("an email address is never stored in plain text", async () => {
  const { lead, world } = await createProgramFixture();
  await lead({ customer_key: "u", email: "Very.Special@mail.example" });
  const tables = await world.rows(
    "select t.name from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table' and c.name = 'program_id'",
  );
  for (const { name } of tables) {
    const rows = await world.rows(`select * from ${name} where program_id = ?`, world.programId);
    expect(JSON.stringify(rows).toLowerCase(), String(name)).not.toMatch(/special|mail\.example/);
  }
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(["customers", "leads", "clicks"]));
});
