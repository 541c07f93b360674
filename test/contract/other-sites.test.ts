import { expect, test } from "vitest";
import { partnerSide } from "../support/partner-side.ts";
import { sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const files = [
  "export?kind=partners",
  "commissions?format=csv",
  "audit?format=csv",
  "balances?currency=EUR&format=csv",
  "payouts?format=csv",
];
const own = ["export", "commissions?format=csv", "statement?format=csv"];

test("a link on another site can't download a file or record that an owner looked", async () => {
  const world = await people.world({ partners: [{}] });
  const path = `/api/programs/${world.programId}`;
  const ada = await sharedUser("Ada");
  const side = await partnerSide(world, ada, world.partner.id);
  const entries = async () =>
    Number(
      (await world.rows("select count(*) as n from audit_entries where program_id = ?", world.programId))[0]?.n ?? 0,
    );
  const statement = `partners/${world.partner.id}/statement?format=csv`;
  const asOwner = `${side}/overview?as=owner`;
  const asked = [
    ...[...files, statement].map((file) => [people.owner, `${path}/${file}`] as const),
    ...own.map((file) => [ada, `${side}/${file}`] as const),
    [people.owner, asOwner] as const,
  ];
  const before = await entries();
  for (const [user, url] of asked) {
    for (const site of ["cross-site", "same-site"]) {
      const { status, text } = await user.get(url, { headers: { "sec-fetch-site": site } });
      expect([url, status, /cross_site/.exec(text)?.[0]]).toEqual([url, 403, "cross_site"]);
    }
    // As a browser sends it by itself to a proxy that asked for it.
    const headers = { "sec-fetch-site": "cross-site", authorization: "Basic c2hvcDpzaG9w" };
    expect([url, (await user.get(url, { headers })).status]).toEqual([url, 403]);
  }
  expect(await entries()).toBe(before);
  for (const [user, url] of asked) {
    for (const site of ["same-origin", "none"]) {
      expect([url, (await user.get(url, { headers: { "sec-fetch-site": site } })).status]).toEqual([url, 200]);
    }
  }
  expect(await entries()).toBe(before + 1);
});
