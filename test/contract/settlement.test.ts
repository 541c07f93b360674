import { expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { type PayoutReply, payoutsFixture } from "../support/payouts-fixture.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

interface Line {
  readonly line_id: number;
  readonly partner_id: number;
  readonly external_id: string | null;
  readonly currency: string;
  readonly amount_cents: number;
  readonly state: string;
  readonly settlement_id: string | null;
  readonly settled_at: string | null;
  readonly late?: boolean;
}

const people = usersOfFile();

const settleKey = { name: "Billing", scopes: ["read", "settle"], book: "both" } as const;

/** Opens a program with an API key for the billing system, and a final payout that pays `amounts` to two partners. */
async function settlementFixture(amounts: readonly [number, number] = [980, 490], program = {}) {
  const fixture = await payoutsFixture(people, {
    members: people.members(),
    keys: [{}, settleKey],
    program,
  });
  const { world, alice, bob } = fixture;
  const [, key] = world.keys;
  for (const [i, partner] of [alice, bob].entries()) await fixture.earn(amounts[i] ?? 0, { partner });
  const { id } = (await fixture.create({ settledBy: "api" })).body.data;
  expect((await fixture.finalize(id)).status).toBe(200);
  const path = `/api/v1/programs/me/payouts/${id}/lines`;
  const api = sharedApi();
  const lines = async (query = "") =>
    (await api.request<{ data: Line[]; meta: { next_cursor: string | null } }>("GET", `${path}${query}`, { key })).body;
  const send = (what: string, body: JsonObject) =>
    api.request<{ data: Line; error: { details: JsonObject } }>("POST", `${path}/${what}`, { key, body });
  const { data } = await lines();
  const lineOf = (partnerId: number) => data.find((line) => line.partner_id === partnerId)?.line_id ?? 0;
  return {
    ...fixture,
    ...{ id, key, api, path, lines, send, aliceLine: lineOf(alice.id), bobLine: lineOf(bob.id) },
    settle: (lineId: number, settlement_id: string, more: JsonObject = {}) =>
      send(`${lineId}/settle`, { settlement_id, ...more }),
    giveBack: (lineId: number, body: JsonObject = { reason: "No account" }) => send(`${lineId}/fail`, body),
    payout: async () => {
      const { status, totalCents, lines: shown, ...sums } = await fixture.get(id);
      const { settledCents, givenBackCents, dueCents } = sums as unknown as Record<string, number>;
      expect(Number(settledCents) + Number(givenBackCents) + Number(dueCents)).toBe(totalCents);
      return { status, settledCents, givenBackCents, dueCents, shown };
    },
  };
}

const codeOf = ({ status, body }: { status: number; body: { error?: { details: JsonObject } } }) => [
  status,
  body.error?.details.code,
];

it("settles each line of a payout once, and marks the payout as paid after the last one", async () => {
  const { world, alice, aliceLine, bobLine, settle, lines, payout, accounts } = await settlementFixture();
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

it("shows each commission as paid once its own line is settled", async () => {
  const { earn, create, finalize, statusOf, alice, bob, world, settle, key, api } = await settlementFixture();
  const [one, two] = [await earn(100, { partner: alice }), await earn(200, { partner: bob })];
  const { id } = (await create({ settledBy: "api" })).body.data;
  await finalize(id);
  const path = `/api/v1/programs/me/payouts/${id}/lines`;
  const { body } = await api.request<{ data: Line[] }>("GET", path, { key });
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

it("gives a line back without a ledger entry, and deducts a settlement reported later exactly once", async () => {
  const { world, alice, aliceLine, bobLine, settle, giveBack, accounts, payout } = await settlementFixture();
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

it("returns the payment of a settled line that fails, and deducts a second settlement of the line", async () => {
  const { aliceLine, bobLine, settle, giveBack, accounts, payout, fail, alice, id } = await settlementFixture();
  await settle(aliceLine, "one");
  expect((await giveBack(aliceLine)).body.data).toMatchObject({ state: "given_back", settlement_id: "one" });
  expect(await accounts()).toEqual({ pending: 0, payable: 980, inPayout: 0, paid: 0 });
  expect((await settle(aliceLine, "one")).body.data).toMatchObject({ late: false, state: "given_back" });
  expect((await settle(aliceLine, "two")).body.data).toMatchObject({ late: true, settlement_id: "two" });
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 0 });
  expect((await fail(id, alice.id)).status).toBe(200);
  expect((await giveBack(bobLine)).status).toBe(200);
  // One line was settled, so the payout is paid, not canceled.
  expect(await payout()).toMatchObject({ status: "paid", settledCents: 0, givenBackCents: 1_470, dueCents: 0 });
});

it("cancels a payout whose lines are all given back", async () => {
  const { aliceLine, bobLine, giveBack, settle, payout, cancel, id, create } = await settlementFixture();
  await giveBack(aliceLine);
  await giveBack(bobLine);
  expect(await payout()).toMatchObject({ status: "canceled", givenBackCents: 1_470, dueCents: 0 });
  expect((await cancel(id)).status).toBe(200);
  expect((await settle(bobLine, "late")).body.data).toMatchObject({ late: true });
  expect((await create({})).body.data).toMatchObject({ totalCents: 980 });
});

it("cancels the open lines of a payout, and keeps its settled lines paid", async () => {
  const { aliceLine, settle, cancel, id, payout, accounts, lines } = await settlementFixture();
  await settle(aliceLine, "one");
  expect((await cancel(id)).status).toBe(200);
  expect(await payout()).toMatchObject({ status: "paid", settledCents: 980, givenBackCents: 490, dueCents: 0 });
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 980 });
  expect((await lines("?state=given_back")).data).toHaveLength(1);
  expect(codeOf((await cancel(id)) as never)).toEqual([409, "nothing_due"]);
});

it("keeps lines waiting until a second person approves the payout", async () => {
  const program = { payoutApproval: "two_people" } as const;
  const { aliceLine, settle, confirm, post, id, payout, lines, path: _ } = await settlementFixture([980, 490], program);
  expect((await lines("?state=waiting")).data).toHaveLength(2);
  expect(codeOf(await settle(aliceLine, "one"))).toEqual([409, "not_due"]);
  expect((await confirm(id)).status).toBe(403);
  expect((await post("owner", `/${id}/confirm`)).status).toBe(200);
  expect((await post("owner", `/${id}/confirm`)).status).toBe(200);
  expect((await payout()).status).toBe("final");
  expect((await lines("?state=due")).data).toHaveLength(2);
  expect((await settle(aliceLine, "one")).status).toBe(200);
});

it("keeps a program from being archived while lines are unsettled, and an archived one from settling by API", async () => {
  const { world, id, aliceLine, settle, earn, create, cancel, finalize, get } = await settlementFixture();
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

it("refuses files and a confirmation if a payout is settled by API, and otherwise refuses calls about its lines", async () => {
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
  } = await settlementFixture();
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

it("pays partners with missing or changed payment details if the payout is settled by API", async () => {
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

it("settles a line once if many calls report it concurrently", async () => {
  const { aliceLine, settle, giveBack, accounts } = await settlementFixture();
  const calls = Array.from({ length: 12 }, (_, i) => settle(aliceLine, i % 3 === 0 ? "a" : "b"));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
  expect(await accounts()).toEqual({ pending: 0, payable: 0, inPayout: 0, paid: 980 });
  await Promise.all(Array.from({ length: 5 }, () => giveBack(aliceLine)));
  expect(await accounts()).toEqual({ pending: 0, payable: 980, inPayout: 0, paid: 0 });
});

it("reports settled and given back lines in the event feed, but no confirmation", async () => {
  const { aliceLine, bobLine, settle, giveBack, api, key, id } = await settlementFixture();
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

it("grants the scope settle to a new live key, but not to the program's first key or a test key", async () => {
  const { world } = await settlementFixture();
  const keys = `/api/programs/${world.programId}/api-keys`;
  const create = (scopes: string[], book: string) => people.owner.post(keys, { name: "Billing", scopes, book });
  expect((await create(["settle"], "test")).status).toBe(400);
  expect((await create(["read", "settle"], "both")).status).toBe(201);
  expect((await people.admin.post(keys, { name: "B", scopes: ["settle"], book: "both" })).status).toBe(403);
  const [first] = await world.rows("select min(id) as id from program_keys where program_id = ?", world.programId);
  const grant = await people.owner.patch(`${keys}/${first?.id}`, { scopes: ["track", "read", "manage", "settle"] });
  expect(grant.status).toBe(400);
});
