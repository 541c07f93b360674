import { hourMs } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import { maxRunsPerHour, type TestChain } from "#domain/verification.ts";
import { insertLink, insertPartner, noPartnerDetails, syntheticLink } from "#store/partners.ts";
import type { Write } from "#store/statement.ts";
import { saveVerification, verificationOfProgram } from "#store/verification.ts";
import { type Call, type Credential, type Operation, refuse } from "./operation.ts";

export interface BeginVerificationCall extends Call {
  readonly kind: "begin-verification";
  readonly key: Credential;
  readonly isTest: true;
}

export interface VerificationBegun {
  readonly programId: ProgramId;
  readonly shortCode: string;
}

export interface FinishVerificationCall extends Call {
  readonly kind: "finish-verification";
  readonly key: Credential;
  readonly isTest: true;
  readonly chain: TestChain;
  readonly isAttributed: boolean;
}

const gather = ({ key: { programId } }: { readonly key: Credential }) => ({
  run: verificationOfProgram({ programId }),
  link: syntheticLink({ programId }),
});

const pending = { click: "pending", lead: "pending", sale: "pending", isAttributed: false, finishedAt: null } as const;

const verificationLock = ({ key }: { readonly key: Credential }): string => `verification ${key.programId}`;

export const beginVerification: Operation<BeginVerificationCall, ReturnType<typeof gather>, VerificationBegun> = {
  kind: "begin-verification",
  lane: "control",
  needs: () => [],
  gather,
  // Not exclusive, because no call of the same round can use the verification partner's code yet.
  locks: (call) => ({ exclusive: [verificationLock(call)] }),

  decide(call, { run, link }, context) {
    const { programId } = call.key;
    const isSameHour = run !== undefined && call.at - run.hourAt < hourMs;
    if (isSameHour && run.runsInHour >= maxRunsPerHour) {
      return refuse({ code: "rate_limited", retryAfterSeconds: Math.ceil((run.hourAt + hourMs - call.at) / 1_000) });
    }

    const shortCode = link?.code ?? `~verification-${programId}`;
    const hour = isSameHour
      ? { hourAt: run.hourAt, runsInHour: run.runsInHour + 1 }
      : { hourAt: call.at, runsInHour: 1 };
    const writes: Write[] = [saveVerification({ programId, ...(run ?? pending), ...hour })];
    if (link === undefined) {
      const common = { programId, status: "active", createdAt: call.at } as const;
      const partner = {
        ...common,
        id: context.newId("partners"),
        name: "Verification",
        ...noPartnerDetails,
        emailHash: null,
        similarHash: null,
        isRiskExempt: false,
        detailsChangedAt: null,
        isSynthetic: true,
        isEmbedded: false,
        erasureId: null,
      };
      const newLink = {
        ...common,
        id: context.newId("referralLinks"),
        partnerId: partner.id,
        destinationUrl: null,
        madeBy: "owner" as const,
      };
      writes.push(
        insertPartner(partner),
        insertLink({ ...newLink, code: shortCode, codeKey: shortCode.toLowerCase() }),
      );
    }
    const begun = { kind: "commit", programId, answer: { programId, shortCode }, writes } as const;
    return link === undefined ? { ...begun, changes: { programId } } : begun;
  },
};

export const finishVerification: Operation<FinishVerificationCall, ReturnType<typeof gather>, undefined> = {
  kind: "finish-verification",
  lane: "control",
  needs: () => [],
  gather,
  locks: (call) => ({ exclusive: [verificationLock(call)] }),

  decide({ key: { programId }, chain, isAttributed, at }, { run }) {
    const hour = { hourAt: run?.hourAt ?? at, runsInHour: run?.runsInHour ?? 1 };
    const { click, lead, sale } = chain;
    const row = { programId, ...hour, click, lead, sale, isAttributed, finishedAt: at };
    return { kind: "commit", programId, answer: undefined, writes: [saveVerification(row)] };
  },
};
