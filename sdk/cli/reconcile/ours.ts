import { setTimeout as delay } from "node:timers/promises";
import { maxWaitMs } from "../../../importer/index.ts";
import { isTakenUp } from "../refused.ts";
import type { Answer, Reply, Service } from "../service.ts";
import type { Sale } from "./figures.ts";
import type { Period } from "./source.ts";

/** Thrown if the service refused a call or didn't respond. */
export class Refused extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super("refused");
    this.reply = reply;
  }
}

interface RecordedSale {
  readonly transaction_id: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly refunded_cents: number;
  readonly occurred_at: string;
}

const saleOf = ({ transaction_id: id, amount_cents, currency, refunded_cents, occurred_at }: RecordedSale): Sale => ({
  ...{ id, at: Date.parse(occurred_at), amount_cents, currency, refunded_cents },
});

const attempts = 8;

/** Retries for as long as the service asks to call later. Throws `Refused`. */
async function patiently(call: () => Promise<Reply>, isDone: (answer: Answer) => boolean): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await call();
    if (reply.isReached && isDone(reply)) return reply;
    const isPassing = !reply.isReached || !isTakenUp(reply);
    const ms = (reply.isReached ? (reply.retryAfterSeconds ?? 1) : attempt) * 1_000;
    if (!isPassing || attempt === attempts || ms > maxWaitMs) throw new Refused(reply);
    await delay(ms);
  }
}

/** Reads the sales that the service has recorded. */
export const oursIn = (service: Service, isTest: boolean) => {
  const testMode = isTest ? { test_mode: true } : {};
  return {
    async *list({ from, to }: Period): AsyncGenerator<Sale, undefined> {
      const period = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      let cursor: string | null = null;
      do {
        const query = new URLSearchParams({
          ...period,
          ...(isTest && { test_mode: "true" }),
          ...(cursor !== null && { cursor }),
        });
        const { body } = await patiently(() => service.get(`programs/me/sales?${query}`), is(200));
        const page = body as { data: readonly RecordedSale[]; meta: { next_cursor: string | null } };
        yield* page.data.map(saleOf);
        cursor = page.meta.next_cursor;
      } while (cursor !== null);
    },

    /** Returns those of the sales that are recorded, by id. */
    async lookUp(ids: readonly string[]): Promise<ReadonlyMap<string, Sale>> {
      const found = new Map<string, Sale>();
      for (let at = 0; at < ids.length; at += mostLookedUp) {
        const transaction_ids = ids.slice(at, at + mostLookedUp);
        const asked = { transaction_ids, ...testMode };
        const { body } = await patiently(() => service.post("programs/me/sales/lookup", asked), is(200));
        for (const sale of body.found as readonly RecordedSale[]) found.set(sale.transaction_id, saleOf(sale));
      }
      return found;
    },

    report: (counts: object) =>
      patiently(() => service.post("programs/me/reconciliations", { ...counts }), is(201)).then(
        () => null,
        (error: unknown) => (error instanceof Refused ? error.reply : Promise.reject(error)),
      ),
  };
};
export type Ours = ReturnType<typeof oursIn>;

const mostLookedUp = 500;

const is =
  (status: number) =>
  (answer: Answer): boolean =>
    answer.status === status;
