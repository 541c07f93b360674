import { tmpdir } from "node:os";

// The tests' set-up sets both variables, and no benchmark does.

/** Folder for the data of services and databases for which the caller names none. */
export const dataFolder = (): string => process.env.DATA_FOLDER ?? tmpdir();

/** Variables that let each further service reuse the compiled code. */
export function compileCache(): Readonly<Record<string, string>> {
  const { COMPILE_CACHE: folder } = process.env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
