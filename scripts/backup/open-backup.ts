import { createHash } from "node:crypto";
import { mkdir, open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ExplainedError } from "../command.ts";
import { migrationNames } from "../database/migrate.ts";
import { syncFolder } from "../service/secrets-file.ts";
import { type Entry, readContent, readEntries } from "./archive.ts";
import { databaseFile } from "./data-paths.ts";
import { databaseFilesIn } from "./database-files.ts";
import { type BackedUpFile, type Manifest, manifestFile, parseManifest } from "./manifest.ts";
import { readState } from "./snapshot.ts";

export interface OpenedBackup {
  readonly file: string;
  readonly manifest: Manifest;
  readonly entries: readonly Entry[];
}

const maxManifestBytes = 1_000_000;

/**
 * Reads the manifest. Throws an `ExplainedError` if the file isn't a backup, is damaged, or is from a later release.
 */
export async function openBackup(file: string): Promise<OpenedBackup> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new ExplainedError(
      error.code === "ENOENT" ? `${file} does not exist.` : `${file} can't be read: ${error.message}`,
    );
  });
  if (!found.isFile()) throw new ExplainedError(`${file} is not a file.`);
  const entries = await readEntries(file).catch((error: NodeJS.ErrnoException) => {
    throw error instanceof ExplainedError ? error : new ExplainedError(`${file} can't be read: ${error.message}`);
  });
  const [first] = entries;
  if (first?.path !== manifestFile || first.bytes > maxManifestBytes) {
    throw new ExplainedError(`${file} is not a backup of this service.`);
  }
  const manifest = parseManifest(await readText(file, first), file);
  const known = migrationNames();
  const unknown = manifest.migrations.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ExplainedError(
      `${file} is of a later release (${manifest.release}): its database has the migration ${unknown}, which this one lacks. Restore it with that one.`,
    );
  }
  return { file, manifest, entries };
}

async function readText(file: string, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of readContent(file, entry)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export async function extract({ file, manifest, entries }: OpenedBackup, folder: string): Promise<void> {
  if (!manifest.files.some(({ path }) => path === databaseFile)) {
    throw new ExplainedError(`${file} is damaged: ${databaseFile} is missing.`);
  }
  for (const described of manifest.files) {
    const entry = entries.find(({ path }) => path === described.path);
    if (entry === undefined || !(await isWritten(file, entry, described, join(folder, entry.path)))) {
      throw new ExplainedError(`${file} is damaged: ${described.path} is not what was backed up.`);
    }
  }
  const { migrations } = readState(join(folder, databaseFile));
  if (migrations.join() !== manifest.migrations.join()) {
    throw new ExplainedError(`${file} is damaged: its database has other migrations than ${manifestFile} says.`);
  }
  const missing = databaseFilesIn(folder).find(({ path }) => !manifest.files.some((each) => each.path === path));
  if (missing !== undefined) throw new ExplainedError(`${file} is damaged: ${missing.path} is missing.`);
}

async function isWritten(file: string, entry: Entry, { bytes, sha256 }: BackedUpFile, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true });
  const hash = createHash("sha256");
  const handle = await open(to, "wx", 0o600);
  try {
    for await (const chunk of readContent(file, entry)) {
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(to));
  return entry.bytes === bytes && hash.digest("hex") === sha256;
}
