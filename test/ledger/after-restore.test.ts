import { expect, it } from "vitest";
import { isWhole } from "../support/breadth.ts";

import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { tributary } from "../support/tributary.ts";

const own = isolatedService();

const afterRestore = () => tributary(["after-restore"], { DATABASE_URL: own.database.url });

it("the first payout after a restore requires an acknowledgment of that restore", async () => {
  const owner = await own.user();
  const worldOf = () => own.world({ members: [{ user: owner, role: "owner" }] });
  const [world, other] = [await worldOf(), await worldOf()];
  const of = ({ programId, partner }: typeof world) => {
    const path = `/api/programs/${programId}`;
    const post = (to: string, body: object = {}) =>
      owner.post<{ data: { id: number; status: string }; error: { details: Record<string, unknown> } }>(
        `${path}${to}`,
        { ...body },
      );
    const bonus = { currency: "EUR", reason: "Bonus" };
    return {
      owe: (reference: string, amountCents: number) =>
        post(`/partners/${partner.id}/adjustments`, { ...bonus, reference, amountCents }),
      draft: async (reference: string) => {
        const { body } = await post("/payouts", { currency: "EUR", reference });
        return body.data.id;
      },
      finalize: (id: number, body?: object) => post(`/payouts/${id}/finalize`, body),
      confirm: (id: number, body?: object) => post(`/payouts/${id}/confirm`, body),
    };
  };
  const shop = of(world);
  await shop.owe("one", 2_000);
  expect((await shop.confirm(await shop.draft("2026-10"))).status).toBe(200);
  await shop.owe("two", 3_000);
  await of(other).owe("one", 1_000);
  const before = Date.now();
  const copy = await own.database.backup();
  expect((await shop.confirm(await shop.draft("2026-11"))).status).toBe(200);

  await own.database.restore(copy);
  const { stdout } = await afterRestore();
  const lineOf = (id: number) => stdout.split("\n").find((line) => line.includes(`program ${id} `));
  expect(lineOf(world.programId)).toMatch(/"2026-10", 20\.00 EUR, paid \d{4}-\d\d-\d\d$/);
  expect(lineOf(other.programId)).toMatch(/: none$/);

  const again = await shop.draft("2026-11");
  const asked = await shop.confirm(again);
  expect([asked.status, asked.body.error.details.code]).toEqual([409, "restored"]);
  const { restoredAt, backupAt, lastPayout } = asked.body.error.details;
  expect(Date.parse(String(restoredAt))).toBeGreaterThan(before - 2_000);
  expect(Date.parse(String(backupAt))).toBeLessThanOrEqual(before);
  expect(lastPayout).toMatchObject({ reference: "2026-10", totalCents: 2_000, currency: "EUR" });
  expect((await shop.finalize(again)).status).toBe(409);
  expect((await shop.finalize(again, { restoreAcknowledged: backupAt })).status).toBe(409);
  expect((await shop.finalize(again, { restoreAcknowledged: restoredAt })).body.data.status).toBe("final");
  expect((await shop.confirm(again)).body.data.status).toBe("paid");
  const entries = () =>
    world.rows("select program_id, actor_id from audit_entries where action = 'payout.restore_acknowledged'");
  const entry = { program_id: world.programId, actor_id: owner.userId };
  expect(await entries()).toEqual([entry]);
  await shop.owe("three", 500);
  expect((await shop.confirm(await shop.draft("2026-12"))).status).toBe(200);

  const waiting = await of(other).draft("2026-11");
  const first = await of(other).finalize(waiting);
  expect(first.body.error.details).toMatchObject({ code: "restored", restoredAt, lastPayout: null });
  if (!isWhole) return expectLedgerConsistent(world);
  // The Ledger detects this second restore by itself, without the after-restore command.
  await own.database.restore(copy);
  const drafted = await eventually(
    () =>
      of(other)
        .draft("2026-11")
        .catch(() => undefined),
    (id) => id !== undefined,
  );
  const second = await of(other).finalize(Number(drafted));
  expect(second.body.error.details).toMatchObject({ code: "restored", lastPayout: null });
  expect(await entries()).toEqual([]);

  const stale = await of(other).finalize(Number(drafted), { restoreAcknowledged: restoredAt });
  expect(stale.status).toBe(409);
  const finalized = await of(other).finalize(Number(drafted), {
    restoreAcknowledged: second.body.error.details.restoredAt,
  });
  expect(finalized.status).toBe(200);
  await expectLedgerConsistent(world);
});

