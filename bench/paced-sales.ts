import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../harness/client.ts";
import type { World } from "../harness/world.ts";

const callers = 5;
const pauseMs = 20;

export interface Seller {
  readonly api: Api;
  readonly world: Pick<World, "key">;
}

export async function sell({ api, world: { key } }: Seller, id: string): Promise<void> {
  const { status, text } = await api.sale({ transaction_id: id, customer_key: id, amount_cents: 1_000 }, { key });
  if (status !== 200) throw new Error(text);
}

/**
 * Five callers send sales until `isOver`, each with a pause after every sale. Returns the durations (ms), fastest
 * first.
 */
export async function pacedSales(seller: Seller, isOver: () => boolean): Promise<readonly number[]> {
  const run = randomBytes(4).toString("hex");
  const took: number[] = [];
  const call = async (caller: number) => {
    for (let i = 0; !isOver(); i += 1) {
      const sent = performance.now();
      await sell(seller, `${run} ${caller} ${i}`);
      took.push(performance.now() - sent);
      await delay(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return took.toSorted((a, b) => a - b);
}

/** Ratio of the 99th percentiles under load and alone. */
export const p99Times = (beside: readonly number[], alone: readonly number[]): number =>
  (percentile(beside, 0.99) ?? Number.POSITIVE_INFINITY) / (percentile(alone, 0.99) ?? 1);

/** Percentile of durations, fastest first. */
export const percentile = (took: readonly number[], of: number): number | undefined =>
  took[Math.floor((took.length - 1) * of)];
