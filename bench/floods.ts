import { connect } from "node:net";
import { dayMs } from "#domain/calendar.ts";
import type { Api } from "../harness/client.ts";
import type { Session } from "../harness/session.ts";
import type { World } from "../harness/world.ts";
import { buyerKey } from "./books.ts";

/** A program with much stored data, and its callers. */
export interface Full {
  readonly api: Api;
  readonly owner: Session;
  readonly world: Pick<World, "programId" | "key"> & {
    readonly partner: Pick<World["partner"], "landingUrl" | "code">;
  };
}

/** Sends one call of a flood. `n` is different for each call. */
type Send = (n: string) => Promise<unknown>;

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const policy = { type: "percent", rateBps: 1_000, scope: "lifetime" };

/** A stranger's call: headers, half a body, and then nothing for a second. */
const halfBody = ({ owner }: Full): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(owner.url);
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /api/v1/track/click HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n`,
      );
      socket.write("{".padEnd(30_000));
      setTimeout(() => socket.destroy(), 1_000);
    });
    socket.on("error", () => {}).once("close", () => resolve());
  });

/** The kinds of calls by which one caller could make others wait. */
export const floods: Readonly<Record<string, (full: Full) => Send>> = {
  "API documents": (full) => () => full.api.request("GET", "/api/openapi.json", { checked: false }),
  pages: (full) => () => full.api.request("GET", "/docs", { checked: false }),
  downloads:
    ({ owner, world }) =>
    () =>
      owner.get(`/api/programs/${world.programId}/commissions?format=csv`, { checked: false }),
  lists:
    ({ owner, world }) =>
    () =>
      owner.get(`/api/programs/${world.programId}/commissions?status=void&reason=no_click`),
  "sums of all commissions":
    ({ owner, world }) =>
    () =>
      owner.get(`/api/programs/${world.programId}/commissions/totals`),
  overviews:
    ({ owner, world }) =>
    () =>
      owner.get(`/api/tracking/overview/${world.programId}?period=all`),
  "policy versions":
    ({ owner, world }) =>
    () =>
      owner.get(`/api/programs/${world.programId}/commission-policy`),
  simulations:
    ({ owner, world }) =>
    () =>
      owner.post(`/api/programs/${world.programId}/commission-policy/simulate`, {
        policy,
        from: dayOf(Date.now() - 100 * dayMs),
        to: dayOf(Date.now()),
      }),
  imports:
    ({ owner, world }) =>
    (n) =>
      importOf({ owner, world }, n, false),
  "dry runs":
    ({ owner, world }) =>
    (n) =>
      importOf({ owner, world }, n, true),
  erasures:
    ({ owner, world }) =>
    (n) =>
      owner.post(`/api/programs/${world.programId}/privacy/erase`, {
        customerKey: buyerKey(Number(n)),
        confirm: true,
      }),
  "sign-ins":
    ({ owner }) =>
    (n) =>
      owner.post("/api/auth/sign-in/email", { email: `${n}@people.example`, password: "a wrong password" }),
  "open bodies": (full) => () => halfBody(full),
  "bodies of many small values":
    ({ api, world }) =>
    () =>
      api.click({
        affiliate_url: world.partner.landingUrl,
        program_id: world.programId,
        session_id: "many values",
        additional_data: { values: times(15_000, () => 1) },
      }),
  "wrong keys":
    ({ api, world }) =>
    (n) =>
      api.readiness({ key: `${world.key}${n}` }),
  "clicks of a visitor with 100,000 bot clicks":
    ({ api, world }) =>
    () =>
      api.click({ affiliate_url: world.partner.landingUrl, program_id: world.programId, session_id: botSession }),
  "sales by a policy of 1,000 versions":
    ({ api, world: { key } }) =>
    (n) =>
      api.sale({ transaction_id: n, customer_key: n, amount_cents: 1_000_000 }, { key }),
  "refunds of a sale that has 600":
    ({ api, world: { key } }) =>
    (n) =>
      api.refund({ transaction_id: refundedSale, refund_id: n, refund_amount_cents: 1 }, { key }),
};

export const botSession = "a bot's";
export const refundedSale = "refunded";

const importOf = ({ owner, world }: Pick<Full, "owner" | "world">, n: string, dryRun: boolean) =>
  owner.post(`/api/programs/${world.programId}/imports/rows`, {
    kind: "customers",
    source: "Former program",
    dryRun,
    rows: times(100, (i) => ({ line: i + 1, customer_key: `${n} ${i}`, partner_code: world.partner.code })),
  });
