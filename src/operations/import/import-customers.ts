import type { Book } from "#domain/book.ts";
import { earliest } from "#domain/calendar.ts";
import { isPlaceholderId } from "#domain/caller-id.ts";
import { erasedDigest, erasedId, namesOf } from "#domain/erasure.ts";
import type { CustomerId, LinkId } from "#domain/ids.ts";
import { type CustomerImport, effectsOf, type RowOutcome, refusedRow } from "#domain/import.ts";
import { notFound } from "#domain/result.ts";
import {
  type CustomerRow,
  customerByKey,
  customerOfSubscription,
  insertCustomer,
  type KnownCustomer,
  setImported,
  updateCustomer,
} from "#store/customers.ts";
import { erasedOfImport, partnersOfCodes } from "#store/imports.ts";
import type { Link } from "#store/settings.ts";
import { lookUpAll, type Write } from "#store/statement.ts";
import { type Bound, bindDirectly, mostFollowingAtOnce } from "../attribution/bind-directly.ts";
import { newCustomer } from "../attribution/customer.ts";
import { type MoreSalesOfEach, readSalesOfEach, type SalesAfter, salesOfOne } from "../attribution/earlier-sales.ts";
import { type MorePolicies, policiesOfProgram, readPoliciesThen } from "../attribution/policies.ts";
import { customerKeyLock, customerLock, subscriptionLock } from "../attribution/resolve-customer.ts";
import { acting, auditWrite, isArchived, noChange } from "../manage/settings-change.ts";
import {
  type Context,
  type Deciding,
  type Decision,
  type Gathered,
  type Missing,
  type Operation,
  refuse,
  retryWith,
} from "../operation.ts";
import { type CustomerPlan, planCustomer } from "./customer-plan.ts";
import {
  answeredBefore,
  callEntry,
  doneBefore,
  type ImportCall,
  type Imported,
  operationOfRow,
} from "./import-call.ts";

export interface ImportCustomersCall extends ImportCall<CustomerImport> {
  readonly kind: "import-customers";
}

/**
 * The most customers in one call for whom a separate statement reads the next sale. It is needed if a sale has too many
 * refunds.
 */
const mostAlone = 5;

const subscriptionsOf = ({ rows }: ImportCustomersCall): readonly string[] =>
  rows.flatMap(({ subscriptionId }) => subscriptionId ?? []);

const bookOf = ({ programId }: ImportCustomersCall): Book => ({ programId, isTest: false });

const digestsOfKey = (secrets: Parameters<typeof erasedDigest>[0], { customerKey }: CustomerImport) =>
  namesOf([customerKey]).map((name) => erasedDigest(secrets, name));

/**
 * Recognizes rows about erased customers. An erasure replaces a subscription id that contains the customer's identifier
 * by a pseudonym, so the row is looked up by that pseudonym.
 */
const erasedNames = {
  read(call: ImportCustomersCall, { hashSecret }: Context) {
    const { programId, rows } = call;
    const subscriptions = subscriptionsOf(call).map((id) => erasedId({ programId, hashSecret }, id));
    const digests = rows.flatMap((row) => digestsOfKey({ programId, hashSecret }, row));
    return erasedOfImport({
      programId,
      subscriptionIds: JSON.stringify(subscriptions),
      keyDigests: JSON.stringify(digests),
    });
  },

  changes({ programId, rows }: ImportCustomersCall, found: unknown, { hashSecret }: Context) {
    const known = new Set((found as readonly { known: string }[]).map((each) => each.known));
    const asStored = (row: CustomerImport): CustomerImport => {
      const subscriptionId = row.subscriptionId && erasedId({ programId, hashSecret }, row.subscriptionId);
      return {
        ...row,
        ...(known.has(subscriptionId ?? "") && { subscriptionId }),
        ...(digestsOfKey({ programId, hashSecret }, row).some((digest) => known.has(digest)) && { isErased: true }),
      };
    };
    return known.size === 0 ? {} : { rows: rows.map(asStored) };
  },
};

type More = MoreSalesOfEach & MorePolicies;

function gather(call: ImportCustomersCall, { salesOfEach, policiesThen }: Partial<More>) {
  const { programId, rows } = call;
  const book = bookOf(call);
  return {
    ...doneBefore(call),
    owners: partnersOfCodes({
      programId,
      codeKeys: JSON.stringify(rows.map(({ partnerCode }) => partnerCode.toLowerCase())),
    }),
    customers: lookUpAll(rows.map(({ customerKey }) => customerByKey({ ...book, customerKey }))),
    subscribers: lookUpAll(
      subscriptionsOf(call).map((subscriptionId) => customerOfSubscription({ ...book, subscriptionId })),
    ),
    ...readSalesOfEach(salesOfEach),
    ...(policiesThen && readPoliciesThen(programId, policiesThen)),
  };
}
type Found = Gathered<ReturnType<typeof gather>>;

