import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** A process's file changes and sent bytes, in order. */
export type Traced =
  | { readonly kind: "write"; readonly path: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly path: string; readonly size: number }
  | { readonly kind: "create"; readonly path: string }
  | { readonly kind: "remove"; readonly path: string }
  /** All changes of the file before the event `since` are on the disk. */
  | { readonly kind: "sync"; readonly path: string; readonly since: number }
  /** Bytes written to a socket or a pipe. From this event on, other processes may know them. */
  | { readonly kind: "sent"; readonly text: string };

const calls = ["openat", "write", "writev", "pwrite64", "ftruncate", "unlink", "fsync", "fdatasync"];
/** Other system calls that write files. SQLite doesn't use them for the files that these tests trace. */
const unexpected = [
  "pwritev",
  "pwritev2",
  "fallocate",
  "rename",
  "renameat",
  "renameat2",
  "copy_file_range",
  "sendfile",
];

/**
 * Arguments that make strace follow threads and child processes, print all text in hexadecimal, and print the path of
 * each descriptor.
 */
export const straceArguments = (file: string): readonly string[] => [
  ...["-f", "--seccomp-bpf", "-xx", "-y", "-s", "1000000", "-o", file],
  ...["-e", `trace=${[...calls, ...unexpected].join(",")}`, "-e", "signal=none"],
];

const unescaped = (text: string): Buffer => Buffer.from(text.replaceAll("\\x", ""), "hex");
const quoted = (text: string): readonly Buffer[] =>
  [...text.matchAll(/"((?:\\x..)*)"/g)].map(([, hex = ""]) => unescaped(hex));
const pathIn = (text: string): string => unescaped(/^\d+<((?:\\x..)*)>/.exec(text)?.[1] ?? "").toString();

interface Begun {
  readonly text: string;
  /** The number of events before this call. */
  readonly at: number;
}

/** Reads what strace has written with `straceArguments`. */
export async function readTrace(file: string, isOfDisk: (path: string) => boolean): Promise<readonly Traced[]> {
  const events: Traced[] = [];
  const begun = new Map<string, Begun>();
  for await (const line of createInterface({ input: createReadStream(file, "latin1") })) {
    const [, thread = "", rest = ""] = /^(\d+)\s+(.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest);
    const { text, at } =
      resumed === null ? { text: rest, at: events.length } : (begun.get(thread) ?? { text: "", at: 0 });
    const isUnfinished = rest.endsWith(" <unfinished ...>");
    if (resumed === null) events.push(...sentIn(text, isOfDisk));
    if (isUnfinished) begun.set(thread, { text: text.slice(0, -" <unfinished ...>".length), at: events.length });
    else events.push(...doneBy(text + (resumed?.[1] ?? ""), at, isOfDisk));
  }
  return events;
}

function sentIn(text: string, isOfDisk: (path: string) => boolean): readonly Traced[] {
  const [, args = ""] = /^writev?\((.*)$/s.exec(text) ?? [];
  if (args === "" || isOfDisk(pathIn(args))) return [];
  return [{ kind: "sent", text: Buffer.concat(quoted(args)).toString("latin1") }];
}

function doneBy(text: string, since: number, isOfDisk: (path: string) => boolean): readonly Traced[] {
  const [, call = "", args = "", result = ""] = /^(\w+)\((.*)\)\s+= (-?\d+)/s.exec(text) ?? [];
  if (call === "" || result.startsWith("-")) return [];
  const path = ["openat", "unlink"].includes(call) ? String(quoted(args)[0] ?? "") : pathIn(args);
  if (!isOfDisk(path)) return [];
  const [last = ""] = /\d+$/.exec(args) ?? [];
  switch (call) {
    case "openat":
      return args.includes("O_CREAT") ? [{ kind: "create", path }] : [];
    case "unlink":
      return [{ kind: "remove", path }];
    case "ftruncate":
      return [{ kind: "truncate", path, size: Number(last) }];
    case "fsync":
    case "fdatasync":
      return [{ kind: "sync", path, since }];
    case "pwrite64":
      return [
        { kind: "write", path, offset: Number(last), bytes: Buffer.concat(quoted(args)).subarray(0, Number(result)) },
      ];
    default:
      throw new Error(`${call} of ${path} isn't understood`);
  }
}
