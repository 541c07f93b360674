import type { ProgramId } from "./ids.ts";

export interface CodeOwner {
  readonly programId: ProgramId;
  /** Hosts of its website and its link's destination, normalized by `hostOf`. */
  readonly hosts: readonly string[];
  /** The program is on another shard, where the code is to be looked up. */
  readonly isElsewhere: boolean;
}

export const maxCodeOwners = 100;

/** The parser drops the port, and returns lower case and punycode. For www.com, the whole name is the domain. */
export const hostOf = (url: string): string | undefined =>
  URL.parse(url)
    ?.hostname.replace(/\.+$/, "")
    .replace(/^www\.(?=.*\.)/, "");
