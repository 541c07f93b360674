/** A condition that keeps a query to the rows of one program, for the table of that alias; or to all rows. */
export type Scope = (alias: string) => string;

/**
 * Queries by what they find: rows that should not be there, each with the ids that tell it apart. One statement each, so
 * that it sees one moment of a database that others write to, and all that is added up is added up in the database.
 */
export type Invariants = Readonly<Record<string, (of: Scope) => string>>;
