import type { Policy } from "#domain/commission.ts";
import type { GroupId, PartnerId, ProgramId } from "#domain/ids.ts";
import { isKept, type PolicyHistory, type PolicyOwner, versionsKept } from "#domain/policy-history.ts";
import { groupAt, type PartnerPolicies } from "#domain/policy-in-force.ts";
import { ownerColumns, policiesInForce } from "#store/policies.ts";
import { lookUpEach, type Read } from "#store/statement.ts";
import { type Decision, type PoliciesThen, retryWith, type SettingRef, type Settings } from "../operation.ts";

const ofProgram: PolicyOwner = { of: "program" };
const ofPartner = (partnerId: PartnerId): PolicyOwner => ({ of: "partner", partnerId });
const ofGroup = (groupId: GroupId): PolicyOwner => ({ of: "group", groupId });

export const policiesOfProgram = (programId: ProgramId): SettingRef => ({
  kind: "policies",
  programId,
  owner: ofProgram,
});

/** For a call that decides sales from before the versions that are kept. */
export function readPoliciesThen(programId: ProgramId, asked: readonly PoliciesThen[] = []) {
  const [first, ...others] = asked.map((each) =>
    withQuestion(each, policiesInForce({ programId, ...columnsOf(each) })),
  );
  return { policiesThen: first && (others.length === 0 ? alone(first) : lookUpEach([first, ...others])) };
}

/** Joined with those of other calls, as one of several isn't. */
const alone = <T>(read: Read<T>): Read<readonly T[]> => ({ ...read, decode: (rows) => [read.decode(rows)] });

interface Answered {
  readonly asked: PoliciesThen;
  readonly found: readonly Policy[];
}

export interface FoundPolicies {
  readonly policiesThen?: readonly Answered[] | undefined;
}

const withQuestion = (asked: PoliciesThen, read: Read<readonly Policy[]>): Read<Answered> => ({
  ...read,
  decode: (rows) => ({ asked, found: read.decode(rows) }),
});

const columnsOf = ({ partnerId, groupIds, instants, upTo }: PoliciesThen) => ({
  owners: JSON.stringify(
    [ofProgram, ofPartner(partnerId), ...groupIds.map(ofGroup)].map((owner) => ownerColumns(owner)),
  ),
  instants: JSON.stringify(instants),
  versions: JSON.stringify([Number.MAX_SAFE_INTEGER, ...(upTo === null ? [] : [upTo])]),
});

type Asked = Omit<PoliciesThen, "groupIds"> & { readonly programId: ProgramId };

interface KeptPolicies extends Omit<PartnerPolicies, "versions"> {
  readonly histories: readonly PolicyHistory[];
}

/** The versions of the program, of a partner and of their groups that are kept. Retries if they haven't been read. */
function keptPolicies({ programId, partnerId, instants }: Asked, settings: Settings): KeptPolicies | Decision<never> {
  const program = settings.policies(programId, ofProgram);
  const memberships = program?.hasGroupPolicies ? settings.memberships(programId, partnerId) : [];
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
  ];
  if (missing.length > 0 || memberships === undefined) return retryWith({ needs: missing });
  return {
    histories: found.flatMap(({ policies }) => policies ?? []),
    memberships,
    groups: found.flatMap(({ owner, policies }) =>
      owner.of === "group" && policies?.name !== undefined ? [{ id: owner.groupId, name: policies.name }] : [],
    ),
  };
}

/** Of the program, whoever's it is. Its policies must have been read. */
export const newestVersion = (programId: ProgramId, settings: Settings): number =>
  settings.policies(programId, ofProgram)?.newestVersion ?? 0;

export function policiesToRead(asked: Omit<Asked, "instants">, settings: Settings): readonly SettingRef[] {
  const kept = keptPolicies({ ...asked, instants: [] }, settings);
  return "kind" in kept && kept.kind === "retry" ? (kept.missing.needs ?? []) : [];
}

/**
 * The versions that decide a partner's sales of these instants, now and as of version `upTo`. Retries if they haven't been
 * read.
 */
export function policiesFor(
  asked: Asked,
  { policiesThen = [] }: FoundPolicies,
  settings: Settings,
): PartnerPolicies | Decision<never> {
  const found = keptPolicies(asked, settings);
  if ("kind" in found) return found;
  const { histories, ...others } = found;
  const { partnerId, instants, upTo } = asked;
  const isDecidedByKept = (at: number) =>
    histories.every((history) => isKept(history, at, upTo ?? Number.MAX_SAFE_INTEGER));
  const earlier = [...new Set(instants)].filter((at) => !isDecidedByKept(at));
  const versions = histories.flatMap(versionsKept);
  if (earlier.length === 0) return { versions, ...others };
  const wanted = { partnerId, groupIds: others.groups.map(({ id }) => id), instants: earlier, upTo };
  const answered = policiesThen.find(({ asked }) => isSameQuestion(asked, wanted));
  return answered === undefined
    ? retryWith({ policiesThen: [wanted] })
    : { versions: [...versions, ...answered.found], ...others };
}

function isSameQuestion(asked: PoliciesThen, wanted: PoliciesThen): boolean {
  const isAsked = (name: "groupIds" | "instants") => {
    const known = new Set<number>(asked[name]);
    return wanted[name].every((each) => known.has(each));
  };
  return (
    asked.partnerId === wanted.partnerId && asked.upTo === wanted.upTo && isAsked("groupIds") && isAsked("instants")
  );
}
