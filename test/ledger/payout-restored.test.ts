import { expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { TributaryProgram } from "../../sdk/src/program.ts";
import { creditStripeBalance } from "../../sdk/src/stripe.ts";
import { FakeStripe } from "../sdk/fake-settlement.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { tributary } from "../support/tributary.ts";

const own = isolatedService();

interface Asked {
  readonly error: {
    readonly message: string;
    readonly details: { readonly code: string; readonly restoredAt: string; readonly backupAt: string };
  };
}

it("after a restore, a payout that was final in the backup is confirmed, canceled or downloaded only after the restore is acknowledged", async () => {
  const owner = await own.user();
  const programOf = async () => {
    const { programId, partner, rows } = await own.world({ members: [{ user: owner, role: "owner" }] });
    const path = `/api/programs/${programId}`;
    const bonus = { currency: "EUR", reason: "Bonus", reference: "one", amountCents: 2_000 };
    await owner.post(`${path}/partners/${partner.id}/adjustments`, bonus);
    const { body } = await owner.post<{ data: { id: number } }>(`${path}/payouts`, { currency: "EUR" });
    const payout = `${path}/payouts/${body.data.id}`;
    expect((await owner.post(`${payout}/finalize`, {})).status).toBe(200);
    const acknowledgments = () =>
      rows("select 1 from audit_entries where program_id = ? and action = 'payout.restore_acknowledged'", programId);
    return { payout, acknowledgments };
  };
  const file = (payout: string, query = "") => owner.get<Asked>(`${payout}?format=csv${query}`);
  const [confirmed, canceled, downloaded] = [await programOf(), await programOf(), await programOf()];
  const copy = await own.database.backup();
  await own.database.restore(copy);
  expect(await tributary(["after-restore"], { DATABASE_URL: own.database.url })).toMatchObject({ code: 0 });

  const asked = [
    await owner.post<Asked>(`${confirmed.payout}/confirm`, {}),
    await owner.post<Asked>(`${canceled.payout}/cancel`, {}),
    await file(downloaded.payout),
  ];
  expect(asked.map(({ status, body }) => [status, body.error.details.code])).toEqual(
    asked.map(() => [409, "restored"]),
  );
  const { restoredAt: restoreAcknowledged } = asked[0]?.body.error.details ?? {};
  expect((await owner.get(downloaded.payout)).status).toBe(200);
  const wrong = "2026-01-01T00:00:00.000Z";
  expect((await owner.post(`${canceled.payout}/cancel?restoreAcknowledged=${wrong}`, {})).status).toBe(409);
  expect((await file(downloaded.payout, `&restoreAcknowledged=${wrong}`)).status).toBe(409);

  const known = `restoreAcknowledged=${restoreAcknowledged}`;
  expect((await owner.post(`${confirmed.payout}/confirm`, { restoreAcknowledged })).status).toBe(200);
  expect((await owner.post(`${canceled.payout}/cancel?${known}`, {})).status).toBe(200);
  expect((await file(downloaded.payout, `&${known}`)).text).toContain("20.00");
  for (const { acknowledgments } of [confirmed, canceled, downloaded]) expect(await acknowledgments()).toHaveLength(1);
  expect((await file(downloaded.payout)).status).toBe(200);
  expect((await owner.post(`${downloaded.payout}/confirm`, {})).status).toBe(200);
  expect((await file(confirmed.payout)).status).toBe(200);
});

it("after a restore, the lines of a payout that is settled by API wait until an owner confirms the payout again", async () => {
  const [owner, admin] = [await own.user(), await own.user()];
  const members = [{ user: owner, role: "owner" } as const, { user: admin, role: "admin" } as const];
  const keys = [{}, { name: "Billing", scopes: ["read", "settle"], book: "both" } as const];
  const world = await own.world({ members, keys });
  const program = `/api/programs/${world.programId}`;
  const bonus = { currency: "EUR", reason: "Bonus", reference: "one", amountCents: 2_000 };
  await owner.post(`${program}/partners/${world.partner.id}/adjustments`, bonus);
  const terms = { currency: "EUR", settledBy: "api" };
  const { data } = (await owner.post<{ data: { id: number } }>(`${program}/payouts`, terms)).body;
  // The previous test restored the database of this service, so finalizing also needs an acknowledgment.
  const finalize = `${program}/payouts/${data.id}/finalize`;
  const { restoredAt } = (await owner.post<Partial<Asked>>(finalize, {})).body.error?.details ?? {};
  expect((await owner.post(finalize, { restoreAcknowledged: restoredAt ?? null })).status).toBe(200);
  await own.database.restore(await own.database.backup());
  expect(await tributary(["after-restore"], { DATABASE_URL: own.database.url })).toMatchObject({ code: 0 });

  const path = `/api/v1/programs/me/payouts/${data.id}/lines`;
  const lines = async () => {
    const call = { key: world.keys[1] ?? "" };
    const { body } = await own.api().request<{ data: { line_id: number; state: string }[] }>("GET", path, call);
    return body.data;
  };
  const [line] = await lines();
  const settle = async () => {
    const call = { key: world.keys[1] ?? "", body: { settlement_id: "cbtxn_1" } };
    const { status, body } = await own.api().request<Asked>("POST", `${path}/${line?.line_id}/settle`, call);
    return [status, body.error?.details.code];
  };
  expect([line?.state, await settle()]).toEqual(["waiting", [409, "restored"]]);
  const confirm = `${program}/payouts/${data.id}/confirm`;
  const asked = await owner.post<Asked>(confirm, {});
  expect([asked.status, asked.body.error.details.code]).toEqual([409, "restored"]);
  const { restoredAt: restoreAcknowledged } = asked.body.error.details;
  expect((await admin.post(confirm, { restoreAcknowledged })).status).toBe(403);
  for (const _ of ["first", "again"]) expect((await owner.post(confirm, { restoreAcknowledged })).status).toBe(200);
  expect((await lines()).map(({ state }) => state)).toEqual(["due"]);
  expect(await settle()).toEqual([200, undefined]);
  expect(await world.audit()).toEqual([]);
});

it("after each of two restores, an owner acknowledges the restore for every final payout, another person confirms a waiting payout only once, and a canceled payout's credit is deducted", async () => {
  const [owner, admin] = [await own.user(), await own.user()];
  const members = [{ user: owner, role: "owner" } as const, { user: admin, role: "admin" } as const];
  const keys = [{}, { name: "Billing", scopes: ["read", "settle"], book: "both" } as const];
  const world = await own.world({ members, keys, program: { payoutApproval: "two_people" } });
  const program = `/api/programs/${world.programId}`;
  const payoutIn = async (currency: string, settledBy = "api") => {
    const bonus = { currency, reason: "Bonus", reference: currency, amountCents: 2_000 };
    await owner.post(`${program}/partners/${world.partner.id}/adjustments`, bonus);
    const { data } = (await owner.post<{ data: { id: number } }>(`${program}/payouts`, { currency, settledBy })).body;
    const payout = `${program}/payouts/${data.id}`;
    const { restoredAt = null } =
      (await owner.post<Partial<Asked>>(`${payout}/finalize`, {})).body.error?.details ?? {};
    if (restoredAt !== null) await owner.post(`${payout}/finalize`, { restoreAcknowledged: restoredAt });
    return payout;
  };
  const [confirmed, waiting, canceled] = [await payoutIn("EUR"), await payoutIn("USD"), await payoutIn("GBP")];
  const sent = await payoutIn("SEK", "person");
  expect((await admin.post(`${confirmed}/confirm`, {})).status).toBe(200);
  await own.database.restore(await own.database.backup());
  expect(await tributary(["after-restore"], { DATABASE_URL: own.database.url })).toMatchObject({ code: 0 });

  const asked = await owner.post<Asked>(`${confirmed}/confirm`, {});
  const { restoredAt: restoreAcknowledged, backupAt } = asked.body.error.details;
  const stateOf = async (payout: string) => {
    const { body } = await owner.get<{ data: { lines: { settlement: string }[] } }>(payout);
    return body.data.lines.map(({ settlement }) => settlement);
  };
  expect((await admin.post(`${confirmed}/confirm`, { restoreAcknowledged })).status).toBe(403);
  expect((await owner.post(`${confirmed}/confirm`, { restoreAcknowledged })).status).toBe(200);
  expect(await stateOf(confirmed)).toEqual(["due"]);

  expect((await admin.post(`${waiting}/confirm`, { restoreAcknowledged })).status).toBe(403);
  for (const _ of ["sent", "sent again"]) {
    expect((await owner.post(`${waiting}/confirm`, { restoreAcknowledged })).status).toBe(200);
    expect(await stateOf(waiting)).toEqual(["waiting"]);
  }
  expect((await owner.post(`${waiting}/confirm`, {})).status).toBe(403);
  expect((await admin.post(`${waiting}/confirm`, {})).status).toBe(200);
  expect(await stateOf(waiting)).toEqual(["due"]);

  // The restore may have lost the second person's confirmation, so the partner may have been credited.
  expect((await owner.post(`${canceled}/cancel?restoreAcknowledged=${restoreAcknowledged}`, {})).status).toBe(200);
  const file = `${sent}?format=csv&restoreAcknowledged=${restoreAcknowledged}`;
  expect((await owner.get(file)).text).toContain("20.00");
  // A second restore, from a backup made after the first one, requires new acknowledgments. The program hasn't
  // acknowledged the first one, so payouts since that backup may still be missing.
  await own.database.restore(await own.database.backup());
  expect(await tributary(["after-restore"], { DATABASE_URL: own.database.url })).toMatchObject({ code: 0 });
  expect((await owner.get<Asked>(file)).status).toBe(409);
  const unsent = await admin.post<Asked>(`${sent}/confirm`, { restoreAcknowledged });
  expect([unsent.status, unsent.body.error.details]).toMatchObject([409, { code: "restored", backupAt }]);
  for (const payout of [confirmed, waiting]) {
    expect(await stateOf(payout)).toEqual(["waiting"]);
    const again = await owner.post<Asked>(`${payout}/confirm`, { restoreAcknowledged });
    expect([again.status, again.body.error.details.code]).toEqual([409, "restored"]);
    const second = { restoreAcknowledged: again.body.error.details.restoredAt };
    expect((await owner.post(`${payout}/confirm`, second)).status).toBe(200);
    expect(await stateOf(payout)).toEqual(["due"]);
  }
  const lines = `/api/v1/programs/me/payouts/${canceled.split("/").at(-1)}/lines`;
  const key = world.keys[1] ?? "";
  const { body } = await own.api().request<{ data: { line_id: number }[] }>("GET", lines, { key });
  const settle = `${lines}/${body.data[0]?.line_id}/settle`;
  const settled = await own.api().request<object>("POST", settle, { key, body: { settlement_id: "cbtxn_1" } });
  expect([settled.status, settled.body]).toMatchObject([200, { data: { state: "given_back", late: true } }]);
  expect(await world.audit()).toEqual([]);
});

it("after a restore, only a member can give back an open line, and no line is settled by API until an owner confirms the payout again", async () => {
  const [owner, admin] = [await own.user(), await own.user()];
  const members = [{ user: owner, role: "owner" } as const, { user: admin, role: "admin" } as const];
  const keys = [{}, { name: "Billing", scopes: ["read", "settle"], book: "both" } as const];
  const world = await own.world({ members, keys, partners: [{}, {}] });
  const program = `/api/programs/${world.programId}`;
  const bonus = { currency: "EUR", reason: "Bonus", reference: "one", amountCents: 2_000 };
  for (const { id } of world.partners) await owner.post(`${program}/partners/${id}/adjustments`, bonus);
  const terms = { currency: "EUR", settledBy: "api" };
  const { data } = (await owner.post<{ data: { id: number } }>(`${program}/payouts`, terms)).body;
  const payout = `${program}/payouts/${data.id}`;
  const { restoredAt = null } = (await owner.post<Partial<Asked>>(`${payout}/finalize`, {})).body.error?.details ?? {};
  expect((await owner.post(`${payout}/finalize`, { restoreAcknowledged: restoredAt })).status).toBe(200);
  await own.database.restore(await own.database.backup());
  expect(await tributary(["after-restore"], { DATABASE_URL: own.database.url })).toMatchObject({ code: 0 });

  const path = `/api/v1/programs/me/payouts/${data.id}/lines`;
  const key = world.keys[1] ?? "";
  type Listed = { data: { line_id: number; partner_id: number; state: string }[] };
  const lines = async () => (await own.api().request<Listed>("GET", path, { key })).body.data;
  const [first] = await lines();
  const states = async () => (await lines()).map(({ state }) => state);
  const tell = async (what: string, sent: Record<string, string>) => {
    const to = `${path}/${first?.line_id}/${what}`;
    const reply = await own.api().request<Asked & { data: { late: boolean } }>("POST", to, { key, body: sent });
    return [reply.status, reply.body.error?.details.code ?? reply.body.data.late];
  };
  const reason = "No customer";
  const giveBack = `${payout}/lines/${first?.partner_id}/fail`;
  expect(await tell("fail", { reason })).toEqual([409, "restored"]);
  const asked = await admin.post<Asked>(giveBack, { reason });
  expect([asked.status, asked.body.error.details.code]).toEqual([409, "restored"]);
  expect(await states()).toEqual(["waiting", "waiting"]);
  const { restoredAt: restoreAcknowledged } = asked.body.error.details;
  for (const _ of ["first", "again"])
    expect((await admin.post(giveBack, { reason, restoreAcknowledged })).status).toBe(200);
  expect(await states()).toEqual(["given_back", "waiting"]);
  expect(await tell("settle", { settlement_id: "one" })).toEqual([409, "restored"]);
  expect((await owner.post(`${payout}/confirm`, { restoreAcknowledged })).status).toBe(200);
  expect(await states()).toEqual(["given_back", "due"]);
  expect(await tell("settle", { settlement_id: "one" })).toEqual([200, true]);
});

it("after a restore, a lost payout that was settled by API is entered again as paid by a person, and nobody is credited twice", async () => {
  const owner = await own.user();
  const keys = [{}, { name: "Billing", scopes: ["read", "settle"], book: "both" } as const];
  const world = await own.world({ members: [{ user: owner, role: "owner" }], keys, partners: [{}, {}] });
  const program = `/api/programs/${world.programId}`;
  const bonus = { currency: "EUR", reason: "Bonus", reference: "one", amountCents: 2_000 };
  for (const { id } of world.partners) await owner.post(`${program}/partners/${id}/adjustments`, bonus);
  let restoreAcknowledged: string | null = null;
  const final = async (terms: JsonObject) => {
    const created = await owner.post<{ data: { id: number } }>(`${program}/payouts`, { currency: "EUR", ...terms });
    const path = `${program}/payouts/${created.body.data.id}`;
    const asked = await owner.post<Partial<Asked>>(`${path}/finalize`, {});
    const { message, details } = asked.body.error ?? {};
    if (asked.status === 409) {
      expect(message).toContain("with settledBy person");
      restoreAcknowledged = details?.restoredAt ?? null;
      expect((await owner.post(`${path}/finalize`, { restoreAcknowledged })).status).toBe(200);
    }
    return { id: created.body.data.id, path };
  };
  const stripe = new FakeStripe();
  const credit = creditStripeBalance(stripe, { customer: ({ partnerId }) => `cus_${partnerId}` });
  const job = new TributaryProgram({ apiKey: world.keys[1] ?? "", baseUrl: own.service.url });
  const [, bob] = world.partners;
  const kept = await final({ settledBy: "api" });
  const copy = await own.database.backup();
  const giveBack = (more: JsonObject) =>
    owner.post(`${kept.path}/lines/${bob?.id}/fail`, { reason: "No customer", ...more });
  expect((await giveBack({})).status).toBe(200);
  const lost = { reference: "2026-11", partnerIds: [bob?.id ?? 0] };
  for (const { id } of [kept, await final({ ...lost, settledBy: "api" })]) {
    expect(await job.settlePayout(id, credit)).toMatchObject({ ok: true, settled: 1 });
  }
  await own.database.restore(copy);
  expect(await tributary(["after-restore"], { DATABASE_URL: own.database.url })).toMatchObject({ code: 0 });

  const asked = await owner.post<Asked>(`${kept.path}/confirm`, {});
  restoreAcknowledged = asked.body.error.details.restoredAt;
  expect((await giveBack({ restoreAcknowledged })).status).toBe(200);
  const entered = await final(lost);
  expect((await owner.post(`${entered.path}/confirm`, {})).status).toBe(200);
  expect((await owner.post(`${kept.path}/confirm`, { restoreAcknowledged })).status).toBe(200);
  expect(await job.settlePayout(kept.id, credit)).toMatchObject({ ok: true, settled: 1, late: 0 });
  expect(await job.settlePayout(entered.id, credit)).toMatchObject({ settled: 0 });
  expect(Object.values(stripe.creditsByLine())).toEqual([1, 1]);
  const paid = await world.rows("select paid_cents from partner_balances where program_id = ?", world.programId);
  expect(paid.map(({ paid_cents }) => paid_cents)).toEqual([2_000, 2_000]);
  expect(await world.audit()).toEqual([]);
});
