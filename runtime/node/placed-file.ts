import { statSync } from "node:fs";

/** Returns the inode of a file. Undefined if the file is missing, or can't be examined. */
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

export const movedMessage = "the file was moved, removed or replaced while it was open";
