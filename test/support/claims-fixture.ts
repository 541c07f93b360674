import { dateUtc } from "#domain/calendar.ts";
import type { JsonObject } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { openDashboard } from "./dashboard.ts";
import { partnerSide } from "./partner-side.ts";
import { at, daysAgo } from "./program-fixture.ts";
import type { FixtureUsers } from "./users-fixture.ts";

export interface OwnClaim {
  readonly ref: string;
  readonly status: string;
  readonly own?: readonly string[] | null;
  readonly [field: string]: unknown;
}

interface Candidate {
  readonly saleId: number;
  readonly transactionId: string;
  readonly amountApartCents: number | null;
}

export interface Claim {
  readonly id: number;
  readonly status: string;
  readonly candidates: readonly Candidate[];
  readonly [field: string]: unknown;
}

interface Resolved {
  readonly data: { readonly claim: Claim; readonly effects: JsonObject; readonly hasMore: boolean };
}

export const soldOn = daysAgo(3);

/** Opens a program in which the user `stranger`, who isn't a member, has access to the partner Alice. */
export async function openClaims(people: FixtureUsers) {
  const shop = await openDashboard(people);
  const { world, alice } = shop;
  const path = await partnerSide(world, people.stranger, alice.id);
  const own = `/api/programs/${world.programId}/claims`;
  const open = (body: JsonObject = {}, user: User = people.stranger) =>
    user.post<{ data: OwnClaim }>(`${path}/claims`, { day: dateUtc(soldOn), ...body });
  const list = async () => (await people.stranger.get<{ data: OwnClaim[] }>(`${path}/claims`)).body.data;
  const claims = async (query = "", user = people.viewer) =>
    (await user.get<{ data: Claim[] }>(`${own}?${query}`)).body.data;
  const resolve = (id: number, body: JsonObject, user = people.owner) =>
    user.post<Resolved>(`${own}/${id}/resolve`, body);
  const sell = (transaction_id: string, body: JsonObject = {}) =>
    shop.sale({ transaction_id, amount_cents: 4_900, customer_key: "c", occurred_at: at(soldOn), ...body });
  const saleId = async (transactionId: string) => {
    const [sale] = await world.rows(
      "select id from sales where program_id = ? and transaction_id = ? and not is_test",
      world.programId,
      transactionId,
    );
    return Number(sale?.id);
  };
  return { ...shop, path, open, list, claims, resolve, sell, saleId };
}
