import type { ProgramId } from "#domain/ids.ts";
import { mayPropose, type Proposal, proposalMs } from "#domain/proposal.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { readOne } from "#store/database.ts";
import { termsOfKey } from "#store/embeds.ts";
import { readFromDatabase } from "../read-database.ts";
import { openToken, sealToken } from "../sealed-token.ts";

const kind = { prefix: "svcp", purpose: "proposal", validMs: proposalMs } as const;

export const sealProposal = (c: Ctx, programId: ProgramId, proposal: Proposal): Promise<string> =>
  sealToken(c, kind, programId, proposal);

interface OpenedProposal {
  readonly proposal: Proposal;
  readonly keyName: string;
}

/** Refuses a proposal that isn't of this program or has expired, or whose key may no longer make proposals. */
export async function openProposal(c: Ctx, programId: ProgramId, text: string): Promise<Result<OpenedProposal>> {
  const opened = await openToken<Proposal>(c, kind, text);
  if (opened === undefined || opened.programId !== programId) return refused({ code: "invalid_proposal" });
  const { token: proposal } = opened;
  const key = await readFromDatabase(c, "program", (database) =>
    readOne(database, termsOfKey({ programId, id: proposal.keyId })),
  );
  if (!key.ok) return key;
  return key.value !== undefined && mayPropose(key.value, c.get("call").at)
    ? ok({ proposal, keyName: key.value.name })
    : refused({ code: "invalid_proposal" });
}
