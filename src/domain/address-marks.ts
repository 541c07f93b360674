/** A customer with more addresses is probably several people. */
const mostAddresses = 3;

/** Too few characters of an address's digest to find the address, but enough to tell two addresses apart. */
const markOf = (emailHash: string): string => emailHash.slice(0, 2);

const marksIn = (marks: string): readonly string[] => marks.split(" ");

export const hasManyAddresses = (marks: string | null): boolean =>
  marks !== null && marksIn(marks).length > mostAddresses;

interface Addressed {
  readonly emailHash: string | null;
  readonly addressMarks: string | null;
}

/** Marks of a customer's addresses, once a second one is reported. Null while there is one. */
export function marksAfter({ emailHash: before, addressMarks: marks }: Addressed, told: string): string | null {
  if (before === null || before === told || hasManyAddresses(marks)) return marks;
  const known = marks ?? markOf(before);
  return marksIn(known).includes(markOf(told)) ? marks : `${known} ${markOf(told)}`;
}
