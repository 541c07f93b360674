import { describe, expect, test } from "vitest";
import type { Partner } from "../../harness/world.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const open = (settings = {}) => payoutsFixture(people, settings);
const named = ({ id, code }: Partner) => ({ partnerId: id, partnerCode: code, name: `Partner ${code}` });

describe("a payout from draft to confirmation", () => {
  test("a payout from draft to confirmation pays the approved commissions", async () => {
    const shop = await open();
    const { alice, bob } = shop;
    const first = await shop.earn(1_000);
    const second = await shop.earn(250);
    await shop.earn(700, { partner: bob });
    const draft = await shop.create({ reference: "2026-03" });
    expect(draft.status).toBe(201);
    expect(draft.body.data).toMatchObject({
      status: "draft",
      reference: "2026-03",
      currency: "EUR",
      minimumCents: 1,
      totalCents: 1_950,
      lineCount: 2,
      skipped: [],
      changes: [],
    });
    const lines = [
      { partnerId: alice.id, amountCents: 1_250, commissions: 2 },
      { partnerId: bob.id, amountCents: 700, commissions: 1 },
    ].sort((a, b) => a.partnerId - b.partnerId);
    expect(draft.body.data.lines).toMatchObject(lines);
    const { id } = draft.body.data;
    expect(await shop.balances()).toMatchObject(lines.map((line) => ({ payable_cents: line.amountCents })));

    const final = await shop.finalize(id, { expectedTotalCents: 1_950 });
    expect([final.status, final.body.data.status, final.body.data.changes]).toEqual([200, "final", []]);
    expect(final.body.data.lines).toMatchObject(lines);
    expect(await shop.balances()).toMatchObject(
      lines.map((line) => ({ payable_cents: 0, in_payout_cents: line.amountCents })),
    );
    expect(await shop.statusOf(first.commissionId)).toBe("approved");

    const day = at(daysAgo(30)).slice(0, 10);
    const payment = { paidAt: `${day}T10:00:00Z`, note: "by wire", expectedTotalCents: 1_950 };
    const paid = await shop.confirm(id, payment);
    expect([paid.status, paid.body.data.status]).toEqual([200, "paid"]);
    expect(paid.body.data).toMatchObject({ paidAt: `${day}T10:00:00.000Z`, note: "by wire" });
    expect(await shop.statusOf(first.commissionId)).toBe("paid");
    expect(await shop.statusOf(second.commissionId)).toBe("paid");
    expect(await shop.balances()).toMatchObject(
      lines.map((line) => ({ payable_cents: 0, in_payout_cents: 0, paid_cents: line.amountCents })),
    );
    const entries = await shop.all("ledger_entries");
    expect(entries.filter(({ kind }) => kind === "paid").map((entry) => [entry.amount_cents, entry.day])).toEqual(
      lines.map((line) => [-line.amountCents, day]),
    );
    const again = await shop.confirm(id);
    expect([again.status, again.body.data.status]).toEqual([200, "paid"]);
    expect(await shop.all("ledger_entries")).toHaveLength(entries.length);
  });

  test("creating a payout again with its reference returns it, and is refused with other terms; with nothing payable, no payout is created", async () => {
    const shop = await open();
    expect(refusalOf(await shop.create())).toBe("409 Nothing is payable");
    await shop.earn(1_000);
    const draft = await shop.create({ reference: "r" });
    const again = await shop.create({ reference: "r" });
    expect([again.status, again.body.data.id]).toEqual([200, draft.body.data.id]);
    const other = await shop.create({ reference: "r", currency: "USD", minimumCents: 5, partnerIds: [shop.bob.id] });
    expect([other.status, other.body.error.details.differences]).toEqual([
      409,
      ["currency", "partnerIds", "minimumCents"],
    ]);
    const second = await shop.create();
    expect([second.status, second.body.error.details]).toEqual([409, { payoutId: draft.body.data.id, reference: "r" }]);
    expect((await shop.cancel(draft.body.data.id)).status).toBe(200);
    expect(refusalOf(await shop.create({ reference: "r" }))).toBe("409 The payout with this reference was canceled");
    expect((await shop.create()).status).toBe(201);
  });

  test("a payout reserves nothing if the total differs from the expected one, and returns the changed lines", async () => {
    const shop = await open();
    const { transaction_id } = await shop.earn(1_300);
    await shop.earn(300, { partner: shop.bob });
    await shop.write("update partners set status = 'paused' where id = ?", shop.bob.id);
    const draft = (await shop.create()).body.data;
    const { id } = draft;
    const differs = await shop.finalize(id, { expectedTotalCents: 999 });
    expect(differs.body.error.details).toEqual({ code: "total_differs", changes: [] });
    await shop.giveBack(transaction_id, { refund_amount_cents: 500 });
    await shop.earn(1_000);
    await shop.write("update partners set status = 'active' where id = ?", shop.bob.id);
    const refused = await shop.finalize(id, { expectedTotalCents: 1_300 });
    expect(refused.status).toBe(409);
    expect(refused.body.error.details.changes).toEqual(
      expect.arrayContaining([
        { ...named(shop.alice), beforeCents: 1_300, afterCents: 1_200, reason: "amount_changed" },
        { ...named(shop.bob), beforeCents: 0, afterCents: 300, reason: "added" },
      ]),
    );
    expect(await shop.get(id)).toEqual(draft);
    expect((await shop.balances()).map(({ in_payout_cents }) => in_payout_cents)).toEqual([0, 0]);
    const final = await shop.finalize(id, { expectedTotalCents: 1_500 });
    expect([final.status, final.body.data.totalCents]).toEqual([200, 1_500]);
    expect(final.body.data.changes).toEqual(refused.body.error.details.changes);
    expect((await shop.finalize(id)).body.data).toEqual(final.body.data);
  });

  test("a canceled payout makes its commissions available again, and can't be confirmed afterwards", async () => {
    const shop = await open();
    const { transaction_id, commissionId } = await shop.earn(1_000);
    const kept = await shop.earn(100);
    const { id } = (await shop.create()).body.data;
    await shop.finalize(id);
    expect(refusalOf(await shop.reject(commissionId))).toBe("409 A reserved commission can't be rejected");
    await shop.giveBack(transaction_id);
    expect(await shop.statusOf(commissionId)).toBe("approved");
    expect((await shop.cancel(id)).body.data.status).toBe("canceled");
    expect((await shop.cancel(id)).status).toBe(200);
    expect(await shop.statusOf(commissionId)).toBe("reversed");
    expect(await shop.statusOf(kept.commissionId)).toBe("approved");
    expect(await shop.balances()).toMatchObject([{ payable_cents: 100, in_payout_cents: 0 }]);
    expect(refusalOf(await shop.confirm(id))).toBe("409 A canceled payout can't be confirmed");
    expect(refusalOf(await shop.finalize(id))).toBe("409 A canceled payout can't be finalized");
  });

  test("a draft payout is finalized by confirming it, and can't be canceled once paid", async () => {
    const shop = await open();
    await shop.earn(1_000);
    const { id } = (await shop.create()).body.data;
    const differs = await shop.confirm(id, { expectedTotalCents: 5 });
    expect([differs.status, (await shop.get(id)).status]).toEqual([409, "draft"]);
    const paid = await shop.confirm(id, { expectedTotalCents: 1_000 });
    expect([paid.status, paid.body.data.status]).toEqual([200, "paid"]);
    expect(refusalOf(await shop.cancel(id))).toBe("409 A paid payout can't be canceled");
    const actions = await shop.world.rows(
      "select action from audit_entries where program_id = ? order by id",
      shop.world.programId,
    );
    expect(actions.map(({ action }) => action)).toEqual(["payout.created", "payout.finalized", "payout.confirmed"]);
  });
});

