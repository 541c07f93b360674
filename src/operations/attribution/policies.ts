import type { Policy } from "#domain/commission.ts";
import type { GroupId, PartnerId, ProgramId } from "#domain/ids.ts";
import {
  isGroupKept,
  isKept,
  noMemberships,
  type PolicyHistory,
  type PolicyOwner,
  versionsKept,
} from "#domain/policy-history.ts";
import { groupAt, type Membership, type PartnerPolicies } from "#domain/policy-in-force.ts";
import { noSteps, type StepHistory } from "#domain/step-history.ts";
import { areStepsKept, periodsAround, type ReachedStep, type TierPeriod, tierPeriods } from "#domain/tiers.ts";
import { membershipsThen } from "#store/groups.ts";
import { ownerColumns, policiesInForce } from "#store/policies.ts";
import { lookUpEach, type Read } from "#store/statement.ts";
import { stepsOfPeriods } from "#store/steps-of-periods.ts";
import { type Decision, retryWith, type SettingRef, type Settings } from "../operation.ts";

/** A read of the policy versions in force at `instants` (ms). With `upTo`, only versions up to that number count. */
export interface PoliciesThen {
  readonly partnerId: PartnerId;
  /** Groups that the partner was in at one of the `instants`. */
  readonly groupIds: readonly GroupId[];
  readonly instants: readonly number[];
  readonly upTo: number | undefined;
  /** Also reads the group memberships, because some of the instants are older than the cached memberships. */
  readonly withGroups?: true;
  /** Also reads the steps reached in tiers, because some of the instants are older than the cached steps. */
  readonly withSteps?: true;
}

/** Requested by `policiesFor`, read by `readPoliciesThen`. */
export interface MorePolicies {
  readonly policiesThen: readonly PoliciesThen[];
}

const ofProgram: PolicyOwner = { of: "program" };
const ofPartner = (partnerId: PartnerId): PolicyOwner => ({ of: "partner", partnerId });
const ofGroup = (groupId: GroupId): PolicyOwner => ({ of: "group", groupId });

export const policiesOfProgram = (programId: ProgramId): SettingRef => ({
  kind: "policies",
  programId,
  owner: ofProgram,
});

/** Used by calls that decide sales from before the cached policy versions. */
export function readPoliciesThen(programId: ProgramId, asked: readonly PoliciesThen[]) {
  return {
    policiesThen: each(asked.map((one) => withQuestion(one, policiesInForce({ programId, ...columnsOf(one) })))),
    groupsThen: each(
      asked
        .filter(({ withGroups }) => withGroups)
        .map((one) =>
          withQuestion(
            one,
            membershipsThen({ programId, partnerId: one.partnerId, instants: JSON.stringify(one.instants) }),
          ),
        ),
    ),
    stepsThen: each(
      asked
        .filter(({ withSteps }) => withSteps)
        .map((one) =>
          withQuestion(one, stepsOfPeriods({ programId, partnerId: one.partnerId, periods: periodsOf(one) })),
        ),
    ),
  };
}

const periodsOf = ({ instants }: PoliciesThen): string => JSON.stringify([...new Set(instants.flatMap(periodsAround))]);

const each = <T>([first, ...others]: readonly Read<T>[]) =>
  first && (others.length === 0 ? alone(first) : lookUpEach([first, ...others]));

/**
 * Used for a single read, so that the round combines it with the same read of other calls. Several reads of one call
 * (`lookUpEach`) are combined only with each other.
 */
const alone = <T>(read: Read<T>): Read<readonly T[]> => ({ ...read, decode: (rows) => [read.decode(rows)] });

interface Answered<T> {
  readonly asked: PoliciesThen;
  readonly found: readonly T[];
}

export interface FoundPolicies {
  readonly policiesThen?: readonly Answered<Policy>[] | undefined;
  readonly groupsThen?: readonly Answered<Membership>[] | undefined;
  readonly stepsThen?: readonly Answered<ReachedStep>[] | undefined;
}

const withQuestion = <T>(asked: PoliciesThen, read: Read<readonly T[]>): Read<Answered<T>> => ({
  ...read,
  decode: (rows) => ({ asked, found: read.decode(rows) }),
});

const columnsOf = ({ partnerId, groupIds, instants, upTo }: PoliciesThen) => ({
  owners: JSON.stringify(
    [ofProgram, ofPartner(partnerId), ...groupIds.map(ofGroup)].map((owner) => ownerColumns(owner)),
  ),
  instants: JSON.stringify(instants),
  versions: JSON.stringify([Number.MAX_SAFE_INTEGER, ...(upTo === undefined ? [] : [upTo])]),
});

type Asked = Omit<PoliciesThen, "groupIds"> & { readonly programId: ProgramId };

interface KeptPolicies extends Omit<PartnerPolicies, "versions" | "steps"> {
  readonly histories: readonly PolicyHistory[];
  readonly stepHistory: StepHistory;
  /** Instants whose group memberships were read for this call. */
  readonly instantsOfGroups: readonly number[];
}

