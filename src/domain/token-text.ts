import type { ProgramId } from "./ids.ts";

// Tokens and ids that contain a program's id, which is needed to find the program's database.

/** `svct` is a token for the referral page in an integrator's product, `svcp` a proposal. */
export type TokenPrefix = "svct" | "svcp";

/** Reads a program's id in base 36. */
export function readProgram(digits: string | undefined): ProgramId | undefined {
  const programId = Number.parseInt(digits ?? "", 36);
  return programId >= 1 && Number.isSafeInteger(programId) && programId.toString(36) === digits ? programId : undefined;
}

/** `sealed` is the encrypted content. */
export const tokenText = (prefix: TokenPrefix, programId: ProgramId, sealed: string): string =>
  `${prefix}_${programId.toString(36)}_${sealed}`;

export function readToken(
  prefix: TokenPrefix,
  text: string,
): { readonly programId: ProgramId; readonly sealed: string } | undefined {
  const [, found, digits, sealed] = /^(svc[pt])_([0-9a-z]{1,11})_(\d{1,3}\.[\w-]+\.[\w-]+)$/.exec(text) ?? [];
  const programId = readProgram(digits);
  return found !== prefix || programId === undefined || sealed === undefined ? undefined : { programId, sealed };
}