test("a refund after the payment is deducted in the next payout", async () => {
  const shop = await open();
  const { transaction_id } = await shop.earn(1_000);
  const first = (await shop.create()).body.data;
  await shop.confirm(first.id);
  await shop.giveBack(transaction_id, { refund_amount_cents: 2_000 });
  expect(await shop.balances()).toMatchObject([{ payable_cents: -400, paid_cents: 1_000 }]);
  expect(refusalOf(await shop.create())).toBe("409 Nothing is payable");
  await shop.earn(900);
  const second = (await shop.create()).body.data;
  expect(second.lines).toMatchObject([{ amountCents: 500, commissions: 1, broughtForwardCents: -400 }]);
  await shop.confirm(second.id);
  expect(await shop.balances()).toMatchObject([{ payable_cents: 0, in_payout_cents: 0, paid_cents: 1_500 }]);
});

test("a failed payout line makes its amount and commissions payable again, and refunds stay deducted", async () => {
  const shop = await open();
  const one = await shop.earn(1_000);
  const two = await shop.earn(500);
  const first = (await shop.create()).body.data;
  expect(refusalOf(await shop.fail(first.id, shop.alice.id))).toBe("409 Only lines of a paid payout can fail");
  await shop.confirm(first.id);
  await shop.giveBack(one.transaction_id);
  await shop.earn(2_000);
  const second = (await shop.create()).body.data;
  expect(second.lines).toMatchObject([{ amountCents: 1_000 }]);
  await shop.confirm(second.id);

  const failed = await shop.fail(first.id, shop.alice.id);
  expect(failed.body.data.lines).toMatchObject([{ amountCents: 1_500, failureReason: "account closed" }]);
  expect((await shop.fail(first.id, shop.alice.id)).status).toBe(200);
  expect(refusalOf(await shop.fail(first.id, shop.bob.id))).toBe("404 Line not found");
  expect(await shop.statusOf(one.commissionId)).toBe("reversed");
  expect(await shop.statusOf(two.commissionId)).toBe("approved");
  expect(await shop.balances()).toMatchObject([{ payable_cents: 1_500, in_payout_cents: 0, paid_cents: 1_000 }]);
  const third = (await shop.create()).body.data;
  expect(third.lines).toMatchObject([{ amountCents: 1_500, commissions: 1, broughtForwardCents: 1_000 }]);
  await shop.confirm(third.id);
  expect(await shop.balances()).toMatchObject([{ payable_cents: 0, in_payout_cents: 0, paid_cents: 2_500 }]);
  expect(await shop.statusOf(one.commissionId)).toBe("reversed");
});

