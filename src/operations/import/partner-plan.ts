import { placeholderIn } from "#domain/caller-id.ts";
import { caps } from "#domain/caps.ts";
import { normalizeEmail } from "#domain/email.ts";
import type { GroupId, PartnerId } from "#domain/ids.ts";
import { type PartnerImport, type RowOutcome, type RowRefusal, refusedRow } from "#domain/import.ts";
import { hasSafeEnds, isPlaceholderCode } from "#domain/partner-code.ts";
import type { SealedPaymentDetails } from "#domain/payment-details.ts";
import type { Group } from "#domain/policy-in-force.ts";
import type { NewestMembership } from "#store/groups.ts";
import type { LinkRow, PartnerRow } from "#store/partners.ts";
import type { PaymentState } from "#store/payment-details.ts";
import type { PartnerValues } from "../manage/partner-writes.ts";

type ImportedValues = PartnerValues & { readonly groupId: GroupId | null };

/** A partner that existed before the call. */
export interface Existing {
  readonly partner: PartnerRow;
  readonly values: ImportedValues;
  readonly membership: NewestMembership | undefined;
  readonly payment: PaymentState | undefined;
}

/** A partner after the rows processed so far. */
interface Known {
  readonly existing: Existing | undefined;
  values: ImportedValues;
  readonly codes: Set<string>;
  /** Digest of the payment details. */
  payment: string | undefined;
  /** The line of the first row about this partner. */
  line: number | undefined;
}

export interface PartnerChange {
  readonly row: PartnerImport;
  /** Undefined if the row creates the partner. */
  readonly existing: Existing | undefined;
  readonly after: ImportedValues;
  readonly newCodes: readonly string[];
  /** Undefined if the payment details don't change. */
  readonly payment: SealedPaymentDetails | undefined;
}

export interface PartnersFound {
  readonly partners: readonly PartnerRow[];
  readonly links: readonly LinkRow[];
  /** Existing partners whose address is in one of the rows. */
  readonly addresses: readonly { readonly id: PartnerId; readonly emailHash: string }[];
  readonly payments: readonly PaymentState[];
  readonly memberships: readonly NewestMembership[];
  /** Existing groups whose name is in one of the rows. */
  readonly groups: readonly Group[];
  readonly count: number;
}

interface Plan {
  readonly outcomes: readonly RowOutcome[];
  readonly changes: readonly PartnerChange[];
  /** The line of the row that created this row's partner. */
  creatorOf(line: number): number | undefined;
}

const whoIs = (known: Known | undefined): unknown => known?.existing?.partner.id ?? known;

const keyOf = (code: string): string => code.toLowerCase();
/** SQLite's NOCASE ignores the case of A to Z only, so this does the same. */
const groupKey = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The column with a placeholder id, such as `undefined` or `{{id}}`. An id that an existing partner already has is
 * allowed.
 */
const newPlaceholder = ({ codes, externalId }: PartnerImport, known: Known | undefined): string | undefined =>
  codes.some((code) => isPlaceholderCode(code) && !known?.codes.has(keyOf(code)))
    ? "code"
    : placeholderIn({ external_id: known?.values.externalId === externalId ? undefined : externalId });

/** Plans the result of each row, in order. Writes nothing. */
export function planPartners(rows: readonly PartnerImport[], found: PartnersFound, mayUpdate: boolean): Plan {
  const plan = new PartnerPlan(found, mayUpdate);
  const outcomes = rows.map((row) => plan.take(row));
  return {
    outcomes: rows.map((row, i) => plan.withWarnings(row, outcomes[i] ?? refusedRow(row.line, "invalid_value"))),
    changes: plan.changes,
    creatorOf: (line) => plan.creatorOf(line),
  };
}

class PartnerPlan {
  readonly changes: PartnerChange[] = [];
  readonly #byCode = new Map<string, Known>();
  readonly #byExternalId = new Map<string, Known>();
  readonly #byAddress = new Map<string, Set<unknown>>();
  readonly #rowOf = new Map<number, Known>();
  readonly #groupIds: ReadonlyMap<string, GroupId>;
  readonly #mayUpdate: boolean;
  #count: number;

  constructor({ partners, links, addresses, payments, memberships, groups, count }: PartnersFound, mayUpdate: boolean) {
    this.#mayUpdate = mayUpdate;
    this.#groupIds = new Map(groups.map(({ id, name }) => [groupKey(name), id]));
    const membershipOf = new Map(memberships.map((each) => [each.partnerId, each]));
    this.#count = count;
    const paymentOf = new Map(payments.map((each) => [each.partnerId, each]));
    const linksOf = Map.groupBy(links, ({ partnerId }) => partnerId);
    for (const partner of partners) {
      const own = linksOf.get(partner.id) ?? [];
      const first = own.reduce<LinkRow | undefined>((a, b) => (a === undefined || b.id < a.id ? b : a), undefined);
      const { name, email, externalId, status } = partner;
      const membership = membershipOf.get(partner.id);
      const values = {
        name,
        email,
        externalId,
        status,
        destinationUrl: first?.destinationUrl ?? null,
        groupId: membership?.groupId ?? null,
      };
      const codes = new Set(own.map(({ codeKey }) => codeKey));
      const payment = paymentOf.get(partner.id);
      const existing = { partner, values, membership, payment };
      const known: Known = { existing, values, codes, payment: payment?.digest ?? undefined, line: undefined };
      for (const { codeKey } of own) this.#byCode.set(codeKey, known);
      if (externalId !== null) this.#byExternalId.set(externalId, known);
    }
    for (const { id, emailHash } of addresses) this.#hasAddress(emailHash, id);
  }

