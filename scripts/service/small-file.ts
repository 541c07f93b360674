import { closeSync, openSync, readSync } from "node:fs";

/** Larger than any file with a setting or secrets. */
const maxKib = 64;
const maxBytes = maxKib * 1_024;

/** Reads a small text file. Throws if it has more than 64 KiB, because it may be a device that never ends. */
export function readSmallFile(path: string): string {
  const file = openSync(path, "r");
  try {
    const content = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < content.length; length += read) {
      read = readSync(file, content, length, content.length - length, null);
    }
    if (length > maxBytes) throw new Error(`it has more than ${maxKib} KiB`);
    return content.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}
