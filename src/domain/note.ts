/** Kinds of text about a person. Only a `partner_note` is shown to the partner; an `email` is masked. */
export const noteKinds = ["reason", "partner_note", "note", "name", "email"] as const;
export type NoteKind = (typeof noteKinds)[number];

/** The field of an audit entry that refers to such a text. */
export type NoteField = Exclude<NoteKind, "partner_note"> | "partnerNote";

export const noteKindOf = (field: NoteField): NoteKind => (field === "partnerNote" ? "partner_note" : field);

export const maxPartnerNote = 500;
