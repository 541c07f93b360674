import { expect, test } from "vitest";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at } from "../support/program-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const eightDays = 8 * 86_400_000;
const ofAnotherInstant = "partners whose details were last replaced at another time than the audit trail says";

async function open() {
  const shop = await payoutsFixture(people);
  const partnerId = shop.alice.id;
  return {
    ...shop,
    setEmail: (email: string | null) => shop.setEmail(partnerId, email),
    letTimePass: () => {
      shop.world.forged.add("partners whose details were last replaced at another time than the audit trail says");
      return shop.write(
        `update partners set details_changed_at = details_changed_at - ${eightDays} where id = ?`,
        partnerId,
      );
    },
    /** Creates a payout, and expects finalizing it to be refused because the partner's details changed. */
    leftOut: async () => {
      const { id } = (await shop.create()).body.data;
      const { status, body } = await shop.finalize(id);
      expect([status, body.error?.details]).toEqual([
        409,
        {
          code: "all_left_out",
          changes: [expect.objectContaining({ partnerId, afterCents: 0, reason: "details_changed" })],
        },
      ]);
      return id;
    },
  };
}

test("a partner's first email address doesn't count as a replaced one, but an address that is set after another was removed does", async () => {
  const shop = await open();
  await shop.earn(1_000);
  await shop.setEmail("first@example.com");
  const { id, lines } = (await shop.create()).body.data;
  expect(lines).toMatchObject([{ detailsChangedAt: null }]);
  await shop.cancel(id);
  await shop.setEmail(null);
  await shop.letTimePass();
  await shop.setEmail("other@example.com");
  shop.world.forged.delete(ofAnotherInstant);
  await shop.leftOut();
});

test("finalizing a draft payout whose lines are all excluded returns the reason and how to continue, on every attempt", async () => {
  const shop = await open();
  await shop.earn(1_000);
  await shop.setEmail("first@example.com");
  await shop.setEmail("other@example.com");
  const id = await shop.leftOut();
  expect(refusalOf(await shop.confirm(id))).toMatch(
    /^409 Every line was left out \(details_changed\)\. To pay .* send includeChanged: true and changedUntil\.$/,
  );
  expect((await shop.confirm(id, { includeChanged: true, changedUntil: at(Date.now()) })).body.data).toMatchObject({
    status: "paid",
    totalCents: 1_000,
  });
});

test("an email address replaced between finalizing and confirming a payout delays the next payout line", async () => {
  const shop = await open();
  shop.world.forged.add("payouts whose steps differ from the audit trail");
  await shop.setEmail("first@example.com");
  await shop.earn(1_000);
  const { id } = (await shop.create()).body.data;
  await shop.finalize(id);
  await shop.setEmail("other@example.com");
  const paid = await shop.confirm(id);
  expect(paid.body.data.lines).toMatchObject([{ email: "first@example.com" }]);
  await shop.letTimePass();
  await shop.write(
    `update payouts set finalized_at = finalized_at - ${eightDays}, confirmed_at = confirmed_at - ${eightDays} where id = ?`,
    id,
  );
  await shop.earn(500);
  await shop.leftOut();
});

test("while the replacement of an email address delays a line, a draft payout shows the time of the replacement, and a final payout keeps showing it", async () => {
  const shop = await open();
  await shop.setEmail("first@example.com");
  await shop.earn(1_000);
  const { id } = (await shop.create()).body.data;
  const changedAt = async () => (await shop.get(id)).lines[0]?.detailsChangedAt;
  expect(await changedAt()).toBeNull();
  await shop.setEmail("other@example.com");
  expect(Date.parse((await changedAt()) ?? "")).toBeGreaterThan(Date.now() - 60_000);
  await shop.letTimePass();
  expect(await changedAt()).toBeNull();
  await shop.setEmail("third@example.com");
  await shop.finalize(id, { includeChanged: true, changedUntil: at(Date.now()) });
  await shop.letTimePass();
  expect(await changedAt()).toMatch(/Z$/);
});
