import { createReadStream } from "node:fs";

export interface Line {
  /** The line's number, from 1. */
  readonly number: number;
  readonly bytes: Buffer;
  /** The offset of the next line in the file, in bytes. */
  readonly endsAt: number;
  /** False if the file ends before the line's line feed. */
  readonly isWhole: boolean;
}

const newline = 0x0a;

/** Reads the lines of a file. Only a line feed ends a line, because JSON may contain other separators unescaped. */
export async function* linesOf(file: string): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  let endsAt = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    const data: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let to = data.indexOf(newline); to >= 0; to = data.indexOf(newline, from)) {
      number += 1;
      endsAt += to + 1 - from;
      yield { number, bytes: data.subarray(from, to), endsAt, isWhole: true };
      from = to + 1;
    }
    rest = data.subarray(from);
  }
  if (rest.length > 0) yield { number: number + 1, bytes: rest, endsAt: endsAt + rest.length, isWhole: false };
}
