import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { sampled } from "../support/breadth.ts";
import { eventually } from "../support/isolated-service.ts";
import { killable } from "./kills.ts";

const rounds = Number(process.env.SETTLEMENT_KILLS ?? 1);
const disturbances = killable();

it.each(sampled(Object.entries(disturbances)))(
  "each payout line is settled or given back exactly once, even if the %s is killed at any moment",
  { timeout: 180_000 * Math.max(1, rounds / 5) },
  async (_what, { own, kill }) => {
    const owner = await own.user();
    const world = await own.world({
      members: [{ user: owner, role: "owner" }],
      keys: [{}, { name: "Billing", scopes: ["read", "settle"], book: "both" }],
      partners: [{}, {}, {}],
    });
    const [, key] = world.keys;
    const program = `/api/programs/${world.programId}`;
    const api = own.api();

    /** Retries the call until it gets a response, like a scheduled job. */
    const insist = async <T extends { readonly status: number }>(call: () => Promise<T>): Promise<T> => {
      for (;;) {
        const reply = await call().catch(() => undefined);
        if (reply !== undefined && reply.status < 500) return reply;
        await delay(50);
      }
    };
    const disturb = async () => {
      await delay(Math.random() * 60);
      await kill();
    };

    for (let round = 0; round < rounds; round += 1) {
      for (const { id } of world.partners) {
        const bonus = { amountCents: 500, currency: "EUR", reason: "Bonus", reference: `bonus ${round}` };
        await insist(() => owner.post(`${program}/partners/${id}/adjustments`, bonus));
      }
      const terms = { currency: "EUR", reference: `payout ${round}`, settledBy: "api" };
      const created = await insist(() => owner.post<{ data: { id: number } }>(`${program}/payouts`, terms));
      const { id } = created.body.data;
      await insist(() => owner.post(`${program}/payouts/${id}/finalize`, {}));
      const path = `/api/v1/programs/me/payouts/${id}/lines`;
      const listed = await insist(() => api.request<{ data: { line_id: number }[] }>("GET", path, { key }));
      const [settled, givenBack, late] = listed.body.data.map(({ line_id }) => line_id);
      const tell = (line: number | undefined, what: "settle" | "fail") => {
        const body = what === "settle" ? { settlement_id: `credit ${line}` } : { reason: "No customer" };
        return insist(() => api.request("POST", `${path}/${line}/${what}`, { key, body }));
      };
      await Promise.all([tell(settled, "settle"), tell(givenBack, "fail"), tell(late, "fail"), disturb()]);
      await Promise.all([tell(late, "settle"), disturb()]);
      await Promise.all([tell(settled, "settle"), tell(givenBack, "fail"), tell(late, "settle")]);
      const statusOf = async () => (await world.rows("select status from payouts where id = ?", id))[0]?.status;
      await eventually(statusOf, (status) => status === "paid", 30_000);
      const entries = await world.rows(
        `select e.kind, count(*) as n, sum(e.amount_cents) as cents from ledger_entries e
         left join payout_lines l on l.id = e.payout_line_id left join adjustments a on a.id = e.adjustment_id
         where e.program_id = ? and (l.payout_id = ? or a.reference = 'settled:' || ?) group by e.kind order by e.kind`,
        ...[world.programId, id, late ?? 0],
      );
      expect(entries).toEqual([
        { kind: "adjusted", n: 1, cents: -500 },
        { kind: "paid", n: 1, cents: -500 },
      ]);
    }
    expect(await world.audit()).toEqual([]);
  },
);
