import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { openProposal } from "#api/proposals/proposal-token.ts";
import { isChanged, isProposed, type Via } from "#domain/proposal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { refuse } from "#http/refusal/refuse.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";
import { inputRefusals, memberWriteRefusals } from "./guards.ts";

/** Refusals that every proposable endpoint can return. */
export const proposableRefusals = [
  ...memberWriteRefusals,
  ...inputRefusals,
  "invalid_proposal",
  "proposal_differs",
] as const;

const header = "X-Proposal";

/**
 * Lets a call carry a proposal in the header `X-Proposal`. Refuses a call other than the proposed one, and records with
 * the change which key proposed it. Wrap the route's other guards in it: `...proposable(withJsonBody(…))`.
 */
export function proposable<Steps extends MiddlewareHandler[], Rest>(guard: Rest & { readonly middleware: [...Steps] }) {
  const { middleware, ...rest } = guard;
  const steps: [...Steps, typeof readVia] = [...middleware, readVia];
  return { ...rest, middleware: steps };
}

const readVia = createMiddleware<AppEnv & { Variables: { program: ProgramScope } }>(async (c, next) => {
  const text = c.req.header(header);
  if (text === undefined) return next();
  const via = await viaOf(c, c.get("program"), text);
  if (!via.ok) return refuse(c, via.refusal);
  c.set("via", via.value);
  return next();
});

async function viaOf(c: Ctx, { id: programId }: ProgramScope, text: string): Promise<Result<Via>> {
  const opened = await openProposal(c, programId, text);
  if (!opened.ok) return opened;
  const { proposal } = opened.value;
  const body = c.get("body") ?? {};
  const target = c.req.path.slice(`/api/programs/${programId}/`.length);
  const called = { target, body };
  if (!isProposed(proposal, called)) return refused({ code: "proposal_differs" });
  const { keyId, reason } = proposal;
  return ok({ keyId, reason, isChanged: isChanged(proposal, called) });
}
