import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofMembers, ofSession, ofWrite } from "../../http/session-refusals.ts";
import { ProgramPath } from "../manage/path.ts";
import { ChainReply } from "../programs/verification.ts";
import { programMember } from "../session-access.ts";
import { runChain } from "./verification-chain.ts";

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
      ...ok("Verification result", ChainReply),
      ...refusals(undefined, [...ofWrite, ...ofMembers, "program_archived", ...ofSession]),
    },
  }),
  handler: async (c) => {
    const run = await runChain(c, { programId: c.get("program").id, vouched: true });
    return run.ok ? c.json(run.reply, 200) : refuse(c, run.refusal);
  },
});
