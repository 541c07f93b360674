import type { Api } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { taken } from "../support/taken.ts";

interface Settling {
  readonly programId: number;
  readonly partnerIds: readonly number[];
}

/** Settles lines of two payouts by API: normally, after the line was given back, and with a failure afterwards. */
export async function settleByApi(
  owner: User,
  api: Api,
  { programId, partnerIds: [alice = 0, bob = 0, once = 0] }: Settling,
): Promise<void> {
  const program = `/api/programs/${programId}`;
  const grant = { name: "Billing", scopes: ["read", "settle"], book: "both" };
  const made = await taken(owner.post<{ data: { apiKey: string } }>(`${program}/api-keys`, grant));
  const { apiKey: key } = made.data;
  const usd = (partnerId: number) => {
    const body = { amountCents: 300, currency: "USD", reason: "bonus", reference: `usd ${partnerId}` };
    return taken(owner.post(`${program}/partners/${partnerId}/adjustments`, body));
  };
  for (const partnerId of [alice, bob, once]) await usd(partnerId);
  await taken(owner.patch(`${program}/partners/${bob}`, { externalId: "user-bob" }));
  for (const currency of ["USD", "EUR"]) {
    const terms = { currency, settledBy: "api", partnerIds: currency === "USD" ? [alice, bob, once] : [bob] };
    const { data } = await taken(owner.post<{ data: { id: number } }>(`${program}/payouts`, terms));
    await taken(owner.post(`${program}/payouts/${data.id}/finalize`, {}));
    const path = `/api/v1/programs/me/payouts/${data.id}/lines`;
    const listed = await api.request<{ data: { line_id: number }[] }>("GET", path, { key });
    const [first, second, third] = listed.body.data.map(({ line_id }) => line_id);
    const tell = async (line: number | undefined, what: "settle" | "fail", body: Record<string, string>) =>
      line === undefined || taken(api.request("POST", `${path}/${line}/${what}`, { key, body }));
    await tell(first, "settle", { settlement_id: `first ${currency}`, settled_at: at(daysAgo(1)) });
    await tell(second, "fail", { reason: "no customer", partner_note: "Create an account first" });
    await tell(second, "settle", { settlement_id: "late", settled_at: at(daysAgo(2)) });
    await tell(third, "settle", { settlement_id: "third" });
    await tell(third, "fail", { reason: "closed" });
  }
}
