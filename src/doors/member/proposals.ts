import { commissionRecord, reviewed } from "#api/commissions.ts";
import { effectRecord, ProposedApplication, ProposedPartner } from "#api/proposals/action.ts";
import { previewOf } from "#api/proposals/index.ts";
import { openProposal as open } from "#api/proposals/proposal-token.ts";
import { maxProposalLength, proposalActions, proposalMs } from "#domain/proposal.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";
import { proposableRefusals } from "./proposed.ts";

const Link = z
  .object({
    token: fields
      .nonBlank("token", maxProposalLength)
      .describe("The proposal from the link's fragment. Send it in the header `X-Proposal` of the proposed call."),
  })
  .openapi("ProposalLink");

const listedCommission = commissionRecord.omit("explanation", "ref");

const Opened = z
  .object({
    action: z.enum(proposalActions),
    keyId: id(),
    keyName: z.string(),
    reason: z.string().describe("Reason that was sent with the proposal."),
    proposedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    target: z.string().describe("Path of the proposed call below the program's."),
    body: z.record(z.string(), z.unknown()).describe("Body of the proposed call, without the reason."),
    effects: z.array(effectRecord.schema),
    commissions: z.array(listedCommission.schema),
    partners: z.array(ProposedPartner),
    application: ProposedApplication.nullable().openapi("ProposedApplication"),
  })
  .openapi("Proposal");

export const openProposal = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/proposals",
    operationId: "openProposal",
    tags: ["Management"],
    summary: "Open a proposal",
    description:
      "Reads the proposal in a link, and returns the effect that it would have now. Changes nothing: a member makes the change by sending the proposed call with the header `X-Proposal`.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(Link) },
    responses: {
      ...returns("The proposal", z.object({ data: Opened })),
      ...refusals([...proposableRefusals, "decided"]),
    },
  }),
  handler: async (c) => {
    const program = c.get("program");
    const opened = await open(c, program.id, c.req.valid("json").token);
    if (!opened.ok) return refuse(c, opened.refusal);
    const { proposal, keyName } = opened.value;
    const preview = await previewOf(c, program, proposal);
    if (!preview.ok) return refuse(c, preview.refusal);
    const { issuedAt, ...proposed } = proposal;
    const { effects, commissions = [], partners = [], application = null } = preview.value;
    const data = {
      ...proposed,
      keyName,
      proposedAt: timestamp(issuedAt),
      expiresAt: timestamp(issuedAt + proposalMs),
      effects: effects.map(effectRecord.reply),
      commissions: commissions.map((row) => listedCommission.reply(reviewed(row))),
      partners: [...partners],
      application,
    };
    return c.json({ data }, 200);
  },
});
