import { expect, test } from "vitest";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at, day, minute } from "../support/program-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

async function openDraft() {
  const shop = await payoutsFixture(people);
  await shop.earn(1_000);
  await shop.earn(500, { partner: shop.bob });
  return { ...shop, ...(await shop.create()).body.data };
}

test("canceling a payout with expectedStatus=draft is refused once it is final", async () => {
  const { id, finalize, post, get } = await openDraft();
  const cancel = (expectedStatus: string) => post("admin", `/${id}/cancel?expectedStatus=${expectedStatus}`);
  expect(refusalOf(await cancel("paid"))).toBe("400 expectedStatus must be draft or final");
  await finalize(id);
  expect(refusalOf(await cancel("draft"))).toBe("409 The payout is final now, not draft");
  expect(await get(id)).toMatchObject({ status: "final" });
  expect((await cancel("final")).body.data.status).toBe("canceled");
});

test("finalizing a payout with includeChanged includes a partner whose email address was replaced, unless this was after changedUntil", async () => {
  const shop = await openDraft();
  const { id, alice, bob, setEmail } = shop;
  await setEmail(bob.id, "bob@example.com");
  await setEmail(alice.id, "alice@example.com");
  await setEmail(alice.id, "alice@new.example.com");
  const changedUntil = (await shop.get(id)).lines.find(({ partnerId }) => partnerId === alice.id)?.detailsChangedAt;
  await setEmail(bob.id, "thief@example.com");

  const seen = { includeChanged: true, changedUntil: changedUntil ?? "" };
  const final = await shop.finalize(id, seen);
  expect(final.body.data.lines).toMatchObject([{ partnerId: alice.id, email: "alice@new.example.com" }]);
  expect(final.body.data.skipped).toMatchObject([{ partnerId: bob.id, reason: "details_changed" }]);
  await shop.cancel(id);
  const later = (await shop.create()).body.data;
  const all = { includeChanged: true, changedUntil: at(Date.now()) };
  expect((await shop.confirm(later.id, all)).body.data).toMatchObject({ totalCents: 1_500 });
});

test("parallel changes of an email address are applied and audited one after the other", { tags: "soak" }, async () => {
  const { alice, setEmail, world } = await openDraft();
  await setEmail(alice.id, "first@example.com");
  for (const round of [1, 2, 3]) {
    await Promise.all(Array.from({ length: 12 }, (_, i) => setEmail(alice.id, `p${round}-${i}@example.com`)));
    expect(await world.audit()).toEqual([]);
  }
});

test("confirming a paid payout with an expected total that differs is refused", async () => {
  const { id, confirm } = await openDraft();
  await confirm(id, { expectedTotalCents: 1_500 });
  expect(refusalOf(await confirm(id, { expectedTotalCents: 1_499 }))).toMatch(/^409 /);
  expect((await confirm(id, { expectedTotalCents: 1_500 })).status).toBe(200);
});

test("the paidAt of a payout must be within the last 400 days", { tags: "soak" }, async () => {
  const { id, confirm } = await openDraft();
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  for (const paidAt of ["0000-01-01T00:00:00Z", ago(400 * day + minute)]) {
    expect(refusalOf(await confirm(id, { paidAt }))).toBe("400 paidAt is more than 400 days ago");
  }
  expect((await confirm(id, { paidAt: ago(400 * day - minute) })).status).toBe(200);
});

test("payouts show the amount of failed lines, and a CSV file of balances ignores the cursor", {
  tags: "soak",
}, async () => {
  const { id, world, alice, confirm, fail } = await openDraft();
  await confirm(id);
  expect((await fail(id, alice.id)).body.data).toMatchObject({ totalCents: 1_500, returnedCents: 1_000 });
  const read = (path: string) => people.viewer.get<{ data: unknown }>(`/api/programs/${world.programId}/${path}`);
  expect((await read("payouts")).body.data).toMatchObject([{ id, totalCents: 1_500, returnedCents: 1_000 }]);

  const cursor = Buffer.from(JSON.stringify(["balances", "currency", false, "EUR", alice.id, "1000"])).toString(
    "base64url",
  );
  const { text } = await people.viewer.get(`/api/programs/${world.programId}/balances?format=csv&cursor=${cursor}`, {
    checked: false,
  });
  expect(text.trim().split("\n")).toHaveLength(3);
});
