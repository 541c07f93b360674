import type { PartnerId } from "#domain/ids.ts";
import type { PartnerImport, RowOutcome } from "#domain/import.ts";
import { linksOfNamed, partnersNamed, partnersWithEmails } from "#store/imports.ts";
import { insertLink, insertPartner, partnerCount, updateDestination, updatePartner } from "#store/partners.ts";
import type { Write } from "#store/statement.ts";
import { noted } from "../manage/noted.ts";
import { acting, auditWrite, diff, isArchived, noChange } from "../manage/settings-change.ts";
import { isReplaced, laterThan, textsOf } from "../manage/update-partner.ts";
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
  /** Rows may change partners that exist. */
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
    emails: partnersWithEmails({ programId, emails: JSON.stringify(rows.flatMap(({ email }) => email ?? [])) }),
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

  #create({ row: { line, codes }, after }: PartnerChange): readonly Write[] {
    const { programId, at } = this.#call;
    const { destinationUrl, ...values } = after;
    const id = this.#context.newId("partners");
    const partner = { id, programId, ...values, emailChangedAt: null, isSynthetic: false, createdAt: at };
    this.#idOfLine.set(line, id);
    const [first, ...others] = codes;
    const subject = `partner ${id}`;
    const texts = noted({ programId, subject }, { name: values.name }, this.#context);
    const { externalId } = values;
    const named = { partnerId: id, ...texts.named, code: first, ...(externalId !== null && { externalId }) };
    const entry = { programId, action: "partner.created", subject, before: null, after: named };
    return [
      insertPartner(partner),
      this.#link(id, first, destinationUrl),
      ...texts.writes,
      this.#entry(operationOfRow(this.#call, line), entry),
      ...others.flatMap((code) => this.#furtherCode(id, code, { line, destinationUrl })),
    ];
  }

  #update({ row: { line }, after, newCodes }: PartnerChange, { partner, values }: Existing) {
    const { programId } = this.#call;
    const { id } = partner;
    const changes = diff(values, after);
    const { destinationUrl, ...next } = after;
    const codes = newCodes.flatMap((code, i) =>
      this.#furtherCode(id, code, { line, destinationUrl, isOnlyChange: changes === undefined && i === 0 }),
    );
    if (changes === undefined) return codes;

    const subject = `partner ${id}`;
    const [earlier, later] = [changes.before, changes.after].map((texts) =>
      noted({ programId, subject }, textsOf(texts), this.#context),
    );
    const replacedAt = isReplaced(partner, next.email) ? laterThan(partner.emailChangedAt, this.#context) : undefined;
    const entry = {
      programId,
      action: "partner.updated",
      subject,
      before: { ...changes.before, ...earlier?.named },
      after: { ...changes.after, ...later?.named },
    };
    return [
      ...(earlier?.writes ?? []),
      ...(later?.writes ?? []),
      updatePartner({ ...partner, ...next, emailChangedAt: replacedAt ?? partner.emailChangedAt }),
      updateDestination({ partnerId: id, destinationUrl }),
      this.#entry(operationOfRow(this.#call, line), entry, replacedAt),
      ...codes,
    ];
  }

  #furtherCode(
    partnerId: PartnerId,
    code: string,
    of: { readonly line: number; readonly destinationUrl: string | null; readonly isOnlyChange?: boolean },
  ): readonly Write[] {
    const operation = operationOfRow(this.#call, of.line);
    const entry = {
      programId: this.#call.programId,
      action: "link.created",
      subject: `partner ${partnerId}`,
      before: null,
      after: { code, madeBy: "import" },
    };
    return [
      this.#link(partnerId, code, of.destinationUrl),
      this.#entry(of.isOnlyChange === true ? operation : `${operation} ${code.toLowerCase()}`, entry),
    ];
  }

  #link(partnerId: PartnerId, code: string, destinationUrl: string | null): Write {
    const { programId, at } = this.#call;
    return insertLink({
      ...{ id: this.#context.newId("referralLinks"), programId, partnerId, code, codeKey: code.toLowerCase() },
      ...{ destinationUrl, madeBy: "import", status: "active", createdAt: at },
    });
  }

  #entry(operationId: string, change: Parameters<typeof auditWrite>[1], at = this.#call.at): Write {
    return auditWrite({ ...this.#call, operationId, at }, change, this.#context);
  }
}