it("after a second restore, a program that hasn't acknowledged the first one sees what it lost since the first restore's backup", {
  tags: "soak",
}, async () => {
  const owner = await own.user();
  const worldOf = () => own.world({ members: [{ user: owner, role: "owner" }] });
  const [world, other] = [await worldOf(), await worldOf()];
  const of = ({ programId, partner }: typeof world) => {
    const post = (to: string, body: object) =>
      owner.post<{ data: { id: number }; error: { details: { restoredAt: string; backupAt: string } } }>(
        `/api/programs/${programId}${to}`,
        { ...body },
      );
    return {
      owe: () =>
        post(`/partners/${partner.id}/adjustments`, {
          currency: "EUR",
          reason: "Bonus",
          reference: "one",
          amountCents: 500,
        }),
      draft: async () => (await post("/payouts", { currency: "EUR", reference: "2026-10" })).body.data.id,
      finalize: (id: number, body = {}) => post(`/payouts/${id}/finalize`, body),
    };
  };
  await of(world).owe();
  await of(other).owe();
  expect(await afterRestore()).toMatchObject({ code: 0 });
  const [draft, waiting] = [await of(world).draft(), await of(other).draft()];
  const { restoredAt, backupAt } = (await of(world).finalize(draft)).body.error.details;
  expect((await of(world).finalize(draft, { restoreAcknowledged: restoredAt })).status).toBe(200);
  expect(await afterRestore()).toMatchObject({ code: 0 });
  const asked = await of(other).finalize(waiting);
  expect([asked.status, asked.body.error.details.backupAt]).toEqual([409, backupAt]);
});

it("npm run tributary -- after-restore lets a running service continue from the backup, and can be run twice", {
  tags: "soak",
}, async () => {
  const owner = await own.user();
  const world = await own.world({ partners: [{}, {}], members: [{ user: owner, role: "owner" }] });
  const { alice, visit, api } = programFixture(world, own.api());
  const sell = (transaction_id: string) =>
    api.sale({ transaction_id, amount_cents: 1_000, customer_key: "u" }, { key: world.key });
  const epoch = async () => Number((await world.rows("select epoch from ledger_writers"))[0]?.epoch);
  await visit();

  const copy = await own.database.backup();
  await owner.patch(`/api/programs/${world.programId}/partners/${alice.id}`, { status: "paused" });
  expect((await visit()).success).toBe(false);
  expect((await sell("undone")).status).toBe(200);
  await own.database.restore(copy);
  // An import of a dump may leave the database without the writer's row and without its trigger.
  const [stay] = await world.rows("select sql from sqlite_master where name = 'ledger_writers_stay'");
  await world.write("drop trigger ledger_writers_stay", "delete from ledger_writers", String(stay?.sql));

  const { stdout } = await afterRestore();
  expect(stdout).toMatch(/\nThe Ledger starts afresh.*\nThe books are right: \d+ checks\.\n$/);
  expect((await sell("undone")).status).toBe(200);
  expect((await visit()).success).toBe(true);

  const before = await epoch();
  expect(before).toBeGreaterThan(1_700_000_000_000);
  expect(await afterRestore()).toMatchObject({ code: 0 });
  expect(await epoch()).toBeGreaterThan(before);
  expect((await sell("after")).status).toBe(200);
  await expectLedgerConsistent(world);
});
