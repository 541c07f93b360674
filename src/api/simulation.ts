import type { Policy } from "#domain/commission.ts";
import type { ProgramId, SaleId } from "#domain/ids.ts";
import type { Days } from "#domain/performance.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { maxSimulatedSales, type SimulatedRow, type SimulatedTotal, Simulation } from "#domain/simulation.ts";
import { monthsOfPeriod, periodOfDay } from "#domain/tiers.ts";
import type { Ctx } from "#http/context.ts";
import { jsonItems } from "#http/json-parts.ts";
import { logError } from "#http/log.ts";
import { messageOf } from "#http/refusal/table.ts";
import { type Database, readBatch } from "#store/database.ts";
import { groupOfProgram } from "#store/groups.ts";
import { partnerOfProgram } from "#store/partners.ts";
import { currentBeneath, latestPolicy, policyOfVersion, versionsBeneath } from "#store/policies.ts";
import { listAttributedSales, readSalesToSimulate } from "#store/reports/simulated-sales.ts";
import { admitStep, type LongRead, readStep } from "./long-read.ts";
import { readFromDatabase } from "./read-database.ts";

/** Page sizes for reading ids of sales, and for reading sales with their commissions. */
const pageSizes = { ids: 1_000, sales: 50 };
const rowsPerPart = 1_000;

type Terms = Omit<Policy, "id" | "version" | "effectiveFrom">;
type Asked = Terms | { readonly version: number };

interface Opened {
  readonly turn: LongRead;
  readonly simulation: Simulation;
  /** Ids of the sales in the order of recording. */
  readonly saleIds: readonly SaleId[];
}

/**
 * Opens a simulation. With `turn`, the Ledger admits no other simulation of the program until the steps have ended or
 * been aborted. `currency` is the program's currency. Refuses more than `maxSales` sales.
 */
export async function openSimulation(
  c: Ctx,
  turn: LongRead,
  asked: Asked,
  { currency, maxSales = maxSimulatedSales, ...days }: Days & { readonly currency: string; readonly maxSales?: number },
): Promise<Result<Opened>> {
  const { programId } = turn;
  const found = await findPolicies(c, programId, asked);
  if (!found.ok) return found;
  const { policy, others, present } = found.value;
  const begun = await admitStep(c, turn, "begin");
  if (!begun.ok) return begun;
  const saleIds = await listSales(c, turn, daysCounted(policy, present, days), maxSales);
  const besides = { currency, from: days.from, present };
  if (saleIds.ok) return ok({ turn, simulation: new Simulation(policy, others, besides), saleIds: saleIds.value });
  await admitStep(c, turn, "end");
  return saleIds;
}

/**
 * If a policy has tiers, also reads sales from the start of the tier period that contains the first day, because they
 * count towards the tiers.
 */
function daysCounted(policy: Policy, present: readonly Policy[], { from, to }: Days): Days {
  const starts = [policy, ...present].flatMap(({ tiers }) => {
    if (tiers === null) return [];
    const [first] = monthsOfPeriod(periodOfDay(tiers.period, from));
    return [`${first}-01`];
  });
  return { from: [from, ...starts].sort()[0] ?? from, to };
}

interface Versions {
  readonly latest: Policy | undefined;
  readonly beneath: readonly Policy[];
}

/** The requested policy, the policies that may decide its owner's sales if it ends (`others`), and today's (`present`). */
interface Found {
  readonly policy: Policy;
  readonly others: readonly Policy[];
  readonly present: readonly Policy[];
}

const endsOwn = ({ type, partnerId, groupId }: Terms): boolean =>
  type === "none" && (partnerId !== null || groupId !== null);

/** Statements that read the latest version of this owner's policy, and the versions that decide if that policy ends. */
const versionsBeside = (programId: ProgramId, terms: Terms) => ({
  latest: latestPolicy({ programId, partnerId: terms.partnerId, groupId: terms.groupId }),
  beneath: (endsOwn(terms) ? versionsBeneath : currentBeneath)({ programId, partnerId: terms.partnerId }),
});

const latestOfOwners = (versions: readonly Policy[]): readonly Policy[] => {
  const oldestFirst = versions.toSorted((a, b) => a.version - b.version);
  return [...new Map(oldestFirst.map((policy) => [`${policy.partnerId} ${policy.groupId}`, policy])).values()];
};

