import type { ProgramId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { type ExplainRequest, subjectFound } from "./explain.ts";
import { type IdsOfPrefix, idsOfPrefix, inBooks } from "./id-prefixes.ts";

export interface SearchFound {
  /** In the order of the subjects. `here`: the live book has it. `elsewhere`: the test book has it. */
  readonly subjects: readonly Readonly<Record<"here" | "elsewhere", boolean>>[];
  readonly ids: Readonly<Record<"live" | "test", IdsOfPrefix>>;
}

type OfSubjects = Readonly<Record<`subject${number}`, ReturnType<typeof subjectFound>>>;

/** One request. */
export async function readSearch(
  database: Database,
  programId: ProgramId,
  text: string,
  subjects: readonly Pick<ExplainRequest, "by" | "key" | "refundId">[],
): Promise<SearchFound> {
  const reads: OfSubjects & ReturnType<typeof idsOfPrefix> = {
    ...Object.fromEntries(subjects.map((subject, i) => [`subject${i}`, subjectFound(programId, subject)])),
    ...idsOfPrefix(programId, text),
  };
  const read = await readBatch(database, reads);
  return {
    subjects: subjects.map((_, i) => read[`subject${i}`] ?? { here: false, elsewhere: false }),
    ids: inBooks(read),
  };
}
