import type { Membership } from "#domain/policy-in-force.ts";
import { insertMembership, type MembershipRow } from "#store/groups.ts";
import type { Write } from "#store/statement.ts";
import { laterThan } from "../later-than.ts";
import type { ChangeCall } from "../manage/settings-change.ts";
import type { Context } from "../operation.ts";

type By = Pick<ChangeCall, "operationId" | "programId">;
type Changed = Pick<MembershipRow, "partnerId" | "groupId">;

/** The first group membership of a new partner. It has no start, so it applies to sales at any instant. */
export const firstMembership = ({ programId, operationId }: By, changed: Changed): Write =>
  insertMembership({ programId, ...changed, effectiveFrom: 0, operationId });

/** A group membership that applies from this commit on, so that the commissions of earlier sales don't change. */
export const nextMembership = (
  { programId, operationId }: By,
  changed: Changed,
  before: Pick<Membership, "effectiveFrom"> | undefined,
  context: Context,
): Write =>
  insertMembership({
    programId,
    ...changed,
    operationId,
    effectiveFrom: laterThan(before?.effectiveFrom, context),
  });
