/** A program that has a certain partner code. */
export interface CodeOwner {
  readonly programId: number;
  /** Of its website and its link's destination, where they are set; see `hostOf`. */
  readonly hosts: readonly string[];
}

/** Where more programs than this have a code, their hosts are not compared. */
export const maxCodeOwners = 100;

/** A URL's host in the form that hosts are compared in. The parser drops the port, and yields lower case and punycode. */
export const hostOf = (url: string): string | undefined =>
  URL.parse(url)
    ?.hostname.replace(/\.$/, "")
    .replace(/^www\./, "");
