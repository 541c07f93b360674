import type { Traced } from "./trace.ts";

/** Returns true if a change that wasn't synced reaches the disk anyway. */
export type Survives = () => boolean;

type Change = Extract<Traced, { kind: "write" | "truncate" }>;
type Entry = Extract<Traced, { kind: "create" | "remove" }>;
type At<Each> = { readonly at: number; readonly change: Each };

/** The size of a sector. A disk writes a sector completely or not at all. */
const sectorBytes = 512;

class File {
  #synced: Buffer;
  #unsynced: At<Change>[] = [];

  constructor(synced: Buffer) {
    this.#synced = synced;
  }

  change(at: number, change: Change): void {
    this.#unsynced.push({ at, change });
  }

  sync(since: number): void {
    for (const { at, change } of this.#unsynced) if (at < since) this.#synced = changed(this.#synced, change);
    this.#unsynced = this.#unsynced.filter(({ at }) => at >= since);
  }

  after(survives: Survives): Buffer {
    const surviving = this.#unsynced.flatMap(({ change }) => sectorsOf(change)).filter(survives);
    return surviving.reduce(changed, Buffer.from(this.#synced));
  }
}

function sectorsOf(change: Change): readonly Change[] {
  if (change.kind === "truncate") return [change];
  const { bytes, offset } = change;
  const sectors: Change[] = [];
  for (let begin = 0; begin < bytes.length; ) {
    const end = Math.min(bytes.length, begin + sectorBytes - ((offset + begin) % sectorBytes));
    sectors.push({ ...change, offset: offset + begin, bytes: bytes.subarray(begin, end) });
    begin = end;
  }
  return sectors;
}

function changed(content: Buffer, change: Change): Buffer {
  if (change.kind === "truncate") return resized(content, change.size);
  const { bytes, offset } = change;
  const long = content.length < offset + bytes.length ? resized(content, offset + bytes.length) : content;
  bytes.copy(long, offset);
  return long;
}

const resized = (content: Buffer, size: number): Buffer => Buffer.concat([content.subarray(0, size)], size);

/**
 * A disk that can lose what wasn't synced: a file's bytes until the file is synced, and its name until its folder is
 * synced. `survives` decides which of these changes are lost.
 */
export class UnsyncedDisk {
  readonly #syncedNames: Map<string, File>;
  readonly #names: Map<string, File>;
  readonly #unsynced: (At<Entry> & { readonly file: File })[] = [];
  #events = 0;

  constructor(files: ReadonlyMap<string, Buffer>) {
    this.#names = new Map([...files].map(([path, content]) => [path, new File(Buffer.from(content))]));
    this.#syncedNames = new Map(this.#names);
  }

  take(event: Traced): void {
    const at = this.#events;
    this.#events += 1;
    if (event.kind === "create") this.#create(at, event);
    else if (event.kind === "remove") this.#remove(at, event);
    else if (event.kind === "sync") this.#sync(event);
    // Changes of a removed file don't matter.
    else if (event.kind !== "sent") this.#names.get(event.path)?.change(at, event);
  }

  #create(at: number, change: Entry): void {
    if (this.#names.has(change.path)) return;
    const file = new File(Buffer.alloc(0));
    this.#names.set(change.path, file);
    this.#unsynced.push({ at, change, file });
  }

  #remove(at: number, change: Entry): void {
    const file = this.#names.get(change.path);
    if (file === undefined) return;
    this.#names.delete(change.path);
    this.#unsynced.push({ at, change, file });
  }

  #sync({ path, since }: Extract<Traced, { kind: "sync" }>): void {
    this.#names.get(path)?.sync(since);
    for (const entry of [...this.#unsynced]) {
      if (entry.at >= since || folderOf(entry.change.path) !== path) continue;
      enter(this.#syncedNames, entry);
      this.#unsynced.splice(this.#unsynced.indexOf(entry), 1);
    }
  }

  /** Returns the files after a power cut. */
  after(survives: Survives): ReadonlyMap<string, Buffer> {
    const names = new Map(this.#syncedNames);
    // File systems write names in the order of their changes.
    for (const entry of this.#unsynced) {
      if (!survives()) break;
      enter(names, entry);
    }
    return new Map([...names].map(([path, file]) => [path, file.after(survives)]));
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

function enter(names: Map<string, File>, { change, file }: { readonly change: Entry; readonly file: File }): void {
  if (change.kind === "create") names.set(change.path, file);
  else names.delete(change.path);
}
