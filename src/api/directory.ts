import type { ProgramId } from "#domain/ids.ts";
import { home } from "#domain/shard.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import type { Outcome } from "#operations/operation.ts";
import type { UpdateDirectoryCall } from "#operations/places/update-directory.ts";
import type { AnswerTo, AnyCall } from "#operations/table.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";
import { readBatch } from "#store/database.ts";
import { linksOfNamed } from "#store/imports.ts";
import { programById } from "#store/programs.ts";
import { readFromDatabase } from "./read-database.ts";

export type PlacedProgram = Pick<ProgramScope, "id" | "shard">;
type Known = Pick<UpdateDirectoryCall, "changes" | "codes">;

interface Directing<Call extends AnyCall> {
  readonly adds: Known | undefined;
  readonly removes?: Known | undefined;
  /**
   * Returns true if the change's result differs from `adds`, for example because a code wasn't added. Then the
   * directory in the home database is corrected.
   */
  corrects?(answer: AnswerTo<Call>): boolean;
}

/**
 * Runs a change of a program, and updates the directory in the home database. The directory maps codes to programs on
 * other shards. `adds` is written before the change, and `removes` after it. If the change is refused, the program's
 * current state is written.
 */
export async function callWithDirectory<Call extends Extract<AnyCall, { readonly programId: number }>>(
  c: Ctx,
  program: PlacedProgram,
  call: Call,
  { adds, removes, corrects = () => false }: Directing<Call>,
): Promise<Outcome<AnswerTo<Call>>> {
  const { id: programId, shard } = program;
  let isElsewhere = shard !== home;
  const tell = async (known: Known | undefined): Promise<Outcome<undefined>> =>
    known === undefined || !isElsewhere
      ? nothingToTell
      : callLedger(c, { shard: home }, (ledger) =>
          ledger.run({ ...c.get("call"), kind: "update-directory", programId, ...known }),
        );
  const told = await tell(adds);
  if (!told.ok) return told;
  const before = () => {
    isElsewhere = true;
    return tell(adds);
  };
  const locator = isElsewhere ? { programId } : { programId, leaving: { from: home, before } };
  const outcome = await callLedger<AnswerTo<Call>>(c, locator, (ledger) => ledger.run(call));
  if (!outcome.ok) {
    if (adds !== undefined && isFinal(outcome)) await tell(await readKnown(c, programId, adds));
    return outcome;
  }
  const known =
    adds !== undefined && isElsewhere && corrects(outcome.answer) ? readKnown(c, programId, adds) : undefined;
  const toldAfter = await tell(removes ?? (await known));
  return toldAfter.ok ? outcome : toldAfter;
}

const nothingToTell = {
  ok: true,
  answer: undefined,
  meta: { programId: undefined, keyRetiresAt: undefined, roundTrips: 0 },
} as const;

/** True if it is certain that the change wasn't made. */
const isFinal = ({ refusal }: Extract<Outcome<never>, { readonly ok: false }>): boolean =>
  refusal.code !== "unavailable" && refusal.code !== "internal";

/**
 * Reads the current state for the directory: all codes of partners who have one of `codes`, and the codes that no
 * partner has.
 */
async function readKnown(c: Ctx, id: ProgramId, { codes = [] }: Known): Promise<Known | undefined> {
  const codeKeys = JSON.stringify(codes.map(({ codeKey }) => codeKey));
  const found = await readFromDatabase(c, "program", (database) =>
    readBatch(database, {
      program: programById({ id }),
      links: linksOfNamed({ programId: id, externalIds: "[]", codeKeys }),
    }),
  );
  if (!found.ok || found.value.program === undefined) return undefined;
  const { program, links } = found.value;
  const known = links.map(({ codeKey, destinationUrl }) => ({ codeKey, destinationUrl, is: "known" }) as const);
  const owned = new Set(known.map(({ codeKey }) => codeKey));
  const absent = codes.filter(({ codeKey }) => !owned.has(codeKey)).map((code) => ({ ...code, is: "none" }) as const);
  return {
    changes: { websiteUrl: program.websiteUrl, isArchived: program.archivedAt !== null },
    codes: [...known, ...absent],
  };
}
