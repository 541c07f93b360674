import {
  type Erasing,
  erasedAgainDigest,
  erasedCustomerDigest,
  erasedDigest,
  namesOf,
  spellingsOf,
} from "#domain/erasure.ts";
import type { ProgramId } from "#domain/ids.ts";
import { unresolvedKey } from "#domain/unresolved-key.ts";
import { forgetClaimsAbout, forgetClaimsNaming } from "#store/claims.ts";
import { type ErasureRow, endErasure, rememberErased, setErasureRows } from "#store/erasures.ts";
import { type Person, type PersonRows, personTables } from "#store/person.ts";
import type { PersonFound } from "#store/person-asked.ts";
import { erasedWrites, otherKeyWrites } from "#store/person-writes.ts";
import type { Write } from "#store/statement.ts";
import type { Context } from "../operation.ts";

/** The most rows that one commit erases. */
export const mostRowsAtOnce = 1_000;
/** The most sales, and the most clicks, in each step of a large erasure. */
export const mostPerStep = 100;

/** The data by which an erasure finds the person's rows. It is deleted when the erasure ends. */
export interface AskedPerson {
  readonly customerIds: readonly number[];
  /** Customers that an earlier erasure covered. Only data reported since then is left to erase. */
  readonly erasedIds: readonly number[];
  /** The pseudonymous keys of the customers in `erasedIds`. */
  readonly pseudonyms: readonly string[];
  readonly clickIds: readonly string[];
  /** Identifiers that callers use for the person. */
  readonly names: readonly string[];
}

/** `isShared` is true if other customers have sent the click too. */
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

/** All customers of an erasure. The erasure must not change the sums of their rows. */
export const customersOf = ({ customerIds, erasedIds }: Pick<AskedPerson, "customerIds" | "erasedIds">): string =>
  JSON.stringify([...customerIds, ...erasedIds]);

/**
 * A large erasure starts with `customers`: the customers, and data that belongs to neither sales nor clicks. Each
 * `step` then erases a batch of sales and clicks.
 */
type Part = "all" | "customers" | "step" | "export";

/** The export has no limit here, because it reads the rows in pages. */
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

/** Row counts by table, without tables that have no rows. */
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

/**
 * Erases the rows that were read, and stores the digests of the erased identifiers, so that later calls with these
 * identifiers are recognized.
 */
export function eraseRows(
  { id, programId }: Open,
  asked: AskedPerson,
  person: Person,
  context: Context,
): readonly Write[] {
  const clickIds = person.ownClicks.map(({ clickId }) => clickId);
  const addresses = person.customers.flatMap(({ emailHash }) => emailHash ?? []);
  const digests = digestsOf({ programId, hashSecret: context.hashSecret }, [...clickIds, ...addresses]);
  const orders = [...person.sales, ...person.copies].map(({ transactionId }) => transactionId);
  return [
    ...remembered({ id, programId }, digests),
    ...(orders.length === 0 ? [] : [forgetClaimsAbout({ programId, names: JSON.stringify(orders) })]),
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

/**
 * Replaces the person's identifiers in sales of other customers, and empties partners' claims that contain such an
 * identifier.
 */
export const renamedElsewhere = (erasure: Open, asked: AskedPerson, context: Context): readonly Write[] => [
  ...otherKeyWrites(erasingOf(erasure, asked, context), asked.names),
  forgetClaimsNaming({ programId: erasure.programId, names: JSON.stringify(spellingsOf(asked.names)) }),
];

/** Stores digests of the erased identifiers, so that later calls with them are recognized. */
export const remembered = (
  { id: erasureId, programId }: Pick<Open, "id" | "programId">,
  digests: readonly string[],
): readonly Write[] =>
  digests.length === 0 ? [] : rememberErased({ programId, erasureId, digests: JSON.stringify([...new Set(digests)]) });

/** Stores the progress of an erasure. `endedAt` (ms) is null while the erasure is running. */
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
