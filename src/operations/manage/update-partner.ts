import { maskEmail } from "#domain/email.ts";
import type { PartnerId } from "#domain/ids.ts";
import { auditOfOperation } from "#store/audit.ts";
import {
  type LinkRow,
  linkOfPartner,
  type PartnerRow,
  partnerOfExternalId,
  partnerOfProgram,
  updateDestination,
  updatePartner as write,
} from "#store/partners.ts";
import { type Context, type Operation, refuse } from "../operation.ts";
import { noted } from "./noted.ts";
import { acting, diff, type KeyedChangeCall, noChange, type Patch, settingsChange } from "./settings-change.ts";

type Editable = Pick<PartnerRow, "name" | "email" | "externalId" | "status"> & Pick<LinkRow, "destinationUrl">;

export interface UpdatePartnerCall extends KeyedChangeCall {
  readonly kind: "update-partner";
  readonly partnerId: PartnerId;
  readonly changes: Patch<Editable>;
}

const gather = ({ operationId, programId, partnerId, changes: { externalId } }: UpdatePartnerCall) => ({
  done: auditOfOperation({ operationId }),
  partner: partnerOfProgram({ programId, id: partnerId }),
  link: linkOfPartner({ partnerId }),
  named: externalId == null ? undefined : partnerOfExternalId({ programId, externalId }),
});

export const updatePartner: Operation<UpdatePartnerCall, ReturnType<typeof gather>, undefined> = {
  kind: "update-partner",
  lane: "control",
  isExclusive: true,
  needs: () => [],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { done, partner, link, named }, context) {
    if (partner === undefined || link === undefined) return refuse({ code: "not_found", what: "partner" });
    const { name, email, externalId, status } = partner;
    const { destinationUrl: target } = link;
    const changes = diff<Editable>({ name, email, externalId, status, destinationUrl: target }, call.changes);
    if (done !== undefined || changes === undefined) return noChange(call.programId, undefined);

    if (named !== undefined && named.id !== partner.id) return refuse({ code: "external_id_taken" });

    const { destinationUrl, ...row } = changes.row;
    const { programId, partnerId } = call;
    const subject = `partner ${partnerId}`;
    const before = noted({ programId, subject }, textsOf(changes.before), context);
    const after = noted({ programId, subject }, textsOf(changes.after), context);
    const change = {
      programId,
      action: "partner.updated",
      subject,
      before: { ...changes.before, ...before.named },
      after: { ...changes.after, ...after.named },
    };
    const by = acting(call, context.settings);
    const replacedAt = isReplaced(partner, row.email) ? laterThan(partner.emailChangedAt, context) : undefined;
    const writes = [
      ...before.writes,
      ...after.writes,
      write({ ...partner, ...row, emailChangedAt: replacedAt ?? partner.emailChangedAt }),
      updateDestination({ partnerId, destinationUrl }),
    ];
    return {
      ...settingsChange({ ...by, at: replacedAt ?? call.at }, change, { writes, answer: undefined }, context),
      changes: { programId, partnerIds: [partnerId] },
    };
  },
};

/** Also by null, and null by another one: only the first address replaces none. */
export const isReplaced = ({ email, emailChangedAt }: PartnerRow, next: string | null): boolean =>
  next !== email && (email !== null || emailChangedAt !== null);

/** In the order of the commits: a payout includes the addresses that were replaced up to an instant. */
export const laterThan = (before: number | null, context: Context): number =>
  Math.max(context.postingAt(), (before ?? 0) + 1);

export const textsOf = ({ name, email }: Partial<Editable>) => ({ name, email: email && maskEmail(email) });
