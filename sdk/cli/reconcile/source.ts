import type { TributaryClient } from "../../src/client.ts";
import type { ProcessorAnswer } from "../../src/processors/answers.ts";
import type { Api } from "./api.ts";

/** A payment as the processor's API has it, as the events that its webhook sends. */
export interface TheirPayment {
  /** When it was paid (ms). */
  readonly at: number;
  /** The payment's events, of which one reports it, and those of its refunds in the order in which they happened. */
  readonly events: readonly object[];
}

/** What a sale's id names at the processor. */
export interface Named {
  /** The id under which the webhook's helper records the payment. */
  readonly saleId: string;
  readonly payment: TheirPayment;
}

export interface Period {
  /** Instants (ms). `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

export interface Source {
  /** Reads the payments that were made from `from` on, about newest first. Some may be older or unpaid. */
  payments(period: Period): AsyncIterable<TheirPayment>;
  /** Undefined if the processor has no payment with this id. */
  find(id: string): Promise<Named | undefined>;
  /** The webhook's helper. `isComparing`: the client records nothing. */
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
  /** The variable with the processor's key. */
  readonly keyName: string;
  readonly address: string;
  /** Undefined: test payments are at the same address. */
  readonly sandboxAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The form of this processor's ids. */
  readonly ids: RegExp;
  /** Undefined: the key doesn't say which payments it reads. */
  isTestKey?(key: string, api: Api): boolean | Promise<boolean>;
  open(options: SourceOptions): Source;
}

/** Returns the members of a list in a reply. */
export const listIn = (reply: object | undefined, name: string): readonly object[] => {
  const list: unknown = reply && Reflect.get(reply, name);
  return Array.isArray(list) ? list : [];
};

/** Merges lists that each are in descending order of time. */
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
