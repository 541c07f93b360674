import { chainEvents } from "#domain/verification.ts";
import { commonRefusals, createRoute, endpoint, keyRefusals, returns, refusals, refuse } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import { int32 } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { programKeyRequired } from "./guards.ts";
import { TestChain } from "./readiness.ts";

export const ChainReply = z
  .object({
    data: z.object({
      type: z.literal("chain"),
      short_code: z.string(),
      customer_key: z.string(),
      verdict: TestChain,
      attributed: z.boolean(),
      steps: z.array(
        z.object({
          name: z.enum(chainEvents),
          status: z.enum(["pass", "fail", "skipped"]),
          http_status: int32().nullable(),
          duration_ms: int32(),
          message: z.string(),
        }),
      ),
    }),
    ...warnings,
  })
  .openapi("VerificationChain");
export type ChainReply = z.output<typeof ChainReply>;

export const verification = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/verification",
    operationId: "runVerification",
    tags: ["Program"],
    summary: "Run the verification chain",
    description:
      "Records a click, a lead and a sale in test mode. The sale is attributed only if it earns a commission, which requires a " +
      "commission policy. Limited to 10 runs an hour.",
    ...programKeyRequired("readiness", "track"),
    responses: {
      ...returns("Verification result", ChainReply),
      ...refusals(["missing_key", ...keyRefusals, ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const { runChain } = await import("#api/verification/chain.ts");
    const run = await runChain(c, c.get("key"));
    return run.ok ? reply(c, run.value) : refuse(c, run.refusal);
  },
});