describe("the partners excluded from a payout", () => {
  test("a payout excludes partners below the minimum, partners with a negative balance, and paused partners unless the call names them", async () => {
    const shop = await open({ partners: [{}, {}, { status: "paused" }, {}] });
    const [, , paused, negative] = shop.world.partners;
    if (paused === undefined || negative === undefined) throw new Error("four partners");
    await shop.earn(1_000);
    await shop.earn(50, { partner: shop.bob });
    await shop.write("update partners set status = 'active' where id = ?", paused.id);
    const taken = await shop.earn(400, { partner: negative });
    const { id } = (await shop.create({ partnerIds: [negative.id] })).body.data;
    await shop.confirm(id);
    await shop.giveBack(taken.transaction_id);
    const draft = await shop.create({ minimumCents: 100 });
    expect(draft.body.data.skipped).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ partnerId: shop.bob.id, amountCents: 50, reason: "below_minimum" }),
        expect.objectContaining({ partnerId: negative.id, amountCents: -400, reason: "negative" }),
      ]),
    );
    expect(draft.body.data.lines.map(({ partnerId }) => partnerId)).toEqual([shop.alice.id]);
    await shop.cancel(draft.body.data.id);
    await shop.write("update partners set status = 'paused' where id = ?", shop.alice.id);
    expect((await shop.create({ minimumCents: 100 })).status).toBe(409);
    const named = await shop.create({ partnerIds: [shop.alice.id] });
    expect(named.body.data.lines).toMatchObject([{ partnerId: shop.alice.id, amountCents: 1_000 }]);
    expect((await shop.create({ partnerIds: [1] })).status).toBe(409);
    await shop.cancel(named.body.data.id);
    expect((await shop.create({ partnerIds: [1] })).status).toBe(400);
  });

  test("a payout excludes partners with a recently replaced email address, unless includeChanged is sent", async () => {
    const shop = await open();
    await shop.earn(1_000);
    await shop.earn(300, { partner: shop.bob });
    await shop.setEmail(shop.alice.id, "a@example.com");
    await shop.setEmail(shop.bob.id, "b@example.com");
    await shop.setEmail(shop.alice.id, "new@example.com");
    const { id, lines } = (await shop.create()).body.data;
    const ofAlice = lines.find(({ partnerId }) => partnerId === shop.alice.id);
    expect(ofAlice?.detailsChangedAt).toMatch(/Z$/);
    const refused = await shop.finalize(id, { expectedTotalCents: 1_300 });
    expect(refused.body.error.details.changes).toEqual([
      { ...named(shop.alice), beforeCents: 1_000, afterCents: 0, reason: "details_changed" },
    ]);
    expect(refusalOf(await shop.finalize(id, { includeChanged: true }))).toBe(
      "400 changedUntil is required with includeChanged",
    );
    const final = await shop.finalize(id, { includeChanged: true, changedUntil: ofAlice?.detailsChangedAt ?? "" });
    expect(final.body.data.lines).toHaveLength(2);
    const file = await people.admin.get(`${shop.path}/${id}?format=csv`, { checked: false });
    const inFile = ({ id: partnerId, code }: Partner) =>
      `"${final.body.data.reference}","${partnerId}","${code}","Partner ${code}"`;
    expect(file.text.split("\r\n").filter(Boolean).sort()).toEqual(
      [
        '"reference","partner_id","partner_code","partner","email","amount","currency"',
        `${inFile(shop.alice)},"new@example.com","10.00","EUR"`,
        `${inFile(shop.bob)},"b@example.com","3.00","EUR"`,
      ].sort(),
    );
    const seen = (await people.viewer.get<{ data: { lines: object[] } }>(`${shop.path}/${id}`)).body.data.lines;
    expect(seen.every((line) => !("email" in line))).toBe(true);
    expect((await people.viewer.get(`${shop.path}/${id}?format=csv`)).status).toBe(403);
    const [{ n } = { n: 0 }] = await shop.world.rows(
      "select count(*) as n from audit_entries where program_id = ? and action = 'payout.downloaded'",
      shop.world.programId,
    );
    expect(n).toBe(1);
  });
});

