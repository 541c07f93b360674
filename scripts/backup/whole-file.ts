import { rename, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseFlags, UsageError } from "../../sdk/cli/flags.ts";
import { ExplainedError } from "../command.ts";
import { syncFolder } from "../service/secrets-file.ts";
import { explained } from "./error.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

export const partialMark = ".partial-";

/** Reads the flags of a command that writes one file. Throws a `UsageError` if no file is named. */
export function wholeFileFlags(args: string[], ask: string) {
  const { values, positionals } = parseFlags(
    args,
    { data: { type: "string" }, "secrets-file": { type: "string" }, force: { type: "boolean", default: false } },
    1,
  );
  const [name] = positionals;
  if (!name) throw new UsageError(ask);
  return { file: resolve(name), data: values.data, secretsFile: values["secrets-file"], replaces: values.force };
}

/**
 * Writes a file under a temporary name in the same folder, and renames it once it is complete. If that fails, leaves
 * nothing behind and throws an `ExplainedError`.
 */
export async function writeWhole<T>(
  { file, replaces }: { readonly file: string; readonly replaces: boolean },
  write: (partial: string, folder: string) => Promise<T>,
): Promise<T> {
  await refuseTarget(file, replaces);
  try {
    return await inTemporaryFolder(join(dirname(file), `.${basename(file)}${partialMark}`), async (folder) => {
      const partial = join(folder, basename(file));
      const written = await write(partial, folder);
      await refuseTarget(file, replaces);
      await rename(partial, file);
      await syncFolder(dirname(file));
      return written;
    });
  } catch (error) {
    throw explained(error, `${file} can't be written`, dirname(file));
  }
}

async function refuseTarget(file: string, replaces: boolean): Promise<void> {
  const folder = await stat(dirname(file)).catch(() => undefined);
  if (!folder?.isDirectory()) throw new ExplainedError(`The folder ${dirname(file)} doesn't exist.`);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory()) throw new ExplainedError(`${file} is a folder. Name a file.`);
  if (!replaces) throw new ExplainedError(`${file} exists. Name another file, or replace it: --force`);
}
