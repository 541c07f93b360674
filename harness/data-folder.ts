import { tmpdir } from "node:os";

// The tests' setup sets DATA_FOLDER and COMPILE_CACHE. Benchmarks set neither.

/** The folder for the data of services and databases if the caller names none. */
export const dataFolder = (): string => process.env.DATA_FOLDER ?? tmpdir();

/** Variables that let each later service reuse the compiled code. */
export function compileCache(): Readonly<Record<string, string>> {
  const { COMPILE_CACHE: folder } = process.env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
