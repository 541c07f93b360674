import { statSync } from "node:fs";

/** Undefined if the file is missing, or if the file system can't tell. */
export function inodeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

/** An open file. SQLite doesn't notice if it is removed, and everything that is written to it would then be lost. */
export class PlacedFile {
  readonly #path: string;
  readonly #inode: number | undefined;

  constructor(path: string, inode = inodeOf(path)) {
    this.#path = path;
    this.#inode = inode;
  }

  get isKnown(): boolean {
    return this.#inode !== undefined;
  }

  /** False if the file was moved, removed or replaced since it was opened. */
  get isInPlace(): boolean {
    return this.isKnown && inodeOf(this.#path) === this.#inode;
  }
}

/**
 * The write-ahead log of an open file. Its connection must have read from the file: from then until it is closed,
 * SQLite keeps the log. Undefined if there is no log.
 */
export function logOf(path: string): PlacedFile | undefined {
  const log = new PlacedFile(`${path}-wal`);
  return log.isKnown ? log : undefined;
}

export const logMovedMessage =
  "the file's write-ahead log was moved, removed or replaced while it was open. End all processes that use the file";
export const movedMessage = "the file was moved, removed or replaced while it was open";
