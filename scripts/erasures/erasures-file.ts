import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import { erasedSubjects } from "#domain/erased-subject.ts";
import { fingerprintsOf, mismatches } from "../backup/fingerprints.ts";
import { ExplainedError } from "../command.ts";
import { type Secrets, secretNames } from "../service/secrets.ts";

// The file has lines of JSON: a header, the receipts, the digests of each receipt, and the SHA-256 of all lines before.

const format = "tributary-erasures";
const formatVersion = 1;

const receiptSchema = z.strictObject({
  id: z.string(),
  programId: z.int(),
  subject: z.enum(erasedSubjects),
  requestedBy: z.string(),
  requestedAt: z.int(),
  /** Set for the erasure of a partner. */
  partnerId: z.int().optional(),
});
export type ErasureReceipt = Readonly<z.infer<typeof receiptSchema>>;

const headerSchema = z.strictObject({
  format: z.literal(format),
  formatVersion: z.literal(formatVersion),
  secrets: z.strictObject({
    salt: z.string(),
    of: z.record(z.enum(secretNames), z.array(z.string()).readonly()),
  }),
});
const digestsSchema = z.strictObject({ receiptId: z.string(), digests: z.array(z.string()).readonly() });
export type ErasureDigests = Readonly<z.infer<typeof digestsSchema>>;

const lineSchema = z.union([
  headerSchema,
  z.strictObject({ receipt: receiptSchema }),
  digestsSchema,
  z.strictObject({ sha256: z.string() }),
]);
type Line = z.infer<typeof lineSchema>;

export interface ErasuresFile {
  readonly file: string;
  readonly receipts: readonly ErasureReceipt[];
  /** Reads the digests again at each call, because they may not fit into memory. */
  digests(): AsyncIterable<ErasureDigests>;
}

export async function* linesOf(
  secrets: Secrets,
  receipts: readonly ErasureReceipt[],
  digests: AsyncIterable<ErasureDigests>,
): AsyncGenerator<string, undefined> {
  const hash = createHash("sha256");
  const written = (line: Line) => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    return text;
  };
  const { HASH_SECRET = "" } = secrets;
  yield written({ format, formatVersion, secrets: fingerprintsOf({ HASH_SECRET }) });
  for (const receipt of receipts) yield written({ receipt });
  for await (const each of digests) yield written(each);
  yield written({ sha256: hash.copy().digest("hex") });
}

/**
 * Reads the whole file once. Throws an `ExplainedError` if it isn't a file of erasures, is damaged, or is from another
 * service.
 */
export async function openErasures(file: string, secrets: Secrets): Promise<ErasuresFile> {
  const hash = createHash("sha256");
  const receipts: ErasureReceipt[] = [];
  let isOfService: boolean | undefined;
  let isWhole = false;
  for await (const { line, text } of readLines(file)) {
    if (isWhole) throw damaged(file);
    if (isOfService === undefined) isOfService = checkedHeader(file, line, secrets);
    else if ("receipt" in line) receipts.push(line.receipt);
    else if ("sha256" in line) isWhole = line.sha256 === hash.copy().digest("hex");
    hash.update(`${text}\n`);
  }
  if (!isWhole) throw damaged(file);
  if (isOfService === false) {
    throw new ExplainedError(`${file} was made with another HASH_SECRET: it is of another service.`);
  }
  return { file, receipts, digests: () => digestsIn(file) };
}

function checkedHeader(file: string, line: Line, secrets: Secrets): boolean {
  if (!("format" in line)) throw damaged(file);
  return !mismatches(line.secrets, secrets).includes("HASH_SECRET");
}

async function* digestsIn(file: string): AsyncGenerator<ErasureDigests, undefined> {
  for await (const { line } of readLines(file)) if ("digests" in line) yield line;
}

const damaged = (file: string) => new ExplainedError(`${file} is damaged: it is not whole.`);

async function* readLines(file: string): AsyncGenerator<{ readonly line: Line; readonly text: string }, undefined> {
  const input = createReadStream(file, "utf8");
  let isFirst = true;
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const value = parseJson(text);
      if (isFirst) refuseOther(file, value);
      isFirst = false;
      const line = lineSchema.safeParse(value);
      if (!line.success) throw damaged(file);
      yield { line: line.data, text };
    }
  } catch (error) {
    if (error instanceof ExplainedError) throw error;
    throw new ExplainedError(`${file} can't be read: ${error instanceof Error ? error.message : error}`);
  } finally {
    input.destroy();
  }
}

function refuseOther(file: string, value: unknown): void {
  const header = z.object({ format: z.literal(format), formatVersion: z.int() }).safeParse(value);
  if (!header.success) throw new ExplainedError(`${file} is not a file of erasures.`);
  if (header.data.formatVersion > formatVersion) {
    throw new ExplainedError(`${file} was written by a later release. Use that one.`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
