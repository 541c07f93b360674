import { expect } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { payoutsFixture } from "./payouts-fixture.ts";
import { sharedApi } from "./shared-service.ts";
import type { usersOfFile } from "./users-fixture.ts";

export interface SettlementLine {
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

const settleKey = { name: "Billing", scopes: ["read", "settle"], book: "both" } as const;

/**
 * Opens a program with an API key for the billing system, and finalizes a payout that this system settles. Unless
 * `amounts` says otherwise, the payout pays two partners.
 */
export async function settlementFixture(
  people: ReturnType<typeof usersOfFile>,
  amounts: readonly [number, number] = [980, 490],
  program = {},
) {
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
    (
      await api.request<{ data: SettlementLine[]; meta: { next_cursor: string | null } }>("GET", `${path}${query}`, {
        key,
      })
    ).body;
  const send = (what: string, body: JsonObject) =>
    api.request<{ data: SettlementLine; error: { details: JsonObject } }>("POST", `${path}/${what}`, { key, body });
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

export const codeOf = ({ status, body }: { status: number; body: { error?: { details: JsonObject } } }) => [
  status,
  body.error?.details.code,
];
