/**
 * Kinds of texts about a person. Partners see only a `partner_note`, and the `note` and `reference` of their own claims.
 * An `email` is stored masked.
 */
export const noteKinds = ["reason", "partner_note", "note", "reference", "name", "email"] as const;
export type NoteKind = (typeof noteKinds)[number];

/** The field of an audit entry that refers to the note. */
export type NoteField = Exclude<NoteKind, "partner_note"> | "partnerNote";

export const noteKindOf = (field: NoteField): NoteKind => (field === "partnerNote" ? "partner_note" : field);

export const maxPartnerNote = 500;
