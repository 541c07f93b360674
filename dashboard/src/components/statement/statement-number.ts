/** The number of a statement as a document, with the partner's code: each partner's statements are counted from 1. */
export const statementNumberOf = (partnerCode: string, number: number): string => `${partnerCode}-${number}`;
