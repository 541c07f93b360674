import { runChain } from "#api/verification/chain.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { ChainReply } from "../../key/verification.ts";
import { memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";

export const runVerification = endpoint({
  route: createRoute({
    method: "post",
    path: "/run-verification/{programId}",
    operationId: "runProgramVerification",
    tags: ["Dashboard"],
    summary: "Run the verification chain",
    description:
      "Records a click, a lead and a sale in test mode, with the code that records real ones, for a partner that exists only " +
      "for verification. The sale is attributed only if it earns a commission. Limited to 10 runs an hour per program.",
    ...programMember("admin"),
    request: { params: ProgramPath },
    responses: {
      ...returns("Verification result", ChainReply),
      ...refusals([...memberWriteRefusals, "program_archived"]),
    },
  }),
  handler: async (c) => {
    const run = await runChain(c, { programId: c.get("program").id, vouched: true });
    return run.ok ? c.json(run.value, 200) : refuse(c, run.refusal);
  },
});
