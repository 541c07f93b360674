import { expect, it } from "vitest";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { tributary } from "../support/tributary.ts";

const own = isolatedService();

interface Asked {
  readonly error: { readonly details: { readonly code: string; readonly restoredAt: string } };
}

it("after a restore, the owner must acknowledge the restore once for each payout", async () => {
  const owner = await own.user();
  const world = await own.world({ members: [{ user: owner, role: "owner" }], partners: [{}, {}, {}] });
  const path = `/api/programs/${world.programId}`;
  const owe = (partner: number, reference: string) =>
    owner.post(`${path}/partners/${world.partners[partner]?.id}/adjustments`, {
      ...{ currency: "EUR", reason: "Bonus", reference, amountCents: 2_000 },
    });
  const draft = async () => {
    const { body } = await owner.post<{ data: { id: number } }>(`${path}/payouts`, { currency: "EUR" });
    return `${path}/payouts/${body.data.id}`;
  };
  const finalized = async (partner: number) => {
    await owe(partner, "one");
    const payout = await draft();
    expect((await owner.post(`${payout}/finalize`, {})).status).toBe(200);
    return payout;
  };
  const [first, second, third] = [await finalized(0), await finalized(1), await finalized(2)];
  await owe(1, "two");
  const copy = await own.database.backup();
  // The backup lacks two payments: that of the second payout, and that of a further payout.
  expect((await owner.post(`${second}/confirm`, {})).status).toBe(200);
  expect((await owner.post(`${await draft()}/confirm`, {})).status).toBe(200);
  await own.database.restore(copy);
  expect(await tributary(["after-restore"], { DATABASE_URL: own.database.url })).toMatchObject({ code: 0 });

  const file = (payout: string, query = "") => owner.get<Asked>(`${payout}?format=csv${query}`);
  const { restoredAt: restoreAcknowledged } = (await file(first)).body.error.details;
  const known = `restoreAcknowledged=${restoreAcknowledged}`;
  expect((await file(first, `&${known}`)).status).toBe(200);
  expect((await file(first)).status).toBe(200);
  expect((await owner.post(`${third}/confirm`, {})).status).toBe(409);
  expect((await owner.post(`${third}/confirm`, { restoreAcknowledged })).status).toBe(200);

  const again = await draft();
  expect((await owner.post<Asked>(`${again}/confirm`, {})).body.error.details.code).toBe("restored");
  expect((await owner.post<Asked>(`${again}/finalize`, {})).body.error.details.code).toBe("restored");
  expect((await owner.post(`${again}/finalize`, { restoreAcknowledged })).status).toBe(200);
  expect((await file(again)).status).toBe(200);
  expect((await owner.post(`${again}/confirm`, {})).status).toBe(200);

  expect((await owner.post<Asked>(`${second}/cancel`, {})).body.error.details.code).toBe("restored");
  expect((await file(second)).status).toBe(409);
  expect((await owner.post(`${second}/cancel?${known}`, {})).status).toBe(200);
  expect((await owner.post(`${first}/confirm`, {})).status).toBe(200);
  const acknowledged = await world.rows(
    "select subject from audit_entries where action = 'payout.restore_acknowledged' order by id",
  );
  const subjects = [first, third, again, second].map((payout) => payout.slice(`${path}/`.length).replace("s/", " "));
  expect(acknowledged.map(({ subject }) => subject)).toEqual(subjects);
  expect((await owner.post(`${await draft()}/confirm`, {})).status).toBe(200);
  await expectLedgerConsistent(world);
});