export const importCustomers: Operation<ImportCustomersCall, ReturnType<typeof gather>, Imported, More> = {
  kind: "import-customers",
  lane: "control",
  names: erasedNames,
  needs: ({ programId }) => [{ kind: "program", programId }, policiesOfProgram(programId)],
  gather,

  locks(call, { customers = [], subscribers = [] }) {
    if (call.isDryRun) return { exclusive: [] };
    const book = bookOf(call);
    const named = call.rows.map(({ customerKey }) => customerKeyLock(book, customerKey));
    const subscriptions = subscriptionsOf(call).map((subscriptionId) => subscriptionLock(book, subscriptionId));
    const known = [...customers.flat(), ...subscribers.filter((each) => each !== undefined)];
    return { exclusive: [...new Set([...named, ...subscriptions, ...known.map(({ id }) => customerLock(id))])] };
  },

  decide(call, found, context) {
    const { programId } = call;
    const program = context.settings.program(programId);
    if (!program) return refuse(notFound("program"));
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const known = call.rows.map(({ line }, i): RowOutcome => {
      const id = found.customers?.[i]?.[0]?.id;
      return { line, result: "unchanged", ...(id !== undefined && { id }) };
    });
    const answered = answeredBefore(call, known, found);
    if (answered !== undefined) return noChange(programId, { outcomes: answered });
    return new Step(call, found, { program, context, at: call.at }).decide();
  },
};

/** The field named in the refusal if a row can't attribute its customer yet. */
const fieldOf = { moving: "customer_key", too_many_refunds: "since" } as const;

class Step {
  readonly #call: ImportCustomersCall & { readonly actorId: string };
  readonly #found: Found;
  readonly #deciding: Deciding;
  readonly #firstLinks: ReadonlyMap<string, LinkId>;
  readonly #subscribers: Map<string, CustomerId>;
  readonly #customers = new Map<string, Customer>();
  readonly #bound: Bound[] = [];
  readonly #entries: Write[] = [];
  readonly #salesOfEach: SalesAfter[] = [];
  readonly #missing: Missing<MorePolicies>[] = [];
  #room = mostFollowingAtOnce;

