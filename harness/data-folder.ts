import { tmpdir } from "node:os";

// The tests' set-up sets both variables, and no benchmark does.

/** Folder of the data of services and databases, unless a caller names one. */
export const dataFolder = (): string => process.env.DATA_FOLDER ?? tmpdir();

/** Spares each further service the compilation of its code. */
export function compileCache(): Readonly<Record<string, string>> {
  const { COMPILE_CACHE: folder } = process.env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
