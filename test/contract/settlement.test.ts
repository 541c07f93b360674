import { expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { TributaryProgram } from "../../sdk/src/program.ts";
import { creditStripeBalance } from "../../sdk/src/stripe.ts";
import { FakeStripe } from "../sdk/fake-settlement.ts";
import { type PayoutReply, payoutsFixture } from "../support/payouts-fixture.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { codeOf, type SettlementLine, settlementFixture } from "../support/settlement-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

it("each line of a payout is settled once, and the payout is paid after the last one", async () => {
  const { world, alice, aliceLine, bobLine, settle, lines, payout, accounts } = await settlementFixture(people);
  const { data, meta } = await lines();
  expect(meta).toEqual({ next_cursor: null });
  expect(
    Object.fromEntries(data.map((line) => [line.line_id, [line.amount_cents, line.state, line.settlement_id]])),
  ).toEqual({
    [aliceLine]: [980, "due", null],
    [bobLine]: [490, "due", null],
  });
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 980, paid: 0 });
  const settledAt = new Date(daysAgo(2)).toISOString();
  const first = await settle(aliceLine, " cbtxn_1 ", { settled_at: settledAt });
  expect(first.body.data).toEqual({
    ...{ line_id: aliceLine, partner_id: alice.id, external_id: null, currency: "EUR", amount_cents: 980 },
    ...{ state: "settled", settlement_id: "cbtxn_1", settled_at: settledAt, late: false },
  });
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 980 });
  expect(await payout()).toMatchObject({ status: "final", settledCents: 980, givenBackCents: 0, dueCents: 490 });
  expect((await settle(aliceLine, "cbtxn_1")).body.data).toEqual(first.body.data);
  const other = await settle(aliceLine, "cbtxn_2");
  expect(codeOf(other)).toEqual([409, "differs"]);
  expect((await lines("?state=settled")).data.map(({ line_id }) => line_id)).toEqual([aliceLine]);
  expect((await lines("?state=due")).data.map(({ line_id }) => line_id)).toEqual([bobLine]);
  expect((await lines("?state=waiting")).data).toEqual([]);
  expect((await settle(bobLine, "cbtxn_3")).status).toBe(200);
  expect(await payout()).toMatchObject({ status: "paid", settledCents: 1_470, givenBackCents: 0, dueCents: 0 });
  const entries = await world.rows(
    "select kind, amount_cents, occurred_at from ledger_entries where program_id = ? and payout_line_id = ?",
    world.programId,
    aliceLine,
  );
  expect(entries).toEqual([{ kind: "paid", amount_cents: -980, occurred_at: Date.parse(settledAt) }]);
});

it("each commission is shown as paid once its own line is settled", async () => {
  const { earn, create, finalize, statusOf, alice, bob, world, settle, key, api } = await settlementFixture(people);
  const [one, two] = [await earn(100, { partner: alice }), await earn(200, { partner: bob })];
  const { id } = (await create({ settledBy: "api" })).body.data;
  await finalize(id);
  const path = `/api/v1/programs/me/payouts/${id}/lines`;
  const { body } = await api.request<{ data: SettlementLine[] }>("GET", path, { key });
  const line = body.data.find(({ partner_id }) => partner_id === alice.id);
  await api.request("POST", `${path}/${line?.line_id}/settle`, { key, body: { settlement_id: "s" } });
  expect(await statusOf(one.commissionId)).toBe("paid");
  expect(await statusOf(two.commissionId)).toBe("approved");
  expect(typeof settle).toBe("function");
  const listed = await api.request<{ data: { id: number; status: string }[] }>(
    "GET",
    `/api/v1/programs/me/payouts/${id}/commissions`,
    { key },
  );
  expect(Object.fromEntries(listed.body.data.map((each) => [each.id, each.status]))).toEqual({
    [one.commissionId]: "paid",
    [two.commissionId]: "approved",
  });
  expect(
    (
      await people.admin.post(`/api/programs/${world.programId}/commissions/${two.commissionId}/reject`, {
        reason: "x",
      })
    ).status,
  ).toBe(409);
});

