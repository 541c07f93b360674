import { chmod, mkdir, readdir, rename, stat, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExitCode } from "../../sdk/cli/exit.ts";
import { reportAudit } from "../audit/report.ts";
import { ExplainedError } from "../command.ts";
import { findEdited, otherSchema } from "../database/migrate.ts";
import { type Prepared, prepareAllRestored } from "../database/prepare-restored.ts";
import { type AppliedErasures, applyErasures } from "../erasures/apply-erasures.ts";
import type { ErasureKeys } from "../erasures/erasure-keys.ts";
import { eraseKeptClicks } from "../erasures/kept-clicks.ts";
import type { Wanted } from "../erasures/known-again.ts";
import type { NamedErasures } from "../erasures/named-erasures.ts";
import { type Secrets, secretLine } from "../service/secrets.ts";
import { syncFolder } from "../service/secrets-file.ts";
import { compactData, objectFiles } from "./compact.ts";
import { databaseFile } from "./data-paths.ts";
import { databaseFilesIn } from "./database-files.ts";
import { explained } from "./error.ts";
import { extract, type OpenedBackup } from "./open-backup.ts";
import { withDatabases } from "./restored-databases.ts";
import { findFaults, readApplied } from "./snapshot.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

export interface RestoreOptions {
  readonly data: string;
  /** The secrets to write to the data folder. Set if the original service stored its secrets there. */
  readonly secrets: Secrets | undefined;
  /** The erasures to repeat if the backup lacks them. */
  readonly erasures?: NamedErasures | undefined;
}

export interface Restored extends Prepared {
  readonly erased?: AppliedErasures | undefined;
}

/** Restores into an empty or new data folder. If it fails, nothing is restored. */
export async function restoreBackup(backup: OpenedBackup, options: RestoreOptions): Promise<Restored> {
  const { data, secrets, erasures } = options;
  const { file: secretsFile } = backup.manifest.secrets;
  await refuseUnlessEmpty(data);
  try {
    await mkdir(dirname(data), { recursive: true });
    await refuseWithoutRoom(backup, dirname(data));
    return await inTemporaryFolder(`${data}.restoring-`, async (folder) => {
      await extract(backup, folder);
      await refuseOtherSchema(backup, folder, `To start over, start the service on ${data}, which is as it was.`);
      if (secrets !== undefined && secretsFile !== undefined) {
        await writeFile(join(folder, secretsFile), linesOf(secrets), { mode: 0o600, flush: true });
      }
      const madeAt = Date.parse(backup.manifest.createdAt);
      const restored = await withDatabases(folder, async (databases) => ({
        ...(await prepareAllRestored(databases, madeAt)),
        erased: erasures && (await applyErasures(databases, erasures.file, erasures.keys)),
      }));
      if (erasures !== undefined) await eraseFiles(folder, restored.erased?.lacking ?? [], erasures.keys);
      await chmod(folder, 0o700);
      await syncFolder(folder);
      await rename(folder, data);
      await syncFolder(dirname(data));
      return restored;
    });
  } catch (error) {
    throw explained(error, `${data} can't be restored, and is as it was`, dirname(data));
  }
}

/** Deletes the files with data that the restored databases no longer contain. */
async function eraseFiles(folder: string, lacking: readonly Wanted[], keys: ErasureKeys): Promise<void> {
  for (const path of await objectFiles(folder)) eraseKeptClicks(join(folder, path), lacking, keys);
  await compactData(folder);
}

async function refuseOtherSchema({ file, manifest }: OpenedBackup, folder: string, advice = ""): Promise<void> {
  const files = databaseFilesIn(folder).map(({ path }) => join(folder, path));
  const edited = await findEdited(files.flatMap(readApplied));
  if (edited === undefined) return;
  const fact = otherSchema(`in ${file}`, edited);
  throw new ExplainedError(`${fact} Restore it with ${manifest.release}, which wrote it. ${advice}`.trim());
}

async function refuseUnlessEmpty(data: string): Promise<void> {
  const found = await readdir(data).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new ExplainedError(`${data} can't be restored into: ${error.message}`);
  });
  if (found.length > 0) {
    throw new ExplainedError(
      `${data} is not empty. Stop the service that uses it, move the folder away, and run again.`,
    );
  }
  const [own, parent] = await Promise.all([data, dirname(data)].map((path) => stat(path).catch(() => undefined)));
  if (own !== undefined && own.dev !== parent?.dev) {
    throw new ExplainedError(`${data} is a mount point, which can't be replaced. Name a folder in it.`);
  }
}

async function refuseWithoutRoom({ manifest }: OpenedBackup, folder: string): Promise<void> {
  // The server may keep a log as large as its database, so a restore needs space for both.
  const needed = manifest.files.reduce(
    (sum, { path, bytes }) => sum + (path.endsWith(databaseFile) ? 2 : 1) * bytes,
    0,
  );
  const { bavail, bsize } = await statfs(folder);
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
  if (bavail * bsize < needed) {
    throw new ExplainedError(
      `There is no room in ${folder}: ${megabytes(needed)} are needed, ${megabytes(bavail * bsize)} are free.`,
    );
  }
}

const linesOf = (secrets: Secrets): string =>
  Object.entries(secrets)
    .map(([name, value]) => secretLine(name, value))
    .join("");

/** Restores into a temporary folder, checks the files and audits the books. Returns the audit's exit code. */
export async function verifyBackup(backup: OpenedBackup): Promise<ExitCode> {
  try {
    await refuseWithoutRoom(backup, tmpdir());
    return await inTemporaryFolder(join(tmpdir(), "tributary-verify-"), async (folder) => {
      await extract(backup, folder);
      await refuseOtherSchema(backup, folder);
      for (const { path } of backup.manifest.files) {
        const [fault] = findFaults(join(folder, path));
        if (fault !== undefined) throw new ExplainedError(`${path} of ${backup.file} is corrupt: ${fault}`);
      }
      return await withDatabases(folder, async (databases) => {
        await prepareAllRestored(databases);
        return reportAudit(databases, { at: Date.parse(backup.manifest.createdAt) });
      });
    });
  } catch (error) {
    throw explained(error, `${backup.file} can't be verified`, tmpdir());
  }
}
