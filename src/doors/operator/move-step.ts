import { refused } from "#domain/result.ts";
import { maxShard } from "#domain/shard.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, bodyRefusals, createRoute, endpoint, refusals, refuse, returns } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { AnyCall } from "#operations/table.ts";
import { operatorRefusals, operatorStyle, operatorWithBody } from "./guards.ts";
import { requireShard } from "./spilled.ts";

const max = Number.MAX_SAFE_INTEGER;
const maxFrozenMs = 60_000;

const MoveStep = z.object({
  step: fields.oneOf("step", ["freeze", "abandon", "leave"]),
  programId: fields.integer("programId", 1, max),
  moveId: fields.integer("moveId", 1, max),
  /** The shard that the program leaves. */
  shard: fields.integer("shard", 0, maxShard),
  to: fields.integer("to", 0, maxShard),
  /** For the step `freeze`: how long the freeze lasts. A duration, because the caller's clock may be wrong. */
  frozenForMs: fields.integer("frozenForMs", 0, maxFrozenMs),
});

type Step = Extract<AnyCall, { readonly kind: "freeze-program" | "abandon-move" | "leave-program" }>;

function callOf(
  { step, to, frozenForMs, programId, moveId }: z.output<typeof MoveStep>,
  call: Pick<Step, "operationId" | "at">,
): Step {
  const common = { ...call, programId, moveId };
  if (step === "freeze") return { ...common, kind: "freeze-program", leaveBy: call.at + frozenForMs };
  return step === "leave" ? { ...common, kind: "leave-program", to } : { ...common, kind: "abandon-move" };
}

/**
 * Lets the target's Ledger confirm that the program has arrived, because after `leave` only the target can change the
 * program. Refuses if the service has no such shard, or if the shard has another database.
 */
async function confirmMove(c: Ctx, { programId, moveId, to }: z.output<typeof MoveStep>) {
  if (!requireShard(c, to).ok) return refused({ code: "move_refused", reason: "not_arrived" } as const);
  const call = { ...c.get("call"), kind: "confirm-move", programId, moveId } as const;
  return callLedger(c, { shard: to }, (ledger) => ledger.run(call));
}

/**
 * Runs one of the steps of a shard migration that the source shard's Ledger decides. The operator's command itself runs
 * the steps after `leave`.
 */
export const moveStep = endpoint({
  route: createRoute({
    method: "post",
    path: "/api/operator/moves",
    ...operatorWithBody(),
    request: { body: body(MoveStep) },
    responses: {
      ...returns("Step taken", z.object({ data: z.object({ programId: id() }) })),
      ...refusals([...operatorRefusals, ...bodyRefusals, "move_refused"], operatorStyle),
    },
  }),
  handler: async (c) => {
    const asked = c.req.valid("json");
    if (asked.step === "leave") {
      const arrived = await confirmMove(c, asked);
      if (!arrived.ok) return refuse(c, arrived.refusal);
    }
    const call = callOf(asked, c.get("call"));
    const taken = await callLedger(c, { shard: asked.shard }, (ledger) => ledger.run(call));
    return taken.ok ? c.json({ data: { programId: asked.programId } }, 200) : refuse(c, taken.refusal);
  },
});