it("a call to fail a payout line is refused if the line isn't in the state that the caller expected", async () => {
  const { aliceLine, bobLine, settle, giveBack, accounts, post, id, alice } = await settlementFixture(people);
  const asOpen = { reason: "No account", expected_state: "open" };
  const asSettled = { reason: "Charged back", expected_state: "settled" };
  expect(codeOf(await giveBack(aliceLine, asSettled))).toEqual([409, "differs"]);
  expect((await settle(aliceLine, "one")).status).toBe(200);
  expect(codeOf(await giveBack(aliceLine, asOpen))).toEqual([409, "differs"]);
  const fail = (expectedState: string) =>
    post("admin", `/${id}/lines/${alice.id}/fail`, { reason: "r", expectedState });
  const refused = await fail("open");
  expect([refused.status, refused.body.error?.details]).toEqual([409, { code: "differs", differences: ["state"] }]);
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 980 });
  expect((await fail("paid")).status).toBe(400);
  for (const _ of ["first", "again"]) expect((await fail("settled")).status).toBe(200);
  for (const _ of ["first", "again"]) expect((await giveBack(bobLine, asOpen)).status).toBe(200);
  expect(codeOf(await giveBack(bobLine, asSettled))).toEqual([409, "differs"]);
  expect(await accounts()).toEqual({ pending: 0, payable: 980, inPayout: 0, paid: 0 });
});

it("a credit whose report was lost before its payout line was given back is deducted when the crediting job runs again", async () => {
  const f = await settlementFixture(people);
  const stripe = new FakeStripe();
  const credit = creditStripeBalance(stripe, { customer: ({ partnerId }) => `cus_${partnerId}` });
  const client = new TributaryProgram({ apiKey: String(f.key), baseUrl: sharedService.url });
  await client.settlePayout(f.id, async (line) => {
    if (line.lineId === f.aliceLine) await credit(line);
    throw new Error("the job dies before the report");
  });
  expect((await f.cancel(f.id)).status).toBe(200);
  expect(await client.settlePayout(f.id, credit)).toMatchObject({ ok: true, settled: 1, late: 1 });
  expect(await client.settlePayout(f.id, credit)).toMatchObject({ ok: true, settled: 0, late: 0 });
  expect(stripe.creditsByLine()).toEqual({ [f.aliceLine]: 1 });
  expect(await f.accounts()).toMatchObject({ payable: 0 });
});

/** Finalizes a payout to Alice and Bob, who have external ids. Returns a client that settles it at Stripe. */
async function finalizeWithExternalIds() {
  const keys = [{}, { name: "Billing", scopes: ["read", "settle"], book: "both" } as const];
  const f = await payoutsFixture(people, { members: people.members(), keys });
  const renamedBy = {
    member: (id: number, externalId: string) =>
      people.owner.patch(`/api/programs/${f.world.programId}/partners/${id}`, { externalId }),
    key: (id: number, external_id: string | null) =>
      sharedApi().request("PATCH", `/api/v1/programs/me/partners/${id}`, {
        ...{ key: String(f.world.keys[0]), body: { external_id } },
      }),
  };
  expect((await renamedBy.member(f.alice.id, "alice")).status).toBe(200);
  expect((await renamedBy.member(f.bob.id, "bob")).status).toBe(200);
  for (const partner of [f.alice, f.bob]) await f.earn(980, { partner });
  const { id } = (await f.create({ settledBy: "api" })).body.data;
  const shown = async () =>
    Object.fromEntries((await f.get(id)).lines.map(({ partnerId, externalId }) => [partnerId, externalId]));
  const reviewed = { [f.alice.id]: "alice", [f.bob.id]: "bob" };
  expect(await shown()).toEqual(reviewed);
  await f.finalize(id);
  const stripe = new FakeStripe();
  const customer = ({ externalId }: { externalId: string | null }) => externalId && `cus_${externalId}`;
  const credit = creditStripeBalance(stripe, { customer });
  const client = new TributaryProgram({ apiKey: String(f.world.keys[1]), baseUrl: sharedService.url });
  return { ...f, id, renamedBy, shown, reviewed, stripe, credit, client };
}

it("a payout credits the external ids that it had when a member finalized it, even if an API key changes them afterwards", async () => {
  const { id, alice, bob, renamedBy, shown, reviewed, stripe, credit, client } = await finalizeWithExternalIds();
  expect((await renamedBy.key(bob.id, null)).status).toBe(200);
  expect((await renamedBy.key(alice.id, "bob")).status).toBe(200);
  const credited: Record<number, string | null> = {};
  const done = await client.settlePayout(id, (line) => {
    credited[line.partnerId] = line.externalId;
    return credit(line);
  });
  expect(done).toMatchObject({ ok: true, settled: 2 });
  expect([credited, await shown()]).toEqual([reviewed, reviewed]);
  expect(stripe.calls.map(([customer]) => customer).toSorted()).toEqual(["cus_alice", "cus_bob"]);
});

it("a payout line is credited once if a member changes the external id after the crediting job died before its report", async () => {
  const { id, alice, renamedBy, stripe, credit, client } = await finalizeWithExternalIds();
  await client.settlePayout(id, async (line) => {
    await credit(line);
    throw new Error("the job dies before the report");
  });
  expect((await renamedBy.member(alice.id, "alice-merged")).status).toBe(200);
  stripe.forgetKeys();
  expect(await client.settlePayout(id, credit)).toMatchObject({ ok: true, settled: 2 });
  expect(Object.values(stripe.creditsByLine())).toEqual([1, 1]);
});

