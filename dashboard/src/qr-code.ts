// QR codes, ISO/IEC 18004: bytes, error correction level L, versions 1 to 20 (858 bytes), mask 0.

/** By version: error correction bytes of a block, and blocks, at level L. */
const blockTable = [
  ...([
    [7, 1],
    [10, 1],
    [15, 1],
    [20, 1],
    [26, 1],
    [18, 2],
    [20, 2],
    [24, 2],
    [30, 2],
    [18, 4],
  ] as const),
  ...([
    [20, 4],
    [24, 4],
    [26, 4],
    [30, 4],
    [22, 6],
    [24, 6],
    [28, 6],
    [30, 6],
    [28, 7],
    [28, 8],
  ] as const),
] as const;

type Modules = readonly (readonly boolean[])[];

const sizeOf = (version: number): number => 17 + 4 * version;

/** Centers of the alignment patterns, on both axes. */
function alignmentsOf(version: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((4 * version + 4) / (2 * count - 2)) * 2;
  const last = sizeOf(version) - 7;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => last - (count - 2 - i) * step)];
}

/** Modules that hold data or its error correction. */
function bitsOf(version: number): number {
  const centers = alignmentsOf(version).length;
  const alignments = centers === 0 ? 0 : 25 * centers ** 2 - 10 * centers - 55;
  return (16 * version + 128) * version + 64 - alignments - (version >= 7 ? 36 : 0);
}

interface Layout {
  readonly version: number;
  readonly totalBytes: number;
  readonly correctionBytes: number;
  readonly blocks: number;
}

function layoutFor(length: number): Layout {
  for (const [i, [correctionBytes, blocks]] of blockTable.entries()) {
    const version = i + 1;
    const totalBytes = Math.floor(bitsOf(version) / 8);
    const headerBits = 4 + (version < 10 ? 8 : 16);
    if (headerBits + 8 * length <= 8 * (totalBytes - correctionBytes * blocks)) {
      return { version, totalBytes, correctionBytes, blocks };
    }
  }
  throw new RangeError(`${length} bytes don't fit into a QR code of this kind`);
}

/** In the field of 256 elements with the polynomial x⁸ + x⁴ + x³ + x² + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

/** Reed–Solomon: the remainder of the data divided by the generator polynomial of this degree. */
function correctionOf(data: readonly number[], degree: number): readonly number[] {
  let generator = [...Array(degree - 1).fill(0), 1] as number[];
  for (let i = 0, root = 1; i < degree; i += 1, root = multiply(root, 2)) {
    generator = generator.map((factor, j) => multiply(factor, root) ^ (generator[j + 1] ?? 0));
  }
  return data.reduce<number[]>((rest, byte) => {
    const [first = 0, ...others] = rest;
    const factor = byte ^ first;
    return [...others, 0].map((value, i) => value ^ multiply(generator[i] ?? 0, factor));
  }, Array(degree).fill(0));
}

const bits = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => (value >>> (count - 1 - i)) & 1);

function dataBytes(bytes: Uint8Array, { version, totalBytes, correctionBytes, blocks }: Layout): number[] {
  const capacity = 8 * (totalBytes - correctionBytes * blocks);
  const stream = [...bits(4, 4), ...bits(bytes.length, version < 10 ? 8 : 16)];
  for (const byte of bytes) stream.push(...bits(byte, 8));
  stream.push(...Array(Math.min(4, capacity - stream.length)).fill(0));
  while (stream.length % 8 !== 0) stream.push(0);
  for (let pad = 0xec; stream.length < capacity; pad ^= 0xec ^ 0x11) stream.push(...bits(pad, 8));
  return Array.from({ length: capacity / 8 }, (_, i) => Number.parseInt(stream.slice(8 * i, 8 * i + 8).join(""), 2));
}

