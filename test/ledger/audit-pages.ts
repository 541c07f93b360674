import type { Api } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { taken } from "../support/taken.ts";

/** Sets offers of the program and of groups, saves the referral page, and reports a reconciliation. */
export async function setUpPages(owner: User, api: Api, { programId, key, rows }: World): Promise<void> {
  const path = `/api/programs/${programId}`;
  const groups = await rows("select id from partner_groups where program_id = ? order by id", programId);
  const [gold, other] = groups.map(({ id }) => `${path}/groups/${id}/offer`);
  const offer = { label: "20% off", details: "First year", couponIds: { stripe: "FRIEND20", paddle: "pd_20" } };
  await taken(owner.put(`${path}/offer`, { offer }));
  await taken(owner.put(`${path}/offer`, { offer: { ...offer, couponIds: { stripe: "FRIEND30", polar: "pol_30" } } }));
  const until = at(daysAgo(-30));
  await taken(owner.put(`${gold}`, { offer: { ...offer, label: "40% off", couponIds: { stripe: "GOLD40" }, until } }));
  await taken(owner.put(`${other}`, { offer: { none: true } }));
  const show = { commissions: true, payouts: false, claims: true };
  const page = { theme: { accent: "#1f6feb", radius: 8, font: "serif" }, show };
  await taken(owner.put(`${path}/embed`, { ...page, origins: ["https://app.example"] }));
  const origins = ["https://app.example", "https://shop.example"];
  await taken(owner.put(`${path}/embed`, { ...page, origins, endTokens: true }));
  const span = { from: at(daysAgo(30)), to: at(daysAgo(0)) };
  const body = { processor: "stripe", ...span, matched: 3, missing: 1, unexpected: 0, differs: 0 };
  await taken(api.request("POST", "/api/v1/programs/me/reconciliations", { key, body }));
}
