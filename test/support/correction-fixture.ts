import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "./expect-ledger-consistent.ts";
import { daysAgo, programFixture } from "./program-fixture.ts";
import { type SalesFixture, salesFixture } from "./sales-fixture.ts";
import { sharedApi } from "./shared-service.ts";
import type { usersOfFile } from "./users-fixture.ts";

export interface SaleState {
  readonly saleId: number | null;
  readonly transactionId: string;
  readonly amountCents: number;
  readonly refundedCents: number;
  readonly partnerCode: string | null;
  readonly commission: { readonly id: number | null; readonly status: string; readonly amountCents: number };
}
interface Corrected {
  readonly data: { readonly before: SaleState; readonly after: SaleState };
}

type Users = ReturnType<typeof usersOfFile>;

/** Corrects sales as the users' admin. Checks the ledger at the end of the test. */
export function correctionFixture(users: Users) {
  /** Opens a program with a sale "t" of Alice's customer "c1". The sale was recorded with 490.00 instead of 49.00. */
  async function open(settings: WorldSettings = {}) {
    const world = await users.world({ partners: [{}, {}], ...settings });
    expectConsistentInTheEnd(world);
    const shop = salesFixture(programFixture(world, sharedApi()));
    await shop.refer("c1", { clickAt: daysAgo(5) });
    const occurred_at = new Date(daysAgo(2)).toISOString();
    const { body } = await shop.sell({ transaction_id: "t", amount_cents: 49_000, occurred_at });
    return { shop, sale: body };
  }
  const path = ({ world }: SalesFixture, saleId: number | string) =>
    `/api/programs/${world.programId}/sales/${saleId}/correct`;
  const correct = (shop: SalesFixture, saleId: number | string, body: JsonObject) =>
    users.admin.post<Corrected>(path(shop, saleId), { reason: "ten times too high", ...body });
  return { open, path, correct };
}
