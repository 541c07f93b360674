import { expect, test } from "vitest";
import { sampled } from "../support/breadth.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const open = () => payoutsFixture(people);

const sites = [
  [undefined, 200],
  ["same-site", 403],
  ["cross-site", 403],
  ["none", 200],
  ["same-origin", 200],
] as const;

test.each(sampled(sites, 2))("a download with Sec-Fetch-Site %s returns %i", async (site, status) => {
  const shop = await open();
  await shop.earn(1_000);
  const { id } = (await shop.create({ reference: "Week 12 / 2026" })).body.data;
  await shop.finalize(id);
  const headers = site === undefined ? {} : { "Sec-Fetch-Site": site };
  const file = await people.admin.get(`${shop.path}/${id}?format=csv`, { checked: false, headers });
  expect(file.status).toBe(status);
  expect(file.headers.get("Content-Disposition")).toBe(
    status === 200 ? 'attachment; filename="tributary-test-program-payout-week-12-2026.csv"' : null,
  );
  const { n } = await shop.row(
    "select count(*) as n from audit_entries where program_id = ? and action = 'payout.downloaded'",
    shop.world.programId,
  );
  expect(n).toBe(status === 200 ? 1 : 0);
});

test("the list of payouts can be downloaded as one CSV file, with decimal amounts", async () => {
  const shop = await open();
  await shop.earn(1_234);
  const { id } = (await shop.create({ reference: "March" })).body.data;
  const paidAt = at(daysAgo(30));
  await shop.confirm(id, { paidAt, note: "=by wire" });
  const { text, headers } = await people.viewer.get(`${shop.path}?format=csv`, { checked: false });
  expect(headers.get("Content-Disposition")).toMatch(/filename="tributary-test-program-payouts-\d{4}-\d\d-\d\d.csv"/);
  const [head = [], line = []] = parseCsv(text);
  expect(Object.fromEntries(head.map((name, i) => [name, line[i]]))).toMatchObject({
    ...{ reference: "March", status: "paid", partners: "1", amount: "12.34", returned: "0.00", currency: "EUR" },
    ...{ paid_at: paidAt, canceled_at: "", note: "'=by wire", payout_id: String(id) },
  });
});

test("the payment list of a draft payout can't be downloaded", async () => {
  const shop = await open();
  await shop.earn(1_000);
  const { id } = (await shop.create()).body.data;
  expect(refusalOf(await people.owner.get(`${shop.path}/${id}?format=csv`))).toBe("409 Finalize the payout first.");
});