/** The cached policies of the program, the partner and the partner's groups. Requests a read if they aren't cached. */
function keptPolicies(
  asked: Asked,
  { groupsThen = [] }: FoundPolicies,
  settings: Settings,
): KeptPolicies | Decision<never, MorePolicies> {
  const { programId, partnerId, instants } = asked;
  const program = settings.policies(programId, ofProgram);
  const history = program?.hasGroupPolicies ? settings.memberships(programId, partnerId) : noMemberships;
  const stepHistory = program?.hasTiers ? settings.steps(programId, partnerId) : noSteps;
  const instantsOfGroups = history === undefined ? [] : instants.filter((at) => !isGroupKept(history, at));
  const then = groupsThen.find((answered) => isOfInstants(answered.asked, { partnerId, instants: instantsOfGroups }));
  const isUnknown = instantsOfGroups.length > 0 && then === undefined;
  const memberships = history && [...history.newest, ...(then?.found ?? [])];
  const groupIds = [...new Set(instants.flatMap((at) => groupAt(memberships ?? [], at) ?? []))];
  const owners = [
    ofProgram,
    ...(program?.hasPartnerPolicies === false ? [] : [ofPartner(partnerId)]),
    ...groupIds.map(ofGroup),
  ];
  const found = owners.map((owner) => ({ owner, policies: settings.policies(programId, owner) }));
  const missing: readonly SettingRef[] = [
    ...found.flatMap(({ owner, policies }) =>
      policies === undefined ? [{ kind: "policies", programId, owner } as const] : [],
    ),
    ...(memberships === undefined ? [{ kind: "memberships", programId, partnerId } as const] : []),
    ...(stepHistory === undefined ? [{ kind: "steps", programId, partnerId } as const] : []),
  ];
  if (missing.length > 0 || memberships === undefined || stepHistory === undefined) {
    return retryWith({ needs: missing });
  }
  if (isUnknown) {
    const { upTo } = asked;
    return retryWith({
      policiesThen: [{ partnerId, groupIds: [], instants: instantsOfGroups, upTo, withGroups: true }],
    });
  }
  return {
    instantsOfGroups,
    histories: found.flatMap(({ policies }) => policies ?? []),
    stepHistory,
    memberships,
    groups: found.flatMap(({ owner, policies }) =>
      owner.of === "group" && policies?.name !== undefined ? [{ id: owner.groupId, name: policies.name }] : [],
    ),
  };
}

/**
 * The newest policy version number in the program, of all owners (the program itself, groups and partners). The
 * program's policies must have been read before.
 */
export const newestVersion = (programId: ProgramId, settings: Settings): number =>
  settings.policies(programId, ofProgram)?.newestVersion ?? 0;

export function policiesToRead(asked: Omit<Asked, "instants">, settings: Settings): readonly SettingRef[] {
  const kept = keptPolicies({ ...asked, instants: [] }, {}, settings);
  return "kind" in kept && kept.kind === "retry" ? (kept.missing.needs ?? []) : [];
}

/**
 * The policy versions that decide a partner's sales at these instants. With `upTo`, only versions up to that number are
 * used. Requests a read if policies are missing.
 */
export function policiesFor(
  asked: Asked,
  found: FoundPolicies,
  settings: Settings,
): PartnerPolicies | Decision<never, MorePolicies> {
  const kept = keptPolicies(asked, found, settings);
  if ("kind" in kept) return kept;
  const { histories, stepHistory, instantsOfGroups, ...others } = kept;
  const { partnerId, instants, upTo } = asked;
  const isDecidedByKept = (at: number) =>
    histories.every((history) => isKept(history, at, upTo ?? Number.MAX_SAFE_INTEGER));
  const earlier = [...new Set(instants)].filter((at) => !isDecidedByKept(at));
  const versions = histories.flatMap(versionsKept);
  const longest = earlier.length === 0 ? longestPeriod(versions) : "year";
  const instantsOfSteps = instants.filter((at) => !areStepsKept(stepHistory, at, longest));
  const { newest } = stepHistory;
  if (earlier.length + instantsOfSteps.length === 0) return { versions, ...others, steps: newest };
  const wanted: PoliciesThen = {
    partnerId,
    groupIds: others.groups.map(({ id }) => id),
    upTo,
    instants: [...new Set([...earlier, ...instantsOfGroups, ...instantsOfSteps])],
    ...(instantsOfGroups.length > 0 && { withGroups: true }),
    ...(instantsOfSteps.length > 0 && { withSteps: true }),
  };
  const answered = found.policiesThen?.find(({ asked }) => isSameQuestion(asked, wanted));
  const behind = found.stepsThen?.find(({ asked }) => isSameQuestion(asked, wanted));
  if (answered === undefined || (wanted.withSteps && behind === undefined))
    return retryWith({ policiesThen: [wanted] });
  return { versions: [...versions, ...answered.found], ...others, steps: [...newest, ...(behind?.found ?? [])] };
}

function longestPeriod(versions: readonly Policy[]): TierPeriod {
  const periods = new Set(versions.map(({ tiers }) => tiers?.period));
  return tierPeriods.findLast((period) => periods.has(period)) ?? "month";
}

const isSameQuestion = (asked: PoliciesThen, wanted: PoliciesThen): boolean =>
  asked.upTo === wanted.upTo && isOfInstants(asked, wanted) && isAmong(asked.groupIds, wanted.groupIds);

const isOfInstants = (asked: PoliciesThen, wanted: Pick<PoliciesThen, "partnerId" | "instants">): boolean =>
  asked.partnerId === wanted.partnerId && isAmong(asked.instants, wanted.instants);

function isAmong(asked: readonly number[], wanted: readonly number[]): boolean {
  const known = new Set(asked);
  return wanted.every((each) => known.has(each));
}