async function findPolicies(c: Ctx, programId: ProgramId, asked: Asked): Promise<Result<Found>> {
  const read = <T>(reading: (database: Database) => Promise<T>) => readFromDatabase(c, "program", reading);
  const found = (policy: Policy, { latest, beneath }: Versions): Result<Found> =>
    ok({
      policy,
      others: endsOwn(policy) ? beneath : [],
      present: latestOfOwners(latest === undefined ? beneath : [latest, ...beneath]),
    });
  if ("version" in asked) {
    const version = await read((database) =>
      readBatch(database, { policy: policyOfVersion({ programId, version: asked.version }) }),
    );
    if (!version.ok) return version;
    const { policy } = version.value;
    if (policy === undefined) return refused(notFound("version"));
    const beside = await read((database) => readBatch(database, versionsBeside(programId, policy)));
    return beside.ok ? found(policy, beside.value) : beside;
  }
  const { partnerId, groupId } = asked;
  const beside = await read((database) =>
    readBatch(database, {
      partner: partnerOfProgram({ programId, id: partnerId ?? 0 }),
      group: groupOfProgram({ programId, id: groupId ?? 0 }),
      ...versionsBeside(programId, asked),
    }),
  );
  if (!beside.ok) return beside;
  const { partner, group } = beside.value;
  if (partnerId !== null && partner === undefined) return refused(notFound("partner"));
  if (groupId !== null && group === undefined) return refused(notFound("group"));
  return found({ ...asked, id: 0, version: 0, effectiveFrom: 0 }, beside.value);
}

async function listSales(c: Ctx, turn: LongRead, days: Days, most: number): Promise<Result<readonly SaleId[]>> {
  const ids: SaleId[] = [];
  let last: Parameters<typeof listAttributedSales>[2];
  do {
    const page = await readStep(c, turn, (database) =>
      listAttributedSales(database, { programId: turn.programId, days, limit: pageSizes.ids }, last),
    );
    if (!page.ok) return page;
    ids.push(...page.value.map(({ id }) => id));
    if (ids.length > most) return refused({ code: "too_many_sales", limit: most });
    last = page.value.length < pageSizes.ids ? undefined : page.value.at(-1);
  } while (last !== undefined);
  return ok(ids.sort((a, b) => a - b));
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

interface Encode {
  readonly row: (row: SimulatedRow) => object;
  readonly total: (total: SimulatedTotal) => object;
}

/** Adds the sales to the simulation, one page in each step. The program's turn ends after the last step. */
async function* steps(c: Ctx, { turn, simulation, saleIds }: Opened): AsyncGenerator<undefined, Refusal | undefined> {
  try {
    for (let at = 0; at < saleIds.length; at += pageSizes.sales) {
      const ids = saleIds.slice(at, at + pageSizes.sales);
      const page = await readStep(c, turn, (database) => readSalesToSimulate(database, ids));
      if (!page.ok) return page.refusal;
      for (const sale of page.value) simulation.add(sale);
      yield;
    }
    return undefined;
  } finally {
    await admitStep(c, turn, "end");
  }
}

/** Runs all steps, for callers that don't show the progress. */
export async function simulatedTotals(
  c: Ctx,
  opened: Opened,
): Promise<Result<Pick<Simulation, "totals" | "products" | "sales" | "recalculated">>> {
  const left = steps(c, opened);
  for (;;) {
    const { done, value } = await left.next();
    if (done === true) return value === undefined ? ok(opened.simulation) : refused(value);
  }
}

/** Reads a page only after the previous one is written. If a read fails, the last line contains the error. */
export async function* simulationLines(c: Ctx, opened: Opened, encode: Encode): AsyncGenerator<string, undefined> {
  const refuse = (refusal: Refusal) => line({ error: { code: refusal.code, message: messageOf(refusal, undefined) } });
  const { simulation } = opened;
  const left = steps(c, opened);
  try {
    for (;;) {
      const { done, value } = await left.next();
      if (done === true && value !== undefined) return yield refuse(value);
      if (done === true) break;
      yield line({ progress: { sales: simulation.sales } });
    }
    yield `{"result":{"rows":[`;
    yield* jsonItems(partsOf(simulation.rows.map(encode.row)));
    yield `],${fieldsAfterRows(opened, encode)}}}\n`;
  } catch (error) {
    logError(c, error);
    yield refuse({ code: "internal" });
  } finally {
    await left.return(undefined);
  }
}

function fieldsAfterRows({ simulation: { totals, products, recalculated } }: Opened, encode: Encode): string {
  const fields = {
    totals: totals.map(encode.total),
    recalculatedSales: recalculated,
    unsoldProducts: products.unsold,
    soldProducts: products.sold,
  };
  return JSON.stringify(fields).slice(1, -1);
}

async function* partsOf(rows: readonly object[]): AsyncGenerator<readonly object[], undefined> {
  for (let at = 0; at < rows.length; at += rowsPerPart) yield rows.slice(at, at + rowsPerPart);
}
