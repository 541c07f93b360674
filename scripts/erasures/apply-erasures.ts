import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@libsql/client/http";
import type { ErasedSubject } from "#domain/erased-subject.ts";
import { continueErasure } from "#operations/privacy/continue-erasure.ts";
import { erasePartner } from "#operations/privacy/erase-partner.ts";
import type { AskedPerson } from "#operations/privacy/erasing.ts";
import { operationOfReceipt } from "#operations/privacy/erasure-commits.ts";
import { repeatErasure } from "#operations/privacy/repeat-erasure.ts";
import { otherKeysOf } from "#store/person-asked.ts";
import { ExplainedError } from "../command.ts";
import { openStore, withClient } from "../database/client.ts";
import { type Databases, forEachShard, type ShardDatabase } from "../database/databases.ts";
import { requireNoMoves } from "../database/service-database.ts";
import { type NodeLedger, nodeLedger } from "../sample/node-ledger.ts";
import type { ErasureKeys } from "./erasure-keys.ts";
import type { ErasureReceipt, ErasuresFile } from "./erasures-file.ts";
import { type KnownAgain, knownAgain, type Wanted, wantedOf } from "./known-again.ts";
import { describeLeft, type LeftRows, removeLeftRows } from "./left-rows.ts";
import { type PartnerReceipt, partnersBack } from "./partners-back.ts";

export interface AppliedErasures {
  /** The number of receipts that the databases lacked. */
  readonly applied: number;
  /** The programs that had left rows on their former shard in a migration. These rows are removed now. */
  readonly cleaned: readonly LeftRows[];
  /** The erasures that the databases lacked. */
  readonly lacking: readonly Wanted[];
}

/**
 * Repeats missing erasures on restored databases. May be called again after any failure. Throws an `ExplainedError` if
 * a program has rows but isn't on any shard.
 */
export async function applyErasures(
  databases: Databases,
  erasures: ErasuresFile,
  keys: ErasureKeys,
): Promise<AppliedErasures> {
  await requireNoMoves(databases);
  const done = await forEachShard(databases, (database) => applyTo(database, erasures, keys));
  const here = new Set(done.flatMap((each) => each.here));
  const cleaned: LeftRows[] = [];
  for (const [i, { left }] of done.entries()) {
    const database = databases[i];
    const elsewhere = left.filter((id) => here.has(id));
    if (database !== undefined) cleaned.push(...(await removeLeftRows(databases, database, elsewhere)));
  }
  const lost = done.flatMap(({ left }) => left.filter((id) => !here.has(id)));
  if (lost.length > 0) {
    throw new ExplainedError(
      `Program ${lost.join(", ")} has left its shard, and is on no other: what was erased is still there. Repair the directory, and run again: /docs/guides/shards/ of the service.`,
    );
  }
  return {
    applied: done.reduce((sum, { applied }) => sum + applied, 0),
    cleaned,
    lacking: done.map(({ wanted }) => wanted),
  };
}

/** Describes the applied erasures in a text. */
export const describeApplied = ({ applied, cleaned }: AppliedErasures): readonly string[] => [
  `Erasures repeated: ${applied}.`,
  ...describeLeft(cleaned),
];

interface OfDatabase {
  readonly applied: number;
  readonly here: readonly number[];
  readonly left: readonly number[];
  readonly wanted: Wanted;
}

function applyTo(database: ShardDatabase, erasures: ErasuresFile, keys: ErasureKeys): Promise<OfDatabase> {
  return withClient(database, async (client) => {
    const named = [...new Set(erasures.receipts.map(({ programId }) => programId))];
    const places = await client.execute({
      sql: "select id, place from programs where id in (select value from json_each(?))",
      args: [JSON.stringify(named)],
    });
    const at = (place: string) => places.rows.filter((row) => row.place === place).map(({ id }) => Number(id));
    const here = at("here");
    const lacking = await lackingIn(client, erasures.receipts, here);
    const wanted = await wantedOf(erasures, lacking);
    const ledger = ledgerOn(database, keys);
    const persons = await personsIn(client, lacking, wanted, keys);
    const digests = digestsByReceipt(wanted);
    for (const receipt of lacking) {
      await repeat(ledger, receipt, persons.get(receipt.id) ?? nobody(), digests.get(receipt.id) ?? []);
    }
    const back = await partnersBack(client, erasures.receipts);
    const ofPartners = back.filter(({ programId }) => here.includes(programId));
    for (const receipt of ofPartners) await repeatOfPartner(ledger, receipt);
    await finishOpen(client, ledger, here);
    return { applied: lacking.length + ofPartners.length, here, left: at("left"), wanted };
  });
}

/** The missing erasures of customers, in the order of their requests. */
async function lackingIn(
  client: Client,
  receipts: readonly ErasureReceipt[],
  here: readonly number[],
): Promise<readonly ErasureReceipt[]> {
  const { rows } = await client.execute("select id from erasures");
  const known = new Set(rows.map(({ id }) => String(id)));
  return receipts
    .filter(({ id, programId, partnerId }) => partnerId === undefined && here.includes(programId) && !known.has(id))
    .toSorted((a, b) => a.requestedAt - b.requestedAt);
}

