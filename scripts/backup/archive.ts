import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { blockBytes, tarChecksum, tarEnd, tarHeader, tarPadding } from "../../sdk/tar.ts";
import { ExplainedError } from "../command.ts";

export interface Source {
  readonly path: string;
  readonly bytes: number;
  read(): Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Writes an archive that only its owner can read. Returns once the file is on disk. */
export async function writeArchive(file: string, sources: readonly Source[], at: Date): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(archiveOf(sources, at));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* archiveOf(sources: readonly Source[], at: Date): AsyncIterable<Buffer> {
  const mtime = Math.floor(at.getTime() / 1_000);
  for (const { path, bytes, read } of sources) {
    yield tarHeader({ path, bytes, mode: 0o600, mtime });
    yield* read();
    yield tarPadding(bytes);
  }
  yield tarEnd;
}

export interface Entry {
  readonly path: string;
  readonly bytes: number;
  readonly offset: number;
}

const maxEntries = 1_000;

/** Reads the entries of an archive. Throws an `ExplainedError` if it is incomplete. */
export async function readEntries(file: string): Promise<Entry[]> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const entries: Entry[] = [];
    for (let at = 0; ; ) {
      const block = await readBlock(handle, at);
      if (block?.every((byte) => byte === 0)) return entries;
      const header = block && parseHeader(block);
      if (header === undefined) throw damaged(file, entries);
      const offset = at + blockBytes;
      entries.push({ ...header, offset });
      at = offset + header.bytes + tarPadding(header.bytes).length;
      if (at > size || entries.length > maxEntries) throw damaged(file, entries);
    }
  } finally {
    await handle.close();
  }
}

export const readContent = (file: string, { offset, bytes }: Entry): Iterable<Buffer> | AsyncIterable<Buffer> =>
  bytes === 0 ? [] : createReadStream(file, { start: offset, end: offset + bytes - 1 });

const damaged = (file: string, { length }: readonly Entry[]): ExplainedError =>
  new ExplainedError(
    length === 0 ? `${file} is not a backup of this service.` : `${file} is damaged: it is not whole.`,
  );

async function readBlock(handle: FileHandle, position: number): Promise<Buffer | undefined> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(blockBytes), 0, blockBytes, position);
  return bytesRead === blockBytes ? buffer : undefined;
}

function parseHeader(block: Buffer): Pick<Entry, "path" | "bytes"> | undefined {
  const text = (offset: number, bytes: number) =>
    block
      .toString("utf8", offset, offset + bytes)
      .replace(/\0.*$/s, "")
      .trim();
  if (text(257, 6) !== "ustar" || Number.parseInt(text(148, 8), 8) !== tarChecksum(block)) return undefined;
  const folder = text(345, 155);
  const bytes = block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : Number.parseInt(text(124, 12), 8);
  if (!Number.isSafeInteger(bytes) || bytes < 0) return undefined;
  return { path: folder === "" ? text(0, 100) : `${folder}/${text(0, 100)}`, bytes };
}
