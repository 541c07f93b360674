import type { ProgramId } from "./ids.ts";

export interface CodeOwner {
  readonly programId: ProgramId;
  /** Hosts of the program's website and of the link's destination, as returned by `hostOf`. */
  readonly hosts: readonly string[];
  /** True if the program is on another shard. The code must then be looked up there. */
  readonly isElsewhere: boolean;
}

export const maxCodeOwners = 100;

/** The host of a URL in lower case and punycode, without port and `www.`. For `www.com` it is the whole name. */
export const hostOf = (url: string): string | undefined =>
  URL.parse(url)
    ?.hostname.replace(/\.+$/, "")
    .replace(/^www\.(?=.*\.)/, "");
