import { expect, it } from "vitest";
import { daysAgo } from "../support/program-fixture.ts";
import { codeOf, type SettlementLine, settlementFixture } from "../support/settlement-fixture.ts";
import type { Statement } from "../support/statements-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

it("giving back a payout line, as not credited, makes its amount payable again, and a settlement of the line that is reported later is deducted once", async () => {
  const { world, alice, aliceLine, bobLine, settle, giveBack, accounts, payout } = await settlementFixture(people);
  const given = await giveBack(aliceLine, { reason: "No customer", partner_note: "Please connect your account" });
  expect(given.body.data).toMatchObject({ state: "given_back", settlement_id: null });
  expect((await giveBack(aliceLine)).body.data).toEqual(given.body.data);
  expect(await accounts()).toEqual({ pending: 0, payable: 980, inPayout: 0, paid: 0 });
  expect(await payout()).toMatchObject({ status: "final", givenBackCents: 980, dueCents: 490 });
  const settledAt = new Date(daysAgo(1)).toISOString();
  for (const _ of ["first", "again"]) {
    const late = await settle(aliceLine, "cbtxn_1", { settled_at: settledAt });
    expect(late.body.data).toMatchObject({
      late: true,
      state: "given_back",
      settlement_id: "cbtxn_1",
      settled_at: settledAt,
    });
  }
  expect(codeOf(await settle(aliceLine, "cbtxn_2"))).toEqual([409, "differs"]);
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
  const adjusted = await world.rows(
    `select a.amount_cents, a.reference, n.text from adjustments a join notes n on n.id = a.partner_note_id where a.program_id = ?`,
    world.programId,
  );
  expect(adjusted).toEqual([
    {
      amount_cents: -980,
      reference: `settled:${aliceLine}`,
      text: expect.stringMatching(/^Credited on \d+ \w+ \d{4}$/),
    },
  ]);
  expect((await settle(bobLine, "cbtxn_3")).status).toBe(200);
  expect(await payout()).toMatchObject({ status: "paid", settledCents: 490, givenBackCents: 980, dueCents: 0 });
  const own = await people.owner.get<{ data: { rows: { status: string; partnerNote: string | null }[] } }>(
    `/api/partner/programs/${world.programId}/partners/${alice.id}/payouts?as=owner`,
  );
  expect(own.text).toContain('"status":"failed"');
  expect(own.text).toContain("Please connect your account");
});

it("giving back a settled payout line returns its payment, and another settlement of the line is deducted from the balance", async () => {
  const { world, aliceLine, bobLine, settle, giveBack, accounts, payout, fail, alice, id } =
    await settlementFixture(people);
  const statement = async () =>
    (await people.owner.get<Statement>(`/api/programs/${world.programId}/partners/${alice.id}/statement?number=1`)).body
      .data;
  await settle(aliceLine, "one");
  const before = await statement();
  expect((await giveBack(aliceLine)).body.data).toMatchObject({ state: "given_back", settlement_id: "one" });
  expect(await accounts()).toEqual({ pending: 0, payable: 980, inPayout: 0, paid: 0 });
  expect((await settle(aliceLine, "one")).body.data).toMatchObject({ late: false, state: "given_back" });
  const returnedOn = new Date().toISOString().slice(0, 10);
  expect(await statement()).toEqual({ ...before, returnedOn });
  const settled_at = new Date(daysAgo(0)).toISOString();
  expect((await settle(aliceLine, "two", { settled_at })).body.data).toMatchObject({
    late: true,
    settlement_id: "two",
  });
  expect(await statement()).toEqual({ ...before, returnedOn, creditedOn: settled_at.slice(0, 10) });
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
  expect((await fail(id, alice.id)).status).toBe(200);
  expect((await giveBack(bobLine)).status).toBe(200);
  // One line was settled, so the payout is paid, not canceled.
  expect(await payout()).toMatchObject({ status: "paid", settledCents: 0, givenBackCents: 1_470, dueCents: 0 });
});

it("a late settlement of a payout line that was given back, as not credited, before it was due is refused, even once the other lines are due", async () => {
  const program = { payoutApproval: "two_people" } as const;
  const { aliceLine, bobLine, settle, giveBack, post, id, payout, accounts } = await settlementFixture(
    people,
    [980, 490],
    program,
  );
  expect((await giveBack(aliceLine)).status).toBe(200);
  expect(codeOf(await settle(aliceLine, "one"))).toEqual([409, "not_due"]);
  expect((await post("owner", `/${id}/confirm`)).status).toBe(200);
  expect(codeOf(await settle(aliceLine, "one"))).toEqual([409, "not_due"]);
  expect(await accounts()).toEqual({ pending: 0, payable: 980, inPayout: 0, paid: 0 });
  expect((await giveBack(bobLine)).status).toBe(200);
  expect((await settle(bobLine, "two")).body.data).toMatchObject({ late: true });
  expect(await payout()).toMatchObject({ status: "canceled", givenBackCents: 1_470 });
});

it("the late settlement of a payout line that was due before the program required approval by two people is deducted", async () => {
  const { aliceLine, settle, giveBack, accounts, world } = await settlementFixture(people);
  const program = `/api/programs/${world.programId}`;
  expect((await people.owner.patch(program, { payoutApproval: "two_people" })).status).toBe(200);
  expect((await giveBack(aliceLine)).status).toBe(200);
  expect((await settle(aliceLine, "one")).body.data).toMatchObject({ late: true });
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
});

it("the late settlement of a payout line is deducted even above the limit of other adjustments", async () => {
  const { earn, create, finalize, cancel, id, world, key, api, accounts } = await settlementFixture(people);
  expect((await cancel(id)).status).toBe(200);
  for (let i = 0; i < 5; i += 1) await earn(20_000_000_000);
  const large = (await create({ settledBy: "api" })).body.data.id;
  expect((await finalize(large)).body.data).toMatchObject({ totalCents: 100_000_001_470 });
  expect((await cancel(large)).status).toBe(200);
  const [line] = await world.rows(
    "select max(id) as id from payout_lines where payout_id = ? and amount_cents > 1e11",
    large,
  );
  const path = `/api/v1/programs/me/payouts/${large}/lines/${line?.id}/settle`;
  const late = await api.request<{ data: SettlementLine }>("POST", path, { key, body: { settlement_id: "one" } });
  expect(late.body.data).toMatchObject({ late: true, amount_cents: 100_000_000_980 });
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
});
