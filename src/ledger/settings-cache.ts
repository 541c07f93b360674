import { type CodeOwner, hostOf } from "#domain/code-owner.ts";
import type { LinkId, PartnerId, ProgramId } from "#domain/ids.ts";
import {
  type MembershipHistory,
  membershipHistory,
  type PolicyOwner,
  policyHistory,
  versionsKept,
} from "#domain/policy-history.ts";
import type { Membership } from "#domain/policy-in-force.ts";
import { type StepHistory, stepHistory } from "#domain/step-history.ts";
import type { ReachedStep } from "#domain/tiers.ts";
import type { Change, Setting } from "#engine/task.ts";
import type { OwnedPolicies, SettingRef, Settings, SettingsChange } from "#operations/operation.ts";
import type { ForeignOwner } from "#store/foreign-codes.ts";
import type { Link, LinkWithSites, Program } from "#store/settings.ts";
import { BoundedMap, type CacheKey } from "./bounded-map.ts";
import { policiesOf, programOf, readsOf } from "./setting-reads.ts";

const maxPrograms = 5_000;
const maxLinks = 50_000;
/** The most programs, links and codes that are cached as nonexistent. Callers can invent any number of them. */
const maxAbsent = 5_000;
const maxOwnedCodes = 5_000;
/** The most cached codes that several programs have. Each entry has the hosts of up to 100 programs. */
const maxSharedCodes = 200;
/** The most cached policy versions of all owners together. An owner without a version counts as one. */
const maxPolicies = 50_000;
/** The most cached memberships of all partners together. A partner without a group counts as one. */
const maxMemberships = 50_000;
/** The most cached steps of all partners together. A partner without steps counts as one. */
const maxSteps = 50_000;

const keyOf = (need: SettingRef): CacheKey => {
  switch (need.kind) {
    case "program":
      return `program ${need.programId}`;
    case "link":
      return `link ${need.linkId}`;
    case "code":
      return `code ${need.codeKey} ${need.programId}`;
    case "owners":
      return `owners ${need.codeKey}`;
    case "policies":
      return policiesKey(need.programId, need.owner);
    case "memberships":
      return membershipsKey(need.programId, need.partnerId);
    case "steps":
      return stepsKey(need.programId, need.partnerId);
  }
};

function policiesKey(programId: ProgramId, owner: PolicyOwner): CacheKey {
  const ofProgram = `policies ${programId}`;
  if (owner.of === "program") return ofProgram;
  return owner.of === "group" ? `${ofProgram} group ${owner.groupId}` : `${ofProgram} partner ${owner.partnerId}`;
}

const membershipsKey = (programId: ProgramId, partnerId: PartnerId): CacheKey =>
  `policies ${programId} groups of ${partnerId}`;

const stepsKey = (programId: ProgramId, partnerId: PartnerId): CacheKey =>
  `policies ${programId} steps of ${partnerId}`;

const noPolicies: OwnedPolicies = {
  ...policyHistory([]),
  hasPartnerPolicies: false,
  hasGroupPolicies: false,
  hasTiers: false,
  newestVersion: 0,
};

const policyWeight = (policies: OwnedPolicies): number => Math.max(1, versionsKept(policies).length);

const newestWeight = ({ newest }: MembershipHistory | StepHistory): number => Math.max(1, newest.length);

/**
 * A copy of programs and links in the object's storage, for database outages. The copy remains when the instance ends.
 */
export interface SettingsMemory {
  remember(setting: Program | Link, seq: number): void;
  /** Ensures that an outdated copy isn't used, even if it can't be deleted. */
  forget(setting: Program | Link): void;
  linksOf(partner: { readonly programId: ProgramId; readonly partnerId: PartnerId }): readonly number[];
  /**
   * Marks the copies of a program and its links as possibly outdated, because the outcome of a change is unknown.
   * `trust` removes this mark.
   */
  doubt(programId: ProgramId, mayHaveMoved: boolean): void;
  trust(programId: ProgramId): void;
  forgetDoubted(): readonly number[];
  forgetAll(): void;
}

/**
 * Cached programs, links, codes, policies, memberships and steps. The cache is never outdated, because only rounds
 * change settings, and they also update the cache.
 */