  /** Adds the warnings after all rows are planned, so that sending the same rows again returns the same warnings. */
  withWarnings(row: PartnerImport, outcome: RowOutcome): RowOutcome {
    if (outcome.result === "refused") return outcome;
    const who = whoIs(this.#rowOf.get(row.line));
    const address = addressIn(row);
    const isShared = address !== undefined && [...(this.#byAddress.get(address) ?? [])].some((each) => each !== who);
    const warnings = [
      ...(isShared ? (["same_email"] as const) : []),
      ...(row.codes.every(hasSafeEnds) ? [] : (["code_end"] as const)),
    ];
    return warnings.length === 0 ? outcome : { ...outcome, warnings };
  }

  creatorOf(line: number): number | undefined {
    const known = this.#rowOf.get(line);
    return known?.existing === undefined ? known?.line : undefined;
  }

  take(row: PartnerImport): RowOutcome {
    const { line, codes, externalId, group } = row;
    if (group !== undefined && this.#groupOf(row) === undefined) return refusedRow(line, "unknown_group", "group");
    const ofId = externalId === undefined ? undefined : this.#byExternalId.get(externalId);
    const ofCode = this.#byCode.get(keyOf(codes[0]));
    const known = ofId ?? ofCode;
    const hasOtherId = externalId !== undefined && known?.values.externalId != null && known !== ofId;
    const owners = codes.map((code) => this.#byCode.get(keyOf(code)));
    const isErased = known?.existing?.partner.erasureId != null;
    if (isErased || hasOtherId || owners.some((owner) => owner !== undefined && owner !== known)) {
      return refusedRow(line, "code_taken", "code");
    }
    const placeholder = newPlaceholder(row, known);
    if (placeholder !== undefined) return refusedRow(line, "placeholder_id", placeholder);
    if (known !== undefined) this.#rowOf.set(line, known);
    return known === undefined ? this.#create(row) : this.#change(row, known);
  }

  #groupOf({ group }: PartnerImport): GroupId | undefined {
    return group === undefined ? undefined : this.#groupIds.get(groupKey(group));
  }

  #create(row: PartnerImport): RowOutcome {
    const { line, name, codes, email, externalId, destinationUrl, status, payment } = row;
    if (this.#count >= caps.partners.max) return refusedRow(line, "partners_full");
    this.#count += 1;
    const values: ImportedValues = {
      name,
      email: email ?? null,
      externalId: externalId ?? null,
      status: status ?? "active",
      destinationUrl: destinationUrl ?? null,
      groupId: this.#groupOf(row) ?? null,
    };
    const known: Known = { existing: undefined, values, codes: new Set(), payment: payment?.digest, line };
    this.#rowOf.set(line, known);
    this.#note({ row, existing: undefined, after: values, newCodes: codes, payment }, known);
    return { line, result: "created" };
  }

  #change(row: PartnerImport, known: Known): RowOutcome {
    const { line, codes, email, externalId, destinationUrl, status, name } = row;
    const payment = row.payment?.digest === known.payment ? undefined : row.payment;
    const before = known.values;
    const told = { name, email, externalId, destinationUrl, status, groupId: this.#groupOf(row) };
    const after = { ...before, ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) };
    const newCodes = codes.filter((code) => !known.codes.has(keyOf(code)));
    const field = firstDifference(before, after) ?? (newCodes.length > 0 ? "code" : payment && "payment_account");
    const { existing, line: namedBy } = known;
    const id = existing === undefined ? {} : { id: existing.partner.id };
    known.line ??= line;
    if (field === undefined) {
      this.#noteAddress(row, known);
      return { line, ...id, result: "unchanged" };
    }
    const refused = (code: RowRefusal, of: string) => ({ ...refusedRow(line, code, of), ...id });
    // If two rows of a call describe one partner differently, the first is used and the second refused. Sending the
    // same rows again then changes nothing.
    if (!this.#mayUpdate || namedBy !== undefined) return refused("differs", field);
    if (known.codes.size + newCodes.length > caps.codes.max) return refused("links_full", "code");
    if (existing?.membership?.isFull && after.groupId !== null && after.groupId !== before.groupId) {
      return refused("too_many_memberships", "group");
    }
    known.values = after;
    known.payment = payment?.digest ?? known.payment;
    this.#note({ row, existing, after, newCodes, payment }, known);
    return { line, ...id, result: "updated" };
  }

  #note(change: PartnerChange, known: Known): void {
    for (const code of change.newCodes) {
      known.codes.add(keyOf(code));
      this.#byCode.set(keyOf(code), known);
    }
    const { externalId } = known.values;
    if (externalId !== null) this.#byExternalId.set(externalId, known);
    this.#noteAddress(change.row, known);
    this.changes.push(change);
  }

  #noteAddress(row: PartnerImport, known: Known): void {
    const address = addressIn(row);
    if (address !== undefined) this.#hasAddress(address, whoIs(known));
  }

  #hasAddress(address: string, who: unknown): void {
    const all = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, all.add(who));
  }
}

/** Returns the row's address as a digest or as normalized text. All rows of a call use the same form. */
const addressIn = ({ email, emailHash }: PartnerImport): string | undefined =>
  email === undefined ? undefined : (emailHash ?? normalizeEmail(email));

const columns = {
  name: "name",
  email: "email",
  externalId: "external_id",
  destinationUrl: "destination_url",
  status: "status",
  groupId: "group",
} as const satisfies Record<keyof ImportedValues, string>;

function firstDifference(before: ImportedValues, after: ImportedValues): string | undefined {
  const names = Object.keys(columns) as (keyof ImportedValues)[];
  const differing = names.find((name) => before[name] !== after[name]);
  return differing && columns[differing];
}
