import { gateStatuses, readinessStates } from "#domain/readiness.ts";
import { chainVerdicts } from "#domain/verification.ts";
import { commonRefusals, createRoute, endpoint, keyRefusals, returns, refusals, refuse } from "#http/endpoint.ts";
import type { RefusalStyle } from "#http/refusal/table.ts";
import { reply, warnings } from "#http/reply.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { checkedKey } from "./checked-key.ts";
import { programKeyRequired } from "./guards.ts";

const gate = <Action extends string>(action: Action) => ({
  status: z.enum(gateStatuses),
  next_action: z.literal(action).optional(),
});
const verdict = z.enum(chainVerdicts);
const instants = z.iso.datetime().nullable();

export const TestChain = z.object({ click: verdict, lead: verdict, sale: verdict });

export const ReadinessReply = z
  .object({
    program_id: id(),
    state: z.enum(readinessStates),
    integration_verified: z.boolean(),
    blocker: z
      .enum(["profile", "economics", "payout", "tracking", "live"])
      .nullable()
      .describe("The first gate that fails. Null if none does."),
    gates: z.object({
      profile: z.object(gate("complete_program_profile")),
      economics: z.object(gate("set_commission_policy")),
      payout: z.object(gate("set_payout_mode")),
      tracking: z.object({
        ...gate("install_tracker_or_send_events"),
        detail: z.enum(["tracker_installed", "receiving_events"]).nullable(),
        checked_at: z.iso.datetime(),
      }),
      live: z.object({
        ...gate("run_synthetic_sale_chain"),
        test_chain: TestChain,
      }),
    }),
    last_event_at: z.object({ click: instants, lead: instants, sale: instants }),
    counts_24h: z.object({ clicks: int64(), leads: int64(), sales: int64() }),
    key_rotated_at: instants,
    poll: z.object({ retry_after_seconds: int32() }),
    ...warnings,
  })
  .openapi("Readiness");

export const readinessStyle: RefusalStyle = {
  envelope: "typed",
  messages: { invalid_key: "Invalid API token.", internal: "Failed to compute readiness. Retry shortly." },
};

export const readiness = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/readiness",
    operationId: "getReadiness",
    tags: ["Program"],
    summary: "Get the program's readiness",
    description:
      "Returns what is still missing before partners are paid, in `blocker` and the `next_action` of each gate. To watch it, ask again after `poll.retry_after_seconds`.",
    ...programKeyRequired("readiness", "read"),
    request: {
      // Has no effect, since every call computes the verdict anew. Accepted because clients send it.
      query: z.object({ force_recheck: z.unknown().openapi({ type: "boolean" }).optional() }),
    },
    responses: {
      ...returns("Readiness verdict", ReadinessReply),
      ...refusals(["missing_key", ...keyRefusals, ...commonRefusals], readinessStyle),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { readVerdict } = await import("#api/readiness-verdict.ts");
    const verdict = await readVerdict(c, checked.value.programId, c.get("call").at);
    if (!verdict.ok) return refuse(c, verdict.refusal);
    // Unreachable: the Ledger has just found the program by its key.
    return verdict.value ? reply(c, verdict.value) : refuse(c, { code: "internal" });
  },
});