export class SettingsCache implements Settings {
  readonly #programs = new BoundedMap<Program>(maxPrograms);
  readonly #links = new BoundedMap<Link>(maxLinks);
  readonly #ownedCodes = new BoundedMap<readonly CodeOwner[]>(maxOwnedCodes);
  readonly #sharedCodes = new BoundedMap<readonly CodeOwner[]>(maxSharedCodes);
  readonly #policies = new BoundedMap<OwnedPolicies>(maxPolicies, policyWeight);
  readonly #memberships = new BoundedMap<MembershipHistory>(maxMemberships, newestWeight);
  readonly #steps = new BoundedMap<StepHistory>(maxSteps, newestWeight);
  readonly #absent = new BoundedMap<null>(maxAbsent);
  readonly #all = [
    this.#programs,
    this.#links,
    this.#ownedCodes,
    this.#sharedCodes,
    this.#policies,
    this.#memberships,
    this.#steps,
    this.#absent,
  ] as const;
  readonly #memory: SettingsMemory;
  readonly #report: (event: string, error: unknown) => void;

  constructor(memory: SettingsMemory, report: (event: string, error: unknown) => void) {
    this.#memory = memory;
    this.#report = report;
  }

  program(programId: ProgramId): Program | null | undefined {
    const key = keyOf({ kind: "program", programId });
    return this.#programs.get(key) ?? this.#absent.get(key);
  }

  link(linkId: LinkId): Link | null | undefined {
    return this.#link({ kind: "link", linkId });
  }

  linkByCode(codeKey: string, programId: ProgramId): Link | null | undefined {
    return this.#link({ kind: "code", codeKey, programId });
  }

  codeOwners(codeKey: string): readonly CodeOwner[] | undefined {
    const key = keyOf({ kind: "owners", codeKey });
    return this.#ownedCodes.get(key) ?? this.#sharedCodes.get(key) ?? (this.#absent.has(key) ? [] : undefined);
  }

  policies(programId: ProgramId, owner: PolicyOwner): OwnedPolicies | undefined {
    const key = policiesKey(programId, owner);
    return this.#policies.get(key) ?? (this.#absent.has(key) ? noPolicies : undefined);
  }

  memberships(programId: ProgramId, partnerId: PartnerId): MembershipHistory | undefined {
    return this.#memberships.get(membershipsKey(programId, partnerId));
  }

  steps(programId: ProgramId, partnerId: PartnerId): StepHistory | undefined {
    return this.#steps.get(stepsKey(programId, partnerId));
  }

  /** Called before a partner's new steps are written. */
  forgetSteps(programId: ProgramId, partnerId: PartnerId): void {
    this.#steps.delete(stepsKey(programId, partnerId));
  }

  #link(need: SettingRef): Link | null | undefined {
    const key = keyOf(need);
    return this.#links.get(key) ?? this.#absent.get(key);
  }

  has(need: SettingRef): boolean {
    const key = keyOf(need);
    return this.#all.some((settings) => settings.has(key));
  }

  missing(needs: readonly SettingRef[]): readonly Setting[] {
    return needs.filter((need) => !this.has(need)).map((need) => this.#setting(need));
  }

  #setting(need: SettingRef): Setting {
    return {
      key: keyOf(need),
      reads: () => readsOf(need),
      learn: (found, seq) => this.#learn(need, found, seq),
    };
  }

  #learn(need: SettingRef, found: readonly unknown[], seq: number): void {
    const key = keyOf(need);
    if (need.kind === "owners") {
      const [here, elsewhere] = found as [readonly LinkWithSites[], readonly ForeignOwner[]];
      this.#learnOwners(need.codeKey, here, elsewhere, seq);
      return;
    }
    if (need.kind === "policies") {
      this.#learnPolicies(key, policiesOf(found));
      return;
    }
    if (need.kind === "memberships") {
      this.#memberships.set(key, membershipHistory(found[0] as readonly Membership[]));
      return;
    }
    if (need.kind === "steps") {
      this.#steps.set(key, stepHistory(found[0] as readonly ReachedStep[]));
      return;
    }
    const setting = need.kind === "program" ? programOf(found) : (found[0] as Link | undefined);
    if (setting === undefined) {
      this.#absent.set(key, null);
      return;
    }
    if ("keys" in setting) this.#programs.set(key, setting);
    else this.#links.set(key, setting);
    this.#useMemory(
      () => this.#memory.remember(setting, seq),
      () => this.#memory.forget(setting),
    );
  }

  /** If the program has no policies, the key is cached as absent, because the program itself may not exist. */
  #learnPolicies(key: CacheKey, policies: OwnedPolicies): void {
    const { first, hasPartnerPolicies, hasGroupPolicies } = policies;
    const isEmpty = first === undefined && hasPartnerPolicies === false && hasGroupPolicies === false;
    if (isEmpty) this.#absent.set(key, null);
    else this.#policies.set(key, policies);
  }

  /**
   * Uses the copy in the object's storage. Decisions don't need the copy, so no call fails because the storage is full.
   */
  #useMemory(use: () => void, otherwise = (): void => {}): void {
    try {
      use();
    } catch (error) {
      this.#report("ledger.settings_memory_failed", error);
      otherwise();
    }
  }

  #learnOwners(codeKey: string, here: readonly LinkWithSites[], elsewhere: readonly ForeignOwner[], seq: number): void {
    const key = keyOf({ kind: "owners", codeKey });
    const owners = [
      ...here.map(({ link, ...sites }) => ({ programId: link.programId, hosts: hostsOf(sites), isElsewhere: false })),
      ...elsewhere
        // The directory may still list a program that has been migrated to this shard as one on another shard.
        .filter(({ programId }) => !here.some(({ link }) => link.programId === programId))
        .map((owner) => ({ programId: owner.programId, hosts: hostsOf(owner), isElsewhere: true })),
    ];
    if (owners.length === 0) this.#absent.set(key, null);
    else if (owners.length > 1) this.#sharedCodes.set(key, owners);
    else this.#ownedCodes.set(key, owners);
    const [only, ...others] = here;
    if (only === undefined || others.length > 0) return;
    this.#learn({ kind: "code", codeKey, programId: only.link.programId }, [only.link], seq);
  }

  change(change: SettingsChange): Change {
    return {
      begin: () => this.#beginChange(change),
      settings: () => this.#changedBy(change).map((need) => this.#setting(need)),
      end: () => this.#endChange(change),
    };
  }

  /**
   * Drops settings from the cache before they change. The copy in the object's storage keeps the old settings: as long
   * as the outcome of the change is unknown, the database is unavailable, and clicks are accepted by the old settings.
   */
  #beginChange(change: SettingsChange): void {
    const { programId, partnerIds = [], policiesOf: owner, membershipsOf, addedCodes, ofPlace } = change;
    for (const partnerId of membershipsOf ?? partnerIds) this.#memberships.delete(membershipsKey(programId, partnerId));
    if (membershipsOf !== undefined) return;
    if (addedCodes !== undefined) {
      for (const codeKey of addedCodes) this.#forgetCode(codeKey, programId);
      return;
    }
    if (owner !== undefined) {
      for (const key of policyNeeds(programId, owner).map(keyOf)) {
        this.#policies.delete(key);
        this.#absent.delete(key);
      }
      return;
    }
    this.#memory.doubt(programId, ofPlace !== undefined);
    this.#programs.delete(keyOf({ kind: "program", programId }));
    const changed = new Set(partnerIds);
    for (const [key, link] of this.#links) if (changed.has(link.partnerId)) this.#links.delete(key);
    // The change may give the program any code.
    this.#ownedCodes.clear();
    this.#sharedCodes.clear();
    this.#absent.clear();
    if (ofPlace === "arrived") this.#forgetAllOf(programId);
  }

  #forgetCode(codeKey: string, programId: ProgramId): void {
    const owners = keyOf({ kind: "owners", codeKey });
    for (const key of [keyOf({ kind: "code", codeKey, programId }), owners]) this.#absent.delete(key);
    this.#ownedCodes.delete(owners);
    this.#sharedCodes.delete(owners);
  }

  #forgetAllOf(programId: ProgramId): void {
    for (const [key, link] of this.#links) if (link.programId === programId) this.#links.delete(key);
    const own = policiesKey(programId, { of: "program" });
    for (const settings of [this.#policies, this.#memberships, this.#steps]) {
      for (const key of settings.keys()) if (key === own || key.startsWith(`${own} `)) settings.delete(key);
    }
    this.forgetDoubted();
    this.#memory.doubt(programId, true);
  }

  #changedBy(change: SettingsChange): readonly SettingRef[] {
    const { programId, partnerIds = [], policiesOf: owner, membershipsOf, addedCodes } = change;
    if (addedCodes !== undefined || membershipsOf !== undefined) return [];
    if (owner !== undefined) return policyNeeds(programId, owner);
    const links = partnerIds.flatMap((partnerId) => this.#memory.linksOf({ programId, partnerId }));
    return [{ kind: "program", programId }, ...links.map((linkId) => ({ kind: "link", linkId }) as const)];
  }

  #endChange({ programId, policiesOf: owner, membershipsOf, addedCodes }: SettingsChange): void {
    if ([owner, membershipsOf, addedCodes].some((only) => only !== undefined)) return;
    // If the mark can't be removed, the next claim drops the program's copy.
    this.#useMemory(() => this.#memory.trust(programId));
  }

  /** Called when the database is available again and no other writer has changed settings in between. */
  forgetDoubted(): void {
    this.#useMemory(
      () => {
        // Settings that stayed in the cache wouldn't be read again, and so would never be copied to the storage again.
        const doubted = new Set(this.#memory.forgetDoubted());
        for (const [key, { id }] of this.#programs) if (doubted.has(id)) this.#programs.delete(key);
        for (const [key, { programId }] of this.#links) if (doubted.has(programId)) this.#links.delete(key);
      },
      () => this.clear(),
    );
  }

  clear(): void {
    for (const settings of this.#all) settings.clear();
    this.#useMemory(() => this.#memory.forgetAll());
  }
}

const hostsOf = ({ websiteUrl, destinationUrl }: Pick<ForeignOwner, "websiteUrl" | "destinationUrl">) =>
  [websiteUrl, destinationUrl].flatMap((url) => hostOf(url ?? "") ?? []);

/**
 * The cached entry of the program's own policies also says whether any partners and groups have policies. It is
 * therefore needed together with the policies of a partner or group.
 */
function policyNeeds(programId: ProgramId, owner: PolicyOwner): readonly SettingRef[] {
  const own = { kind: "policies", programId, owner } as const;
  return owner.of === "program" ? [own] : [own, { ...own, owner: { of: "program" } }];
}
