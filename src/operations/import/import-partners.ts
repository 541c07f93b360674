import type { PartnerId } from "#domain/ids.ts";
import type { PartnerImport, RowOutcome } from "#domain/import.ts";
import type { SealedPaymentDetails } from "#domain/payment-details.ts";
import { groupsOfNames } from "#store/groups.ts";
import {
  linksOfNamed,
  membershipsOfNamed,
  partnersNamed,
  partnersOfAddresses,
  paymentsOfNamed,
} from "#store/imports.ts";
import { partnerCount } from "#store/partners.ts";
import type { Write } from "#store/statement.ts";
import { nextMembership } from "../groups/membership-writes.ts";
import {
  createLinkWrites,
  createPartnerWrites,
  type PartnerValues,
  reviewsBeginAt,
  updatePartnerWrites,
} from "../manage/partner-writes.ts";
import { paymentVersionWrites } from "../manage/payment-writes.ts";
import { acting, diff, isArchived, noChange } from "../manage/settings-change.ts";
import { type Context, type Operation, refuse } from "../operation.ts";
import {
  answeredBefore,
  callEntry,
  doneBefore,
  type ImportCall,
  type Imported,
  operationOfRow,
} from "./import-call.ts";
import { type Existing, type PartnerChange, planPartners } from "./partner-plan.ts";

export interface ImportPartnersCall extends ImportCall<PartnerImport> {
  readonly kind: "import-partners";
  /** True if rows may update existing partners. */
  readonly mayUpdate: boolean;
}

function gather(call: ImportPartnersCall) {
  const { programId, rows } = call;
  const named = {
    programId,
    externalIds: JSON.stringify(rows.flatMap(({ externalId }) => externalId ?? [])),
    codeKeys: JSON.stringify(rows.flatMap(({ codes }) => codes.map((code) => code.toLowerCase()))),
  };
  return {
    ...doneBefore(call),
    partners: partnersNamed(named),
    links: linksOfNamed(named),
    addresses: partnersOfAddresses({
      programId,
      emailHashes: JSON.stringify(rows.flatMap(({ emailHash }) => emailHash ?? [])),
    }),
    payments: paymentsOfNamed(named),
    memberships: membershipsOfNamed(named),
    groups: groupsOfNames({ programId, names: JSON.stringify(rows.flatMap(({ group }) => group ?? [])) }),
    count: partnerCount({ programId }),
  };
}

export const importPartners: Operation<ImportPartnersCall, ReturnType<typeof gather>, Imported> = {
  kind: "import-partners",
  lane: "control",
  isExclusive: ({ isDryRun }) => !isDryRun,
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: () => ({ exclusive: [] }),

  decide(call, { entry, done, ...found }, context) {
    const { programId, rows, mayUpdate, isDryRun } = call;
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const { outcomes, changes, creatorOf } = planPartners(rows, found, mayUpdate);
    const answered = answeredBefore(call, outcomes, { entry, done });
    if (answered !== undefined) return noChange(programId, { outcomes: answered });
    if (isDryRun || changes.length === 0) return noChange(programId, { outcomes });
    const writer = new PartnerWriter(call, context);
    const writes = changes.flatMap((change) => writer.write(change));
    const told = outcomes.map((outcome) => writer.withId(outcome, creatorOf(outcome.line)));
    const updated = changes.flatMap(({ existing }) => existing?.partner.id ?? []);
    const addedCodes = changes.flatMap(({ newCodes }) => newCodes.map((code) => code.toLowerCase()));
    return {
      kind: "commit",
      programId,
      answer: { outcomes: told },
      writes: [...writes, callEntry(call, "partners", told, context)],
      holdUntil: updated.length === 0 ? undefined : reviewsBeginAt(call),
      changes: { programId, ...(updated.length === 0 ? { addedCodes } : { partnerIds: updated }) },
    };
  },
};

class PartnerWriter {
  readonly #call: ImportPartnersCall & { readonly actorId: string };
  readonly #context: Context;
  readonly #idOfLine = new Map<number, PartnerId>();

  constructor(call: ImportPartnersCall, context: Context) {
    this.#call = acting(call, context.settings);
    this.#context = context;
  }

  withId(outcome: RowOutcome, creator: number | undefined): RowOutcome {
    const id = creator === undefined ? undefined : this.#idOfLine.get(creator);
    return id === undefined ? outcome : { ...outcome, id };
  }

  write(change: PartnerChange): readonly Write[] {
    return change.existing === undefined ? this.#create(change) : this.#update(change, change.existing);
  }

  #create({ row: { line, codes }, after, payment }: PartnerChange): readonly Write[] {
    const [first, ...others] = codes;
    const made = createPartnerWrites(this.#row(line), after, { code: first, madeBy }, this.#context);
    this.#idOfLine.set(line, made.partnerId);
    const further = others.flatMap((code) => this.#furtherCode(made.partnerId, code, { line, ...after }));
    return [...made.writes, ...further, ...this.#details(line, { ...unpaid, partnerId: made.partnerId }, payment)];
  }

  #update(
    { row: { line }, after, newCodes, payment }: PartnerChange,
    { partner, values, membership, payment: before }: Existing,
  ): readonly Write[] {
    const changes = diff(values, after);
    const updated = changes ? updatePartnerWrites(this.#row(line), partner, changes, this.#context) : [];
    const groupId = changes?.after.groupId;
    const ofGroup = { partnerId: partner.id, groupId: groupId ?? null };
    const regrouped =
      groupId === undefined ? [] : [nextMembership(this.#row(line), ofGroup, membership, this.#context)];
    const codes = newCodes.flatMap((code, i) =>
      this.#furtherCode(partner.id, code, { line, ...after, isOnlyChange: changes === undefined && i === 0 }),
    );
    const known = before ?? { ...unpaid, partnerId: partner.id };
    const isOnlyChange = updated.length + codes.length === 0;
    return [...updated, ...regrouped, ...codes, ...this.#details(line, known, payment, isOnlyChange)];
  }

  #details(line: number, before: BeforeDetails, payment: SealedPaymentDetails | undefined, isOnlyChange = false) {
    if (payment === undefined) return [];
    const by = this.#row(line);
    const operationId = isOnlyChange ? by.operationId : `${by.operationId} payment`;
    return paymentVersionWrites({ ...by, operationId }, before, payment, this.#context);
  }

  #furtherCode(
    partnerId: PartnerId,
    code: string,
    {
      line,
      destinationUrl,
      isOnlyChange = false,
    }: Pick<PartnerValues, "destinationUrl"> & {
      readonly line: number;
      readonly isOnlyChange?: boolean;
    },
  ): readonly Write[] {
    const by = this.#row(line);
    const operationId = isOnlyChange ? by.operationId : `${by.operationId} ${code.toLowerCase()}`;
    return createLinkWrites({ ...by, operationId }, { partnerId, code, destinationUrl, madeBy }, this.#context);
  }

  /** The call with the operation id of one row. */
  #row(line: number) {
    return { ...this.#call, operationId: operationOfRow(this.#call, line) };
  }
}

const madeBy = "import";
const unpaid = { paymentId: null, method: null, setAt: null, detailsChangedAt: null, isPaid: false };
type BeforeDetails = Parameters<typeof paymentVersionWrites>[1];
