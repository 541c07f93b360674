import { ChainReply } from "#api/verification/reply.ts";
import { createRoute, endpoint, refuse, returns } from "#http/endpoint.ts";
import { reply } from "#http/reply.ts";
import { readRefusals } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

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
      ...readRefusals(),
    },
  }),
  handler: async (c) => {
    const { runChain } = await import("#api/verification/chain.ts");
    const run = await runChain(c, c.get("key"));
    return run.ok ? reply(c, run.value) : refuse(c, run.refusal);
  },
});
