import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Api, createApi } from "../harness/client.ts";
import { createWorld, type World } from "../harness/world.ts";
import { type Figure, figureOf, shown, table } from "./figures.ts";
import { customerKey, load } from "./load.ts";
import { type Options, unlessTried } from "./options.ts";

// Sales per second of one program, alone and while other work is done, in windows that alternate.

const callers = 8;
const warmUpSeconds = unlessTried(3, 0.1);
const stock = { clicks: 0, customers: unlessTried(1_000, 10), sales: 0, days: 30, base: 2 * 10 ** 9 };

/** Lets work run during the windows that measure sales under this work, and stops it during the others. */
export class Gate {
  #isOpen = false;
  #hasEnded = false;
  #resume = () => {};
  #paused = () => {};

  /** The work calls this before each step, and waits until the gate opens. Resolves to false if the work must end. */
  async pass(): Promise<boolean> {
    if (!this.#isOpen && !this.#hasEnded) {
      const resumed = Promise.withResolvers<void>();
      this.#resume = resumed.resolve;
      this.#paused();
      await resumed.promise;
    }
    return !this.#hasEnded;
  }

  open(): void {
    this.#isOpen = true;
    this.#resume();
  }

  /** Resolves once the current step is over. */
  async close(): Promise<void> {
    const paused = Promise.withResolvers<void>();
    this.#paused = paused.resolve;
    this.#isOpen = false;
    if (!this.#hasEnded) await paused.promise;
  }

  /** Makes the work end at its next step. Also called when the work has ended by itself. */
  readonly end = (): void => {
    this.#hasEnded = true;
    this.#paused();
    this.#resume();
  };

  get hasEnded(): boolean {
    return this.#hasEnded;
  }
}

export interface Shop {
  readonly api: Api;
  readonly world: World;
}

/** A program whose customers buy. Each sale earns a commission. */
export async function openShop(url: string, databaseUrl: string): Promise<Shop> {
  const world = await createWorld(databaseUrl, { partners: [{}, {}, {}] });
  await load(world, stock);
  return { api: createApi(url), world };
}

/** Sells for some seconds, and returns the sales per second. */
async function sellFor({ api, world: { key } }: Shop, seconds: number): Promise<number> {
  const run = randomBytes(4).toString("hex");
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  let sent = 0;
  const call = async () => {
    while (performance.now() < end) {
      sent += 1;
      const customer_key = customerKey(stock, 1 + (sent % stock.customers));
      const sale = { transaction_id: `${run}-${sent}`, amount_cents: 4_900, currency: "EUR", customer_key };
      const { status, text } = await api.sale(sale, { key });
      if (status !== 200 || !text.includes('"attributed":true')) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return (sent * 1_000) / (performance.now() - startedAt);
}

export interface Beside {
  /**
   * Sales per second without the work. It has one value more than `beside`, because each window with the work is
   * between two windows without it.
   */
  readonly alone: readonly number[];
  readonly beside: readonly number[];
}

/** Measures the sales per second with and without the work. Leaves out a window in which the work ended. */
export async function sellBeside(
  shop: Shop,
  gate: Gate,
  { rounds, seconds }: Pick<Options, "rounds" | "seconds">,
): Promise<Beside> {
  await sellFor(shop, warmUpSeconds);
  const alone = [await sellFor(shop, seconds)];
  const beside: number[] = [];
  for (let round = 0; round < rounds && !gate.hasEnded; round += 1) {
    gate.open();
    const perSecond = await sellFor(shop, seconds);
    await gate.close();
    if (gate.hasEnded) break;
    beside.push(perSecond);
    await delay(unlessTried(500, 0));
    alone.push(await sellFor(shop, seconds));
    process.stderr.write(".");
  }
  process.stderr.write("\n");
  if (beside.length === 0) throw new Error("the work ended within the first window");
  return { alone, beside };
}

/**
 * `ratio`: the sales per second during the work, divided by the mean of the windows before and after it. `spread`: the
 * ratio of these two windows to each other.
 */
export function ratiosOf({ alone, beside }: Beside): {
  readonly ratio: Figure | undefined;
  readonly spread: Figure | undefined;
} {
  const before = (i: number) => alone[i] ?? Number.NaN;
  return {
    ratio: figureOf(beside.map((each, i) => (2 * each) / (before(i) + before(i + 1)))),
    spread: figureOf(beside.map((_, i) => before(i + 1) / before(i))),
  };
}

interface Names {
  /** The heads of the columns. */
  readonly head: readonly [of: string, figure: string, ratio: string];
  readonly alone: string;
  readonly beside: string;
}

export function tableOf(measured: Beside, { head, alone, beside }: Names): string {
  const { ratio, spread } = ratiosOf(measured);
  return table(head, [
    [alone, shown(figureOf(measured.alone)), shown(spread)],
    [beside, shown(figureOf(measured.beside)), shown(ratio)],
  ]);
}

/** `work` names the work in the table. */
export const tableOfSales = (measured: Beside, work: string): string =>
  tableOf(measured, { head: ["during", "sales/s", "of those alone"], alone: "nothing", beside: work });
