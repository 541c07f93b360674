export interface TarFile {
  readonly path: string;
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

export interface TarHeader {
  /** At most 100 bytes, or 155 bytes for the folders and 100 for the file's own name. */
  readonly path: string;
  readonly bytes: number;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

export const blockBytes = 512;
/** The time that npm sets for each file of a package, in seconds. */
const mtime = 499_162_500;

/** Creates a ustar archive. The same files give the same bytes on any machine, at any time. */
export function tar(files: readonly TarFile[]): Buffer {
  const blocks = files.flatMap(({ path, content, isExecutable }) => [
    tarHeader({ path, bytes: content.length, mode: isExecutable ? 0o755 : 0o644, mtime }),
    content,
    tarPadding(content.length),
  ]);
  return Buffer.concat([...blocks, tarEnd]);
}

/** Returns the padding after a file's content. */
export const tarPadding = (bytes: number): Buffer => Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes);

export function tarHeader({ path, bytes, mode, mtime }: TarHeader): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, offset: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, "0"), offset);
  const { folder, name } = splitPath(path);
  block.write(name, 0);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  if (bytes < 8 ** 11) octal(bytes, 124, 11);
  else {
    // The size is in base 256, as in the archives of GNU tar and bsdtar.
    block.writeBigUInt64BE(BigInt(bytes), 128);
    block[124] = 0x80;
  }
  octal(mtime, 136, 11);
  block.write("0", 156);
  block.write("ustar\0" + "00", 257, "latin1");
  block.write(folder, 345);
  octal(tarChecksum(block), 148, 6);
  block[154] = 0;
  block[155] = 0x20;
  return block;
}

/** The checksum counts its own field as spaces. */
export const tarChecksum = (block: Buffer): number =>
  block.reduce((sum, byte, offset) => sum + (offset >= 148 && offset < 156 ? 0x20 : byte), 0);

function splitPath(path: string): { readonly folder: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { folder: "", name: path };
  const slash = path.lastIndexOf("/");
  const [folder, name] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
  if (Buffer.byteLength(folder) > 155 || Buffer.byteLength(name) > 100) {
    throw new Error(`${path} is longer than a tar header holds`);
  }
  return { folder, name };
}
