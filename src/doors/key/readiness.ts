import { ReadinessReply } from "#api/readiness.ts";
import { checkKey } from "#http/check-key.ts";
import { commonRefusals, createRoute, endpoint, keyRefusals, refusals, refuse, returns } from "#http/endpoint.ts";
import type { RefusalStyle } from "#http/refusal/table.ts";
import { reply } from "#http/reply.ts";
import * as z from "#http/schema/zod.ts";
import { programKeyRequired } from "./guards.ts";

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
      "Returns what is still missing before partners are paid, in `blocker` and the `next_action` of each gate. To see changes, call again after `poll.retry_after_seconds`.",
    ...programKeyRequired("readiness", "read"),
    request: {
      // Accepted because clients send it, but ignored: every call computes the verdict anyway.
      query: z.object({ force_recheck: z.unknown().openapi({ type: "boolean" }).optional() }),
    },
    responses: {
      ...returns("Readiness verdict", ReadinessReply),
      ...refusals(["missing_key", ...keyRefusals, ...commonRefusals], readinessStyle),
    },
  }),
  handler: async (c) => {
    const checked = await checkKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { readVerdict } = await import("#api/readiness.ts");
    const verdict = await readVerdict(c, checked.value.programId, c.get("call").at);
    if (!verdict.ok) return refuse(c, verdict.refusal);
    // The verdict is never missing, because the Ledger has just found the program by its key.
    return verdict.value ? reply(c, verdict.value) : refuse(c, { code: "internal" });
  },
});
