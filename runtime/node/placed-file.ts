import { statSync } from "node:fs";

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

/** An open file. SQLite doesn't notice if it is removed, and everything that is written to it would then be lost. */
export class PlacedFile {
  readonly #path: string;
  readonly #inode: number | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#inode = inodeOf(path);
  }

  /** False if the file was moved, removed or replaced since it was opened. */
  get isInPlace(): boolean {
    return this.#inode !== undefined && inodeOf(this.#path) === this.#inode;
  }
}

export const movedMessage = "the file was moved, removed or replaced while it was open";
