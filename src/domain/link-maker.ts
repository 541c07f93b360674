/** The creator of a code: the program (`owner`), an import, or the partner. */
export const linkMakers = ["owner", "import", "partner"] as const;
export type LinkMaker = (typeof linkMakers)[number];