  constructor(call: ImportCustomersCall, found: Found, deciding: Deciding) {
    this.#call = acting(call, deciding.context.settings);
    this.#found = found;
    this.#deciding = deciding;
    this.#firstLinks = new Map(found.owners.map(({ codeKey, firstLinkId }) => [codeKey, firstLinkId]));
    const subscriptionIds = subscriptionsOf(call);
    this.#subscribers = new Map(
      (found.subscribers ?? []).flatMap((subscriber, i) => {
        const subscriptionId = subscriptionIds[i];
        return subscriber === undefined || subscriptionId === undefined ? [] : [[subscriptionId, subscriber.id]];
      }),
    );
  }

  decide(): Decision<Imported, More> {
    const { programId, isDryRun } = this.#call;
    const outcomes = this.#call.rows.map((row, i) => {
      if (this.#isOfNobody(row, i)) return refusedRow(row.line, "placeholder_id", "customer_key");
      return row.isErased ? refusedRow(row.line, "erased", "customer_key") : this.#decideRow(row, i);
    });
    if (this.#missing.length > 0) return this.#retry();
    if (isDryRun || this.#entries.length === 0) {
      const newIds = new Set([...this.#customers.values()].flatMap(({ known, after }) => (known ? [] : after.id)));
      const told = outcomes.map(({ id, ...outcome }) => (newIds.has(id ?? 0) ? outcome : { ...outcome, id }));
      return noChange(programId, { outcomes: told });
    }
    return {
      kind: "commit",
      programId,
      answer: { outcomes },
      writes: [
        ...this.#customerWrites(),
        ...this.#bound.flatMap(({ writes }) => writes),
        ...this.#entries,
        callEntry(this.#call, "customers", outcomes, this.#deciding.context),
      ],
      holdUntil: earliest(...this.#bound.map(({ holdUntil }) => holdUntil)),
    };
  }

  #isOfNobody({ customerKey }: CustomerImport, i: number): boolean {
    return isPlaceholderId(customerKey) && this.#found.customers?.[i]?.[0] === undefined;
  }

  #decideRow(row: CustomerImport, i: number): RowOutcome {
    const { line, customerKey, subscriptionId } = row;
    const { at } = this.#deciding;
    const customer = this.#customers.get(customerKey) ?? this.#customerAsRead(customerKey, i);
    const { after: before } = customer;
    const unchanged: RowOutcome = { line, result: "unchanged", id: before.id };
    const link = this.#linkOf(row);
    if (link === "unread") return unchanged;
    const subscriberId = subscriptionId === undefined ? undefined : this.#subscribers.get(subscriptionId);
    const plan = planCustomer(row, { customer: before, partnerId: link?.partnerId, subscriberId, at });
    if (plan.kind === "refuse") return plan.outcome;
    if (plan.kind === "unchanged" || link === undefined) return unchanged;

    const bound = plan.kind === "bind" ? this.#bind(customer, { ...plan, link }) : undefined;
    if (typeof bound === "string") return refusedRow(line, bound, fieldOf[bound]);
    if (plan.kind === "bind" && bound === undefined) return unchanged;
    const after = { ...(bound?.customer ?? before), ...plan.imported };
    this.#customers.set(customerKey, { ...customer, after });
    if (subscriptionId !== undefined) this.#subscribers.set(subscriptionId, after.id);
    const told = bound === undefined ? {} : toldOf(bound, at);
    this.#record(line, { before, after }, told);
    return { ...unchanged, result: plan.kind === "bind" ? "created" : "updated", ...told };
  }

  #customerAsRead(customerKey: string, i: number): Customer {
    const [known] = this.#found.customers?.[i] ?? [];
    const { context, at } = this.#deciding;
    return { known, after: known ?? newCustomer(bookOf(this.#call), context.newId("customers"), customerKey, at) };
  }

  #linkOf({ partnerCode }: CustomerImport): Link | undefined | "unread" {
    const linkId = this.#firstLinks.get(partnerCode.toLowerCase());
    if (linkId === undefined) return undefined;
    const link = this.#deciding.context.settings.link(linkId);
    if (link === undefined) this.#missing.push({ needs: [{ kind: "link", linkId }] });
    return link === undefined ? "unread" : (link ?? undefined);
  }

  /** Undefined if the customer's sales or policies haven't been read yet. */
  #bind({ known, after }: Customer, { since, imported, link }: BindPlan): Bound | keyof typeof fieldOf | undefined {
    // A pending move still has to reattribute some of the customer's sales. If the row attributed the customer now,
    // these sales would stay with their old partner.
    if (known !== undefined && known.movedUpTo !== null) return "moving";
    const attribution = { source: "import", link, since, at: this.#deciding.at } as const;
    const sales = salesOfOne(this.#found, after.id);
    const { policiesThen, groupsThen, stepsThen } = this.#found;
    const found = { ...sales, policiesThen, groupsThen, stepsThen };
    const binding = {
      known,
      customer: { ...after, ...imported },
      attribution,
      most: this.#room,
      isOneOfMany: true,
    } as const;
    const bound = bindDirectly(binding, found, this.#deciding);
    const missing = "kind" in bound && bound.kind === "retry" ? bound.missing : undefined;
    const salesOf = missing?.salesOf ?? sales.sales?.of;
    if (salesOf?.isAlone && this.#salesOfEach.filter(({ isAlone }) => isAlone).length >= mostAlone) {
      return "too_many_refunds";
    }
    if (salesOf !== undefined) this.#salesOfEach.push(salesOf);
    if ("kind" in bound) {
      this.#missing.push(missing ?? {});
      return undefined;
    }
    this.#bound.push(bound);
    this.#room -= bound.followed;
    return bound;
  }

  #retry(): Decision<never, More> {
    const asked = (this.#found.policiesThen ?? []).map((each) => each.asked);
    return retryWith({
      needs: this.#missing.flatMap(({ needs = [] }) => needs),
      salesOfEach: this.#salesOfEach,
      policiesThen: [...asked, ...this.#missing.flatMap(({ policiesThen = [] }) => policiesThen)],
    });
  }

  #record(line: number, { before, after }: Changed, told: Pick<RowOutcome, "effects" | "warnings">): void {
    const { partnerId, since, importedFirstSaleAt, importedSubscriptionId } = after;
    const isBound = before.confirmedAt !== after.confirmedAt;
    const change = {
      programId: this.#call.programId,
      action: isBound ? "customer.imported" : "customer.updated",
      subject: `customer ${after.id}`,
      before: null,
      after: {
        ...(isBound && { partnerId, since }),
        ...(importedFirstSaleAt !== before.importedFirstSaleAt && { firstSaleAt: importedFirstSaleAt }),
        ...(importedSubscriptionId !== before.importedSubscriptionId && { subscriptionId: importedSubscriptionId }),
        ...told.effects,
        ...(told.warnings && { warnings: told.warnings }),
      },
    };
    const by = { ...this.#call, operationId: operationOfRow(this.#call, line) };
    this.#entries.push(auditWrite(by, change, this.#deciding.context));
  }

  /** Groups the writes by kind, because the database layer combines statements with the same SQL. */
  #customerWrites(): readonly Write[] {
    const changed = [...this.#customers.values()];
    const isNew = ({ known }: Customer) => known === undefined;
    const isBound = ({ known, after }: Customer) => known !== undefined && known.confirmedAt !== after.confirmedAt;
    return [
      ...changed.filter(isNew).map(({ after }) => insertCustomer(after)),
      ...changed.filter(isBound).map(({ after }) => updateCustomer(after)),
      ...changed.filter((each) => !isNew(each)).map(({ after }) => setImported(after)),
    ];
  }
}

const toldOf = ({ customer, owed, hasMore }: Bound, at: number) => ({
  ...((owed.length > 0 || (customer.since ?? at) < at) && { effects: effectsOf(owed) }),
  ...(hasMore && { warnings: ["more_sales"] as const }),
});

interface Customer {
  readonly known: KnownCustomer | undefined;
  /** The customer after the rows processed so far. */
  readonly after: CustomerRow;
}

type Changed = { readonly before: CustomerRow; readonly after: CustomerRow };
type BindPlan = Extract<CustomerPlan, { readonly kind: "bind" }> & { readonly link: Link };
