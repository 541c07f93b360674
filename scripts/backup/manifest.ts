import { z } from "zod";
import { ExplainedError } from "../command.ts";
import { secretNames } from "../service/secrets.ts";
import { secretsFiles } from "./data-paths.ts";

export const manifestFile = "manifest.json";
const format = "tributary-backup";
const formatVersion = 1;

/** The paths to which a restore may write. */
const filePath = /^((shards\/[1-9]\d{0,2}\/)?sqld\/dbs\/default\/data|worker\/objects\/[\w-]+\/[\w-]+\.sqlite)$/;

const fileSchema = z.object({
  path: z.string().regex(filePath),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifestSchema = z.object({
  format: z.literal(format),
  formatVersion: z.literal(formatVersion),
  createdAt: z.iso.datetime(),
  release: z.string(),
  /** The names of the migrations in the home database. */
  migrations: z.array(z.string()).min(1).readonly(),
  writer: z.object({ epoch: z.int(), seq: z.int() }).optional(),
  files: z.array(fileSchema).readonly(),
  secrets: z.object({
    /** The secrets file in the data folder. Absent if the secrets were stored elsewhere. */
    file: z.enum(secretsFiles).optional(),
    salt: z.string(),
    of: z.record(z.enum(secretNames), z.array(z.string()).readonly()),
  }),
});

export type BackedUpFile = Readonly<z.infer<typeof fileSchema>>;
export type Manifest = Readonly<z.infer<typeof manifestSchema>>;

export const manifestText = (manifest: Omit<Manifest, "format" | "formatVersion">): string =>
  `${JSON.stringify({ format, formatVersion, ...manifest }, undefined, 2)}\n`;

export function parseManifest(text: string, file: string): Manifest {
  const value = parseJson(text);
  const header = z.object({ format: z.literal(format), formatVersion: z.int() }).safeParse(value);
  if (!header.success) throw new ExplainedError(`${file} is not a backup of this service.`);
  if (header.data.formatVersion > formatVersion) {
    throw new ExplainedError(`${file} was written by a later release. Restore it with that one.`);
  }
  const manifest = manifestSchema.safeParse(value);
  if (!manifest.success) throw new ExplainedError(`${file} is damaged: ${manifestFile} is malformed.`);
  return manifest.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
