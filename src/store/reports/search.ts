import { couponKey } from "#domain/coupons.ts";
import type { ProgramId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { hasErased } from "../erasures.ts";
import { type CouponView, couponOfCode } from "../views/coupons.ts";
import { type ExplainRequest, subjectFound } from "./explain.ts";
import { type IdsOfPrefix, idsOfPrefix, inBooks } from "./id-prefixes.ts";

export interface SearchFound {
  /**
   * One element for each subject, in the same order. `here`: the subject is in the live book. `elsewhere`: it is in the
   * test book.
   */
  readonly subjects: readonly Readonly<Record<"here" | "elsewhere", boolean>>[];
  /** Coupons with this code: at most one. */
  readonly coupons: readonly CouponView[];
  readonly ids: Readonly<Record<"live" | "test", IdsOfPrefix>>;
  /** The program has erased customers, so a transaction id may have been pseudonymized. */
  readonly hasErased: boolean;
}

type OfSubjects = Readonly<Record<`subject${number}`, ReturnType<typeof subjectFound>>>;

/** Makes one database request. */
export async function readSearch(
  database: Database,
  programId: ProgramId,
  text: string,
  subjects: readonly Pick<ExplainRequest, "by" | "key" | "refundId">[],
): Promise<SearchFound> {
  const ofCode = { programId, codeKey: couponKey(text), before: Number.MAX_SAFE_INTEGER, limit: 1 };
  const others = { coupons: couponOfCode(ofCode), hasErased: hasErased({ programId }) };
  const reads: OfSubjects & ReturnType<typeof idsOfPrefix> & typeof others = {
    ...others,
    ...Object.fromEntries(subjects.map((subject, i) => [`subject${i}`, subjectFound(programId, subject)])),
    ...idsOfPrefix(programId, text),
  };
  const read = await readBatch(database, reads);
  return {
    subjects: subjects.map((_, i) => read[`subject${i}`] ?? { here: false, elsewhere: false }),
    coupons: read.coupons,
    ids: inBooks(read),
    hasErased: read.hasErased === 1,
  };
}
