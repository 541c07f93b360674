/**
 * The number printed on a statement. It begins with the partner's code, because each partner's statements are counted
 * from 1.
 */
export const statementNumberOf = (partnerCode: string, number: number): string => `${partnerCode}-${number}`;
