/** The most email addresses expected of one person. A customer with more is probably several people. */
const mostAddresses = 3;

/** A part of an address's digest. It is too short to identify the address, but shows that two addresses differ. */
const markOf = (emailHash: string): string => emailHash.slice(0, 2);

const marksIn = (marks: string): readonly string[] => marks.split(" ");

export const hasManyAddresses = (marks: string | null): boolean =>
  marks !== null && marksIn(marks).length > mostAddresses;

interface Addressed {
  readonly emailHash: string | null;
  readonly addressMarks: string | null;
}

/**
 * Returns the marks of a customer's addresses, including `told`, the digest that a call has just reported. Null while
 * only one address is known.
 */
export function marksAfter({ emailHash: before, addressMarks: marks }: Addressed, told: string): string | null {
  if (before === null || before === told || hasManyAddresses(marks)) return marks;
  const known = marks ?? markOf(before);
  return marksIn(known).includes(markOf(told)) ? marks : `${known} ${markOf(told)}`;
}
