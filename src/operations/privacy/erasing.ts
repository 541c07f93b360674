import { type Erasing, erasedAgainDigest, erasedCustomerDigest, erasedDigest, namesOf } from "#domain/erasure.ts";
import type { ProgramId } from "#domain/ids.ts";
import { unresolvedKey } from "#domain/unresolved-key.ts";
import { type ErasureRow, endErasure, rememberErased, setErasureRows } from "#store/erasures.ts";
import { type Person, type PersonRows, personTables } from "#store/person.ts";
import type { PersonFound } from "#store/person-asked.ts";
import { erasedWrites, otherKeyWrites } from "#store/person-writes.ts";
import type { Write } from "#store/statement.ts";
import type { Context } from "../operation.ts";

/** At most this many rows are erased in one commit. */
export const mostRowsAtOnce = 1_000;
/** Sales, and clicks, in each commit of a longer erasure. */
export const mostPerStep = 100;

/** The subject of an erasure. Deleted once it is done. */
export interface AskedPerson {
  readonly customerIds: readonly number[];
  /** Customers erased before, who only have data reported since then. */
  readonly erasedIds: readonly number[];
  /** The keys of those customers. */
  readonly pseudonyms: readonly string[];
  readonly clickIds: readonly string[];
  /** Names of the customer in calls. */
  readonly names: readonly string[];
}

/** `isShared`: other customers have shown the click too. */
export const askedPerson = (
  { keys, clickId }: { readonly keys: readonly string[]; readonly clickId: string | null },
  customers: readonly PersonFound[],
  isShared: boolean,
): AskedPerson => {
  const { live = [], erased = [] } = Object.groupBy(customers, ({ isErased }) => (isErased ? "erased" : "live"));
  const idsOf = (found: readonly PersonFound[]) => found.map(({ id }) => id);
  const keysOf = (found: readonly PersonFound[]) => found.flatMap(({ customerKey }) => customerKey ?? []);
  return {
    customerIds: idsOf(live),
    erasedIds: idsOf(erased),
    pseudonyms: keysOf(erased),
    clickIds: clickId === null || isShared ? [] : [clickId],
    names: [...new Set([...keys, ...keysOf(live), ...customers.flatMap(({ otherKeys }) => otherKeys)])],
  };
};

/** All customers of an erasure, whose sums must not change. */
export const customersOf = ({ customerIds, erasedIds }: Pick<AskedPerson, "customerIds" | "erasedIds">): string =>
  JSON.stringify([...customerIds, ...erasedIds]);

/**
 * A longer erasure begins with the customers, and all data that belongs to neither sales nor clicks, then takes a step
 * for each batch of sales and clicks.
 */
type Part = "all" | "customers" | "step" | "export";

/** The export reads it in pages. */
const mostExported = Number.MAX_SAFE_INTEGER;

export function rowsOf(programId: ProgramId, asked: AskedPerson, part: Part): PersonRows {
  const leadNames = [
    ...asked.names.map((name) => unresolvedKey("customer", name)),
    ...asked.clickIds.map((id) => unresolvedKey("click", id)),
  ];
  const besidesSteps = (values: readonly (number | string)[]) => JSON.stringify(part === "step" ? [] : values);
  return {
    programId,
    customerIds: besidesSteps(asked.customerIds),
    eachOf: part === "customers" ? "[]" : customersOf(asked),
    notedOf: besidesSteps(asked.erasedIds),
    most: { all: mostRowsAtOnce, customers: 0, step: mostPerStep, export: mostExported }[part],
    leadNames: besidesSteps(leadNames),
    clickIds: besidesSteps(asked.clickIds),
    withShared: part === "export",
  };
}

export type RowCounts = Readonly<Record<string, number>>;

/** Counts of the tables that have rows. */
export const addedCounts = (before: RowCounts, person: Person): RowCounts =>
  Object.fromEntries(
    personTables.flatMap((table) => {
      const count = (before[table] ?? 0) + person[table].length;
      return count === 0 ? [] : [[table, count]];
    }),
  );

export const erasingOf = (
  { id: erasureId, programId }: Pick<ErasureRow, "id" | "programId">,
  { names, pseudonyms }: Pick<AskedPerson, "names" | "pseudonyms">,
  { clickKeys, hashSecret }: Pick<Context, "clickKeys" | "hashSecret">,
): Erasing => ({ programId, erasureId, clickKeys, hashSecret, names: namesOf(names), pseudonyms });

type Open = Pick<ErasureRow, "id" | "programId" | "rows">;

/** Erases the rows read of a person. Later calls are recognized by their former names. */
export function eraseRows(
  { id, programId }: Open,
  asked: AskedPerson,
  person: Person,
  context: Context,
): readonly Write[] {
  const clickIds = person.ownClicks.map(({ clickId }) => clickId);
  const addresses = person.customers.flatMap(({ emailHash }) => emailHash ?? []);
  const digests = digestsOf({ programId, hashSecret: context.hashSecret }, [...clickIds, ...addresses]);
  return [
    ...remembered({ id, programId }, digests),
    ...erasedWrites(erasingOf({ id, programId }, asked, context), person),
  ];
}

type Secrets = Parameters<typeof erasedDigest>[0];

export const digestsOf = (secrets: Secrets, texts: readonly string[]): readonly string[] =>
  texts.map((text) => erasedDigest(secrets, text));

export const digestsOfCustomers = (
  secrets: Secrets,
  { customerIds, erasedIds }: Pick<AskedPerson, "customerIds" | "erasedIds">,
): readonly string[] => [
  ...customerIds.map((customerId) => erasedCustomerDigest(secrets, customerId)),
  ...erasedIds.map((customerId) => erasedAgainDigest(secrets, customerId)),
];

/** Names of the person in other customers' sales. */
export const renamedElsewhere = (erasure: Open, asked: AskedPerson, context: Context): readonly Write[] =>
  otherKeyWrites(erasingOf(erasure, asked, context), asked.names);

/** Digests of the erased names, which identify a later call. */
export const remembered = (
  { id: erasureId, programId }: Pick<Open, "id" | "programId">,
  digests: readonly string[],
): readonly Write[] =>
  digests.length === 0 ? [] : rememberErased({ programId, erasureId, digests: JSON.stringify([...new Set(digests)]) });

/** Progress of an erasure. `endedAt`: null while it is running. */
export function progress(
  { id, programId }: Open,
  asked: AskedPerson,
  counts: RowCounts,
  endedAt: number | null,
): Write {
  const rows = JSON.stringify(counts);
  if (endedAt === null) return setErasureRows({ id, rows });
  return endErasure({ id, programId, erasedAt: endedAt, rows, customerIds: customersOf(asked) });
}
