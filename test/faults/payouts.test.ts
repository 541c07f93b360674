import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { sampled } from "../support/breadth.ts";
import { eventually } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { killable } from "./kills.ts";

const rounds = Number(process.env.PAYOUT_KILLS ?? 1);
const sales = Number(process.env.PAYOUT_SALES ?? 20);
const atOnce = 100;

const disturbances = killable();

it.each(sampled(Object.entries(disturbances)))(
  "a payout is reserved once and paid once, even if the %s is killed at any moment",
  { timeout: 180_000 * Math.max(1, rounds * (sales / 500)) },
  async (_what, { own, kill }) => {
    const owner = await own.user();
    const member = { user: owner, role: "owner" } as const;
    const world = await own.world({ members: [member], partners: [{}, {}], policies: [{ holdDays: 0 }] });
    const shop = salesFixture(programFixture(world, own.api()));
    await shop.refer("c1");
    await shop.refer("c2", { partner: shop.bob });
    const path = `/api/programs/${world.programId}/payouts`;

    /** Repeats the request until it is answered, as a person would whose page doesn't respond. */
    const insist = async (to: string, body: object = {}) => {
      for (;;) {
        const reply = await owner.post<{ data: { id: number } }>(path + to, { ...body }).catch(() => undefined);
        if (reply !== undefined && reply.status < 500) return reply;
        await delay(50);
      }
    };

    for (let round = 0; round < rounds; round += 1) {
      for (let from = 0; from < sales; from += atOnce) {
        const sold = Array.from({ length: Math.min(atOnce, sales - from) }, (_, i) => from + i);
        await Promise.all(
          sold.map((i) =>
            shop.sale({
              transaction_id: `t${round} ${i}`,
              customer_key: i % 2 === 0 ? "c1" : "c2",
              amount_cents: 1_000,
            }),
          ),
        );
      }
      const created = await insist("", { currency: "EUR", reference: `payout ${round}` });
      const { id } = created.body.data;
      const statusOf = async () => (await world.rows("select status from payouts where id = ?", id))[0];
      const disturb = async () => {
        await delay(Math.random() * 60);
        await kill();
      };
      await Promise.all([insist(`/${id}/finalize`), disturb()]);
      await eventually(statusOf, (payout) => payout?.status === "final", 30_000);
      await Promise.all([insist(`/${id}/confirm`), disturb()]);
      await insist(`/${id}/confirm`);
      await eventually(statusOf, (payout) => payout?.status === "paid", 30_000);
    }
    const paid = await world.rows(
      `select l.amount_cents as line, sum(e.amount_cents) as entries from payout_lines l
       join ledger_entries e on e.payout_line_id = l.id where l.program_id = ? group by l.id`,
      world.programId,
    );
    const each = (sales / 2) * 200;
    expect(paid).toEqual(
      Array.from({ length: 2 * rounds }, () => expect.objectContaining({ line: each, entries: -each })),
    );
    expect(await world.audit()).toEqual([]);
  },
);