test("with payoutApproval two_people, the user who finalized a payout can't confirm it, and only an owner can change this setting", async () => {
  const shop = await open({ program: { payoutApproval: "two_people" } });
  await shop.earn(1_000);
  const { id } = (await shop.create()).body.data;
  expect(refusalOf(await shop.confirm(id))).toBe("409 Finalize the payout first.");
  await shop.finalize(id);
  expect((await shop.confirm(id)).status).toBe(403);
  const program = `/api/programs/${shop.world.programId}`;
  expect((await people.admin.patch(program, { payoutApproval: "one_person" })).status).toBe(403);
  expect((await people.owner.patch(program, { payoutApproval: "one_person" })).status).toBe(409);
  expect((await shop.post("owner", `/${id}/confirm`)).body.data.status).toBe("paid");
  expect((await people.owner.patch(program, { payoutApproval: "one_person" })).status).toBe(200);
  expect((await people.admin.patch(program, { payoutApproval: "two_people" })).status).toBe(403);
});

test("a viewer can't write payouts, and another program's payout isn't found", async () => {
  const shop = await open();
  await shop.earn(1_000);
  const { id } = (await shop.create()).body.data;
  const writes = ["", `/${id}/finalize`, `/${id}/confirm`, `/${id}/cancel`, `/${id}/lines/${shop.alice.id}/fail`];
  for (const to of writes) expect((await shop.post("viewer", to, { currency: "EUR", reason: "r" })).status).toBe(403);
  const other = await open();
  for (const to of writes.slice(1)) {
    const path = to.replace(String(id), String(id));
    expect((await other.post("admin", path, { reason: "r" })).status).toBe(404);
  }
  expect((await people.viewer.get(`${other.path}/${id}`)).status).toBe(404);
  const listed = await people.viewer.get<{ data: { id: number }[] }>(shop.path);
  expect(listed.body.data.map((payout) => payout.id)).toEqual([id]);
});
