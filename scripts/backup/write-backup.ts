import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { release } from "../build/release.ts";
import { ExplainedError } from "../command.ts";
import { forEachShard } from "../database/databases.ts";
import { type SecretName, secretNames } from "../service/secrets.ts";
import { type Source, writeArchive } from "./archive.ts";
import { objectFiles } from "./compact.ts";
import { databaseFile, secretsFiles } from "./data-paths.ts";
import { databaseFilesIn } from "./database-files.ts";
import { fingerprintsOf, readSecrets } from "./fingerprints.ts";
import { manifestFile, manifestText } from "./manifest.ts";
import { hasMoved, readState, removeVisitorKeys, snapshot } from "./snapshot.ts";
import { writeWhole } from "./whole-file.ts";

export interface BackupOptions {
  readonly data: string;
  readonly file: string;
  readonly secretsFile: string;
  readonly replaces?: boolean;
}

export interface Backup {
  readonly bytes: number;
  /** The secrets whose fingerprints are missing, so that a restore can't check them. */
  readonly unknownSecrets: readonly SecretName[];
}

/** Writes a backup. The service may be running. If it fails, leaves nothing behind and throws an `ExplainedError`. */
export async function writeBackup(options: BackupOptions): Promise<Backup> {
  const { data, file, replaces = false } = options;
  if (!existsSync(join(data, databaseFile))) {
    throw new ExplainedError(`${data} is not the data folder of a service: it has no ${databaseFile}.`);
  }
  return writeWhole({ file, replaces }, (partial, folder) => archive(options, folder, partial));
}

async function archive({ data, secretsFile }: BackupOptions, folder: string, file: string): Promise<Backup> {
  const createdAt = new Date();
  // Copies the objects before the databases. So a click that the Ledger moves to a database during the backup is in at
  // least one copy, and a click in both copies counts once.
  const objects = (await objectFiles(data)).filter(isBackedUp);
  for (const path of objects) {
    await copyInto(folder, data, path);
    removeVisitorKeys(join(folder, path));
  }
  const databases = databaseFilesIn(data);
  await forEachShard(databases, ({ path }) => copyInto(folder, data, path));
  const added = databaseFilesIn(folder).find(({ shard }) => !databases.some((each) => each.shard === shard));
  // The rows of a program that was migrated during the backup may be in neither copy, or in both.
  if (hasMoved(join(folder, databaseFile), createdAt.getTime())) {
    throw new ExplainedError("A program is being moved to another shard. Run again once it has arrived.");
  }
  if (added !== undefined) throw new ExplainedError(`Shard ${added.shard} was added meanwhile. Run again.`);

  const { migrations, ...state } = readState(join(folder, databaseFile));
  if (migrations.length === 0) throw new ExplainedError(`${data} has a database that no service has used yet.`);
  const files = await Promise.all(
    [...databases.map(({ path }) => path), ...objects].map((path) => described(folder, path)),
  );
  const secretsName = secretsFiles.find((name) => join(data, name) === secretsFile);
  const fingerprints = fingerprintsOf(await readSecrets(secretsFile));
  const secrets = { ...(secretsName && { file: secretsName }), ...fingerprints };
  const manifest = { createdAt: createdAt.toISOString(), release, migrations, ...state };
  const text = Buffer.from(manifestText({ ...manifest, files, secrets }));
  const sources: Source[] = [
    { path: manifestFile, bytes: text.length, read: () => [text] },
    ...files.map(({ path, bytes }) => ({ path, bytes, read: () => createReadStream(join(folder, path)) })),
  ];
  await writeArchive(file, sources, createdAt);
  const { size: bytes } = await stat(file);
  return { bytes, unknownSecrets: secretNames.filter((name) => secrets.of[name].length === 0) };
}

/**
 * True for files that a backup contains. Request logs are excluded, because a backup would preserve customers' data for
 * longer than their retention.
 */
const isBackedUp = (path: string): boolean => !path.includes("-RequestLog/");

async function copyInto(folder: string, data: string, path: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await snapshot(join(data, path), join(folder, path));
}

async function described(folder: string, path: string) {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(join(folder, path))) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { path, bytes, sha256: hash.digest("hex") };
}
