import { actorOfEmbed } from "#domain/actor.ts";
import { caps } from "#domain/caps.ts";
import { type EmbedToken, isTokenEnded } from "#domain/embed.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { programStatus } from "#domain/program-status.ts";
import { auditOfOperation } from "#store/audit.ts";
import { embedOf, erasedPartner, linksOfExternalId } from "#store/embeds.ts";
import { partnerCount, partnerOfExternalId } from "#store/partners.ts";
import { addLink } from "../manage/create-link.ts";
import { createPartnerWrites } from "../manage/partner-writes.ts";
import { noChange } from "../manage/settings-change.ts";
import { type Call, type Context, type Decision, type Operation, refuse, retryWith } from "../operation.ts";

export interface CreateEmbeddedLinkCall extends Call, Omit<EmbedToken, "code"> {
  readonly kind: "create-embedded-link";
  readonly programId: ProgramId;
  /** The digest of this external id in the form that the erasure of a partner stores. */
  readonly erasedDigest: string;
  readonly code: string;
  /** True if the user chose the code. If false, a user who already has a code keeps that code. */
  readonly isChosen: boolean;
}

export interface EmbeddedLink {
  readonly partnerId: PartnerId;
  readonly code: string;
  /** False if the code already existed. */
  readonly isNew: boolean;
}

interface More {
  /** The call would create a partner, so the number of partners must be read. */
  readonly isNewcomer: true;
}

const gather = (
  { operationId, programId, externalId, erasedDigest }: CreateEmbeddedLinkCall,
  { isNewcomer }: Partial<More>,
) => ({
  done: auditOfOperation({ operationId }),
  embed: embedOf({ programId }),
  partner: partnerOfExternalId({ programId, externalId }),
  erased: erasedPartner({ programId, digest: erasedDigest }),
  links: linksOfExternalId({ programId, externalId }),
  partners: isNewcomer && partnerCount({ programId }),
});

/**
 * Creates a link for a user of the integrator's product. If the user isn't a partner yet, the same commit creates the
 * partner.
 */
export const createEmbeddedLink: Operation<CreateEmbeddedLinkCall, ReturnType<typeof gather>, EmbeddedLink, More> = {
  kind: "create-embedded-link",
  lane: "control",
  isExclusive: true,
  needs: ({ code, programId }) => [
    { kind: "program", programId },
    { kind: "code", codeKey: code.toLowerCase(), programId },
  ],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, embed, partner, erased, links, partners }, context) {
    const { programId, keyId, code, isChosen, at } = call;
    const program = context.settings.program(programId);
    const key = program?.keys.find(({ id }) => id === keyId);
    const tokensEndedAt = embed?.tokensEndedAt ?? null;
    const isErased = partner === undefined && erased !== undefined;
    if (!program || isErased || isTokenEnded(call, { key, archivedAt: program.archivedAt, tokensEndedAt }, at)) {
      return refuse({ code: "invalid_token" });
    }
    const [first] = links.toSorted((a, b) => a.id - b.id);
    if (partner !== undefined && done?.after != null) {
      const made = JSON.parse(done.after) as Pick<EmbeddedLink, "code">;
      return noChange(programId, { partnerId: partner.id, code: made.code, isNew: true });
    }
    if (programStatus(program) !== "active" || partner?.status === "paused") return refuse({ code: "inactive" });
    if (partner === undefined || first === undefined) {
      return partners === undefined ? retryWith<More>({ isNewcomer: true }) : createPartner(call, partners, context);
    }
    const known = isChosen ? links.find(({ codeKey }) => codeKey === code.toLowerCase()) : first;
    if (known !== undefined) return noChange(programId, { partnerId: partner.id, code: known.code, isNew: false });
    const by = { ...call, actorId: actorOfEmbed(keyId) };
    const answer = { partnerId: partner.id, code, isNew: true };
    return addLink(by, { partnerId: partner.id, code, madeBy: "partner", links, answer }, context);
  },
};

function createPartner(call: CreateEmbeddedLinkCall, partners: number, context: Context): Decision<EmbeddedLink, More> {
  const { programId, keyId, externalId, name, email, groupId, code, isChosen } = call;
  const codeKey = code.toLowerCase();
  if (context.settings.linkByCode(codeKey, programId)) return refuse({ code: "code_taken" });
  if (partners >= caps.partners.max) return refuse({ code: "cap_reached", cap: "partners" });
  const values = {
    name: name ?? externalId,
    email,
    externalId,
    destinationUrl: null,
    groupId,
    status: "active",
  } as const;
  const by = { ...call, actorId: actorOfEmbed(keyId) };
  const link = { code, madeBy: isChosen ? "partner" : "owner" } as const;
  const { partnerId, writes } = createPartnerWrites(by, values, link, context);
  const answer = { partnerId, code, isNew: true };
  return { kind: "commit", programId, answer, writes, changes: { programId, addedCodes: [codeKey] } };
}