it("a payout is canceled once all of its lines are given back as not credited", async () => {
  const { aliceLine, bobLine, giveBack, settle, payout, cancel, id, create } = await settlementFixture(people);
  await giveBack(aliceLine);
  await giveBack(bobLine);
  expect(await payout()).toMatchObject({ status: "canceled", givenBackCents: 1_470, dueCents: 0 });
  expect((await cancel(id)).status).toBe(200);
  expect((await settle(bobLine, "late")).body.data).toMatchObject({ late: true });
  expect((await create({})).body.data).toMatchObject({ totalCents: 980 });
});

it("canceling a payout gives back its open lines, and its settled lines stay paid", async () => {
  const { aliceLine, settle, cancel, id, payout, accounts, lines } = await settlementFixture(people);
  await settle(aliceLine, "one");
  expect((await cancel(id)).status).toBe(200);
  expect(await payout()).toMatchObject({ status: "paid", settledCents: 980, givenBackCents: 490, dueCents: 0 });
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 980 });
  expect((await lines("?state=given_back")).data).toHaveLength(1);
  expect(codeOf((await cancel(id)) as never)).toEqual([409, "nothing_due"]);
});

it("payout lines wait until a second person approves the payout", async () => {
  const program = { payoutApproval: "two_people" } as const;
  const {
    aliceLine,
    settle,
    confirm,
    post,
    id,
    payout,
    lines,
    path: _,
  } = await settlementFixture(people, [980, 490], program);
  expect((await lines("?state=waiting")).data).toHaveLength(2);
  expect(codeOf(await settle(aliceLine, "one"))).toEqual([409, "not_due"]);
  expect((await confirm(id)).status).toBe(403);
  expect((await post("owner", `/${id}/confirm`)).status).toBe(200);
  expect((await post("owner", `/${id}/confirm`)).status).toBe(200);
  expect((await payout()).status).toBe("final");
  expect((await lines("?state=due")).data).toHaveLength(2);
  expect((await settle(aliceLine, "one")).status).toBe(200);
});

it("a program can return to approval by one person once its payout is confirmed, even while lines are due", async () => {
  const { post, id, world } = await settlementFixture(people, [980, 490], { payoutApproval: "two_people" });
  const change = () => people.owner.patch(`/api/programs/${world.programId}`, { payoutApproval: "one_person" });
  expect((await change()).status).toBe(409);
  expect((await post("owner", `/${id}/confirm`)).status).toBe(200);
  expect((await change()).status).toBe(200);
});

it("a program can't be archived while lines are unsettled, and no payout of an archived program is settled by API", async () => {
  const { world, id, aliceLine, settle, earn, create, cancel, finalize, get } = await settlementFixture(people);
  const path = `/api/programs/${world.programId}`;
  const archive = () => people.owner.patch<{ error: { details: JsonObject } }>(path, { status: "archived" });
  expect(codeOf(await archive())).toEqual([409, "payout_unsettled"]);
  expect((await settle(aliceLine, "cb_1")).status).toBe(200);
  expect(codeOf(await archive())).toEqual([409, "payout_unsettled"]);
  expect((await people.owner.patch(path, { status: "paused" })).status).toBe(200);
  expect((await cancel(id)).status).toBe(200);
  await earn(500);
  const draft = (await create({ settledBy: "api" })).body.data;
  expect((await archive()).status).toBe(200);

  expect((await create({ settledBy: "api", reference: draft.reference })).status).toBe(200);
  const refused = await finalize(draft.id);
  expect([refused.status, refused.body.error?.message]).toEqual([409, "This program is archived. Restore it first."]);
  expect((await get(draft.id)).status).toBe("draft");
  expect((await cancel(draft.id)).status).toBe(200);
  expect((await create({ settledBy: "api" })).status).toBe(409);
  const byPerson = (await create()).body.data;
  expect((await finalize(byPerson.id, { settledBy: "api" })).status).toBe(409);
  expect((await finalize(byPerson.id)).status).toBe(200);
});

