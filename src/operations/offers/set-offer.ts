import { caps } from "#domain/caps.ts";
import { couponKey } from "#domain/coupons.ts";
import type { GroupId } from "#domain/ids.ts";
import { type OfferTerms, type OfferVersion, offerProcessors } from "#domain/offers.ts";
import { notFound } from "#domain/result.ts";
import { auditOfOperation } from "#store/audit.ts";
import { takenCodes } from "#store/coupons.ts";
import { groupOfProgram } from "#store/groups.ts";
import {
  deleteOfferCoupons,
  insertOffer,
  insertOfferCoupon,
  newestOffer,
  newestOfferVersion,
  type OfferRow,
  offerVersionCount,
} from "#store/offers.ts";
import type { Write } from "#store/statement.ts";
import { couponsLock } from "../locks.ts";
import { auditedChange, type ChangeCall, isArchived, noChange } from "../manage/settings-change.ts";
import { type Operation, refuse } from "../operation.ts";

export interface SetOfferCall extends ChangeCall {
  readonly kind: "set-offer";
  /** Null for the program's own offer. */
  readonly groupId: GroupId | null;
  readonly offer: OfferTerms | Exclude<OfferVersion["state"], "given">;
}

const versionOf = ({ offer }: SetOfferCall): OfferVersion =>
  typeof offer === "string"
    ? { state: offer, label: null, details: null, couponIds: null, until: null }
    : { state: "given", ...offer };

const codesOf = ({ offer }: SetOfferCall) =>
  offerProcessors.flatMap((processor) => {
    const code = typeof offer === "string" ? undefined : offer.couponIds[processor];
    return code === undefined ? [] : [{ processor, code, codeKey: couponKey(code) }];
  });

function gather(call: SetOfferCall) {
  const { operationId, programId, groupId } = call;
  const owner = { programId, groupId };
  return {
    done: auditOfOperation({ operationId }),
    group: groupId === null ? undefined : groupOfProgram({ programId, id: groupId }),
    newest: newestOffer(owner),
    newestOfAll: newestOfferVersion({ programId }),
    versions: offerVersionCount(owner),
    taken: takenCodes({ programId, codeKeys: JSON.stringify(codesOf(call).map(({ codeKey }) => codeKey)) }),
  };
}

/** Sets the program's offer, or the offer for customers of a group's partners. */
export const setOffer: Operation<SetOfferCall, ReturnType<typeof gather>, undefined> = {
  kind: "set-offer",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId }) => ({ exclusive: [couponsLock(programId)] }),

  decide(call, { done, group, newest, newestOfAll, versions, taken }, context) {
    const { programId, groupId, at, operationId } = call;
    if (groupId !== null && group === undefined) return refuse(notFound("group"));
    const version = versionOf(call);
    if (done !== undefined || isUnchanged(newest, version)) return noChange(programId, undefined);
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const [first] = taken;
    if (first !== undefined) return refuse({ code: "coupon_taken", coupon: first });
    // Ending an offer is allowed even at the maximum number of versions.
    const isEnded = version.state !== "given" && newest?.state === "given";
    if (versions >= caps.offerVersions.max && !isEnded) return refuse({ code: "cap_reached", cap: "offerVersions" });
    const row: OfferRow = {
      ...version,
      programId,
      groupId,
      version: (newestOfAll?.version ?? 0) + 1,
      // If an earlier call came from a machine whose clock was ahead, this version must still be the newest in force.
      effectiveFrom: Math.max(at, newest?.effectiveFrom ?? at),
      operationId,
    };
    const writes: Write[] = [insertOffer(row)];
    if (newest !== undefined) writes.push(deleteOfferCoupons({ programId, version: newest.version }));
    writes.push(...codesOf(call).map((code) => insertOfferCoupon({ programId, version: row.version, ...code })));
    const change = {
      programId,
      action: "offer.set",
      subject: groupId === null ? `program ${programId}` : `group ${groupId}`,
      before: newest === undefined ? null : toldOf(newest),
      after: { version: row.version, ...toldOf(row) },
    };
    return auditedChange(call, change, { writes, answer: undefined }, context);
  },
};

const toldOf = ({ state, label, details, couponIds, until }: OfferVersion) => ({
  state,
  label,
  details,
  // Converted to text, because an object in an audit entry is read as a reference to a note.
  couponIds: couponIds && JSON.stringify(couponIds),
  until,
});

const isUnchanged = (newest: OfferVersion | undefined, version: OfferVersion): boolean =>
  JSON.stringify(toldOf(newest ?? noOffer)) === JSON.stringify(toldOf(version));

/** The offer of a group or program that never set one: a group inherits the program's offer, and a program has none. */
const noOffer: OfferVersion = { state: "inherited", label: null, details: null, couponIds: null, until: null };
