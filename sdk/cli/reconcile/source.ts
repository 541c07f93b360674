import type { TributaryClient } from "../../src/client.ts";
import type { ProcessorAnswer } from "../../src/processors/answers.ts";
import type { Api } from "./api.ts";

/** A payment in the processor's API, in the form of the events that the processor's webhook would send. */
export interface TheirPayment {
  /** When it was paid (ms). */
  readonly at: number;
  /** The event that reports the payment, and the events of its refunds in chronological order. */
  readonly events: readonly object[];
}

/** The payment that a sale's id refers to. */
export interface Named {
  /** The id under which the webhook's helper records the payment. */
  readonly saleId: string;
  readonly payment: TheirPayment;
}

export interface Period {
  /** In milliseconds. `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface Source {
  /** Reads the payments since `from`, approximately newest first. May include payments that are older or unpaid. */
  payments(period: Period): AsyncIterable<TheirPayment>;
  /** Returns undefined if the processor has no payment with this id. */
  find(id: string): Promise<Named | undefined>;
  /** The webhook's helper. With `isComparing`, the client sends nothing. */
  handle(event: object, client: TributaryClient, isComparing: boolean): Promise<ProcessorAnswer>;
}

export interface SourceOptions {
  readonly api: Api;
  readonly isTest: boolean;
  readonly include: readonly ("tax" | "shipping")[];
  readonly refundEvents: "refund.*" | "charge.refunded";
  readonly note: (text: string) => void;
}

export interface Processor {
  readonly title: string;
  /** The environment variable with the processor's API key. */
  readonly keyName: string;
  readonly address: string;
  /** Undefined if test payments have the same address. */
  readonly sandboxAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Matches this processor's ids. */
  readonly ids: RegExp;
  /** Undefined if the key doesn't tell whether it reads test payments. */
  isTestKey?(key: string, api: Api): boolean | Promise<boolean>;
  open(options: SourceOptions): Source;
}

/** Returns the items of the list `name` in a response. */
export const listIn = (reply: object | undefined, name: string): readonly object[] => {
  const list: unknown = reply && Reflect.get(reply, name);
  return Array.isArray(list) ? list : [];
};

/** Merges lists that are each sorted newest first. */
export async function* mergeNewestFirst(
  streams: readonly AsyncIterable<TheirPayment>[],
): AsyncGenerator<TheirPayment, undefined> {
  const open = await Promise.all(
    streams.map(async (stream) => {
      const iterator = stream[Symbol.asyncIterator]();
      return { iterator, next: await iterator.next() };
    }),
  );
  for (;;) {
    const [newest] = open
      .filter(({ next }) => !next.done)
      .sort((a, b) => Number(b.next.value?.at) - Number(a.next.value?.at));
    if (newest?.next.value === undefined) return;
    yield newest.next.value;
    newest.next = await newest.iterator.next();
  }
}
