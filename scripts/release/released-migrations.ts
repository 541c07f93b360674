import { readFileSync } from "node:fs";
import { join } from "node:path";
import { migrationDigest, migrationFilesIn } from "../database/migrate.ts";

/** The digests of the released migrations, by file name. */
type ReleasedMigrations = Readonly<Record<string, string>>;

export const releasedMigrationsFile = "scripts/release/released-migrations.json";

/** A database of the last release with the sample program, compressed with brotli. */
export const releasedBookFile = "scripts/release/released-book.br";

/** The names of the migrations. `folder` is the repository. */
export const migrationFiles = (folder: string): readonly string[] => migrationFilesIn(join(folder, "migrations"));

export function migrationDigests(folder: string): ReleasedMigrations {
  const digestOf = (name: string) => migrationDigest(readFileSync(join(folder, "migrations", name), "utf8"));
  return Object.fromEntries(migrationFiles(folder).map((name) => [name, digestOf(name)]));
}

export const releasedMigrations = (folder: string): ReleasedMigrations =>
  JSON.parse(readFileSync(join(folder, releasedMigrationsFile), "utf8"));

/** The names of the migrations that were changed or removed since their release. */
export function changedMigrations(folder: string): readonly string[] {
  const present = migrationDigests(folder);
  return Object.entries(releasedMigrations(folder)).flatMap(([name, digest]) =>
    present[name] === digest ? [] : [name],
  );
}
