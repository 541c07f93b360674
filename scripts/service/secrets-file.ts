import { existsSync } from "node:fs";
import { mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { parseEnv } from "node:util";
import { ExplainedError } from "../command.ts";
import { root } from "../root.ts";
import { readSmallFile } from "./small-file.ts";

export interface SecretsFile {
  /** The absolute path, with symbolic links resolved. */
  readonly path: string;
  readonly text: string | undefined;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads a secrets file. Throws an `ExplainedError` for an unreadable file, and for a path inside the repository or the
 * release's own folder.
 */
export async function readSecretsFile(named: string): Promise<SecretsFile> {
  try {
    const path = await resolveLinks(resolve(named));
    const place = ownPlaceOf(path);
    if (place !== undefined) {
      throw new ExplainedError(`${path} is inside ${place}. Name a file elsewhere: --secrets-file <path>`);
    }
    const text = readIfPresent(path);
    return { path, text, values: parseEnv(text ?? "") };
  } catch (error) {
    if (error instanceof ExplainedError) throw error;
    throw new ExplainedError(`${named} can't be read: ${messageOf(error)}`);
  }
}

/**
 * Replaces the secrets file, readable only by its owner, and returns once it is on disk. Throws an `ExplainedError` if
 * the file has changed since it was read.
 */
export async function writeSecretsFile({ path, text: previous }: SecretsFile, text: string): Promise<void> {
  // Only one run at a time can create this file, so no run overwrites the secrets that another one is writing.
  const next = `${path}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(next, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
      if (readIfPresent(path) !== previous) throw new ExplainedError(`${path} has changed meanwhile. Run again.`);
      await rename(next, path);
    } catch (error) {
      await rm(next, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    await syncFolder(dirname(path));
  } catch (error) {
    if (error instanceof ExplainedError) throw error;
    if (codeOf(error) === "EEXIST") {
      throw new ExplainedError(
        `${next} exists: another run is writing it, or one was interrupted. Its contents were never sent. If no other run is under way, delete it.`,
      );
    }
    throw new ExplainedError(`${path} can't be written: ${messageOf(error)}`);
  }
}

async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return join(await resolveLinks(dirname(path)), basename(path));
  }
}

/**
 * Throws an `ExplainedError` for a data folder inside the repository, where its secrets could be committed, or inside
 * the release's own folder, which is removed with an old release.
 */
export async function refuseOwnFolder(data: string): Promise<void> {
  const place = ownPlaceOf(await resolveLinks(data));
  if (place === undefined) return;
  throw new ExplainedError(`${data} is inside ${place}. Choose a data folder outside it: --data <folder>`);
}

/** Names the repository or the release's own folder, whichever contains the path. Undefined if none does. */
function ownPlaceOf(path: string): string | undefined {
  const isInside = (folder: string) => relative(folder, path).split(sep)[0] !== "..";
  const repository = repositoryOf(root);
  if (repository !== undefined && isInside(repository)) return `the repository ${repository}`;
  return isInside(root) ? "the release's own folder" : undefined;
}

function repositoryOf(folder: string): string | undefined {
  for (let candidate = folder; dirname(candidate) !== candidate; candidate = dirname(candidate)) {
    if (existsSync(join(candidate, ".git"))) return candidate;
  }
  return undefined;
}

function readIfPresent(path: string): string | undefined {
  try {
    return readSmallFile(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns once the names of a folder's files are on disk. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
