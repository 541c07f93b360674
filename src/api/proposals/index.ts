import type { Proposal, ProposalAction } from "#domain/proposal.ts";
import type { Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { Place, Preview, Proposable } from "./action.ts";
import { approve, hold, reject } from "./commissions.ts";
import { adjustment, application, group } from "./partners.ts";
import { policy } from "./policy.ts";

export const proposables: Readonly<Record<ProposalAction, Proposable>> = {
  approve,
  reject,
  hold,
  policy,
  group,
  adjustment,
  application,
};

export const previewOf = (c: Ctx, place: Place, { action, ...planned }: Proposal): Promise<Result<Preview>> =>
  proposables[action].preview(c, place, planned);
