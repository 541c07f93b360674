export const erasedSubjects = ["customer", "click"] as const;
export type ErasedSubject = (typeof erasedSubjects)[number];
