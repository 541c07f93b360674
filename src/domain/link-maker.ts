/** The creator of a code: a member of the program, an import, or the partner. */
export const linkMakers = ["owner", "import", "partner"] as const;
export type LinkMaker = (typeof linkMakers)[number];
