import type { ProgramId } from "#domain/ids.ts";
import { notFound } from "#domain/result.ts";
import { deleteForeignCode, insertForeignCode, updateForeignCode } from "#store/foreign-codes.ts";
import { type PlaceRow, placeOfProgram, updatePlace } from "#store/places.ts";
import { noChange } from "../manage/settings-change.ts";
import { type Call, type Operation, refuse } from "../operation.ts";
import { step } from "./place.ts";

/**
 * Updates the directory of codes for a program on another shard, so that home (shard 0) can find the programs that have
 * a code. It runs on home's Ledger. A new code is added here before the program's shard stores it, and a former code is
 * removed here after the program's shard has removed it.
 */
export interface UpdateDirectoryCall extends Call {
  readonly kind: "update-directory";
  readonly programId: ProgramId;
  readonly changes: Partial<Pick<PlaceRow, "websiteUrl" | "isArchived">>;
  /** `none` means that the program no longer has the code. */
  readonly codes?: readonly {
    readonly codeKey: string;
    readonly destinationUrl: string | null;
    readonly is: "new" | "known" | "none";
  }[];
}

const codeWrites = { new: insertForeignCode, known: updateForeignCode, none: deleteForeignCode } as const;

const gather = ({ programId }: UpdateDirectoryCall) => ({ place: placeOfProgram({ id: programId }) });

export const updateDirectory: Operation<UpdateDirectoryCall, ReturnType<typeof gather>, undefined> = {
  ...step,
  kind: "update-directory",
  gather,

  decide({ programId, changes, codes = [] }, { place }) {
    if (place === undefined) return refuse(notFound("program"));
    return {
      ...noChange(programId, undefined),
      writes: [
        updatePlace({ ...place, ...changes }),
        ...codes.map((code) => codeWrites[code.is]({ ...code, programId })),
      ],
      changes: { programId },
    };
  },
};