const ledgerOn = ({ url, authToken }: ShardDatabase, keys: ErasureKeys): NodeLedger =>
  nodeLedger({
    ...keys,
    database: openStore({ url, authToken }),
    clock: { now: () => Date.now(), sleep: (ms) => delay(ms), random: () => Math.random() },
    isClockSimulated: false,
  });

interface Found {
  readonly customerIds: number[];
  readonly erasedIds: number[];
  readonly pseudonyms: string[];
  readonly clickIds: Set<string>;
  readonly names: Set<string>;
}

const nobody = (): Found => ({
  customerIds: [],
  erasedIds: [],
  pseudonyms: [],
  clickIds: new Set(),
  names: new Set(),
});

/** True for a subject whose erasure may consist of clicks only, without a customer. */
const hasClicksAlone: Readonly<Record<ErasedSubject, boolean>> = {
  customer: false,
  click: true,
  partner: false,
};

async function personsIn(
  client: Client,
  lacking: readonly ErasureReceipt[],
  wanted: Wanted,
  { hashSecret }: ErasureKeys,
): Promise<ReadonlyMap<string, Found>> {
  const persons = new Map<string, Found>();
  if (lacking.length === 0) return persons;
  const clicksOf = [
    ...new Set(lacking.filter(({ subject }) => hasClicksAlone[subject]).map(({ programId }) => programId)),
  ];
  for await (const found of knownAgain(client, { wanted, hashSecret, clicksOf })) {
    if (found.table === "clicks" && !hasClicksAlone[found.receipt.subject]) continue;
    const person = persons.get(found.receipt.id) ?? nobody();
    persons.set(found.receipt.id, person);
    note(person, found);
  }
  for (const person of persons.values()) await noteOtherKeys(client, person);
  return persons;
}

/** Records the customer_keys that were sent with the customers' subscriptions and that no customer has. */
async function noteOtherKeys(client: Client, { customerIds, names }: Found): Promise<void> {
  const { rows } = await client.execute({
    sql: otherKeysOf("in (select value from json_each(?))"),
    args: [JSON.stringify(customerIds)],
  });
  for (const { name } of rows) names.add(String(name));
}

function note(person: Found, { table, id, name, clickId, pseudonym }: KnownAgain): void {
  if (pseudonym !== undefined) {
    person.erasedIds.push(id);
    if (pseudonym !== null) person.pseudonyms.push(pseudonym);
  } else if (table === "customers") person.customerIds.push(id);
  if (name !== undefined) person.names.add(name);
  if (clickId !== undefined) person.clickIds.add(clickId);
}

function digestsByReceipt(wanted: Wanted): ReadonlyMap<string, readonly string[]> {
  const digests = new Map<string, string[]>();
  for (const ofProgram of wanted.values()) {
    for (const [digest, { id }] of ofProgram) {
      const known = digests.get(id);
      if (known === undefined) digests.set(id, [digest]);
      else known.push(digest);
    }
  }
  return digests;
}

async function repeat(
  ledger: NodeLedger,
  { id, programId, subject, requestedBy, requestedAt }: ErasureReceipt,
  { clickIds, names, ...customers }: Found,
  digests: readonly string[],
): Promise<void> {
  const asked: AskedPerson = { ...customers, clickIds: [...clickIds], names: [...names] };
  const call = {
    kind: "repeat-erasure" as const,
    operationId: operationOfReceipt(id),
    at: requestedAt,
    programId,
    actorId: requestedBy,
    subject,
    asked,
    digests,
  };
  await taken(id, () => ledger.submit(ledger.taskOf(repeatErasure, call, Date.now())).outcome);
}

async function repeatOfPartner(
  ledger: NodeLedger,
  { id, programId, requestedBy, requestedAt, partnerId }: PartnerReceipt,
): Promise<void> {
  const call = {
    kind: "erase-partner" as const,
    operationId: operationOfReceipt(id),
    at: requestedAt,
    programId,
    actorId: requestedBy,
    partnerId,
    writesOff: false,
    isRepeated: true as const,
  };
  await taken(id, () => ledger.submit(ledger.taskOf(erasePartner, call, Date.now())).outcome);
}

/** Finishes erasures of many rows. No other process would continue them before the service runs. */
async function finishOpen(client: Client, ledger: NodeLedger, here: readonly number[]): Promise<void> {
  const { rows } = await client.execute(
    "select id, program_id from erasures where erased_at is null order by requested_at",
  );
  for (const row of rows) {
    const [erasureId, programId] = [String(row.id), Number(row.program_id)];
    if (!here.includes(programId)) continue;
    const call = { kind: "continue-erasure" as const, operationId: `steps of ${erasureId}`, programId, erasureId };
    const step = () => ledger.submit(ledger.taskOf(continueErasure, { ...call, at: Date.now() }, Date.now())).outcome;
    while (!(await taken(erasureId, step)).isOver);
  }
}

const maxTries = 20;
const pauseMs = 500;

async function taken<T>(
  receiptId: string,
  attempt: () => Promise<{ ok: true; answer: T } | { ok: false; refusal: { readonly code: string } }>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await attempt();
    if (outcome.ok) return outcome.answer;
    const { code } = outcome.refusal;
    if (code !== "unavailable" || tries >= maxTries) {
      throw new ExplainedError(`The erasure ${receiptId} could not be repeated (${code}). Run again.`);
    }
    await delay(pauseMs);
  }
}
