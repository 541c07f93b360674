import { effectRecord, noSuch, type Place } from "#api/proposals/action.ts";
import { previewOf, proposables } from "#api/proposals/index.ts";
import { sealProposal } from "#api/proposals/proposal-token.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { maxProposalLength, proposalActions, proposalScopes } from "#domain/proposal.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { createApp } from "#http/app.ts";
import { checkKey } from "#http/check-key.ts";
import type { Ctx } from "#http/context.ts";
import { invalidField, refuse, withJsonBody } from "#http/endpoint.ts";
import { refusalOfBody } from "#http/refusal/validation.ts";
import { inSnakeCase, snakeSchema } from "#http/schema/camel-keys.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { originOf } from "#http/transport.ts";
import type { KeyChecked } from "#operations/check-key.ts";
import { readOne } from "#store/database.ts";
import { programById } from "#store/programs.ts";
import { programKeyRequired } from "../guards.ts";

export const Proposed = z.object({
  action: fields.oneOf("action", proposalActions).describe("The change to propose"),
  reason: fields.nonBlank("reason", 500).describe("Why. Shown to the team, and recorded with the change"),
});

export const ProposeReply = z.object({
  effects: z.array(snakeSchema(effectRecord.schema)),
  url: z.string(),
});

/** Answers the tool `propose`. Only the tools call it: `app.ts` routes no request to it. */
export const proposeApp = createApp();
export const proposePath = "/mcp/propose";

const { middleware } = withJsonBody(programKeyRequired("manage", ...proposalScopes));

proposeApp.post(proposePath, ...middleware, async (c) => {
  const checked = await checkKey(c, c.get("key"));
  if (!checked.ok) return refuse(c, checked.refusal);
  const answer = await propose(c, checked.value);
  return answer.ok ? c.json(answer.value, 200) : refuse(c, answer.refusal);
});

async function propose(
  c: Ctx,
  { programId, keyId, scopes }: KeyChecked,
): Promise<Result<z.output<typeof ProposeReply>>> {
  const needed = proposalScopes.find((scope) => !scopes.includes(scope));
  if (needed !== undefined) return refused({ code: "insufficient_scope", needed });
  const sent = c.get("body") ?? {};
  const common = Proposed.safeParse(sent);
  const { params } = proposables[common.data?.action ?? "approve"];
  const invalid = refusalOfBody(Proposed, sent) ?? refusalOfBody(params, sent);
  if (common.data === undefined || invalid !== undefined) return refused(invalid ?? { code: "internal" });
  const { action, reason } = common.data;
  const known = { ...Proposed.shape, ...params.shape };
  // If an unknown name were ignored, such as `partner_id` instead of `partnerId`, the proposed change would be for the
  // whole program.
  const unknown = Object.keys(sent).find((name) => sent[name] !== null && !Object.hasOwn(known, name));
  if (unknown !== undefined)
    return refused(invalidField(unknown, noSuch(`${action} has no parameter`, unknown, Object.keys(known))));

  const place = await readPlace(c, programId);
  if (!place.ok) return place;
  const planned = await proposables[action].plan(c, place.value, sent);
  if (!planned.ok) return planned;
  const proposal = { action, ...planned.value, reason, keyId, issuedAt: c.get("call").at };
  const token = await sealProposal(c, programId, proposal);
  if (token.length > maxProposalLength) return refused(invalidField("action", "The change is too long for a link"));
  const preview = await previewOf(c, place.value, proposal);
  if (!preview.ok) return preview;
  const effects = preview.value.effects.map((each) => inSnakeCase(effectRecord.reply(each)));
  return ok({ effects, url: `${originOf(c)}/app/#/proposal?token=${token}` });
}

async function readPlace(c: Ctx, programId: number): Promise<Result<Place>> {
  const found = await readFromDatabase(c, "program", (database) => readOne(database, programById({ id: programId })));
  if (!found.ok) return found;
  return found.value === undefined ? refused(notFound("program")) : ok(found.value);
}