it("a payout that is settled by API has no files and no confirmation, and calls about the lines of any other payout are refused", async () => {
  const {
    id,
    path,
    confirm,
    create,
    finalize,
    earn,
    api,
    key,
    world,
    alice,
    adjust: _,
    settle,
    aliceLine,
  } = await settlementFixture(people);
  const program = `/api/programs/${world.programId}/payouts`;
  expect(codeOf((await confirm(id)) as never)).toEqual([409, "settled_by_api"]);
  for (const format of ["csv", "paypal", "wise", "sepa"]) {
    const file = await people.owner.get<PayoutReply>(`${program}/${id}?format=${format}`);
    expect([format, ...codeOf(file as never)]).toEqual([format, 409, "settled_by_api"]);
  }
  expect(codeOf((await finalize(id, { settledBy: "person" })) as never)).toEqual([409, "differs"]);
  expect((await finalize(id, { settledBy: "api" })).status).toBe(200);
  await earn(100);
  const draft = (await create({ reference: "by-person" })).body.data;
  const of = (payoutId: number) => api.request<PayoutReply>("GET", path.replace(String(id), String(payoutId)), { key });
  expect(codeOf((await of(draft.id)) as never)).toEqual([409, "payout_not_final"]);
  const repeated = await create({ reference: "by-person", settledBy: "api" });
  expect(repeated.body.error?.details).toMatchObject({ differences: ["settledBy"] });
  await finalize(draft.id);
  expect(codeOf((await of(draft.id)) as never)).toEqual([409, "settled_by_person"]);
  expect((await of(999_999_999)).status).toBe(404);
  expect((await settle(999_999_999, "x")).status).toBe(404);
  expect((await settle(aliceLine, "undefined")).status).toBe(400);
  expect((await settle(aliceLine, "x", { settled_at: new Date(daysAgo(401)).toISOString() })).status).toBe(400);
  expect((await settle(aliceLine, "x", { settled_at: new Date(daysAgo(-1)).toISOString() })).status).toBe(400);
  const bonus = { amountCents: -5, currency: "EUR", reason: "r", reference: `settled:${aliceLine}` };
  const adjusted = await people.admin.post(`/api/programs/${world.programId}/partners/${alice.id}/adjustments`, bonus);
  expect(adjusted.status).toBe(400);
});

it("a payout that is settled by API pays partners with missing or changed payment details", async () => {
  const fixture = await payoutsFixture(people, {
    members: people.members(),
    program: { requireDetails: true },
  });
  await fixture.earn(500);
  await fixture.setEmail(fixture.alice.id, "first@example.com");
  await fixture.setEmail(fixture.alice.id, "second@example.com");
  const byPerson = await fixture.create({});
  expect(byPerson.status).toBe(409);
  const { id } = (await fixture.create({ settledBy: "api" })).body.data;
  expect((await fixture.finalize(id)).body.data).toMatchObject({ totalCents: 500, lineCount: 1, skipped: [] });
});

it("a payout line is settled once if many calls report it concurrently", async () => {
  const { aliceLine, settle, giveBack, accounts } = await settlementFixture(people);
  const calls = Array.from({ length: 12 }, (_, i) => settle(aliceLine, i % 3 === 0 ? "a" : "b"));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 980 });
  await Promise.all(Array.from({ length: 5 }, () => giveBack(aliceLine)));
  expect(await accounts()).toEqual({ pending: 0, payable: 980, inPayout: 0, paid: 0 });
});

it("the event feed has events for payout lines that are settled or given back, but none for the payout's confirmation", async () => {
  const { aliceLine, bobLine, settle, giveBack, api, key, id } = await settlementFixture(people);
  await settle(aliceLine, "cbtxn_1");
  await giveBack(bobLine);
  const { body } = await api.request<{ events: { type: string; data: { object: JsonObject } }[] }>(
    "GET",
    "/api/v1/programs/me/events?limit=500&types=payout.finalized,payout.confirmed,payout.line_settled,payout.line_failed,payout.canceled",
    { key },
  );
  expect(body.events.map(({ type, data }) => [type, data.object])).toEqual([
    ["payout.finalized", expect.objectContaining({ payout_id: id, settled_by: "api", total_cents: 1_470 })],
    [
      "payout.line_settled",
      expect.objectContaining({
        line_id: aliceLine,
        amount_cents: 980,
        settlement_id: "cbtxn_1",
        settled_at: expect.any(String),
      }),
    ],
    ["payout.line_failed", expect.objectContaining({ line_id: bobLine, amount_cents: 490 })],
  ]);
});

it("a new live key can have the scope settle, and the program's first key and test keys can't", async () => {
  const { world } = await settlementFixture(people);
  const keys = `/api/programs/${world.programId}/api-keys`;
  const create = (scopes: string[], book: string) => people.owner.post(keys, { name: "Billing", scopes, book });
  expect((await create(["settle"], "test")).status).toBe(400);
  expect((await create(["read", "settle"], "both")).status).toBe(201);
  expect((await people.admin.post(keys, { name: "B", scopes: ["settle"], book: "both" })).status).toBe(403);
  const [first] = await world.rows("select min(id) as id from program_keys where program_id = ?", world.programId);
  const grant = await people.owner.patch(`${keys}/${first?.id}`, { scopes: ["track", "read", "manage", "settle"] });
  expect(grant.status).toBe(400);
});
