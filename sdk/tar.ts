export interface TarFile {
  /** At most 100 characters. */
  readonly path: string;
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

const blockBytes = 512;
/** The time that npm gives each file of a package, in seconds. */
const mtime = 499_162_500;

/** A ustar archive: the same files give the same bytes, on any machine, at any time. */
export function tar(files: readonly TarFile[]): Buffer {
  const blocks = files.flatMap((file) => [header(file), file.content, Buffer.alloc(-file.content.length & 511)]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

function header({ path, content, isExecutable }: TarFile): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is longer than a tar header holds`);
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, offset: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, "0"), offset);
  block.write(path, 0);
  octal(isExecutable ? 0o755 : 0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(content.length, 124, 11);
  octal(mtime, 136, 11);
  block.write("0", 156);
  block.write("ustar\0" + "00", 257, "latin1");
  // The checksum counts its own field as spaces.
  block.fill(" ", 148, 156);
  const checksum = block.reduce((sum: number, byte: number) => sum + byte, 0);
  octal(checksum, 148, 6);
  block[154] = 0;
  return block;
}
