/** @module-tag soak */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { sampled } from "../support/breadth.ts";
import { eventually } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { killable, killService } from "./kills.ts";

const rounds = Number(process.env.HOLD_KILLS ?? 1);
const sales = 20;

const disturbances = killable();

it.each(sampled(Object.entries(disturbances), 1))(
  "commissions are held once and released once, and reviews end, even if the %s is killed at any moment",
  { timeout: 120_000 * Math.max(1, rounds) },
  async (_what, { own, kill }) => {
    const owner = await own.user();
    const world = await own.world({
      members: [{ user: owner, role: "owner" }],
      partners: [{}, {}],
      policies: [{ holdDays: 0 }],
    });
    const shop = salesFixture(programFixture(world, own.api()));
    await shop.refer("c1");
    const disturb = async (withinMs = 60) => {
      await delay(Math.random() * withinMs);
      await kill();
    };
    /** Repeats the request until it is answered, as a person would whose page doesn't respond. */
    const insist = async (action: "hold" | "release", body: JsonObject) => {
      for (;;) {
        const reply = await owner
          .post(`/api/programs/${world.programId}/commissions/${action}`, body)
          .catch(() => undefined);
        if (reply !== undefined && reply.status < 500) return expect(reply.status, reply.text).toBe(200);
        await delay(50);
      }
    };
    const count = async (sql: string, ...args: (string | number)[]) =>
      Number((await world.rows(`select count(*) as n from ${sql}`, ...args))[0]?.n);

    for (let round = 0; round < rounds; round += 1) {
      const sold = await Promise.all(
        Array.from({ length: sales }, async (_, i) =>
          shop.sale({ transaction_id: `t${round} ${i}`, customer_key: "c1", amount_cents: 1_000 + round * sales + i }),
        ),
      );
      const ids = sold.map(({ commission_id }) => commission_id);
      const [byHand, bySignal] = [ids.slice(sales / 2), ids.slice(0, sales / 2)];
      const inList = (some: readonly number[]) => `in (${some.join(", ")})`;
      // The reviews of these signals are already over.
      await world.write({
        sql: `insert into commission_signals (commission_id, program_id, is_test, code, effect, evidence, partner_id, raised_at, review_until)
          select id, program_id, is_test, 'blocked_source', 'hold', '{"host":"coupons.example"}', partner_id, created_at, created_at + 1
          from commissions where id ${inList(bySignal)}`,
        args: [],
      });
      await world.write({
        sql: `update commissions set status = 'pending', approved_at = null, approved_by = null, payable_number = null,
          held_at = created_at, review_until = created_at + 1 where id ${inList(bySignal)}`,
        args: [],
      });
      const inState = (some: readonly number[], state: string) =>
        count(`commissions where id ${inList(some)} and ${state}`);

      // A Ledger looks for ended reviews one second after its start.
      await killService(own);
      await Promise.all([insist("hold", { ids: byHand, reason: "odd" }), disturb()]);
      await Promise.all([insist("release", { ids: byHand.slice(1) }), disturb()]);
      await disturb(1_000);
      await eventually(
        () => inState(bySignal, "status = 'approved' and held_at is null"),
        (n) => n === bySignal.length,
        60_000,
      );
      expect(await inState(byHand, "status = 'pending' and held_at is not null")).toBe(1);
      expect(await inState(byHand, "status = 'approved' and held_at is null")).toBe(byHand.length - 1);
      expect(await count(`commission_signals where commission_id ${inList(byHand)}`)).toBe(byHand.length);
      expect(await count(`commission_signals where commission_id ${inList(bySignal)} and ended_by = 'time'`)).toBe(
        bySignal.length,
      );
    }
    const audited = (action: string) =>
      count("audit_entries where program_id = ? and action = ?", world.programId, `commission.${action}`);
    expect(await audited("held")).toBe((rounds * sales) / 2);
    expect(await audited("released")).toBe(rounds * (sales / 2 - 1));
    expect(await world.audit()).toEqual([]);
  },
);
