import { checkKey } from "./check-key.ts";
import type { GatheredReads, Operation } from "./operation.ts";
import { recordClick } from "./track/record-click.ts";

/** The operations that `LedgerRpc.run` decides calls by. Those that a click doesn't need are imported on first use. */
const groups = [
  async () => ({ recordClick, checkKey }),
  () => import("./customer-events.ts"),
  () => import("./changes.ts"),
] as const;

type EachOf<Group> = Group extends unknown ? Group[keyof Group] : never;
export type AnyOperation = EachOf<Awaited<ReturnType<(typeof groups)[number]>>>;
type CallOf<Each> = Each extends Operation<infer Call, infer _Reads, infer _Answer> ? Call : never;
type AnswerOf<Each> = Each extends Operation<infer _Call, infer _Reads, infer Answer> ? Answer : never;

export type AnyCall = CallOf<AnyOperation>;
export type AnswerTo<Call extends AnyCall> = AnswerOf<Extract<AnyOperation, { readonly kind: Call["kind"] }>>;
export type OperationOf<Call extends AnyCall> = Operation<Call, GatheredReads, AnswerTo<Call>>;

const loaded = new Map<string, AnyOperation>();

export async function loadOperation<Call extends AnyCall>(call: Call): Promise<OperationOf<Call>> {
  const isOfCall = (each?: AnyOperation): each is AnyOperation & OperationOf<Call> => each?.kind === call.kind;
  const known = loaded.get(call.kind);
  if (isOfCall(known)) return known;
  for (const load of groups) {
    const found = Object.values<AnyOperation>(await load()).find(isOfCall);
    if (found === undefined) continue;
    loaded.set(found.kind, found);
    return found;
  }
  throw new RangeError(`no operation for calls of kind ${call.kind}`);
}
