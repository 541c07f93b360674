import type { Policy } from "#domain/commission.ts";
import type { ProgramId } from "#domain/ids.ts";
import { isKept, type PolicyHistory, type PolicyOwner, versionsKept } from "#domain/policy-history.ts";
import { policiesInForce } from "#store/policies.ts";
import { lookUpEach, type Read } from "#store/statement.ts";
import { type Decision, type PoliciesThen, retryWith, type SettingRef, type Settings } from "../operation.ts";

const ofProgram: PolicyOwner = { of: "program" };

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

const columnsOf = ({ partnerId, instants, upTo }: PoliciesThen) => ({
  partnerId,
  instants: JSON.stringify(instants),
  versions: JSON.stringify([Number.MAX_SAFE_INTEGER, ...(upTo === null ? [] : [upTo])]),
});

type Asked = Omit<PoliciesThen, "instants"> & { readonly programId: ProgramId };

/** The versions of the program and of a partner that are kept. Retries if they haven't been read. */
function historiesOf({ programId, partnerId }: Asked, settings: Settings): readonly PolicyHistory[] | Decision<never> {
  const own: PolicyOwner = { of: "partner", partnerId };
  const program = settings.policies(programId, ofProgram);
  const partner = program?.hasPartnerPolicies === false ? undefined : settings.policies(programId, own);
  if (program === undefined || (program.hasPartnerPolicies && partner === undefined)) {
    return retryWith({ needs: [policiesOfProgram(programId), { kind: "policies", programId, owner: own }] });
  }
  return partner === undefined ? [program] : [program, partner];
}

/** Of the program, whoever's it is. Its policies must have been read. */
export const newestVersion = (programId: ProgramId, settings: Settings): number =>
  settings.policies(programId, ofProgram)?.newestVersion ?? 0;

export const policiesToRead = (asked: Asked, settings: Settings): readonly SettingRef[] => {
  const histories = historiesOf(asked, settings);
  return "kind" in histories && histories.kind === "retry" ? (histories.missing.needs ?? []) : [];
};

/**
 * The versions that decide a partner's sales of these instants, now and as of version `upTo`. Retries if they haven't been
 * read.
 */
export function policiesFor(
  { instants, ...asked }: PoliciesThen & { readonly programId: ProgramId },
  { policiesThen = [] }: FoundPolicies,
  settings: Settings,
): readonly Policy[] | Decision<never> {
  const histories = historiesOf(asked, settings);
  if ("kind" in histories) return histories;
  const { partnerId, upTo } = asked;
  const isDecidedByKept = (at: number) =>
    histories.every((history) => isKept(history, at, upTo ?? Number.MAX_SAFE_INTEGER));
  const earlier = [...new Set(instants)].filter((at) => !isDecidedByKept(at));
  const kept = histories.flatMap(versionsKept);
  if (earlier.length === 0) return kept;
  const wanted = { partnerId, instants: earlier, upTo };
  const answered = policiesThen.find(({ asked }) => isSameQuestion(asked, wanted));
  return answered === undefined ? retryWith({ policiesThen: [wanted] }) : [...kept, ...answered.found];
}

function isSameQuestion(asked: PoliciesThen, wanted: PoliciesThen): boolean {
  const known = new Set(asked.instants);
  return (
    asked.partnerId === wanted.partnerId && asked.upTo === wanted.upTo && wanted.instants.every((at) => known.has(at))
  );
}