/** Blocks with their error correction, interleaved. The last ones may be a byte longer. */
function codewords(bytes: Uint8Array, layout: Layout): number[] {
  const { totalBytes, correctionBytes, blocks } = layout;
  const data = dataBytes(bytes, layout);
  const shortLength = Math.floor(totalBytes / blocks) - correctionBytes;
  const shortBlocks = blocks - (totalBytes % blocks);
  let from = 0;
  const parts = Array.from({ length: blocks }, (_, i) => {
    const part = data.slice(from, from + shortLength + (i < shortBlocks ? 0 : 1));
    from += part.length;
    return { part, correction: correctionOf(part, correctionBytes) };
  });
  const column = (i: number, list: readonly (readonly number[])[]) => list.flatMap((row) => row.slice(i, i + 1));
  const dataColumns = Array.from({ length: shortLength + 1 }, (_, i) =>
    column(
      i,
      parts.map(({ part }) => part),
    ),
  );
  const corrections = parts.map(({ correction }) => correction);
  return [...dataColumns, ...Array.from({ length: correctionBytes }, (_, i) => column(i, corrections))].flat();
}

/** The remainder of a division that protects the format and the version. */
function protectedBits(value: number, generator: number, degree: number): number {
  let rest = value;
  for (let i = 0; i < degree; i += 1) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * generator);
  return (value << degree) | rest;
}

/** What a reader looks for: undefined where data goes. */
function patterns(version: number): (boolean | undefined)[][] {
  const size = sizeOf(version);
  const grid = Array.from({ length: size }, () => Array<boolean | undefined>(size).fill(undefined));
  const set = (x: number, y: number, isDark: boolean) => {
    const row = grid[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = isDark;
  };
  const square = (x: number, y: number, radius: number, isDark: (distance: number) => boolean) => {
    for (let dy = -radius; dy <= radius; dy += 1)
      for (let dx = -radius; dx <= radius; dx += 1) set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  for (let i = 0; i < size; i += 1) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  const isCorner = (x: number, y: number) => (x < 9 && y < 9) || (x < 9 && y > size - 10) || (x > size - 10 && y < 9);
  for (const x of alignmentsOf(version))
    for (const y of alignmentsOf(version)) if (!isCorner(x, y)) square(x, y, 2, (distance) => distance !== 1);
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, (distance) => distance !== 2 && distance !== 4);
  drawFormat(set, size);
  if (version >= 7) {
    for (const [i, bit] of bits(protectedBits(version, 0x1f25, 12), 18)
      .reverse()
      .entries()) {
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)];
      set(a, b, bit === 1);
      set(b, a, bit === 1);
    }
  }
  return grid;
}

/** Level L with mask 0, twice. */
function drawFormat(set: (x: number, y: number, isDark: boolean) => void, size: number): void {
  const format = bits(protectedBits(0b01000, 0x537, 10) ^ 0x5412, 15).reverse();
  for (const [i, bit] of format.entries()) {
    const isDark = bit === 1;
    if (i < 6) set(8, i, isDark);
    else if (i < 8) set(8, i + 1, isDark);
    else if (i === 8) set(7, 8, isDark);
    else set(14 - i, 8, isDark);
    if (i < 8) set(size - 1 - i, 8, isDark);
    else set(8, size - 15 + i, isDark);
  }
  set(8, size - 8, true);
}

/** Two columns at a time from the right, upward and downward in turn, around the vertical timing pattern. */
function* path(size: number): Generator<readonly [x: number, y: number]> {
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const isUpward = ((right + 1) & 2) === 0;
    for (let i = 0; i < size; i += 1) {
      const y = isUpward ? size - 1 - i : i;
      yield [right, y];
      yield [right - 1, y];
    }
  }
}

/** Rows of modules, true if dark, without the quiet zone around them. Throws a RangeError if the text is too long. */
export function qrCode(text: string): Modules {
  const bytes = new TextEncoder().encode(text);
  const layout = layoutFor(bytes.length);
  const stream = codewords(bytes, layout).flatMap((byte) => bits(byte, 8));
  const size = sizeOf(layout.version);
  const grid = patterns(layout.version);
  let next = 0;
  for (const [x, y] of path(size)) {
    const row = grid[y];
    if (row === undefined || row[x] !== undefined) continue;
    row[x] = ((stream[next] ?? 0) === 1) !== ((x + y) % 2 === 0);
    next += 1;
  }
  return grid.map((row) => row.map((isDark) => isDark === true));
}
