/** Of the document: partners of one payout may each have their third statement. */
export const statementNumberOf = (partnerCode: string, number: number): string => `${partnerCode}-${number}`;
