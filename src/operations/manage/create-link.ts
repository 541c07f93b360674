import { caps } from "#domain/caps.ts";
import type { PartnerId } from "#domain/ids.ts";
import type { LinkMaker } from "#domain/link-maker.ts";
import { programStatus } from "#domain/program-status.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { type LinkRow, linksOfPartner, type PartnerRow, partnerOfProgram } from "#store/partners.ts";
import type { Program } from "#store/settings.ts";
import { type Context, type Decision, type Operation, refuse } from "../operation.ts";
import { createLinkWrites } from "./partner-writes.ts";
import { type ChangeCall, isArchived, noChange } from "./settings-change.ts";

export interface CreateLinkCall extends ChangeCall {
  readonly kind: "create-link";
  readonly partnerId: PartnerId;
  readonly code: string;
  readonly madeBy: LinkMaker;
}

const gather = ({ operationId, programId, partnerId }: CreateLinkCall) => ({
  done: auditOfOperation({ operationId }),
  partner: partnerOfProgram({ programId, id: partnerId }),
  links: linksOfPartner({ partnerId }),
});

/** Adds a code to a partner. It leads to the same URL as the partner's other codes. */
export const createLink: Operation<CreateLinkCall, ReturnType<typeof gather>, undefined> = {
  kind: "create-link",
  lane: "control",
  isExclusive: true,
  needs: ({ code, programId }) => [
    { kind: "program", programId },
    { kind: "code", codeKey: code.toLowerCase(), programId },
  ],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, partner, links }, context) {
    const { programId, madeBy } = call;
    if (partner === undefined) return refuse(notFound("partner"));
    if (done !== undefined) return noChange(programId, undefined);
    if (partner.erasureId !== null) return refuse({ code: "partner_erased" });
    const isOwn = madeBy === "partner";
    if (isOwn && !mayWrite(partner, context.settings.program(programId))) return refuse({ code: "inactive" });
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    return addLink(call, { ...call, links, answer: undefined }, context);
  },
};

interface FurtherLink<Answer> extends Pick<CreateLinkCall, "partnerId" | "code" | "madeBy"> {
  /** All links of the partner, in any order. */
  readonly links: readonly LinkRow[];
  readonly answer: Answer;
}

/** Adds a code for the partner. Refuses it if a partner already has the code, or if this partner has too many codes. */
export function addLink<Answer>(
  by: ChangeCall,
  { partnerId, code, madeBy, links, answer }: FurtherLink<Answer>,
  context: Context,
): Decision<Answer> {
  const { programId } = by;
  const codeKey = code.toLowerCase();
  if (context.settings.linkByCode(codeKey, programId)) return refuse({ code: "code_taken" });
  const full = fullCap(links, madeBy);
  if (full !== undefined) return refuse({ code: "links_full", cap: full });
  const destinationUrl = links[0]?.destinationUrl ?? null;
  const writes = createLinkWrites(by, { partnerId, code, destinationUrl, madeBy }, context);
  return { kind: "commit", programId, answer, writes, changes: { programId, addedCodes: [codeKey] } };
}

const mayWrite = (partner: PartnerRow, program: Program | null | undefined): boolean =>
  partner.status === "active" && program != null && programStatus(program) === "active";

/**
 * A code that a partner creates is subject to two caps. The lower one, for partners' own codes, leaves room for codes
 * that the program creates. The code with which a partner joined is subject only to the higher cap, even if the partner
 * chose it.
 */
function fullCap(links: readonly LinkRow[], madeBy: LinkMaker): "codes" | "ownCodes" | undefined {
  const first = Math.min(...links.map(({ id }) => id));
  const own = links.filter((link) => link.madeBy === "partner" && link.id !== first).length;
  if (madeBy === "partner" && own >= caps.ownCodes.max) return "ownCodes";
  return links.length >= caps.codes.max ? "codes" : undefined;
}
